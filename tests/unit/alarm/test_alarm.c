/* SPDX-License-Identifier: Apache-2.0 */
/* Sequences of runs and the events they must cause. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/buf.h"
#include "base/clock.h"

#define FIRST_RUN_USEC INT64_C(1000000)
#define STEP_USEC INT64_C(300000000)
#define STEPS_MAX 24

/* Averages in microseconds, 0: the operation did not take place. expect: the events, separated by
 * "; ", each "CHANGE ID.SEQUENCE LEVEL OPERATION VALUE/LIMIT HITS of WINDOW"; NULL: none. */
struct step {
	uint64_t read_usec;
	uint64_t write_usec;
	const char *expect;
	enum run_status status;
	uint32_t trust;
	uint64_t limit_usec; /* 0: that of the case; NO_LIMIT: none */
};
#define NO_LIMIT UINT64_MAX
#define STEP(read, write, ...)                                                                     \
	{                                                                                          \
		.read_usec = (read), .write_usec = (write), __VA_ARGS__                            \
	}

struct sequence {
	const char *name;
	uint64_t limit_usec;
	uint64_t critical_usec;
	struct step steps[STEPS_MAX]; /* ends with a step that is all zero */
};

static const struct sequence sequences[] = {
	{ "one run over the limit is not enough", 15000, 30000,
		{ STEP(0, 20000), STEP(0, 9000), STEP(0, 9000), STEP(0, 20000), STEP(0, 9000) } },
	{ "two runs in a row fire", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 21000, .expect = "opened 7.0 warning write 21000/15000 2 of 2"),
			STEP(0, 22000) } },
	{ "two of three fire, with a good run between them", 15000, 30000,
		{ STEP(0, 20000), STEP(0, 1000),
			STEP(0, 16000, .expect = "opened 7.0 warning write 16000/15000 2 of 3") } },
	{ "two of four do not", 15000, 30000,
		{ STEP(0, 20000), STEP(0, 1000), STEP(0, 1000), STEP(0, 16000) } },
	{ "exactly at the limit is not over it", 15000, 30000,
		{ STEP(0, 15000), STEP(0, 15000), STEP(0, 15000) } },
	{ "exactly at the critical limit is a warning", 15000, 30000,
		{ STEP(0, 30000),
			STEP(0, 30000, .expect = "opened 7.0 warning write 30000/15000 2 of 2"),
			STEP(0, 30000) } },
	{ "critical at once when both runs are over the critical limit", 15000, 30000,
		{ STEP(0, 31000),
			STEP(0, 40000,
				.expect = "opened 7.0 critical write 40000/30000 2 of 2") } },
	{ "one critical and one slow run are a warning", 15000, 30000,
		{ STEP(0, 31000),
			STEP(0, 16000, .expect = "opened 7.0 warning write 16000/15000 2 of 2") } },
	{ "a warning becomes critical", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 31000),
			STEP(0, 32000, .expect = "worse 7.1 critical write 32000/30000 2 of 3"),
			STEP(0, 33000) } },
	{ "critical does not fall back to warning before it clears", 15000, 30000,
		{ STEP(0, 31000),
			STEP(0, 31000, .expect = "opened 7.0 critical write 31000/30000 2 of 2"),
			STEP(0, 16000), STEP(0, 16000), STEP(0, 16000), STEP(0, 31000),
			STEP(0, 31000) } },
	{ "no critical limit, no critical level", 15000, 0,
		{ STEP(0, 900000),
			STEP(0, 900000, .expect = "opened 7.0 warning write 900000/15000 2 of 2"),
			STEP(0, 900000) } },
	{ "six good runs in a row clear", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 11999), STEP(0, 11999), STEP(0, 11999), STEP(0, 11999),
			STEP(0, 11999),
			STEP(0, 11000, .expect = "cleared 7.1 warning write 11000/15000 0 of 6"),
			STEP(0, 11000) } },
	{ "80 % of the limit is not below it", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 12000), STEP(0, 12000), STEP(0, 12000), STEP(0, 12000),
			STEP(0, 12000), STEP(0, 12000), STEP(0, 12000) } },
	{ "a run between 80 % and the limit starts the row anew", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 5000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000),
			STEP(0, 13000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000),
			STEP(0, 5000),
			STEP(0, 5000, .expect = "cleared 7.1 warning write 5000/15000 0 of 6") } },
	{ "windows are empty after clearing, and soon after it the incident comes back", 15000,
		30000,
		{ STEP(0, 31000),
			STEP(0, 31000, .expect = "opened 7.0 critical write 31000/30000 2 of 2"),
			STEP(0, 5000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000), STEP(0, 5000),
			STEP(0, 5000, .expect = "cleared 7.1 critical write 5000/15000 0 of 6"),
			STEP(0, 20000),
			STEP(0, 20000,
				.expect = "reopened 7.2 critical write 20000/15000 2 of 2") } },
	{ "read and write are judged apart", 15000, 30000,
		{ STEP(20000, 1000), STEP(1000, 20000),
			STEP(20000, 1000, .expect = "opened 7.0 warning read 20000/15000 2 of 3"),
			STEP(1000, 20000,
				.expect = "joined 7.1 warning write 20000/15000 2 of 3") } },
	{ "both begin in one run", 15000, 30000,
		{ STEP(20000, 40000),
			STEP(20000, 40000,
				.expect = "opened 7.0 warning read 20000/15000 2 of 2; "
					  "worse 7.1 critical write 40000/30000 2 of 2") } },
	{ "the level of the incident does not fall when a lesser series joins", 15000, 30000,
		{ STEP(40000, 1000),
			STEP(40000, 20000, .expect = "opened 7.0 critical read 40000/30000 2 of 2"),
			STEP(40000, 20000,
				.expect = "joined 7.1 critical write 20000/15000 2 of 3") } },
	{ "only the last series to clear ends the incident", 15000, 30000,
		{ STEP(20000, 20000),
			STEP(20000, 20000,
				.expect = "opened 7.0 warning read 20000/15000 2 of 2; "
					  "joined 7.1 warning write 20000/15000 2 of 2"),
			STEP(1000, 20000), STEP(1000, 1000), STEP(1000, 1000), STEP(1000, 1000),
			STEP(1000, 1000), STEP(1000, 1000),
			STEP(1000, 1000,
				.expect = "cleared 7.2 warning write 1000/15000 0 of 6") } },
	{ "an incident handed over within one run goes on", 15000, 30000,
		{ STEP(20000, 1000),
			STEP(20000, 1000, .expect = "opened 7.0 warning read 20000/15000 2 of 2"),
			STEP(1000, 1000), STEP(1000, 1000), STEP(1000, 1000), STEP(1000, 1000),
			STEP(1000, 20000),
			STEP(1000, 20000,
				.expect = "joined 7.1 warning write 20000/15000 2 of 3") } },
	{ "runs without the operation change nothing for it", 15000, 30000,
		{ STEP(1000, 20000), STEP(1000, 0), STEP(1000, 0), STEP(1000, 0),
			STEP(1000, 20000,
				.expect = "opened 7.0 warning write 20000/15000 2 of 2") } },
	{ "a single failure and skipped runs change nothing", 15000, 30000,
		{ STEP(0, 20000), STEP(0, 1000, .status = RUN_ERROR),
			STEP(0, 0, .status = RUN_SKIPPED),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 1000), STEP(0, 1000), STEP(0, 1000),
			STEP(0, 50000, .status = RUN_ERROR), STEP(0, 1000), STEP(0, 1000),
			STEP(0, 1000, .expect = "cleared 7.1 warning write 1000/15000 0 of 6") } },
	{ "a stalled run counts by its latency", 15000, 30000,
		{ STEP(0, 31000, .status = RUN_STALLED),
			STEP(0, 31000, .expect = "opened 7.0 critical write 31000/30000 2 of 2",
				.status = RUN_STALLED) } },
	{ "what a growing file shows is judged by the critical limit", 15000, 30000,
		{ STEP(0, 31000, .trust = RUN_TRUST_WARMING), STEP(0, 1000),
			STEP(0, 31000, .trust = RUN_TRUST_WARMING,
				.expect = "opened 7.0 critical write 31000/30000 2 of 3"),
			/* Below that, and no longer fast, it is neither good nor bad. */
			STEP(0, 20000, .trust = RUN_TRUST_WARMING),
			STEP(0, 1000, .trust = RUN_TRUST_WARMING),
			STEP(0, 1000, .trust = RUN_TRUST_WARMING),
			STEP(0, 1000, .trust = RUN_TRUST_WARMING), STEP(0, 1000), STEP(0, 1000),
			STEP(0, 1000, .expect = "cleared 7.1 critical write 1000/15000 0 of 6") } },
	{ "warming and cached runs below that are not judged", 15000, 30000,
		{ STEP(0, 20000, .trust = RUN_TRUST_DIRECT | RUN_TRUST_WARMING),
			STEP(0, 20000, .trust = RUN_TRUST_WARMING),
			STEP(0, 20000, .trust = RUN_TRUST_CACHED),
			STEP(0, 20000, .trust = RUN_TRUST_CACHED) } },
	{ "fallback, short and split runs are judged", 15000, 30000,
		{ STEP(0, 20000, .trust = RUN_TRUST_FALLBACK | RUN_TRUST_SPLIT),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2",
				.trust = RUN_TRUST_SHORT) } },
	{ "without a limit nothing is judged", 0, 0,
		{ STEP(0, 900000), STEP(0, 900000), STEP(900000, 900000) } },
	{ "a limit that went away no longer holds the incident", 15000, 30000,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 20000, .status = RUN_ERROR, .limit_usec = NO_LIMIT),
			STEP(0, 20000, .expect = "cleared 7.1 warning write 0/0 0 of 0",
				.limit_usec = NO_LIMIT),
			STEP(0, 20000, .limit_usec = NO_LIMIT), STEP(0, 20000),
			STEP(0, 20000,
				.expect = "reopened 7.2 warning write 20000/15000 2 of 2") } },
	{ "a raised limit judges the runs that follow", 15000, 0,
		{ STEP(0, 20000),
			STEP(0, 20000, .expect = "opened 7.0 warning write 20000/15000 2 of 2"),
			STEP(0, 20000, .limit_usec = 30000), STEP(0, 20000, .limit_usec = 30000),
			STEP(0, 20000, .limit_usec = 30000), STEP(0, 20000, .limit_usec = 30000),
			STEP(0, 20000, .limit_usec = 30000),
			STEP(0, 20000, .expect = "cleared 7.1 warning write 20000/30000 0 of 6",
				.limit_usec = 30000) } },
};

