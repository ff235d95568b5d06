/* SPDX-License-Identifier: Apache-2.0 */
/* Reads incidents and their events. */
#include <errno.h>
#include <string.h>

#include "store/reader.h"

static void read_incident(struct sql *s, struct incident *ret)
{
	memset(ret, 0, sizeof(*ret));
	ret->level = (enum alarm_level)sql_unsigned(s, ALARM_CRITICAL);
	ret->closed_usec = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
	ret->acknowledged_usec = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
	ret->acknowledged_uid = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	sql_text(s, ret->acknowledged_text, sizeof(ret->acknowledged_text));
}

/* An incident whose newest event is bad is returned as one without events. */
static int take_incident(struct store_reader *reader, struct sql *s, int64_t id,
	struct incident *ret, struct error *reterr)
{
	struct incident_event *event = &ret->last_event;

	read_incident(s, ret);
	reader_read_event_head(s, event);
	int r = reader_take_row(reader, s, "incident", id, reterr);
	if (r <= 0)
		return r;
	ret->id = event->incident_id;
	ret->opened_usec = event->opened_usec;
	memcpy(ret->repository, event->repository, sizeof(ret->repository));
	const struct incident_event none = *event;
	reader_read_event_rest(s, event);
	r = reader_take_row(reader, s, "incident_event", id, reterr);
	if (r == 0)
		*event = none;
	return r < 0 ? r : 1;
}

static void bind_filter(struct sql *s, const struct store_incident_filter *filter)
{
	sql_bind_integer(s, filter->id);
	sql_bind_text(s, filter->repository);
	sql_bind_integer(s, filter->state != STORE_INCIDENTS_CLOSED);
	sql_bind_integer(s, filter->state != STORE_INCIDENTS_OPEN);
	sql_bind_integer(s, filter->from_usec != 0 ? filter->from_usec : INT64_MIN);
	sql_bind_integer(s, filter->to_usec != 0 ? filter->to_usec : INT64_MAX);
	sql_bind_integer(s, reader_limit(filter->limit));
}

int store_read_incidents(struct store_reader *reader, const struct store_incident_filter *filter,
	int (*each)(void *data, const struct incident *incident), void *data, struct error *reterr)
{
	static const char text[] =
		"SELECT incident.id, incident.level, incident.closed_usec,"
		" incident.acknowledged_usec, incident.acknowledged_uid,"
		" incident.acknowledged_text, " READER_EVENT_COLUMNS
		" FROM incident JOIN target ON target.id = incident.target"
		" LEFT JOIN incident_event AS e ON e.incident = incident.id AND e.sequence ="
		" (SELECT max(m.sequence) FROM incident_event AS m WHERE m.incident = incident.id)"
		" WHERE (?1 = 0 OR incident.id = ?1) AND (?2 IS NULL OR target.name = ?2)"
		" AND iif(incident.closed_usec IS NULL, ?3, ?4)"
		" AND (incident.closed_usec IS NULL OR incident.closed_usec >= ?5)"
		" AND incident.opened_usec < ?6"
		" ORDER BY incident.opened_usec DESC, incident.id DESC LIMIT ?7";
	struct sql s = { 0 };
	struct incident incident;

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	bind_filter(&s, filter);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = take_incident(reader, &s, id, &incident, reterr);
		if (r > 0)
			r = each(data, &incident);
	}
	sql_done(&s);
	return r;
}

int store_read_events(struct store_reader *reader, int64_t incident_id,
	int (*each)(void *data, const struct incident_event *event), void *data,
	struct error *reterr)
{
	static const char text[] = "SELECT " READER_EVENT_COLUMNS " FROM incident_event AS e"
				   " JOIN incident ON incident.id = e.incident"
				   " JOIN target ON target.id = incident.target"
				   " WHERE e.incident = ? ORDER BY e.sequence LIMIT ?";
	struct sql s = { 0 };
	struct incident_event event;

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, incident_id);
	sql_bind_integer(&s, STORE_EVENTS_MAX);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		r = reader_take_event(reader, &s, &event, reterr);
		if (r > 0)
			r = each(data, &event);
	}
	sql_done(&s);
	return r;
}
