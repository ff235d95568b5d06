/* SPDX-License-Identifier: Apache-2.0 */
/* The rule "average over its limit in 2 of 3 runs", for each operation of a probe by itself, and
 * the incident that unites what fires in a repository.
 *
 * A level only rises while a series fires; it falls to none after ALARM_CLEAR_RUNS good runs in a
 * row, which also empties the windows. A run between 80 % of the limit and the limit is neither
 * over it nor good, so it starts the row anew. The incident's level is the highest it has reached.
 * A series that has lost its limit is forgotten: nothing could ever clear it. */
#include "alarm/alarm.h"

#include <assert.h>
#include <errno.h>
#include <string.h>

#define WINDOW_MASK ((UINT32_C(1) << ALARM_HOLD_WINDOW) - 1)
#define BITS_MAX 32

static bool is_judged(const struct run *run)
{
	return run_status_has_numbers(run->status) &&
		(run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CACHED)) == 0;
}

static bool has_firing_series(const struct alarm_state *state)
{
	for (size_t i = 0; i < state->series_count; i++)
		if (state->series[i].level != ALARM_NONE)
			return true;
	return false;
}

static uint8_t window_of(const struct alarm_series *series)
{
	return series->judged_runs < ALARM_HOLD_WINDOW ? series->judged_runs : ALARM_HOLD_WINDOW;
}

static uint8_t hits_of(uint32_t bits)
{
	return (uint8_t)__builtin_popcount(bits & WINDOW_MASK);
}

/* The next event of the incident, about this series; the caller fills in what was measured. */
static struct incident_event *add_event(struct alarm_state *state, enum incident_change change,
	const struct alarm_series *series, int64_t now_usec, struct alarm_outcome *outcome)
{
	assert(outcome->event_count < ALARM_EVENTS_MAX);
	struct incident_event *event = &outcome->events[outcome->event_count++];

	*event = (struct incident_event){
		.incident_id = state->incident_id,
		.sequence = state->incident_changes++,
		.change = change,
		.level = state->incident_level,
		.reason = ALARM_REASON_LIMIT,
		.time_usec = now_usec,
		.opened_usec = state->incident_opened_usec,
		.operation = series->operation,
	};
	memcpy(event->repository, state->repository, sizeof(event->repository));
	memcpy(event->probe, series->probe, sizeof(event->probe));
	return event;
}

/* A series began to fire or its level rose. */
static void open_or_worsen(struct alarm_state *state, const struct alarm_series *series,
	const struct alarm_input *input, struct alarm_outcome *outcome)
{
	bool is_new = state->incident_id == 0;
	bool is_critical = series->level == ALARM_CRITICAL;

	if (is_new) {
		assert(input->next_incident_id > 0);
		state->incident_id = input->next_incident_id;
		state->incident_opened_usec = input->now_usec;
		state->incident_level = series->level;
		state->incident_changes = 0;
	} else if (series->level > state->incident_level) {
		state->incident_level = series->level;
	}
	struct incident_event *event = add_event(
		state, is_new ? INCIDENT_OPENED : INCIDENT_WORSE, series, input->now_usec, outcome);
	event->value_nsec = series->value_nsec;
	event->limit_nsec =
		is_critical ? input->limit.limit_critical_nsec : input->limit.limit_nsec;
	event->hits = hits_of(is_critical ? series->critical_bits : series->warning_bits);
	event->window = window_of(series);
}

/* Closes the incident unless something still fires. The event tells of the last series to go; one
 * that is no longer judged at all has no value and no limit there. */
static void close_if_quiet(struct alarm_state *state, const struct alarm_series *last,
	bool is_still_judged, int64_t now_usec, struct alarm_outcome *outcome)
{
	if (state->incident_id == 0 || has_firing_series(state))
		return;
	struct incident_event *event = add_event(state, INCIDENT_CLEARED, last, now_usec, outcome);
	if (is_still_judged) {
		event->value_nsec = last->value_nsec;
		event->limit_nsec = last->limit_nsec;
		event->window = ALARM_CLEAR_RUNS;
	}
	state->incident_id = 0;
	state->incident_opened_usec = 0;
	state->incident_level = ALARM_NONE;
	state->incident_changes = 0;
}

/* Moves a series on by one run. Returns true when it began to fire or its level rose. */
static bool judge(
	struct alarm_series *series, uint64_t average_nsec, const struct alarm_input *input)
{
	const struct rule_limit *limit = &input->limit;
	bool is_critical =
		limit->limit_critical_nsec > 0 && average_nsec > limit->limit_critical_nsec;
	bool is_good = !is_critical &&
		(unsigned __int128)average_nsec * 100 <
			(unsigned __int128)limit->limit_nsec * ALARM_CLEAR_PERCENT;
	enum alarm_level level = ALARM_NONE;

