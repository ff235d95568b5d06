/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop: bounds, queue, pace, statistics, progress. */
#include "engine_bench.h"

#include <errno.h>
#include <string.h>

#include "probe/observe.h"

static void the_queue_is_full_until_the_bound_and_then_drained(void **state)
{
	struct bench *b = *state;

	b->workload.queue_depth = 8;
	b->workload.max_ios = 800;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 800);
	assert_int_equal(b->fake.most_out, 8);
	assert_int_equal(b->fake.turns_below_depth, 0); /* all 8 end together */
	assert_int_equal(b->fake.out, 0);
	assert_int_equal(bench_writes(b)->ios, 800);
	assert_int_equal(bench_writes(b)->bytes, UINT64_C(800) * BENCH_BLOCK);
	assert_int_equal(b->run->outstanding_ios, 0);
	assert_int_equal(b->run->measured_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(b->run->status, RUN_OK);
}

static void each_completion_is_followed_at_once(void **state)
{
	/* one of the first two takes longer: from then on they end at different times */
	static const struct fake_oddity odd[] = { { .number = 0, .latency_nsec = 1500000 } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.max_ios = 101;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.turns_below_depth, 1); /* waiting for the very last */
	assert_int_equal(bench_writes(b)->ios, 101);
}

static void latencies_are_exact(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 10,
		.latency_nsec = 11 * NSEC_PER_MSEC } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 100;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->latency.count, 100);
	assert_int_equal(bench_writes(b)->latency.min_nsec, NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 11 * NSEC_PER_MSEC);
	assert_int_equal(histogram_mean_nsec(&bench_writes(b)->latency), 1100000);
	assert_int_equal(b->run->measured_nsec, 110 * NSEC_PER_MSEC);
}

static void preparation_is_no_part_of_the_latency(void **state)
{
	struct bench *b = *state;

	b->fake.prepare_nsec = 7 * NSEC_PER_MSEC;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 10;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->latency.max_nsec, NSEC_PER_MSEC);
}

static void warm_up_by_number_is_left_out_but_bounded(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_ios = 8;
	b->workload.max_ios = 20;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 20);
	assert_int_equal(bench_writes(b)->ios, 12);
	/* Two at a time: the first eight take 4 ms, the other twelve 6 ms. */
	assert_int_equal(b->run->measured_nsec, 6 * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, 6 * NSEC_PER_MSEC);
}

static void warm_up_by_time_is_left_out(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_usec = 10 * USEC_PER_MSEC;
	b->workload.duration_usec = 50 * USEC_PER_MSEC;
	b->workload.queue_depth = 1;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 50);
	assert_int_equal(bench_writes(b)->ios, 41); /* the one that ends at 10 ms counts */
}

static void duration_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 100 * USEC_PER_MSEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->ios, 200);
	assert_int_equal(b->run->measured_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(b->run->trust & RUN_TRUST_CLAMPED, 0);
}

static void max_bytes_are_never_passed(void **state)
{
	struct bench *b = *state;

	b->workload.max_bytes = 10 * BENCH_BLOCK + BENCH_BLOCK / 2;
	b->workload.duration_usec = 5 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 10);
}

static void offsets_start_at_the_base(void **state)
{
	struct bench *b = *state;

	b->workload.max_ios = 1000;
	b->workload.pattern = WORKLOAD_RANDOM;
	assert_int_equal(bench_go(b), 0);
	for (size_t i = 0; i < 1000; i++) {
		assert_in_range(
			b->fake.log[i].offset_bytes, BENCH_BASE, BENCH_BASE + 63 * BENCH_BLOCK);
		assert_int_equal(b->fake.log[i].bytes, BENCH_BLOCK);
		assert_int_equal(b->fake.log[i].offset_bytes % BENCH_BLOCK, 0);
	}
}

static void no_time_is_hidden_between_completion_and_successor(void **state)
{
	struct bench *b = *state;

	/* 7 come back together each time: whatever the loop does meanwhile is in some latency. */
	b->workload.queue_depth = 7;
	b->workload.write_percent = 40;
	b->workload.pattern = WORKLOAD_RANDOM;
	b->workload.max_ios = 7007;
	b->fake.submit_nsec = 20 * NSEC_PER_USEC;
	assert_int_equal(bench_go(b), 0);
	uint64_t sum_nsec = bench_reads(b)->latency.sum_nsec + bench_writes(b)->latency.sum_nsec;
	double depth = (double)sum_nsec / (double)b->run->measured_nsec;
	assert_true(depth > 6.97 && depth < 7.03);
}