static bool is_end(const struct step *step)
{
	return step->read_usec == 0 && step->write_usec == 0 && step->status == RUN_OK;
}

static void describe(const struct alarm_outcome *outcome, struct buf *b)
{
	for (size_t i = 0; i < outcome->event_count; i++) {
		const struct incident_event *e = &outcome->events[i];
		buf_printf(b, "%s%s %lld.%u %s %s %llu/%llu %u of %u", i > 0 ? "; " : "",
			incident_change_name(e->change), (long long)e->incident_id, e->sequence,
			alarm_level_name(e->level), run_operation_name(e->operation),
			(unsigned long long)(e->value_nsec / NSEC_PER_USEC),
			(unsigned long long)(e->limit_nsec / NSEC_PER_USEC), e->hits, e->window);
	}
}

static struct run *make_run(const char *probe, const struct step *step)
{
	struct run *run = run_new("nas1", probe);

	assert_non_null(run);
	run->status = step->status;
	run->trust = step->trust;
	if (step->read_usec > 0)
		histogram_add(&run->operations[RUN_READ].latency, step->read_usec * NSEC_PER_USEC);
	if (step->write_usec > 0)
		histogram_add(
			&run->operations[RUN_WRITE].latency, step->write_usec * NSEC_PER_USEC);
	return run;
}

