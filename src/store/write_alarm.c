/* SPDX-License-Identifier: Apache-2.0 */
/* Alarm states, incidents with their events, and messages as rows. A batch may be the first that
 * tells of an incident, when those before it were lost: each writes what it refers to if it is not
 * there. */
#include "store/write.h"

struct incident_row {
	int64_t id;
	const char *repository;
	enum alarm_level level;
	int64_t opened_usec;
	int64_t closed_usec; /* 0: open */
	bool is_reopened;
};

/* Opens, raises or closes. */
static int set_incident(struct write *w, const struct incident_row *row, struct error *reterr)
{
	int64_t target;

	int r = write_target(w, row->repository, &target, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_SET_INCIDENT);
	sql_bind_integer(s, row->id);
	sql_bind_integer(s, target);
	sql_bind_integer(s, row->level);
	sql_bind_integer(s, row->opened_usec);
	if (row->closed_usec != 0)
		sql_bind_integer(s, row->closed_usec);
	else
		sql_bind_null(s);
	sql_bind_integer(s, row->is_reopened);
	return sql_finish(s, reterr);
}

static int set_alarm(
	struct write *w, int64_t target, const struct change_alarm *alarm, struct error *reterr)
{
	struct sql *s = write_start(w, WRITE_SET_ALARM);

	if (alarm->incident_id != 0)
		sql_bind_integer(s, alarm->incident_id);
	else
		sql_bind_null(s);
	sql_bind_integer(s, alarm->incident_level);
	sql_bind_integer(s, alarm->incident_changes);
	if (alarm->len > 0)
		sql_bind_bytes(s, alarm->code, alarm->len);
	else
		sql_bind_null(s);
	sql_bind_integer(s, target);
	return sql_finish(s, reterr);
}

int write_alarm(struct write *w, const struct change *change, struct error *reterr)
{
	const struct change_alarm *alarm = change->alarm;
	const struct incident_row row = {
		.id = alarm->incident_id,
		.repository = alarm->repository,
		.level = alarm->incident_level,
		.opened_usec = alarm->incident_opened_usec,
	};
	int64_t target;

	int r = write_target(w, alarm->repository, &target, reterr);
	if (r == 0 && alarm->incident_id != 0)
		r = set_incident(w, &row, reterr);
	if (r == 0)
		r = set_alarm(w, target, alarm, reterr);
	return r;
}

static uint64_t storable(uint64_t number)
{
	return number < INT64_MAX ? number : INT64_MAX;
}

static void bind_evidence(struct sql *s, const struct alarm_evidence *e)
{
	sql_bind_integer(s, e->rule);
	sql_bind_unsigned(s, storable(e->value));
	sql_bind_unsigned(s, storable(e->normal));
	sql_bind_unsigned(s, storable(e->normal_low));
	sql_bind_unsigned(s, storable(e->normal_high));
	sql_bind_integer(s, e->normal_runs);
	sql_bind_integer(s, e->load);
	sql_bind_unsigned(s, storable(e->others_bytes_per_sec));
	sql_bind_integer(s, e->confirmations);
	sql_bind_integer(s, e->agreed);
	sql_bind_integer(s, e->moved);
	sql_bind_integer(s, e->cause);
}

/* Of an event that is about none: nothing. */
static void bind_alarm(struct sql *s, const struct incident_event *event)
{
	if (event->alarm[0] == '\0') {
		for (int i = 0; i < 3; i++)
			sql_bind_null(s);
		return;
	}
	sql_bind_text(s, event->alarm);
	sql_bind_text(s, event->condition);
	sql_bind_integer(s, event->evidence.unit);
}

static int add_event(struct write *w, const struct incident_event *event, struct error *reterr)
{
	const struct incident_row row = {
		.id = event->incident_id,
		.repository = event->repository,
		.level = event->level,
		.opened_usec = event->opened_usec,
		.closed_usec = event->change == INCIDENT_CLEARED ? event->time_usec : 0,
		.is_reopened = event->change == INCIDENT_REOPENED,
	};

	int r = set_incident(w, &row, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_ADD_EVENT);
	sql_bind_integer(s, event->incident_id);
	sql_bind_integer(s, event->sequence);
	sql_bind_integer(s, event->change);
	sql_bind_integer(s, event->level);
	sql_bind_integer(s, event->reason);
	sql_bind_integer(s, event->time_usec);
	sql_bind_text(s, event->probe);
	sql_bind_integer(s, event->operation);
	sql_bind_unsigned(s, event->value_nsec);
	sql_bind_unsigned(s, event->limit_nsec);
	sql_bind_integer(s, event->hits);
	sql_bind_integer(s, event->window);
	sql_bind_integer(s, event->status);
	bind_evidence(s, &event->evidence);
	bind_alarm(s, event);
	if (event->evidence.setup_step != RUN_SETUP_NONE)
		sql_bind_integer(s, event->evidence.setup_step);
	else
		sql_bind_null(s);
	return sql_finish(s, reterr);
}

int write_event(struct write *w, const struct change *change, struct error *reterr)
{
	return add_event(w, change->event, reterr);
}

int write_message(struct write *w, const struct change *change, struct error *reterr)
{
	const struct message *m = change->message;

	int r = add_event(w, &m->event, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_ADD_MESSAGE);
	sql_bind_text(s, m->key);
	sql_bind_text(s, m->channel);
	sql_bind_integer(s, m->created_usec);
	sql_bind_integer(s, m->tries);
	sql_bind_text(s, m->text);
	sql_bind_integer(s, m->event.incident_id);
	sql_bind_integer(s, m->event.sequence);
	return sql_finish(s, reterr);
}

int write_delivery(struct write *w, const struct change *change, struct error *reterr)
{
	struct sql *s = write_start(w, WRITE_SET_DELIVERY);

	sql_bind_integer(s, change->mark->time_usec);
	sql_bind_text(s, change->mark->key);
	return sql_finish(s, reterr);
}

int write_acknowledgement(struct write *w, const struct change *change, struct error *reterr)
{
	const struct acknowledgement *a = change->acknowledgement;
	struct sql *s = write_start(w, WRITE_SET_ACKNOWLEDGEMENT);

	sql_bind_integer(s, a->time_usec);
	sql_bind_integer(s, a->uid);
	sql_bind_text(s, a->text);
	sql_bind_integer(s, a->incident_id);
	return sql_finish(s, reterr);
}