static void a_rate_is_kept(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 2 * USEC_PER_SEC;
	b->workload.rate_ios_per_sec = 100;
	b->workload.queue_depth = 4;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 200);
	assert_int_equal(b->fake.most_out, 1);
	for (size_t i = 1; i < 200; i++)
		assert_int_equal(b->fake.log_nsec[i] - b->fake.log_nsec[i - 1], 10 * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->latency.max_nsec, NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, 200 * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 1991 * NSEC_PER_MSEC);
}

static void a_rate_in_bytes_is_kept(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 2 * USEC_PER_SEC;
	b->workload.rate_bytes_per_sec = 50 * BENCH_BLOCK;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 100);
}

static void after_a_stall_the_rate_goes_on_as_before(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 50,
		.latency_nsec = 700 * NSEC_PER_MSEC } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.duration_usec = 2 * USEC_PER_SEC;
	b->workload.rate_ios_per_sec = 100;
	b->workload.queue_depth = 1;
	assert_int_equal(bench_go(b), 0);
	assert_in_range(b->fake.submitted, 130, 132); /* 70 are lost */
	for (size_t i = 51; i < b->fake.submitted; i++)
		assert_true(b->fake.log_nsec[i] - b->fake.log_nsec[i - 1] >= 8 * NSEC_PER_MSEC);
}

static void bursts_are_followed_by_pauses(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = USEC_PER_SEC;
	b->workload.queue_depth = 2;
	b->workload.think_time_usec = 18 * USEC_PER_MSEC;
	b->workload.burst_ios = 4;
	assert_int_equal(bench_go(b), 0);
	/* Four I/Os, two at a time, take 2 ms; 18 ms nothing. */
	assert_int_equal(b->fake.submitted, 200);
	for (size_t i = 4; i < 200; i++)
		assert_int_equal(b->fake.log_nsec[i] - b->fake.log_nsec[i - 4], 20 * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 982 * NSEC_PER_MSEC);
}

static void a_paced_run_that_is_cancelled_or_fails_ends_too(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 3, .result = -EIO } };
	struct bench *b = *state;

	b->workload.duration_usec = 50 * USEC_PER_SEC;
	b->workload.rate_ios_per_sec = 10;
	b->fake.cancel_nsec = b->fake.now_nsec + 500 * NSEC_PER_MSEC;
	assert_int_equal(bench_go(b), -ECANCELED);
	assert_in_range(b->fake.submitted, 5, 7);
	b->fake.cancel_nsec = 0;
	b->fake.submitted = 0;
	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	assert_int_equal(bench_go(b), -EIO);
	assert_int_equal(b->fake.submitted, 4);
}

static void full_seconds_are_counted(void **state)
{
	struct bench *b = *state;
	const struct run_iops *total = &b->run->iops[RUN_OPERATIONS];

	b->workload.duration_usec = 3500 * USEC_PER_MSEC;
	b->workload.warmup_ios = 100;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(total->seconds, 3);
	assert_int_equal(total->ios, 3 * 2000);
	assert_int_equal(total->squares, 3 * 2000 * 2000);
	assert_int_equal(b->run->iops[RUN_WRITE].ios, 6000);
	assert_int_equal(b->run->iops[RUN_READ].ios, 0);
	assert_int_equal(b->run->iops[RUN_READ].seconds, 3);
}

static void an_uneven_second_is_seen(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 1500,
		.latency_nsec = 500 * NSEC_PER_MSEC } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.queue_depth = 1;
	b->workload.duration_usec = 3 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	const struct run_iops *iops = &b->run->iops[RUN_WRITE];
	assert_int_equal(iops->seconds, 3);
	/* 999 end before the first second is over, then 501 or so are missing from 1000. */
	assert_in_range(iops->ios, 2498, 2501);
	assert_in_range(iops->squares, 999 * 999 + 499 * 499 + 999 * 999,
		1001 * 1001 + 502 * 502 + 1001 * 1001);
}

static void a_run_that_is_shorter_than_a_second_has_no_seconds(void **state)
{
	struct bench *b = *state;

	b->workload.max_ios = 1999;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->iops[RUN_OPERATIONS].seconds, 0);
}

