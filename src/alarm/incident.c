/* SPDX-License-Identifier: Apache-2.0 */
/* The level of an incident only rises; it ends when nothing fires. If it fires again within two
 * hours the same incident reopens, and each time it takes longer to clear. */
#include "alarm/incident.h"

#include <assert.h>
#include <string.h>

static bool is_firing(const struct alarm_state *state)
{
	for (size_t i = 0; i < state->series_count; i++)
		if (state->series[i].level != ALARM_NONE)
			return true;
	for (size_t i = 0; i < state->probe_count; i++)
		for (size_t k = 0; k < ALARM_RUN_RULES; k++)
			if (state->probes[i].rules[k].level != ALARM_NONE)
				return true;
	for (size_t i = 0; i < state->custom_count; i++)
		if (state->customs[i].rule.level != ALARM_NONE)
			return true;
	return false;
}

static void add_event(struct alarm_state *state, enum incident_change change,
	const struct incident_event *about, int64_t now_usec, struct alarm_outcome *outcome)
{
	assert(outcome->event_count < ALARM_EVENTS_MAX);
	struct incident_event *event = &outcome->events[outcome->event_count++];

	*event = *about;
	event->incident_id = state->incident_id;
	event->sequence = state->incident_changes++;
	event->change = change;
	event->level = state->incident_level;
	event->time_usec = now_usec;
	event->opened_usec = state->incident_opened_usec;
	memcpy(event->repository, state->repository, sizeof(event->repository));
}

static bool may_reopen(const struct alarm_state *state, int64_t now_usec)
{
	return state->last_incident_id != 0 && now_usec >= state->last_cleared_usec &&
		now_usec - state->last_cleared_usec <= ALARM_REOPEN_USEC;
}

static void reopen(struct alarm_state *state, const struct incident_event *event, int64_t now_usec,
	struct alarm_outcome *outcome)
{
	bool is_worse = event->level > state->last_level;

	state->incident_id = state->last_incident_id;
	state->incident_opened_usec = state->last_opened_usec;
	state->incident_level = is_worse ? event->level : state->last_level;
	state->incident_changes = state->last_changes;
	state->last_incident_id = 0;
	if (state->reopenings < UINT8_MAX)
		state->reopenings++;
	add_event(state, is_worse ? INCIDENT_WORSE : INCIDENT_REOPENED, event, now_usec, outcome);
	if (state->is_flapping || state->reopenings < ALARM_FLAPPING_REOPENINGS)
		return;
	state->is_flapping = true;
	add_event(state, INCIDENT_FLAPPING, event, now_usec, outcome);
}

static void open_new(struct alarm_state *state, const struct incident_event *event,
	int64_t now_usec, int64_t next_incident_id, struct alarm_outcome *outcome)
{
	assert(next_incident_id > 0);
	state->incident_id = next_incident_id;
	state->incident_opened_usec = now_usec;
	state->incident_level = event->level;
	state->incident_changes = 0;
	state->last_incident_id = 0;
	state->reopenings = 0;
	state->is_flapping = false;
	add_event(state, INCIDENT_OPENED, event, now_usec, outcome);
}

void incident_raise(struct alarm_state *state, const struct incident_event *event, int64_t now_usec,
	int64_t next_incident_id, struct alarm_outcome *outcome)
{
	if (state->incident_id == 0 && may_reopen(state, now_usec)) {
		reopen(state, event, now_usec, outcome);
	} else if (state->incident_id == 0) {
		open_new(state, event, now_usec, next_incident_id, outcome);
	} else if (event->level > state->incident_level) {
		state->incident_level = event->level;
		add_event(state, INCIDENT_WORSE, event, now_usec, outcome);
	} else {
		add_event(state, INCIDENT_JOINED, event, now_usec, outcome);
	}
}

void incident_end_if_quiet(struct alarm_state *state, const struct incident_event *last,
	int64_t now_usec, struct alarm_outcome *outcome)
{
	if (state->incident_id == 0 || is_firing(state))
		return;
	add_event(state, INCIDENT_CLEARED, last, now_usec, outcome);
	state->last_incident_id = state->incident_id;
	state->last_opened_usec = state->incident_opened_usec;
	state->last_cleared_usec = now_usec;
	state->last_level = state->incident_level;
	state->last_changes = state->incident_changes;
	state->incident_id = 0;
	state->incident_opened_usec = 0;
	state->incident_level = ALARM_NONE;
	state->incident_changes = 0;
}
