/* SPDX-License-Identifier: Apache-2.0 */
/* States and lines of `repoprobe check`, to the letter. */
#include "cli/check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "test.h"

#define LINE_BYTES 8192

/* Limits from texts; NULL: none. Freed with free(). */
static struct check_limits *new_limits(const char *warning, const char *critical)
{
	struct check_limits *limits = calloc(1, sizeof(*limits));

	assert_non_null(limits);
	if (warning)
		assert_int_equal(check_level_add(&limits->warning, warning, NULL), 0);
	if (critical)
		assert_int_equal(check_level_add(&limits->critical, critical, NULL), 0);
	return limits;
}

/* Writes of 20 ms, 100 in a second. */
static struct run *new_run(void)
{
	struct run *run = run_new("", "");
	struct run_operation_result *o;

	assert_non_null(run);
	o = &run->operations[RUN_WRITE];
	for (int i = 0; i < 100; i++)
		histogram_add(&o->latency, 20 * NSEC_PER_MSEC);
	o->ios = 100;
	o->bytes = UINT64_C(100) << 20;
	run->measured_nsec = NSEC_PER_SEC;
	run->trust = RUN_TRUST_DIRECT;
	return run;
}

static void assert_check(const struct check_limits *limits, const struct run *run,
	enum check_state state, const char *expected)
{
	struct buf b = BUF_INIT(LINE_BYTES);

	assert_int_equal(check_run(limits, run, "", &b), state);
	assert_int_equal(b.error, 0);
	if (strncmp(buf_text(&b), expected, strlen(expected)) != 0)
		fail_msg("%s is not %s", buf_text(&b), expected);
	assert_ptr_equal(strchr(buf_text(&b), '\n'), b.data + b.len - 1);
	buf_done(&b);
}

static void a_whole_line_to_the_letter(void **state)
{
	struct check_limits *limits = new_limits("write avg > 25ms", "avg > 1min");
	struct run *run = new_run();
	(void)state;

	assert_int_equal(check_level_add(&limits->warning, "throughput < 50M", NULL), 0);
	assert_int_equal(check_level_add(&limits->critical, "read max > 1s", NULL), 0);
	assert_check(limits, run, CHECK_UNKNOWN,
		"REPOPROBE UNKNOWN - write avg 20 ms; no read was measured | "
		"'write avg'=0.02s;0.025;60;0; 'write p50'=0.02s;;;0; 'write max'=0.02s;;;0; "
		"'write throughput'=104857600B;52428800:;;0; 'write iops'=100;;;0; "
		"'write errors'=0;;;0;\n");
	limits->critical.count = 1;
	assert_check(limits, run, CHECK_OK, "REPOPROBE OK - write avg 20 ms | 'write avg'=0.02s;");
	free(run);
	free(limits);
}

static void a_setup_that_hangs_is_never_ok(void **state)
{
	struct check_limits *limits = new_limits("avg > 25ms", "avg > 1min");
	struct run *run = new_run();
	(void)state;

	assert_int_equal(
		check_limits_complete(limits, &workload_preset_default()->workload, NULL), 0);
	run->setup_step = RUN_SETUP_OPEN;
	run->setup_longest_nsec = 2 * NSEC_PER_SEC;
	assert_check(limits, run, CHECK_OK, "REPOPROBE OK - write avg 20 ms | ");
	run->setup_longest_nsec = 25 * NSEC_PER_SEC;
	assert_check(limits, run, CHECK_WARNING,
		"REPOPROBE WARNING - opening the probe file took 25 s (> 2 s) | ");
	assert_int_equal(check_level_add(&limits->critical, "write max > 5s", NULL), 0);
	assert_check(limits, run, CHECK_WARNING, "REPOPROBE WARNING - opening the probe file ");
	assert_int_equal(check_level_add(&limits->critical, "max > 20s", NULL), 0);
	assert_check(limits, run, CHECK_CRITICAL,
		"REPOPROBE CRITICAL - opening the probe file took 25 s (> 20 s) | ");
	assert_int_equal(check_level_add(&limits->warning, "max > 1min", NULL), 0);
	limits->critical.count = 1;
	assert_check(limits, run, CHECK_OK, "REPOPROBE OK - write avg 20 ms | ");
	free(run);
	free(limits);
}

