/* SPDX-License-Identifier: Apache-2.0 */
/* Turns finished runs into incidents. Pure: no clock, no I/O, no globals, no floating point. All
 * its memory is in the alarm_state it is given, so that the store can save it in the same
 * transaction as the run; what is normal is in baselines, which are built from history once a day.
 * Semantics: alarms.md, sections 4 and 6.
 *
 * A slot is a scheduled run and its confirming runs: those that alarm_step requests with
 * confirm_at_usec and that are passed in with is_confirmation. */
#ifndef REPOPROBE_ALARM_ALARM_H
#define REPOPROBE_ALARM_ALARM_H

#include "alarm/baseline.h"
#include "alarm/custom.h"
#include "model/alarm_state.h"
#include "model/facts.h"
#include "model/rule.h"
#include "model/run.h"

#define ALARM_HOLD_HITS 2 /* the fast lane fires when this many … */
#define ALARM_HOLD_WINDOW 3 /* … of this many newest slots are bad */
#define ALARM_HELD_HITS 10 /* the same for the slow lane: an hour of slots */
#define ALARM_HELD_WINDOW 12
#define ALARM_CLEAR_RUNS 6 /* clears after this many good runs in a row … */
#define ALARM_CLEAR_RUNS_HANG 3 /* … or this many, for faults that are either present or not */
#define ALARM_CLEAR_RUNS_MAX 24 /* doubled with each reopening, up to this */
#define ALARM_CLEAR_PERCENT 80 /* a run is good below this share of the limit */
#define ALARM_REOPEN_USEC INT64_C(7200000000)
#define ALARM_FLAPPING_REOPENINGS 3
#define ALARM_STUCK_USEC INT64_C(53000000) /* the verdict comes at most 7 s after the deadline */
#define ALARM_NO_DATA_INTERVALS 3
#define ALARM_NO_DATA_INTERVALS_CRITICAL 6
#define ALARM_NO_RUN_USEC INT64_C(3600000000) /* of skips alone, and at least three intervals */

/* The most events of one call: each reason of each operation at each level (both the slot that ends
 * and the one that begins may raise it), each user-defined alarm, flapping, and the end of the
 * incident. */
#define ALARM_EVENTS_MAX (RUN_OPERATIONS * ALARM_REASONS * ALARM_CRITICAL + ALARM_CUSTOMS_MAX + 2)

/* An [alarm NAME] that applies to the run's probe. */
struct alarm_user_rule {
	const char *name;
	const struct custom_rule *rule;
	/* Percentiles are computed from these (custom.h); NULL: from the run alone. */
	const struct histogram *windows[RUN_OPERATIONS];
};

/* May be all zero except run, facts, limit, now and id: no baseline, no confirming runs, 2 of 3. */
struct alarm_input {
	const struct run *run;
	const struct facts *facts;
	struct rule_limit limit; /* of the run's probe */
	struct rule_sense sense; /* of the run's probe */
	uint64_t interval_usec; /* between its slots; 0: unknown, no_data is not judged */
	bool is_confirmation; /* requested by confirm_at_usec */
	bool is_muted; /* judged as usual, but not learned from */
	const struct baseline *baselines[RUN_OPERATIONS]; /* NULL: none yet */
	uint64_t peers_nsec[RUN_OPERATIONS]; /* current median of its peers; 0: no peers */
	const struct alarm_user_rule *user_rules; /* all of them, firing or not */
	size_t user_rule_count;
	int32_t local_offset_sec; /* of local time to UTC: the season follows local time */
	int64_t now_usec; /* realtime */
	int64_t next_incident_id; /* used when an incident opens */
};

struct alarm_outcome {
	size_t event_count;
	struct incident_event events[ALARM_EVENTS_MAX]; /* in order */
	int64_t confirm_at_usec; /* when a confirming run is wanted; 0: none */
	int64_t next_check_usec; /* earliest time alarm_tick can find something; 0: never */
	/* The sample of the run to keep in history; has_sample is false for what was not judged. */
	bool has_sample[RUN_OPERATIONS];
	struct baseline_sample samples[RUN_OPERATIONS];
};

/* Judges one finished run and advances the state. A skipped run only updates when the probe was
 * last heard of; with is_muted, or when a fault of our own prevented the run, it also counts as if
 * it had taken place. Runs flagged warming or cached? are judged by some rules only (judge_rules)
 * and are not learned from. The series of a probe without limit are dropped, as below; its failures
 * still count. Returns 0, or -ENOBUFS when the repository has more than ALARM_SERIES_MAX series or
 * ALARM_PROBES_MAX probes (the state is then unchanged). */
int alarm_step(
	struct alarm_state *state, const struct alarm_input *input, struct alarm_outcome *ret);

struct alarm_tick {
	int64_t now_usec;
	int64_t started_usec; /* of the daemon: silence before it is not counted */
	int64_t next_incident_id;
};

/* Judges missing runs: a worker stuck for too long, no result for three intervals, or nothing but
 * skipped runs for three intervals and at least an hour. */
void alarm_tick(
	struct alarm_state *state, const struct alarm_tick *tick, struct alarm_outcome *ret);

/* Drops the series of a probe that is no longer configured and clears an incident that has no
 * reason left: that event has value, limit, hits and window 0. (When good runs cleared a series,
 * hits is 0 and window the number of good runs.) */
void alarm_forget_probe(
	struct alarm_state *state, const char *probe, int64_t now_usec, struct alarm_outcome *ret);

/* Drops all state of a repository that is no longer configured. The event that ends an incident is
 * then as above, but with hits 1 (incident_event_left). */
void alarm_forget_repository(
	struct alarm_state *state, int64_t now_usec, struct alarm_outcome *ret);

#endif
