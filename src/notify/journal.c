/* SPDX-License-Identifier: Apache-2.0 */
/* Messages as entries of systemd's journal. `journalctl MESSAGE_ID=… -o json` reads them back. */
#include "notify/journal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <sys/types.h>
#include <unistd.h>

/* Our source locations do not help a reader of the entry. */
#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include "base/clock.h"
#include "base/log.h"

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define ENTRY_BYTES_MAX 8192
#define MATCH_TEXT_MAX 128

/* One fixed id for each kind of event, from `systemd-id128 new`: filters and catalogs rely on them.
 */
static const char *const message_ids[] = {
	[INCIDENT_OPENED] = "a138948e20d99e89403c33e44b16b5a8",
	[INCIDENT_WORSE] = "d4663553e60f1524186777aa7b7a8f1b",
	[INCIDENT_CLEARED] = "31143a97bf0b6253c29960eae7b3befb",
	[INCIDENT_JOINED] = "f83c617bf70a44a780b6827257eb5e49",
	[INCIDENT_REOPENED] = "3988c1b83de545b1b65ab0827c161c13",
	[INCIDENT_FLAPPING] = "88d07659389c44cabbb4b3cb90362daa",
};

static enum log_level log_level_of(const struct incident_event *event)
{
	if (event->change == INCIDENT_CLEARED)
		return LOG_LEVEL_NOTICE;
	return event->level == ALARM_CRITICAL ? LOG_LEVEL_CRITICAL : LOG_LEVEL_WARNING;
}

static void end_field(struct journal_entry *entry)
{
	if (entry->count == JOURNAL_FIELDS_MAX) {
		entry->data.error = -ENOBUFS;
		return;
	}
	entry->ends[entry->count++] = entry->data.len;
}

static void add_text(struct journal_entry *entry, const char *name, const char *value)
{
	buf_printf(&entry->data, "%s=", name);
	buf_add_utf8(&entry->data, value);
	end_field(entry);
}

static void add_integer(struct journal_entry *entry, const char *name, int64_t value)
{
	buf_printf(&entry->data, "%s=%" PRId64, name, value);
	end_field(entry);
}

static void add_seconds(struct journal_entry *entry, const char *name, uint64_t nsec)
{
	buf_printf(&entry->data, "%s=%" PRIu64 ".%09" PRIu64, name, nsec / NSEC_PER_SEC,
		nsec % NSEC_PER_SEC);
	end_field(entry);
}

int journal_entry_init(struct journal_entry *entry, const struct message *message)
{
	const struct incident_event *event = &message->event;

	*entry = (struct journal_entry){ .data = BUF_INIT(ENTRY_BYTES_MAX) };
	add_text(entry, "MESSAGE", message->text);
	add_integer(entry, "PRIORITY", log_level_of(event));
	add_text(entry, "MESSAGE_ID", message_ids[event->change]);
	add_text(entry, "SYSLOG_IDENTIFIER", "repoprobed");
	add_text(entry, "DOCUMENTATION", "man:repoprobed(8)");
	add_text(entry, "REPOPROBE_KEY", message->key);
	add_integer(entry, "REPOPROBE_CREATED_USEC", message->created_usec);
	add_integer(entry, "REPOPROBE_INCIDENT", event->incident_id);
	add_text(entry, "REPOPROBE_CHANGE", incident_change_name(event->change));
	add_text(entry, "REPOPROBE_LEVEL", alarm_level_name(event->level));
	add_text(entry, "REPOPROBE_REASON", incident_event_reason(event));
	add_text(entry, "REPOPROBE_REPOSITORY", event->repository);
	add_text(entry, "REPOPROBE_PROBE", event->probe);
	if (alarm_reason_has_operation(event->reason))
		add_text(entry, "REPOPROBE_OPERATION", run_operation_name(event->operation));
	if (event->limit_nsec > 0) {
		add_seconds(entry, "REPOPROBE_VALUE_SECONDS", event->value_nsec);
		add_seconds(entry, "REPOPROBE_LIMIT_SECONDS", event->limit_nsec);
	}
	int r = entry->data.error;
	if (r < 0)
		journal_entry_done(entry);
	return r;
}

size_t journal_entry_fields(const struct journal_entry *entry, struct iovec *ret)
{
	size_t start = 0;

	for (size_t i = 0; i < entry->count; i++) {
		ret[i].iov_base = entry->data.data + start;
		ret[i].iov_len = entry->ends[i] - start;
		start = entry->ends[i];
	}
	return entry->count;
}

void journal_entry_done(struct journal_entry *entry)
{
	buf_done(&entry->data);
	entry->count = 0;
}

/* Adds the match in the buffer, and empties it for the next. */
static bool add_match(sd_journal *journal, struct buf *match)
{
	bool is_added =
		match->error == 0 && sd_journal_add_match(journal, match->data, match->len) >= 0;

	buf_clear(match);
	return is_added;
}

static bool add_matches(sd_journal *journal, const struct message *message)
{
	struct buf match = BUF_INIT(MATCH_TEXT_MAX);

	buf_printf(&match, "REPOPROBE_KEY=%s", message->key);
	bool is_complete = add_match(journal, &match);
	buf_printf(&match, "REPOPROBE_CREATED_USEC=%" PRId64, message->created_usec);
	is_complete &= add_match(journal, &match);
	buf_printf(&match, "_UID=%u", (unsigned)geteuid());
	is_complete &= add_match(journal, &match);
	buf_done(&match);
	return is_complete;
}

/* Looks for our own entry of this message. Keys restart with a new database, so the time of the
 * message is compared too; _UID is set by the journal, not the writer, so no other user can
 * suppress our messages. A journal that cannot be read counts as empty: better twice than never. */
static bool is_in_journal(const struct message *message)
{
	sd_journal *journal = NULL;
	bool is_found = false;

	if (sd_journal_open(&journal, SD_JOURNAL_LOCAL_ONLY) < 0)
		return false;
	if (add_matches(journal, message))
		is_found = sd_journal_next(journal) > 0;
	sd_journal_close(journal);
	return is_found;
}

/* Without the socket (a service in its own root) sd_journal_sendv returns 0 and writes nothing. */
static bool has_journal(void)
{
	return log_is_journal() && access(JOURNAL_SOCKET, W_OK) == 0;
}

int journal_deliver(const struct message *message)
{
	struct journal_entry entry;
	struct iovec fields[JOURNAL_FIELDS_MAX];

	if (!has_journal())
		return log_always(log_level_of(&message->event), "%s", message->text);
	if (message->tries > 0 && is_in_journal(message))
		return 0;
	int r = journal_entry_init(&entry, message);
	if (r < 0)
		return r;
	r = sd_journal_sendv(fields, (int)journal_entry_fields(&entry, fields));
	journal_entry_done(&entry);
	return r < 0 ? r : 0;
}