static struct alarm_state *new_state(void)
{
	struct alarm_state *state = calloc(1, sizeof(*state));

	assert_non_null(state);
	(void)snprintf(state->repository, sizeof(state->repository), "nas1");
	return state;
}

static uint64_t choose_limit(uint64_t of_step, uint64_t of_case)
{
	if (of_step == NO_LIMIT)
		return 0;
	return of_step > 0 ? of_step : of_case;
}

/* One step; the next incident's id is 7 until an incident opened, then 8, … */
static void take_step(struct alarm_state *state, const char *probe, const struct step *step,
	uint64_t limit_usec, uint64_t critical_usec, int64_t now_usec, int64_t *next_incident_id,
	struct alarm_outcome *outcome)
{
	struct run *run = make_run(probe, step);
	const struct facts facts = { .has_counters = true };
	const struct alarm_input input = {
		.run = run,
		.facts = &facts,
		.limit = { limit_usec * NSEC_PER_USEC, critical_usec * NSEC_PER_USEC },
		.now_usec = now_usec,
		.next_incident_id = *next_incident_id,
	};

	assert_int_equal(alarm_step(state, &input, outcome), 0);
	if (outcome->event_count > 0 && outcome->events[0].change == INCIDENT_OPENED)
		++*next_incident_id;
	free(run);
}

