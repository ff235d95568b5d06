/* SPDX-License-Identifier: Apache-2.0 */
/* The one incident of a repository: opens, rises, takes in more reasons, ends, comes back. */
#ifndef REPOPROBE_ALARM_INCIDENT_H
#define REPOPROBE_ALARM_INCIDENT_H

#include "alarm/alarm.h"

/* What an event is about; change, ids and times are filled in by these functions. */

/* A rule began to fire or its level rose: event->level is its level. */
void incident_raise(struct alarm_state *state, const struct incident_event *event, int64_t now_usec,
	int64_t next_incident_id, struct alarm_outcome *outcome);

/* Ends the incident unless something still fires. last: of what cleared last. */
void incident_end_if_quiet(struct alarm_state *state, const struct incident_event *last,
	int64_t now_usec, struct alarm_outcome *outcome);

#endif
