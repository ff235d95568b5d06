/* SPDX-License-Identifier: Apache-2.0 */
/* Windows of runs that percentiles are told from, and the rules that a step gets. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/clock.h"
#include "config/config.h"
#include "core/custom_alarms.h"

#define MIN_USEC (60 * (int64_t)USEC_PER_SEC)

/* A run of minute `minute` with so many writes of so long. */
static struct run *new_run(int minute, unsigned ios, uint64_t msec)
{
	struct run *run = run_new("nas1", "active-full");

	assert_non_null(run);
	run->started_usec = minute * MIN_USEC;
	run->operations[RUN_WRITE].ios = ios;
	for (unsigned i = 0; i < ios; i++)
		histogram_add(&run->operations[RUN_WRITE].latency, msec * NSEC_PER_MSEC);
	return run;
}

static void add(
	struct custom_windows **windows, int minute, unsigned ios, uint64_t msec, size_t max)
{
	struct run *run = new_run(minute, ios, msec);

	assert_int_equal(custom_windows_add(windows, run, max), 0);
	free(run);
}

/* The I/Os of the newest so many runs as "runs: I/Os". */
static void assert_merged(
	const struct custom_windows *windows, size_t runs, int found, uint64_t count)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	assert_int_equal(custom_windows_merge(windows, RUN_WRITE, runs, h), found);
	assert_int_equal(h->count, count);
	free(h);
}

static void the_newest_runs_are_kept_whatever_their_order(void **unused)
{
	struct custom_windows *windows = NULL;

	(void)unused;
	add(&windows, 3, 100, 1, 3);
	add(&windows, 1, 1, 1, 3);
	add(&windows, 4, 1000, 1, 3);
	add(&windows, 2, 10, 1, 3); /* the one of minute 1 goes */
	assert_merged(windows, 1, 1, 1000);
	assert_merged(windows, 2, 2, 1100);
	assert_merged(windows, 3, 3, 1110);
	assert_merged(windows, 9, 3, 1110);
	add(&windows, 3, 7, 1, 3); /* is there already */
	add(&windows, 1, 7, 1, 3); /* too old */
	assert_merged(windows, 9, 3, 1110);
	add(&windows, 5, 5, 1, 2); /* fewer are wanted now */
	assert_merged(windows, 9, 2, 1005);
	add(&windows, 6, 5, 1, 0);
	assert_null(windows);
}

static void no_more_are_kept_than_a_window_can_hold(void **unused)
{
	struct custom_windows *windows = NULL;

	(void)unused;
	for (int i = 1; i <= RULE_WINDOW_MAX + 8; i++)
		add(&windows, i, 1, 1, 1000);
	assert_merged(windows, 1000, RULE_WINDOW_MAX, RULE_WINDOW_MAX);
	custom_windows_free(windows);
}

static void what_was_read_back_comes_before_what_was_measured_since(void **unused)
{
	struct custom_windows *windows = NULL;
	struct custom_windows *past = NULL;

	(void)unused;
	add(&past, 1, 1, 1, 3);
	add(&past, 2, 10, 1, 3);
	add(&past, 3, 100, 1, 3); /* was measured while it was read */
	add(&windows, 3, 100, 1, 3);
	add(&windows, 4, 1000, 1, 3);
	custom_windows_join(&windows, &past, 3);
	assert_null(past);
	assert_merged(windows, 9, 3, 1110);
	windows = custom_windows_free(windows);
	add(&past, 1, 1, 1, 3);
	custom_windows_join(&windows, &past, 3);
	assert_null(past);
	assert_merged(windows, 9, 1, 1);
	custom_windows_join(&windows, &past, 3); /* nothing was found */
	assert_merged(windows, 9, 1, 1);
	custom_windows_join(&windows, &past, 0); /* nothing is wanted any more */
	assert_null(windows);
	add(&past, 1, 1, 1, 3);
	custom_windows_join(&windows, &past, 0);
	assert_null(windows);
	assert_null(past);
}