static void without_a_number_nothing_is_ok(void **state)
{
	struct check_limits *limits = new_limits("avg > 15ms", "avg > 30ms");
	struct run *run = run_new("", "");
	(void)state;

	assert_non_null(run);
	assert_check(limits, run, CHECK_UNKNOWN, "REPOPROBE UNKNOWN - nothing was measured\n");
	run->trust = RUN_TRUST_CACHED;
	assert_check(
		limits, run, CHECK_UNKNOWN, "REPOPROBE UNKNOWN - nothing was measured; cached?");
	free(run);
	free(limits);
}

static void the_highest_level_that_is_met_counts(void **state)
{
	static const struct {
		const char *warning;
		const char *critical;
		enum check_state state;
		const char *line;
	} cases[] = {
		{ "avg > 19ms", "avg > 30ms", CHECK_WARNING,
			"REPOPROBE WARNING - write avg 20 ms (> 19 ms) | " },
		{ "avg > 10ms", "avg > 19ms", CHECK_CRITICAL,
			"REPOPROBE CRITICAL - write avg 20 ms (> 19 ms) | " },
		{ "avg > 20ms", "avg > 20ms", CHECK_OK, "REPOPROBE OK - write avg 20 ms | " },
		{ "iops < 101", "throughput < 100M", CHECK_WARNING,
			"REPOPROBE WARNING - write iops 100 (< 101) | " },
		{ "iops < 1", "throughput < 101M", CHECK_CRITICAL,
			"REPOPROBE CRITICAL - write throughput 100 MiB/s (< 101 MiB/s) | " },
		{ "errors > 0", "read errors > 0", CHECK_UNKNOWN,
			"REPOPROBE UNKNOWN - write avg 20 ms; no read was measured | " },
		{ "p99 > 1ms", "avg > 30ms", CHECK_UNKNOWN,
			"REPOPROBE UNKNOWN - write avg 20 ms; write p99 cannot be computed from 100 "
			"I/Os, 1000 are needed | " },
		{ "p99 > 1ms", "avg > 19ms", CHECK_CRITICAL,
			"REPOPROBE CRITICAL - write avg 20 ms (> 19 ms); write p99 cannot be computed "
			"from 100 I/Os, 1000 are needed | " },
		{ "p50 > 1ms", "p50 > 1s", CHECK_WARNING,
			"REPOPROBE WARNING - write p50 20 ms (> 1 ms) | " },
	};
	struct run *run = new_run();
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct check_limits *limits = new_limits(cases[i].warning, cases[i].critical);

		assert_check(limits, run, cases[i].state, cases[i].line);
		free(limits);
	}
	free(run);
}

static void without_operation_reads_and_writes_are_judged_apart(void **state)
{
	struct check_limits *limits = new_limits("avg > 15ms", "avg > 30ms");
	struct run *run = new_run();
	(void)state;

	for (int i = 0; i < 900; i++)
		histogram_add(&run->operations[RUN_READ].latency, NSEC_PER_MSEC);
	run->operations[RUN_READ].ios = 900;
	/* Their total would be 2.9 ms. */
	assert_check(limits, run, CHECK_WARNING,
		"REPOPROBE WARNING - write avg 20 ms (> 15 ms) | 'read avg'=0.001s;0.015;0.03;0; ");
	for (int i = 0; i < 900; i++)
		histogram_add(&run->operations[RUN_READ].latency, 99 * NSEC_PER_MSEC);
	assert_check(
		limits, run, CHECK_CRITICAL, "REPOPROBE CRITICAL - read avg 50 ms (> 30 ms) | ");
	free(run);
	free(limits);
}

static void what_a_cache_answered_is_never_ok(void **state)
{
	struct check_limits *limits = new_limits("avg > 25ms", "avg > 30ms");
	struct run *run = new_run();
	(void)state;

	run->trust |= RUN_TRUST_CACHED;
	assert_check(limits, run, CHECK_UNKNOWN,
		"REPOPROBE UNKNOWN - write avg 20 ms; cached?: a cache or memory probably "
		"answered | ");
	limits->critical.conditions[0].value = 1;
	assert_check(limits, run, CHECK_CRITICAL, "REPOPROBE CRITICAL - write avg 20 ms (> 1 ns)");
	free(run);
	free(limits);
}

