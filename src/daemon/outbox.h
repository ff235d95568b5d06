/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of an incident become messages, and when: mutes hold them back, an acknowledgement
 * stops all but what is worse, and what was never told needs no all-clear. */
#ifndef REPOPROBE_DAEMON_OUTBOX_H
#define REPOPROBE_DAEMON_OUTBOX_H

#include <stdbool.h>

#include "model/alarm_state.h"
#include "model/message.h"

struct buf;

/* Is this event to be told? Moves on what the state knows of having told. Pure. */
bool outbox_is_told(struct alarm_state *state, const struct incident_event *event, bool is_muted);

/* Does a mute that is over leave something to be told of the open incident? */
bool outbox_is_owed(const struct alarm_state *state, bool is_muted);

/* Has been told, with that level. */
void outbox_note_told(struct alarm_state *state, enum alarm_level level);

/* The message about an event to a channel. is_late: a mute held it back. */
void outbox_write(
	struct message *ret, const char *channel, const struct incident_event *event, bool is_late);

#endif
