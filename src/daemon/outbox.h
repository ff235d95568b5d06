/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of an incident become messages: mutes hold them back, as its group may (grouping.h),
 * an acknowledgement stops all but what is worse, and what was never told needs no all-clear. */
#ifndef REPOPROBE_DAEMON_OUTBOX_H
#define REPOPROBE_DAEMON_OUTBOX_H

#include <stdbool.h>

#include "model/alarm_state.h"
#include "model/message.h"

struct buf;

/* Is this event to be told? Moves on what the state knows of having told. Pure. */
bool outbox_is_told(struct alarm_state *state, const struct incident_event *event, bool is_held);

/* Is there something to be told of the open incident, once nothing holds it back? */
bool outbox_is_owed(const struct alarm_state *state, bool is_muted);

/* Has been told, with that level. */
void outbox_note_told(struct alarm_state *state, enum alarm_level level);

/* What is said around the sentence of an event; NULL or "": nothing. */
struct outbox_words {
	const char *before; /* "4 repositories on nas1 are slow: a, b, c, d; " */
	const char *after; /* " (told now: it was muted until now)" */
};
/* The message about an event to a channel. */
void outbox_write(struct message *ret, const char *channel, const struct incident_event *event,
	const struct outbox_words *words);

#endif