static void warm_up_by_number_takes_at_most_half_of_the_time(void **state)
{
	struct bench *b = *state;

	b->fake.latency_nsec = 2 * NSEC_PER_SEC;
	b->workload.duration_usec = 5 * USEC_PER_SEC;
	b->workload.warmup_ios = 8;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 6);
	assert_int_equal(bench_writes(b)->ios, 4);
	assert_int_equal(bench_writes(b)->latency.min_nsec, 2 * NSEC_PER_SEC);
	assert_int_equal(bench_writes(b)->active_nsec, 4 * NSEC_PER_SEC);
	assert_int_equal(b->run->measured_nsec, 4 * NSEC_PER_SEC);
	assert_true(b->run->trust & RUN_TRUST_SHORT);
}

/* Whatever the last I/O is late by, and however few there are. */
static void a_slow_run_is_measured_at_any_latency(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 3 * USEC_PER_SEC;
	b->workload.warmup_ios = 8;
	b->workload.queue_depth = 1;
	for (uint64_t msec = 250; msec < 7000; msec += 25) {
		memset(b->run->operations, 0, sizeof(b->run->operations));
		b->fake.latency_nsec = msec * NSEC_PER_MSEC;
		b->fake.told = 0;
		assert_int_equal(bench_go(b), 0);
		assert_true(bench_writes(b)->ios > 0);
		assert_int_equal(bench_writes(b)->latency.min_nsec, msec * NSEC_PER_MSEC);
	}
}

static void the_presets_measure_half_a_second_a_request(void **state)
{
	struct bench *b = *state;

	for (size_t i = 0; workload_preset_at(i); i++) {
		b->workload = workload_preset_at(i)->workload;
		b->workload.file_size_bytes = UINT64_C(64) << 20;
		b->fake.latency_nsec = 500 * NSEC_PER_MSEC;
		memset(b->run->operations, 0, sizeof(b->run->operations));
		assert_int_equal(bench_go(b), 0);
		uint64_t ios = bench_reads(b)->ios + bench_writes(b)->ios;
		assert_true(ios >= 3);
		assert_int_equal(
			bench_reads(b)->latency.sum_nsec + bench_writes(b)->latency.sum_nsec,
			ios * 500 * NSEC_PER_MSEC);
	}
}

static void warm_up_by_time_takes_at_most_half_of_the_ios(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_usec = USEC_PER_SEC;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 20;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->ios, 10);
	assert_int_equal(b->run->measured_nsec, 10 * NSEC_PER_MSEC);

	b->workload.max_ios = 1;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->ios, 11);
}

/* workload_check() refuses that where there is a duration; the timeout is an end too. */
static void warm_up_by_time_ends_with_the_time_there_is(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_usec = 100 * USEC_PER_SEC;
	b->workload.max_bytes = UINT64_C(1) << 40;
	b->workload.timeout_usec = 8 * USEC_PER_SEC;
	b->fake.latency_nsec = 300 * NSEC_PER_MSEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 0);
	assert_int_equal(bench_writes(b)->ios, 2); /* out at the end, after 7 s */
}

static void the_last_io_is_measured_when_nothing_else_was(void **state)
{
	struct bench *b = *state;

	/* The second I/O would be due after the end. */
	b->workload.warmup_usec = 2 * USEC_PER_SEC;
	b->workload.duration_usec = 3 * USEC_PER_SEC;
	b->workload.think_time_usec = 10 * USEC_PER_SEC;
	b->workload.queue_depth = 1;
	b->fake.latency_nsec = 7 * NSEC_PER_MSEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 1);
	assert_int_equal(bench_writes(b)->ios, 1);
	assert_int_equal(bench_writes(b)->bytes, BENCH_BLOCK);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 7 * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, 7 * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 7 * NSEC_PER_MSEC);
}

static void each_operation_has_its_own_time(void **state)
{
	struct bench *b = *state;

	b->workload.write_percent = 50;
	b->workload.pattern = WORKLOAD_RANDOM;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 400;
	b->workload.warmup_ios = 8;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_reads(b)->ios + bench_writes(b)->ios, 392);
	assert_true(bench_reads(b)->ios > 100 && bench_writes(b)->ios > 100);
	assert_int_equal(bench_reads(b)->active_nsec, bench_reads(b)->ios * NSEC_PER_MSEC);
	assert_int_equal(bench_writes(b)->active_nsec, bench_writes(b)->ios * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 392 * NSEC_PER_MSEC);
}

