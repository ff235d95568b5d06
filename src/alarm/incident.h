/* SPDX-License-Identifier: Apache-2.0 */
/* The single incident of a repository: opens, escalates, gains reasons, ends, reopens. */
#ifndef REPOPROBE_ALARM_INCIDENT_H
#define REPOPROBE_ALARM_INCIDENT_H

#include "alarm/alarm.h"

/* What an event is about; these functions fill in change, ids and times. */

/* A rule began to fire or its level rose: event->level is its level. */
void incident_raise(struct alarm_state *state, const struct incident_event *event, int64_t now_usec,
	int64_t next_incident_id, struct alarm_outcome *outcome);

/* Ends the incident unless something still fires. last: the reason that cleared last. */
void incident_end_if_quiet(struct alarm_state *state, const struct incident_event *last,
	int64_t now_usec, struct alarm_outcome *outcome);

#endif
