/* SPDX-License-Identifier: Apache-2.0 */
/* Decisions on the few fields of the alarm state that belong to messages. */
#include "daemon/outbox.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/utf8.h"
#include "report/report.h"

#define TEXT_BYTES_MAX 8192 /* before it is cut */

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

static void add(struct buf *text, const char *words)
{
	if (words)
		buf_add_text(text, words);
}

void outbox_write(struct message *ret, const char *channel, const struct incident_event *event,
	const struct outbox_words *words)
{
	struct buf text = BUF_INIT(TEXT_BYTES_MAX);

	memset(ret, 0, sizeof(*ret));
	(void)snprintf(ret->key, sizeof(ret->key), "%s/%lld/%u", channel,
		(long long)event->incident_id, event->sequence);
	(void)snprintf(ret->channel, sizeof(ret->channel), "%s", channel);
	ret->created_usec = event->time_usec;
	ret->event = *event;
	add(&text, words->before);
	report_incident_sentence(event, &text);
	add(&text, words->after);
	memcpy(ret->text, buf_text(&text), utf8_cut(buf_text(&text), MESSAGE_TEXT_MAX));
	buf_done(&text);
}
