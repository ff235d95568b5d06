/* SPDX-License-Identifier: Apache-2.0 */
/* Names both ways, totals, rates and failing a run. */
#include "model/run.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static void names_are_those_of_the_contract_and_read_back(void **state)
{
	static const char *const statuses[RUN_STATUSES] = { "ok", "error", "stalled", "timeout",
		"stuck", "not_mounted", "wrong_target", "read_only", "no_space", "refused",
		"skipped" };
	static const char *const skips[RUN_SKIPS] = { "", "overlap", "in_use", "busy", "mute",
		"budget" };
	static const char *const trusts[RUN_TRUST_FLAGS] = { "direct", "buffered", "fallback",
		"cached?", "compressed?", "split", "clamped", "short", "warming" };
	static const char *const steps[RUN_SETUP_STEPS] = { "", "repository", "directory", "open",
		"lock", "header", "examine", "layout", "engine" };
	enum run_status status;
	enum run_skip skip;
	enum run_operation operation;
	(void)state;

	for (int i = 0; i < RUN_STATUSES; i++) {
		assert_string_equal(run_status_name((enum run_status)i), statuses[i]);
		assert_int_equal(run_status_parse(statuses[i], &status), 0);
		assert_int_equal(status, i);
	}
	for (int i = 0; i < RUN_SKIPS; i++) {
		assert_string_equal(run_skip_name((enum run_skip)i), skips[i]);
		assert_int_equal(run_skip_parse(skips[i], &skip), 0);
		assert_int_equal(skip, i);
	}
	for (int i = RUN_SETUP_NONE; i < RUN_SETUP_STEPS; i++) {
		assert_string_equal(run_setup_step_name((enum run_setup_step)i), steps[i]);
		assert_int_equal(run_setup_step_text((enum run_setup_step)i)[0] != '\0',
			i != RUN_SETUP_NONE);
	}
	for (unsigned i = 0; i < RUN_TRUST_FLAGS; i++)
		assert_string_equal(run_trust_name(i), trusts[i]);
	assert_string_equal(run_trust_name((unsigned)__builtin_ctz(RUN_TRUST_WARMING)), "warming");
	assert_int_equal(run_operation_parse("write", &operation), 0);
	assert_int_equal(operation, RUN_WRITE);
	assert_int_equal(run_operation_parse("read", &operation), 0);
	assert_int_equal(operation, RUN_READ);
	assert_string_equal(run_engine_name(WORKLOAD_ENGINE_AUTO), "auto");
	assert_string_equal(run_engine_name(WORKLOAD_ENGINE_IO_URING), "io_uring");
	assert_string_equal(run_engine_name(WORKLOAD_ENGINE_THREADS), "threads");
	assert_int_equal(run_status_parse("OK", &status), -EINVAL);
	assert_int_equal(run_skip_parse("late", &skip), -EINVAL);
	assert_int_equal(run_operation_parse("total", &operation), -EINVAL);
}

static void only_runs_that_measured_have_numbers(void **state)
{
	(void)state;
	for (int i = 0; i < RUN_STATUSES; i++)
		assert_int_equal(run_status_has_numbers((enum run_status)i),
			i == RUN_OK || i == RUN_STALLED);
}

static void the_total_is_the_sum_of_both_operations(void **state)
{
	struct run *run = run_new("nas", "transform");
	struct run_operation_result *total = malloc(sizeof(*total));
	(void)state;

	assert_non_null(run);
	assert_non_null(total);
	assert_string_equal(run->repository, "nas");
	assert_string_equal(run->probe, "transform");
	run->measured_nsec = 2000000000;
	run->operations[RUN_READ] = (struct run_operation_result){
		.ios = 1, .bytes = 524288, .errors = 1, .active_nsec = 5
	};
	run->operations[RUN_WRITE] = (struct run_operation_result){
		.ios = 2, .bytes = 1048576, .errors = 2, .active_nsec = 7
	};
	histogram_add(&run->operations[RUN_READ].latency, 1000);
	histogram_add(&run->operations[RUN_WRITE].latency, 2000);
	histogram_add(&run->operations[RUN_WRITE].latency, 6000);
	memset(total, 0xff, sizeof(*total));
	run_total(run, total);
	assert_int_equal(total->ios, 3);
	assert_int_equal(total->bytes, 1572864);
	assert_int_equal(total->errors, 3);
	assert_int_equal(total->active_nsec, 2000000000);
	assert_int_equal(total->latency.count, 3);
	assert_int_equal(histogram_mean_nsec(&total->latency), 3000);
	assert_int_equal(total->latency.min_nsec, 1000);
	assert_int_equal(total->latency.max_nsec, 6000);
	assert_int_equal(run_throughput_bytes_per_sec(run, total), 786432);
	assert_true(run_iops(run, total) == 1.5);
	free(total);
	free(run);
}