/* Simulates a daemon restart between two runs: only these bytes are kept. */
static struct alarm_state *move(struct alarm_state *state)
{
	struct alarm_state *copy = malloc(sizeof(*copy));

	assert_non_null(copy);
	memcpy(copy, state, sizeof(*copy));
	memset(state, 0xa5, sizeof(*state));
	free(state);
	return copy;
}

static void walk(const struct sequence *sequence, bool is_restarting)
{
	struct alarm_state *state = new_state();
	int64_t next_incident_id = 7;
	int64_t now_usec = FIRST_RUN_USEC;

	for (size_t i = 0; i < STEPS_MAX && !is_end(&sequence->steps[i]); i++) {
		const struct step *step = &sequence->steps[i];
		static struct alarm_outcome outcome; /* too big for the stack */
		struct buf got = BUF_INIT(1024);

		if (is_restarting)
			state = move(state);
		take_step(state, "active-full", step,
			choose_limit(step->limit_usec, sequence->limit_usec),
			choose_limit(step->limit_usec, 0) > 0 ? 0 : sequence->critical_usec,
			now_usec, &next_incident_id, &outcome);
		describe(&outcome, &got);
		if (strcmp(buf_text(&got), step->expect ? step->expect : "") != 0)
			fail_msg("%s: run %zu: got \"%s\"", sequence->name, i + 1, buf_text(&got));
		assert_int_equal(outcome.confirm_at_usec, 0);
		buf_done(&got);
		now_usec += STEP_USEC;
	}
	free(state);
}

static void each_sequence_of_runs_causes_its_events(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		walk(&sequences[i], false);
}

static void a_restart_between_any_two_runs_changes_nothing(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(sequences) / sizeof(sequences[0]); i++)
		walk(&sequences[i], true);
}

static void the_state_tells_since_when_and_what_was_measured(void **unused)
{
	static const struct step slow = STEP(0, 20000);
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;

	(void)unused;
	take_step(state, "p", &slow, 15000, 0, 1000, &next_id, &outcome);
	take_step(state, "p", &slow, 15000, 0, 2000, &next_id, &outcome);
	assert_int_equal(outcome.event_count, 1);
	assert_string_equal(outcome.events[0].repository, "nas1");
	assert_string_equal(outcome.events[0].probe, "p");
	assert_int_equal(outcome.events[0].time_usec, 2000);
	assert_int_equal(outcome.events[0].opened_usec, 2000);
	assert_int_equal(outcome.events[0].reason, ALARM_REASON_LIMIT);
	take_step(state, "p", &slow, 15000, 0, 3000, &next_id, &outcome);

	const struct alarm_series *series = alarm_state_find(state, "p", RUN_WRITE);
	assert_non_null(series);
	assert_int_equal(series->since_usec, 2000);
	assert_int_equal(series->judged_usec, 3000);
	assert_int_equal(series->value_nsec, 20000000);
	assert_int_equal(series->limit_nsec, 15000000);
	assert_int_equal(series->judged_runs, 3);
	assert_int_equal(state->incident_id, 1);
	assert_int_equal(state->incident_opened_usec, 2000);
	assert_int_equal(state->incident_level, ALARM_WARNING);
	assert_null(alarm_state_find(state, "p", RUN_READ));
	free(state);
}

