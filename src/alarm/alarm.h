/* SPDX-License-Identifier: Apache-2.0 */
/* Turns finished runs into incidents. Pure: no clock, no I/O, no globals; all it remembers is in
 * the alarm_state it is given, so that the store can keep it in the same transaction as the run. */
#ifndef REPOPROBE_ALARM_ALARM_H
#define REPOPROBE_ALARM_ALARM_H

#include "model/alarm_state.h"
#include "model/facts.h"
#include "model/rule.h"
#include "model/run.h"

#define ALARM_HOLD_HITS 2 /* fires when so many … */
#define ALARM_HOLD_WINDOW 3 /* … of the last so many judged runs are over the limit */
#define ALARM_CLEAR_RUNS 6 /* clears after so many good runs in a row */
#define ALARM_CLEAR_PERCENT 80 /* a run is good below this share of the limit */
#define ALARM_EVENTS_MAX (RUN_OPERATIONS + 1)

struct alarm_input {
	const struct run *run;
	const struct facts *facts;
	struct rule_limit limit; /* of the run's probe */
	int64_t now_usec; /* realtime */
	int64_t next_incident_id; /* used when an incident opens */
};

struct alarm_outcome {
	size_t event_count;
	struct incident_event events[ALARM_EVENTS_MAX]; /* in order */
	int64_t confirm_at_usec; /* when a confirming run is wanted, 0: never (in this version) */
};

/* Judges one finished run and moves the state on. Skipped runs, runs without numbers, and runs
 * flagged warming or cached? change nothing. A probe without limit is forgotten, as below. Returns
 * 0, or -ENOBUFS when the repository has more than ALARM_SERIES_MAX series (the state is then
 * unchanged). */
int alarm_step(
	struct alarm_state *state, const struct alarm_input *input, struct alarm_outcome *ret);

/* Forgets the series of a probe that is no longer configured; clears an incident that nothing holds
 * any more: that event has value, limit, hits and window 0. (When a series cleared by good runs,
 * hits is 0 and window the number of good runs.) */
void alarm_forget_probe(
	struct alarm_state *state, const char *probe, int64_t now_usec, struct alarm_outcome *ret);

#endif
