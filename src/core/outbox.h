/* SPDX-License-Identifier: Apache-2.0 */
/* Which events of an incident become messages: mutes hold them back, as its group may (grouping.h),
 * an acknowledgement stops all but what is worse, and what was never told needs no all-clear. */
#ifndef REPOPROBE_CORE_OUTBOX_H
#define REPOPROBE_CORE_OUTBOX_H

#include <stdbool.h>

#include "model/alarm_state.h"

/* Is this event to be told? Moves on what the state knows of having told. Pure. */
bool outbox_is_told(struct alarm_state *state, const struct incident_event *event, bool is_held);

/* Is there something to be told of the open incident, once nothing holds it back? */
bool outbox_is_owed(const struct alarm_state *state, bool is_muted);

/* Has been told, with that level. */
void outbox_note_told(struct alarm_state *state, enum alarm_level level);

#endif
