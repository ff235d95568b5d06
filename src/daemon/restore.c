/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the history into the present, once, when it is open. Rows are copied on the way: who reads
 * them need not be the loop, which takes them. */
#include "daemon/restore.h"

#include "config/mutes.h"
#include "core/incidents.h"
#include "core/seen.h"
#include "daemon/daemon.h"
#include "daemon/pipeline.h"
#include "notify/notify.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Mutes that ended so long ago are read, too: a clock that is ahead at the start may be set back.
 */
#define MUTE_BACK_USEC (INT64_C(40) * 86400 * 1000000)
#define FUTURE_USEC INT64_C(60000000) /* clocks are adjusted a little all the time */

/* --- Rows on their way from the reader to the loop -------------------------- */

struct restored_row {
	struct restored_row *next;
	int (*take)(struct daemon *d, const void *row);
	max_align_t row[];
};

static int keep(
	void *data, int (*take)(struct daemon *d, const void *row), const void *row, size_t size)
{
	struct restored *restored = data;
	struct restored_row *kept = malloc(sizeof(*kept) + size);

	if (!kept)
		return -ENOMEM;
	*kept = (struct restored_row){ .take = take };
	memcpy(kept->row, row, size);
	if (restored->last)
		restored->last->next = kept;
	else
		restored->first = kept;
	restored->last = kept;
	return 0;
}

void restore_done(struct restored *restored)
{
	while (restored->first) {
		struct restored_row *row = restored->first;
		restored->first = row->next;
		free(row);
	}
	restored->last = NULL;
}

/* --- Each kind: how it is taken, and how it is kept until then ---------------- */

static int take_run(struct daemon *d, const void *row)
{
	return present_restore_run(d->core.present, row);
}

static int keep_run(void *data, const struct run *run)
{
	return keep(data, take_run, run, sizeof(*run));
}

/* What left the configuration while no daemon ran is forgotten here. */
static int take_alarm(struct daemon *d, const void *row)
{
	const struct alarm_state *state = row;
	struct present_repository *repository =
		present_find_repository(d->core.present, state->repository);
	struct alarm_state *gone;
	int r = present_restore_alarm(d->core.present, state);

	if (r < 0)
		return r;
	if (repository) {
		pipeline_forget(d, repository->alarm, repository->config);
		return 0;
	}
	gone = malloc(sizeof(*gone));
	if (!gone)
		return -ENOMEM;
	*gone = *state;
	pipeline_forget(d, gone, NULL);
	free(gone);
	return 0;
}

static int keep_alarm(void *data, const struct alarm_state *state)
{
	return keep(data, take_alarm, state, sizeof(*state));
}

static int take_first_identity(struct daemon *d, const void *row)
{
	return seen_restore(d->core.present, row);
}

static int keep_first_identity(void *data, const struct first_identity *first)
{
	return keep(data, take_first_identity, first, sizeof(*first));
}

/* Nobody knows whether it went out before the process ended: it counts as tried. */
static int take_message(struct daemon *d, const void *row)
{
	const struct message *message = row;
	struct message again = *message;

	if (again.tries == 0)
		again.tries = 1;
	int r = notifier_submit(d->notifier, &again);
	if (r >= 0)
		d->notifications_pending++;
	return r == -ENOBUFS ? 0 : r; /* it stays in the outbox until the next start */
}

static int keep_message(void *data, const struct message *message)
{
	return keep(data, take_message, message, sizeof(*message));
}

/* Its alarm state, which is taken after this, says more of it. Where that row is bad the incident
 * is open even so, and the next runs judge whether it goes on. */
static int take_open_incident(struct daemon *d, const void *row)
{
	const struct incident *incident = row;
	struct present_repository *repository =
		present_find_repository(d->core.present, incident->repository);

	if (!repository || repository->alarm->incident_id != 0)
		return 0;
	repository->alarm->incident_id = incident->id;
	repository->alarm->incident_opened_usec = incident->opened_usec;
	repository->alarm->incident_level = incident->level;
	repository->alarm->incident_changes = incident->last_event.sequence + 1;
	return 0;
}

static int keep_open_incident(void *data, const struct incident *incident)
{
	return keep(data, take_open_incident, incident, sizeof(*incident));
}

static int take_incident(struct daemon *d, const void *row)
{
	const struct incident *incident = row;

	return incidents_restore(&d->core, &incident->last_event);
}

static int keep_incident(void *data, const struct incident *incident)
{
	return keep(data, take_incident, incident, sizeof(*incident));
}

/* More than there is room for were never taken in. */
static int take_mute(struct daemon *d, const void *row)
{
	(void)mutes_add(d->core.mutes, row, clock_realtime_usec(&d->clock));
	return 0;
}

