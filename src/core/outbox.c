/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions on the few fields of the alarm state that belong to messages. */
#include "core/outbox.h"

static void forget(struct alarm_state *state)
{
	state->told_level = ALARM_NONE;
	state->is_acknowledged = false;
}

void outbox_note_told(struct alarm_state *state, enum alarm_level level)
{
	if (level <= state->told_level)
		return;
	state->told_level = level;
	state->is_acknowledged = false;
}

bool outbox_is_told(struct alarm_state *state, const struct incident_event *event, bool is_held)
{
	bool is_worse = event->level > state->told_level;

	if (event->change == INCIDENT_CLEARED) {
		bool was_told = state->told_level != ALARM_NONE;
		forget(state);
		return was_told;
	}
	/* It was told once, and so was its end. */
	if (event->change == INCIDENT_REOPENED)
		state->told_level = event->level;
	if (!incident_change_is_told(event->change) || is_held)
		return false;
	if (state->is_acknowledged && !is_worse)
		return false;
	outbox_note_told(state, event->level);
	return true;
}

bool outbox_is_owed(const struct alarm_state *state, bool is_muted)
{
	/* What is acknowledged counts as told, at the level that it had then. */
	return !is_muted && state->incident_id != 0 && state->incident_level > state->told_level;
}