static void a_second_probe_joins_the_incident_of_its_repository(void **unused)
{
	static const struct step slow = STEP(0, 20000);
	static const struct step good = STEP(0, 1000);
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;

	(void)unused;
	for (int i = 0; i < 2; i++)
		take_step(state, "a", &slow, 15000, 0, 10 + i, &next_id, &outcome);
	assert_int_equal(outcome.events[0].change, INCIDENT_OPENED);
	for (int i = 0; i < 2; i++)
		take_step(state, "b", &slow, 15000, 0, 20 + i, &next_id, &outcome);
	assert_int_equal(outcome.events[0].change, INCIDENT_JOINED);
	assert_int_equal(outcome.events[0].incident_id, 1);
	assert_int_equal(outcome.events[0].opened_usec, 11);
	assert_string_equal(outcome.events[0].probe, "b");

	for (int i = 0; i < 6; i++)
		take_step(state, "a", &good, 15000, 0, 30 + i, &next_id, &outcome);
	assert_int_equal(outcome.event_count, 0);
	assert_int_equal(state->incident_id, 1);
	for (int i = 0; i < 6; i++)
		take_step(state, "b", &good, 15000, 0, 40 + i, &next_id, &outcome);
	assert_int_equal(outcome.event_count, 1);
	assert_int_equal(outcome.events[0].change, INCIDENT_CLEARED);
	assert_int_equal(outcome.events[0].opened_usec, 11);
	assert_int_equal(state->incident_id, 0);
	assert_int_equal(state->incident_level, ALARM_NONE);
	for (size_t i = 0; i < state->series_count; i++) {
		assert_int_equal(state->series[i].level, ALARM_NONE);
		assert_int_equal(state->series[i].since_usec, 0);
		assert_int_equal(state->series[i].warning_bits, 0);
		assert_int_equal(state->series[i].critical_bits, 0);
		assert_int_equal(state->series[i].judged_runs, 0);
		assert_int_equal(state->series[i].clear_runs, 0);
	}
	free(state);
}

static void forgetting_a_quiet_probe_says_nothing(void **unused)
{
	static const struct step slow = STEP(20000, 20000);
	static const struct step good = STEP(1000, 1000);
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;

	(void)unused;
	take_step(state, "quiet", &good, 15000, 0, 1, &next_id, &outcome);
	take_step(state, "slow", &slow, 15000, 0, 2, &next_id, &outcome);
	take_step(state, "slow", &slow, 15000, 0, 3, &next_id, &outcome);
	assert_int_equal(state->series_count, 4);
	alarm_forget_probe(state, "quiet", 4, &outcome);
	assert_int_equal(outcome.event_count, 0);
	assert_int_equal(state->series_count, 2);
	assert_null(alarm_state_find(state, "quiet", RUN_READ));
	assert_int_equal(alarm_state_find(state, "slow", RUN_READ)->level, ALARM_WARNING);
	assert_int_equal(alarm_state_find(state, "slow", RUN_WRITE)->level, ALARM_WARNING);
	assert_int_equal(state->incident_id, 1);
	free(state);
}