static int keep_mute(void *data, const struct mute *mute)
{
	return keep(data, take_mute, mute, sizeof(*mute));
}

struct budget_row {
	char repository[RUN_NAME_MAX + 1];
	struct saved_budget budget;
};

static int take_budget(struct daemon *d, const void *row)
{
	const struct budget_row *budget = row;

	return ledger_restore(&d->core.ledger, budget->repository, &budget->budget,
		clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock));
}

static int keep_budget(void *data, const char *repository, const struct saved_budget *budget)
{
	struct budget_row row = { .budget = *budget };

	(void)strncat(row.repository, repository, RUN_NAME_MAX);
	return keep(data, take_budget, &row, sizeof(row));
}

/* --- Reading, on any thread --------------------------------------------------- */

static int read_limits(struct store_reader *reader, struct restored *restored, struct error *reterr)
{
	int r = store_read_first_identities(reader, keep_first_identity, restored, reterr);

	return r < 0 ? r : store_read_budgets(reader, keep_budget, restored, reterr);
}

int restore_read(struct store_reader *reader, int64_t now_usec, struct restored *restored,
	struct error *reterr)
{
	/* A run that a wrong clock dated in the future is never the newest. */
	const struct store_run_filter newest = {
		.is_newest_per_probe = true,
		.limit = SIZE_MAX,
		.to_usec = now_usec + FUTURE_USEC,
	};
	const struct store_incident_filter open = {
		.state = STORE_INCIDENTS_OPEN,
		.limit = SIZE_MAX,
	};
	int r = store_read_next_ids(reader, &restored->ids, reterr);

	if (r >= 0)
		r = store_read_runs(reader, &newest, keep_run, restored, reterr);
	if (r >= 0 && restored->has_limits)
		r = read_limits(reader, restored, reterr);
	if (r >= 0)
		r = store_read_incidents(reader, &open, keep_open_incident, restored, reterr);
	if (r >= 0)
		r = store_read_alarms(reader, keep_alarm, restored, reterr);
	if (r >= 0)
		r = store_read_mutes(
			reader, now_usec - MUTE_BACK_USEC, keep_mute, restored, reterr);
	if (r >= 0)
		r = store_read_incidents(reader, &open, keep_incident, restored, reterr);
	if (r >= 0)
		r = store_read_outbox(reader, keep_message, restored, reterr);
	return r < 0 ? r : 0;
}

/* --- Taking, on the loop ------------------------------------------------------ */

/* Never back: a new database may have taken the place of one that had higher ones. */
static void raise_id(int64_t *id, int64_t least)
{
	if (*id < least)
		*id = least;
}

static int take_rows(struct daemon *d, const struct restored *restored)
{
	int r = 0;

	for (const struct restored_row *row = restored->first; row && r >= 0; row = row->next)
		r = row->take(d, row->row);
	if (r >= 0 && restored->has_limits) {
		r = ledger_open(&d->core.ledger, d->core.config, clock_monotonic_nsec(&d->clock));
		d->record.is_safe = r >= 0;
	}
	return r;
}

int restore_take(struct daemon *d, const struct restored *restored)
{
	raise_id(&d->core.next_run_id, restored->ids.run_id);
	raise_id(&d->core.next_incident_id, restored->ids.incident_id);
	raise_id(&d->core.next_mute_id, restored->ids.mute_id);
	int r = take_rows(d, restored);
	if (r >= 0)
		seen_restore_from_runs(d->core.present);
	return r < 0 ? r : 0;
}

/* As where the disk was full when it was to be made. */
static bool was_never_written(const char *path)
{
	struct stat st;

	return stat(path, &st) < 0 ? errno == ENOENT : st.st_size == 0;
}

int restore_limits(struct daemon *d, struct error *reterr)
{
	struct restored restored = { .has_limits = true };
	struct store_reader *reader = NULL;
	bool is_empty = was_never_written(d->database_path);
	int r = is_empty ? 0 : store_reader_open_older(d->database_path, &reader, reterr);

	if (r >= 0 && !is_empty) {
		store_reader_report(reader, d->bad_rows);
		r = read_limits(reader, &restored, reterr);
	}
	if (r >= 0)
		r = take_rows(d, &restored);
	store_reader_close(reader);
	restore_done(&restored);
	return r;
}

int restore_history(struct daemon *d, struct error *reterr)
{
	struct restored restored = { .has_limits = !d->record.is_safe };
	struct store_reader *reader = NULL;
	int r = store_reader_open(d->database_path, &reader, reterr);

	if (r >= 0) {
		store_reader_report(reader, d->bad_rows);
		r = restore_read(reader, clock_realtime_usec(&d->clock), &restored, reterr);
	}
	if (r >= 0)
		r = restore_take(d, &restored);
	store_reader_close(reader);
	restore_done(&restored);
	return r;
}