static void only_scheduled_runs_that_are_judged_count(void **unused)
{
	struct run *run = new_run(1, 1, 1);

	(void)unused;
	assert_true(custom_windows_takes(run));
	run->trust = RUN_TRUST_CACHED;
	assert_false(custom_windows_takes(run));
	run->trust = RUN_TRUST_DIRECT;
	run->is_confirmation = true;
	assert_false(custom_windows_takes(run));
	run->is_confirmation = false;
	run->status = RUN_SKIPPED;
	assert_false(custom_windows_takes(run));
	free(run);
}

/* --- Rules --- */

static const struct custom_rule tail = {
	.when = { .has_operation = true,
		.operation = RUN_WRITE,
		.measure = CONDITION_P99,
		.value = 50 * NSEC_PER_MSEC },
	.clear_runs = 1,
	.hold = { 2, 3 },
	.level = ALARM_WARNING,
};
static const struct custom_rule long_tail = {
	.when = { .measure = CONDITION_P50, .value = 50 * NSEC_PER_MSEC },
	.clear_runs = 1,
	.hold = { 1, 5 },
	.level = ALARM_WARNING,
};
static const struct custom_rule average = {
	.when = { .measure = CONDITION_AVG, .value = 50 * NSEC_PER_MSEC },
	.clear_runs = 1,
	.hold = { 1, 9 },
	.level = ALARM_CRITICAL,
};

/* "tail" and "again" of all, "average" of nas1, "long" of heartbeat alone. */
struct alarms {
	char names[4][8];
	char nas1[8];
	char heartbeat[16];
	char *repositories[1];
	char *probes[1];
	struct config_alarm list[4];
	struct config config;
};

static void make_alarms(struct alarms *a)
{
	*a = (struct alarms){
		.names = { "tail", "again", "average", "long" },
		.nas1 = "nas1",
		.heartbeat = "heartbeat",
	};
	a->repositories[0] = a->nas1;
	a->probes[0] = a->heartbeat;
	a->list[0] = (struct config_alarm){ .name = a->names[0], .rule = &tail };
	a->list[1] = (struct config_alarm){ .name = a->names[1], .rule = &tail };
	a->list[2] = (struct config_alarm){ .name = a->names[2],
		.repository_count = 1,
		.repositories = a->repositories,
		.rule = &average };
	a->list[3] = (struct config_alarm){
		.name = a->names[3], .probe_count = 1, .probes = a->probes, .rule = &long_tail
	};
	a->config = (struct config){ .alarm_count = 4, .alarms = a->list };
}

static void the_window_is_the_longest_of_a_percentile_that_applies(void **unused)
{
	struct alarms a;

	(void)unused;
	make_alarms(&a);
	assert_int_equal(custom_alarms_window(&a.config, "nas1", "active-full"), 3);
	assert_int_equal(custom_alarms_window(&a.config, "nas2", "heartbeat"), 5);
	a.list[0].rule = a.list[1].rule = &average;
	assert_int_equal(custom_alarms_window(&a.config, "nas1", "active-full"), 0);
	a.config.alarm_count = 0;
	assert_int_equal(custom_alarms_window(&a.config, "nas2", "heartbeat"), 0);
}

static void a_step_gets_the_rules_that_apply_with_their_windows(void **unused)
{
	struct custom_windows *windows = NULL;
	struct custom_alarms got;
	struct alarms a;

	(void)unused;
	make_alarms(&a);
	for (int i = 1; i <= 5; i++)
		add(&windows, i, 100, 1, 5);
	assert_int_equal(custom_alarms_build(&a.config, "nas1", "active-full", windows, &got), 0);
	assert_int_equal(got.count, 3);
	assert_string_equal(got.rules[0].name, "tail");
	assert_int_equal(got.rules[0].windows[RUN_WRITE]->count, 300);
	assert_null(got.rules[0].windows[RUN_READ]);
	assert_ptr_equal(got.rules[1].windows[RUN_WRITE], got.rules[0].windows[RUN_WRITE]);
	assert_string_equal(got.rules[2].name, "average");
	assert_null(got.rules[2].windows[RUN_WRITE]);
	custom_alarms_done(&got);
	assert_int_equal(custom_alarms_build(&a.config, "nas2", "heartbeat", windows, &got), 0);
	assert_int_equal(got.count, 3);
	assert_int_equal(got.rules[2].windows[RUN_WRITE]->count, 500);
	custom_alarms_done(&got);
	assert_int_equal(custom_alarms_build(&a.config, "nas2", "heartbeat", NULL, &got), 0);
	assert_int_equal(got.count, 3);
	assert_null(got.rules[0].windows[RUN_WRITE]);
	custom_alarms_done(&got);
	custom_windows_free(windows);
}