static void a_run_that_failed_is_critical_and_one_that_did_not_begin_is_unknown(void **state)
{
	struct check_limits *limits = new_limits("avg > 25ms", "avg > 30ms");
	(void)state;

	for (int i = 0; i < RUN_STATUSES; i++) {
		struct run *run = new_run();
		struct buf b = BUF_INIT(LINE_BYTES);
		enum check_state expected = CHECK_CRITICAL;

		if (i == RUN_OK)
			expected = CHECK_OK;
		else if (i == RUN_REFUSED || i == RUN_SKIPPED)
			expected = CHECK_UNKNOWN;
		run_fail(run, (enum run_status)i, 0, "why");
		assert_int_equal(check_run(limits, run, "/mnt: a | b\nc \x1b[2J", &b), expected);
		if (i == RUN_NOT_MOUNTED)
			assert_string_equal(buf_text(&b),
				"REPOPROBE CRITICAL - not_mounted: /mnt: a / b c  [2J\n");
		if (i == RUN_STALLED)
			assert_memory_equal(buf_text(&b),
				"REPOPROBE CRITICAL - stalled: /mnt: a / b c  [2J | 'write avg'",
				62);
		buf_done(&b);
		free(run);
	}
	free(limits);
}

static void each_level_has_its_own_default(void **state)
{
	struct check_limits *limits = new_limits("write max > 1s", NULL);
	struct error e = { "" };
	(void)state;

	const struct workload *w = &workload_preset_find("heartbeat")->workload;
	assert_int_equal(check_limits_complete(limits, w, &e), 0);
	assert_int_equal(limits->warning.count, 1);
	assert_int_equal(limits->warning.conditions[0].measure, CONDITION_MAX);
	assert_int_equal(limits->critical.count, 1);
	assert_int_equal(limits->critical.conditions[0].measure, CONDITION_AVG);
	assert_int_equal(limits->critical.conditions[0].value, 50 * NSEC_PER_MSEC);
	assert_false(limits->critical.conditions[0].has_operation);
	w = &workload_preset_find("restore")->workload;
	assert_int_equal(check_limits_complete(limits, w, &e), -EINVAL);
	assert_string_equal(e.text, "a condition is about writes, but this workload does none");
	free(limits);
}

static void there_is_room_for_so_many_conditions(void **state)
{
	struct check_limits *limits = new_limits(NULL, NULL);
	struct error e = { "" };
	(void)state;

	for (int i = 0; i < CHECK_CONDITIONS_MAX; i++)
		assert_int_equal(check_level_add(&limits->warning, "avg > 1s", &e), 0);
	assert_int_equal(check_level_add(&limits->warning, "avg > 1s", &e), -E2BIG);
	assert_int_equal(check_level_add(&limits->critical, "avg", &e), -EINVAL);
	assert_int_equal(limits->critical.count, 0);
	free(limits);
}

static void what_came_to_no_run_is_one_line_too(void **state)
{
	struct buf b = BUF_INIT(LINE_BYTES);
	(void)state;

	check_unknown("a|b\nc", &b);
	assert_string_equal(buf_text(&b), "REPOPROBE UNKNOWN - a/b c\n");
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_whole_line_to_the_letter),
		cmocka_unit_test(a_setup_that_hangs_is_never_ok),
		cmocka_unit_test(without_a_number_nothing_is_ok),
		cmocka_unit_test(the_highest_level_that_is_met_counts),
		cmocka_unit_test(without_operation_reads_and_writes_are_judged_apart),
		cmocka_unit_test(what_a_cache_answered_is_never_ok),
		cmocka_unit_test(
			a_run_that_failed_is_critical_and_one_that_did_not_begin_is_unknown),
		cmocka_unit_test(each_level_has_its_own_default),
		cmocka_unit_test(there_is_room_for_so_many_conditions),
		cmocka_unit_test(what_came_to_no_run_is_one_line_too),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
