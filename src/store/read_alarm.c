/* SPDX-License-Identifier: Apache-2.0 */
/* Alarm states and messages that wait, as they were written; and which ids are free. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "model/alarm_code.h"
#include "store/reader.h"

/* --- Alarm states ------------------------------------------------------- */

static void read_alarm_columns(struct sql *s, struct alarm_state *ret)
{
	size_t len;

	ret->incident_id = sql_integer_or(s, 1, READER_ID_MAX, 0);
	ret->incident_opened_usec = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
	ret->incident_level = (enum alarm_level)sql_unsigned(s, ALARM_CRITICAL);
	ret->incident_changes = (uint32_t)sql_unsigned(s, UINT32_MAX);
	const void *code = sql_bytes(s, &len);
	if (s->error == 0 && code)
		s->error = alarm_code_read(code, len, ret, NULL);
}

static int read_alarm_rows(struct store_reader *reader, struct sql *s, struct alarm_state *state,
	int (*each)(void *data, const struct alarm_state *state), void *data, struct error *reterr)
{
	int r;

	while ((r = sql_step(s, reterr)) > 0) {
		int64_t target = sql_integer(s, INT64_MIN, INT64_MAX);
		memset(state, 0, sizeof(*state));
		r = reader_take_target(reader, s, target, state->repository, reterr);
		if (r > 0) {
			read_alarm_columns(s, state);
			r = reader_take_row(reader, s, "target", target, reterr);
		}
		if (r > 0)
			r = each(data, state);
		if (r != 0)
			return r;
	}
	return r;
}

int store_read_alarms(struct store_reader *reader,
	int (*each)(void *data, const struct alarm_state *state), void *data, struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, target.incident, incident.opened_usec,"
		" target.incident_level, target.incident_changes, target.alarm"
		" FROM target LEFT JOIN incident ON incident.id = target.incident"
		" WHERE target.incident IS NOT NULL OR target.alarm IS NOT NULL"
		" ORDER BY target.id";
	struct alarm_state *state = calloc(1, sizeof(*state)); /* too big for the stack */
	struct sql s = { 0 };

	if (!state)
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	int r = reader_prepare(reader, text, &s, reterr);
	if (r == 0)
		r = read_alarm_rows(reader, &s, state, each, data, reterr);
	sql_done(&s);
	free(state);
	return r;
}

/* --- Messages ----------------------------------------------------------- */

static void read_message(struct sql *s, struct message *ret)
{
	memset(ret, 0, sizeof(*ret));
	sql_text(s, ret->key, sizeof(ret->key));
	sql_text(s, ret->channel, sizeof(ret->channel));
	ret->created_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->tries = (uint32_t)sql_unsigned(s, UINT32_MAX);
	sql_text(s, ret->text, sizeof(ret->text));
}

int store_read_outbox(struct store_reader *reader,
	int (*each)(void *data, const struct message *message), void *data, struct error *reterr)
{
	static const char text[] =
		"SELECT o.rowid, o.key, o.channel, o.created_usec, o.tries, o.text,"
		" " READER_EVENT_COLUMNS
		" FROM outbox AS o JOIN incident ON incident.id = o.incident"
		" JOIN target ON target.id = incident.target"
		" JOIN incident_event AS e ON e.incident = o.incident AND e.sequence = o.sequence"
		" WHERE o.delivered_usec IS NULL ORDER BY o.created_usec, o.rowid";
	struct sql s = { 0 };
	struct message message;

	int r = reader_prepare(reader, text, &s, reterr);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		read_message(&s, &message);
		r = reader_take_row(reader, &s, "outbox", id, reterr);
		if (r > 0)
			r = reader_take_event(reader, &s, &message.event, reterr);
		if (r > 0)
			r = each(data, &message);
	}
	sql_done(&s);
	return r;
}

/* --- Ids ---------------------------------------------------------------- */

/* The one after the highest of those that are ours. */
#define NEXT_ID(table)                                                                             \
	" (SELECT coalesce(max(id), 0) + 1 FROM " table                                            \
	" WHERE id > 0 AND id < " READER_ID_MAX_TEXT ")"

int store_read_next_ids(
	struct store_reader *reader, struct store_next_ids *ret, struct error *reterr)
{
	static const char text[] =
		"SELECT" NEXT_ID("run") "," NEXT_ID("incident") "," NEXT_ID("mute");
	struct store_next_ids ids = { 0 };
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r == 0)
		r = sql_step(&s, reterr);
	if (r > 0) {
		ids.run_id = sql_integer(&s, 1, INT64_MAX);
		ids.incident_id = sql_integer(&s, 1, INT64_MAX);
		ids.mute_id = sql_integer(&s, 1, INT64_MAX);
		*ret = ids;
		r = 0;
	}
	sql_done(&s);
	return r;
}