static void rates_round_and_never_divide_by_zero(void **state)
{
	struct run *run = run_new("nas", "p");
	struct run_operation_result *o = calloc(1, sizeof(*o));
	(void)state;

	assert_non_null(run);
	assert_non_null(o);
	o->bytes = 2;
	o->ios = 1;
	assert_int_equal(run_throughput_bytes_per_sec(run, o), 0);
	assert_true(run_iops(run, o) == 0);
	run->measured_nsec = UINT64_C(3000000000);
	assert_int_equal(run_throughput_bytes_per_sec(run, o), 1); /* 0.67 */
	o->bytes = 1;
	assert_int_equal(run_throughput_bytes_per_sec(run, o), 0); /* 0.33 */
	o->bytes = UINT64_MAX;
	run->measured_nsec = 1;
	assert_int_equal(run_throughput_bytes_per_sec(run, o), UINT64_MAX);
	free(o);
	free(run);
}

static void failing_a_run_sets_all_three_at_once(void **state)
{
	struct run *run = run_new("nas", "p");
	(void)state;

	assert_non_null(run);
	run_fail(run, RUN_ERROR, EIO, "write at %d failed", 4096);
	assert_int_equal(run->status, RUN_ERROR);
	assert_int_equal(run->error_number, EIO);
	assert_string_equal(run->reason, "write at 4096 failed");
	run_fail(run, RUN_OK, 0, "%s", "");
	assert_int_equal(run->status, RUN_OK);
	assert_int_equal(run->error_number, 0);
	assert_string_equal(run->reason, "");
	free(run);
}

static void over_long_texts_are_cut_between_characters(void **state)
{
	char text[400];
	struct run *run;
	(void)state;

	/* 254 bytes, then a character of two: only its first byte would fit. */
	memset(text, 'a', 254);
	memcpy(text + 254, "\303\244more", 7);
	run = run_new(text, "p");
	assert_non_null(run);
	assert_int_equal(strlen(run->repository), RUN_NAME_MAX);
	run_fail(run, RUN_REFUSED, 0, "%s", text);
	assert_int_equal(strlen(run->reason), 254);
	memset(text, 'a', 253);
	memcpy(text + 253, "\303\244more", 7);
	run_fail(run, RUN_REFUSED, 0, "%s", text);
	assert_int_equal(strlen(run->reason), 255);
	assert_int_equal((unsigned char)run->reason[254], 0xa4);
	free(run);
}

static void iops_deviate_as_diskspd_counts_it(void **state)
{
	/* 100, 300 and 200 in three seconds. */
	const struct run_iops three = { 3, 600, 10000 + 90000 + 40000 };
	const struct run_iops even = { 4, 800, 160000 };
	const struct run_iops none = { 0, 0, 0 };
	const struct run_iops impossible = { 2, 800, 1 };
	(void)state;

	assert_float_equal(run_iops_stddev(&three), 81.6496580927726, 1e-10);
	assert_float_equal(run_iops_stddev(&even), 0, 0);
	assert_float_equal(run_iops_stddev(&none), 0, 0);
	assert_float_equal(run_iops_stddev(&impossible), 0, 0);
}

static void unevenness_is_the_population_deviation_of_full_seconds(void **state)
{
	static const struct {
		struct run_iops iops;
		double stddev;
	} cases[] = {
		{ { 0, 0, 0 }, 0 },
		{ { 1, 500, 250000 }, 0 },
		{ { 3, 3000000, UINT64_C(3000000000000) }, 0 },
		{ { 2, 30, 500 }, 5 }, /* 10 and 20 */
		{ { 4, 16, 4 + 4 + 36 + 36 }, 2 },
		/* 86400 seconds, half of them of a million I/Os, half of a million and two */
		{ { 86400, UINT64_C(86400086400), UINT64_C(86400172800172800) }, 1 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_true(fabs(run_iops_stddev(&cases[i].iops) - cases[i].stddev) < 1e-9);
}

static void leaving_io_uring_is_seen_only_when_the_choice_was_ours(void **state)
{
	struct run *run = run_new("nas", "restore");
	(void)state;

	assert_non_null(run);
	run->engine = WORKLOAD_ENGINE_THREADS;
	assert_true(run_had_no_uring(run));
	run->workload.engine = WORKLOAD_ENGINE_THREADS;
	assert_false(run_had_no_uring(run));
	run->workload.engine = WORKLOAD_ENGINE_AUTO;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	assert_false(run_had_no_uring(run));
	run->engine = WORKLOAD_ENGINE_AUTO; /* it failed before the first I/O */
	assert_false(run_had_no_uring(run));
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_the_contract_and_read_back),
		cmocka_unit_test(only_runs_that_measured_have_numbers),
		cmocka_unit_test(the_total_is_the_sum_of_both_operations),
		cmocka_unit_test(rates_round_and_never_divide_by_zero),
		cmocka_unit_test(failing_a_run_sets_all_three_at_once),
		cmocka_unit_test(unevenness_is_the_population_deviation_of_full_seconds),
		cmocka_unit_test(leaving_io_uring_is_seen_only_when_the_choice_was_ours),
		cmocka_unit_test(over_long_texts_are_cut_between_characters),
		cmocka_unit_test(iops_deviate_as_diskspd_counts_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