/* --- With the step --- */

/* Runs of 400 writes: three of them are enough for a p99, two are not. */
static struct incident_event step(struct alarm_state *state, struct alarms *a,
	struct custom_windows **windows, int minute, uint64_t msec)
{
	struct run *run = new_run(minute, 400, msec);
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	struct custom_alarms customs;
	struct incident_event event = { .sequence = UINT32_MAX };

	assert_non_null(outcome);
	run->measured_nsec = NSEC_PER_SEC;
	assert_int_equal(custom_windows_add(windows, run,
				 custom_alarms_window(&a->config, "nas1", "active-full")),
		0);
	assert_int_equal(
		custom_alarms_build(&a->config, "nas1", "active-full", *windows, &customs), 0);
	const struct alarm_input input = {
		.run = run,
		.facts = &run->facts,
		.user_rules = customs.rules,
		.user_rule_count = customs.count,
		.now_usec = minute * MIN_USEC,
		.next_incident_id = 7,
	};
	assert_int_equal(alarm_step(state, &input, outcome), 0);
	if (outcome->event_count > 0)
		event = outcome->events[0];
	custom_alarms_done(&customs);
	free(outcome);
	free(run);
	return event;
}

static void a_percentile_is_told_from_all_runs_of_its_window(void **unused)
{
	struct alarm_state *state = calloc(1, sizeof(*state));
	struct custom_windows *windows = NULL;
	struct incident_event event;
	struct alarms a;

	(void)unused;
	assert_non_null(state);
	make_alarms(&a);
	a.config.alarm_count = 1;
	for (int i = 1; i <= 2; i++)
		assert_int_equal(step(state, &a, &windows, i, 60).sequence, UINT32_MAX);
	assert_int_equal(state->customs[0].rule.slots, 0); /* 800 I/Os tell no p99 */
	for (int i = 3; i <= 4; i++)
		assert_int_equal(step(state, &a, &windows, i, 60).sequence, UINT32_MAX);
	event = step(state, &a, &windows, 5, 60);
	assert_int_equal(event.change, INCIDENT_OPENED);
	assert_string_equal(event.alarm, "tail");
	assert_string_equal(event.condition, "write p99 > 50ms");
	assert_int_equal(event.hits, 0);
	assert_int_equal(event.window, 3);
	assert_in_range(event.evidence.value, 59 * NSEC_PER_MSEC, 61 * NSEC_PER_MSEC);
	/* What is slow in one run of three is slow in the window. */
	for (int i = 6; i <= 7; i++)
		assert_int_equal(step(state, &a, &windows, i, 2).sequence, UINT32_MAX);
	event = step(state, &a, &windows, 8, 2);
	assert_int_equal(event.change, INCIDENT_CLEARED);
	assert_string_equal(event.alarm, "tail");
	custom_windows_free(windows);
	free(state);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_newest_runs_are_kept_whatever_their_order),
		cmocka_unit_test(no_more_are_kept_than_a_window_can_hold),
		cmocka_unit_test(what_was_read_back_comes_before_what_was_measured_since),
		cmocka_unit_test(only_scheduled_runs_that_are_judged_count),
		cmocka_unit_test(the_window_is_the_longest_of_a_percentile_that_applies),
		cmocka_unit_test(a_step_gets_the_rules_that_apply_with_their_windows),
		cmocka_unit_test(a_percentile_is_told_from_all_runs_of_its_window),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