static void too_few_for_p99_is_said(void **state)
{
	struct bench *b = *state;

	b->workload.max_ios = 999;
	assert_int_equal(bench_go(b), 0);
	assert_true(b->run->trust & RUN_TRUST_SHORT);

	memset(b->run->operations, 0, sizeof(b->run->operations));
	b->run->trust = 0;
	b->workload.max_ios = 1000;
	assert_int_equal(bench_go(b), 0);
	assert_false(b->run->trust & RUN_TRUST_SHORT);
}

static void content_is_fresh_and_still_while_it_is_out(void **state)
{
	struct bench *b = *state;
	struct payload payload;

	b->workload.queue_depth = 4;
	b->workload.max_ios = 200;
	b->workload.content = WORKLOAD_CONTENT_RANDOM;
	assert_int_equal(payload_init(&payload, &b->workload, 4, 99), 0);
	b->payload = &payload;
	assert_int_equal(
		bench_go(b), 0); /* fake_wait compares what is out with what was handed in */
	assert_int_equal(bench_writes(b)->ios, 200);
	assert_int_equal(b->fake.turns_below_depth, 0);
	payload_done(&payload);
}

static void progress_is_rare_and_in_order(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_ios = 400;
	b->workload.duration_usec = 2 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_in_range(b->fake.told, 18, 23);
	assert_int_equal(b->fake.phases[0], JOB_PHASE_WARMUP);
	for (uint64_t i = 1; i < b->fake.told; i++) {
		assert_true(b->fake.phases[i] >= b->fake.phases[i - 1]);
		if (b->fake.phases[i] == b->fake.phases[i - 1])
			assert_true(b->fake.told_nsec[i] - b->fake.told_nsec[i - 1] >=
				OBSERVE_INTERVAL_NSEC);
	}
	assert_true(b->fake.phases[b->fake.told - 1] >= JOB_PHASE_MEASURE);
}

static void progress_follows_the_nearer_bound(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 100 * USEC_PER_SEC;
	b->workload.timeout_usec = 200 * USEC_PER_SEC;
	b->workload.max_ios = 4000;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.last_measure.total, UINT64_C(4000) * BENCH_BLOCK);
	assert_in_range(b->fake.last_measure.done, UINT64_C(3700) * BENCH_BLOCK,
		UINT64_C(4000) * BENCH_BLOCK);
}

static void a_cancelled_run_ends_at_once(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 10 * USEC_PER_SEC;
	b->fake.cancel_nsec = b->fake.now_nsec + 500 * NSEC_PER_MSEC;
	assert_int_equal(bench_go(b), -ECANCELED);
	assert_in_range(bench_writes(b)->ios, 1000, 1003);
	assert_int_equal(b->fake.out, 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(the_queue_is_full_until_the_bound_and_then_drained,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			each_completion_is_followed_at_once, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(latencies_are_exact, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			preparation_is_no_part_of_the_latency, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			warm_up_by_number_is_left_out_but_bounded, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			warm_up_by_time_is_left_out, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			duration_ends_the_run, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			max_bytes_are_never_passed, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			offsets_start_at_the_base, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(no_time_is_hidden_between_completion_and_successor,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(a_rate_is_kept, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_rate_in_bytes_is_kept, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			after_a_stall_the_rate_goes_on_as_before, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			bursts_are_followed_by_pauses, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(a_paced_run_that_is_cancelled_or_fails_ends_too,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			full_seconds_are_counted, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			an_uneven_second_is_seen, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(a_run_that_is_shorter_than_a_second_has_no_seconds,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(warm_up_by_number_takes_at_most_half_of_the_time,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_slow_run_is_measured_at_any_latency, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			the_presets_measure_half_a_second_a_request, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(warm_up_by_time_takes_at_most_half_of_the_ios,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			warm_up_by_time_ends_with_the_time_there_is, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(the_last_io_is_measured_when_nothing_else_was,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			each_operation_has_its_own_time, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			too_few_for_p99_is_said, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			content_is_fresh_and_still_while_it_is_out, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			progress_is_rare_and_in_order, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			progress_follows_the_nearer_bound, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_cancelled_run_ends_at_once, bench_set_up, bench_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