static void forgetting_the_last_firing_probe_clears_the_incident(void **unused)
{
	static const struct step slow = STEP(1000, 20000);
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;

	(void)unused;
	take_step(state, "gone", &slow, 15000, 0, 1, &next_id, &outcome);
	take_step(state, "gone", &slow, 15000, 0, 2, &next_id, &outcome);
	alarm_forget_probe(state, "other", 3, &outcome);
	assert_int_equal(outcome.event_count, 0);
	alarm_forget_probe(state, "gone", 4, &outcome);
	assert_int_equal(outcome.event_count, 1);
	assert_int_equal(outcome.events[0].change, INCIDENT_CLEARED);
	assert_int_equal(outcome.events[0].sequence, 1);
	assert_int_equal(outcome.events[0].time_usec, 4);
	assert_string_equal(outcome.events[0].probe, "gone");
	assert_int_equal(outcome.events[0].operation, RUN_WRITE);
	assert_int_equal(outcome.events[0].limit_nsec, 0);
	assert_int_equal(state->series_count, 0);
	assert_int_equal(state->incident_id, 0);
	free(state);
}

static void an_incident_that_nothing_holds_is_cleared(void **unused)
{
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */

	(void)unused;
	state->incident_id = 9;
	state->incident_changes = 3;
	state->incident_level = ALARM_CRITICAL;
	alarm_forget_probe(state, "unknown", 5, &outcome);
	assert_int_equal(outcome.event_count, 1);
	assert_int_equal(outcome.events[0].incident_id, 9);
	assert_int_equal(outcome.events[0].sequence, 3);
	assert_int_equal(outcome.events[0].level, ALARM_CRITICAL);
	assert_string_equal(outcome.events[0].probe, "unknown");
	assert_int_equal(state->incident_id, 0);
	free(state);
}

static void too_many_series_are_refused_and_change_nothing(void **unused)
{
	static const struct step good = STEP(1000, 1000);
	struct alarm_state *state = new_state();
	struct alarm_state *before = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;
	char probe[16];

	(void)unused;
	for (int i = 0; i < ALARM_SERIES_MAX / RUN_OPERATIONS; i++) {
		(void)snprintf(probe, sizeof(probe), "probe-%d", i);
		take_step(state, probe, &good, 15000, 0, 1, &next_id, &outcome);
	}
	assert_int_equal(state->series_count, ALARM_SERIES_MAX);
	*before = *state;

	struct run *run = make_run("one-more", &good);
	const struct facts facts = { .has_counters = true };
	const struct alarm_input input = {
		.run = run,
		.facts = &facts,
		.limit = { 1, 0 },
		.now_usec = 2,
		.next_incident_id = 1,
	};
	outcome.event_count = 77;
	assert_int_equal(alarm_step(state, &input, &outcome), -ENOBUFS);
	assert_int_equal(outcome.event_count, 77);
	assert_memory_equal(state, before, sizeof(*state));
	take_step(state, "probe-0", &good, 15000, 0, 3, &next_id, &outcome);
	assert_int_equal(state->series_count, ALARM_SERIES_MAX);
	free(run);
	free(before);
	free(state);
}

static void thousands_of_slow_runs_are_one_incident(void **unused)
{
	static const struct step slow = STEP(0, 20000);
	struct alarm_state *state = new_state();
	static struct alarm_outcome outcome; /* too big for the stack */
	int64_t next_id = 1;
	size_t events = 0;

	(void)unused;
	for (int i = 0; i < 5000; i++) {
		take_step(state, "p", &slow, 15000, 30000, i, &next_id, &outcome);
		events += outcome.event_count;
	}
	assert_int_equal(events, 1);
	assert_int_equal(state->series[0].judged_runs, 32);
	free(state);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_sequence_of_runs_causes_its_events),
		cmocka_unit_test(a_restart_between_any_two_runs_changes_nothing),
		cmocka_unit_test(the_state_tells_since_when_and_what_was_measured),
		cmocka_unit_test(a_second_probe_joins_the_incident_of_its_repository),
		cmocka_unit_test(forgetting_a_quiet_probe_says_nothing),
		cmocka_unit_test(forgetting_the_last_firing_probe_clears_the_incident),
		cmocka_unit_test(an_incident_that_nothing_holds_is_cleared),
		cmocka_unit_test(too_many_series_are_refused_and_change_nothing),
		cmocka_unit_test(thousands_of_slow_runs_are_one_incident),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