	series->warning_bits = series->warning_bits << 1 | (average_nsec > limit->limit_nsec);
	series->critical_bits = series->critical_bits << 1 | is_critical;
	if (series->judged_runs < BITS_MAX)
		series->judged_runs++;
	series->value_nsec = average_nsec;
	series->limit_nsec = limit->limit_nsec;
	series->judged_usec = input->now_usec;
	if (series->level != ALARM_NONE)
		series->clear_runs = is_good ? (uint8_t)(series->clear_runs + 1) : 0;

	if (hits_of(series->critical_bits) >= ALARM_HOLD_HITS)
		level = ALARM_CRITICAL;
	else if (hits_of(series->warning_bits) >= ALARM_HOLD_HITS)
		level = ALARM_WARNING;
	if (level <= series->level)
		return false;
	if (series->level == ALARM_NONE)
		series->since_usec = input->now_usec;
	series->level = level;
	return true;
}

static bool is_due_to_clear(const struct alarm_series *series)
{
	return series->level != ALARM_NONE && series->clear_runs >= ALARM_CLEAR_RUNS;
}

static void clear(struct alarm_series *series)
{
	series->warning_bits = 0;
	series->critical_bits = 0;
	series->judged_runs = 0;
	series->clear_runs = 0;
	series->level = ALARM_NONE;
	series->since_usec = 0;
}

static void forget(struct alarm_state *state, const char *probe, int64_t now_usec,
	struct alarm_outcome *outcome)
{
	struct alarm_series last = { .level = ALARM_NONE };
	size_t kept = 0;

	memcpy(last.probe, probe, strnlen(probe, RUN_NAME_MAX));
	for (size_t i = 0; i < state->series_count; i++) {
		const struct alarm_series *series = &state->series[i];
		if (strcmp(series->probe, probe) == 0) {
			if (series->level >= last.level)
				last = *series;
			continue;
		}
		if (kept != i)
			state->series[kept] = *series;
		kept++;
	}
	state->series_count = kept;
	close_if_quiet(state, &last, false, now_usec, outcome);
}

/* Makes sure that each operation that did I/O has a series. */
static int add_missing_series(struct alarm_state *state, const struct run *run)
{
	bool is_missing[RUN_OPERATIONS];
	size_t missing = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		is_missing[i] = run->operations[i].latency.count > 0 &&
			!alarm_state_find(state, run->probe, (enum run_operation)i);
		missing += is_missing[i];
	}
	if (missing > ALARM_SERIES_MAX - state->series_count)
		return -ENOBUFS;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		if (!is_missing[i])
			continue;
		struct alarm_series *series = &state->series[state->series_count++];
		*series = (struct alarm_series){ .operation = (enum run_operation)i };
		memcpy(series->probe, run->probe, sizeof(series->probe));
	}
	return 0;
}

/* What rose comes before what cleared, so that an incident which one operation hands over to
 * another in the same run goes on. */
static void step_series(
	struct alarm_state *state, const struct alarm_input *input, struct alarm_outcome *outcome)
{
	const struct run *run = input->run;
	const struct alarm_series *cleared = NULL;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct histogram *latency = &run->operations[i].latency;
		if (latency->count == 0)
			continue;
		struct alarm_series *series =
			alarm_state_find(state, run->probe, (enum run_operation)i);
		if (judge(series, histogram_mean_nsec(latency), input)) {
			open_or_worsen(state, series, input, outcome);
		} else if (is_due_to_clear(series)) {
			clear(series);
			cleared = series;
		}
	}
	if (cleared)
		close_if_quiet(state, cleared, true, input->now_usec, outcome);
}

int alarm_step(
	struct alarm_state *state, const struct alarm_input *input, struct alarm_outcome *ret)
{
	struct alarm_outcome outcome = { .event_count = 0 };

	if (is_judged(input->run) && input->limit.limit_nsec == 0) {
		forget(state, input->run->probe, input->now_usec, &outcome);
	} else if (is_judged(input->run)) {
		int r = add_missing_series(state, input->run);
		if (r < 0)
			return r;
		step_series(state, input, &outcome);
	}
	*ret = outcome;
	return 0;
}

void alarm_forget_probe(
	struct alarm_state *state, const char *probe, int64_t now_usec, struct alarm_outcome *ret)
{
	*ret = (struct alarm_outcome){ .event_count = 0 };
	forget(state, probe, now_usec, ret);
}
