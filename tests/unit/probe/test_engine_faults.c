/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop when I/Os fail, come back in parts, late or not at all. */
#include "engine_bench.h"

#include <errno.h>

static void an_error_ends_the_run_and_the_rest_is_awaited(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 4, .result = -EIO } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.max_ios = 100;
	assert_int_equal(bench_go(b), -EIO);
	assert_int_equal(bench_writes(b)->errors, 1);
	assert_int_equal(b->fake.submitted, 6); /* its companion was out already */
	assert_int_equal(b->fake.out, 0);
	assert_int_equal(bench_writes(b)->ios, 5);
	assert_int_equal(b->run->outstanding_ios, 0);
}

static void a_read_at_the_end_of_the_file_is_an_error(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 2, .result = FAKE_NOTHING } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.write_percent = 0;
	b->workload.max_ios = 100;
	b->workload.queue_depth = 1;
	assert_int_equal(bench_go(b), -ENODATA);
	assert_int_equal(bench_reads(b)->errors, 1);
	assert_int_equal(bench_reads(b)->ios, 2);
}

static void what_does_not_come_back_counts_with_its_age(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 20, .latency_nsec = FAKE_NEVER } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.duration_usec = USEC_PER_SEC;
	b->workload.timeout_usec = 10 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	/* the other slot went on for the whole duration */
	assert_in_range(bench_writes(b)->ios, 1000, 1020);
	assert_int_equal(bench_writes(b)->latency.count, bench_writes(b)->ios);
	assert_int_equal(bench_writes(b)->bytes, (bench_writes(b)->ios - 1) * BENCH_BLOCK);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 9990 * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 10 * NSEC_PER_SEC);
	assert_int_equal(bench_writes(b)->active_nsec, 10 * NSEC_PER_SEC);
	assert_int_equal(b->fake.last.phase, JOB_PHASE_DRAIN);
}

static void a_hang_in_the_warm_up_counts_too(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 0, .latency_nsec = FAKE_NEVER },
		{ .number = 1, .latency_nsec = FAKE_NEVER } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 2;
	b->workload.warmup_ios = 8;
	b->workload.duration_usec = USEC_PER_SEC;
	b->workload.timeout_usec = 3 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 2);
	assert_int_equal(bench_writes(b)->ios, 2);
	assert_int_equal(bench_writes(b)->bytes, 0);
	assert_int_equal(bench_writes(b)->latency.min_nsec, 3 * NSEC_PER_SEC);
	assert_int_equal(b->run->measured_nsec, 3 * NSEC_PER_SEC);
}

static void the_deadline_comes_before_the_timeout(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 0, .latency_nsec = FAKE_NEVER } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.queue_depth = 1;
	b->workload.duration_usec = USEC_PER_SEC;
	b->deadline_nsec = b->fake.now_nsec + 2 * NSEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 2 * NSEC_PER_SEC);
}

static void slow_is_not_stalled(void **state)
{
	struct bench *b = *state;

	b->fake.latency_nsec = 300 * NSEC_PER_MSEC;
	b->workload.max_bytes = UINT64_C(1) << 40; /* never reached: only the timeout is left */
	b->workload.timeout_usec = 10 * USEC_PER_SEC;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 0);
	assert_true(b->run->trust & RUN_TRUST_CLAMPED);
	assert_in_range(b->run->measured_nsec, 8 * NSEC_PER_SEC, 10 * NSEC_PER_SEC);
}

static void a_partial_transfer_goes_on_with_its_rest(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 3, .result = 4096 } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 5;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 6);
	assert_int_equal(b->fake.log[4].offset_bytes, b->fake.log[3].offset_bytes + 4096);
	assert_int_equal(b->fake.log[4].bytes, BENCH_BLOCK - 4096);
	assert_int_equal(bench_writes(b)->ios, 5);
	assert_int_equal(bench_writes(b)->bytes, 5 * BENCH_BLOCK);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 2 * NSEC_PER_MSEC);
}

static void what_the_kernel_puts_off_is_tried_again(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 3, .result = -EAGAIN },
		{ .number = 4, .result = -EINTR } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 2;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 5;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(bench_writes(b)->ios, 5);
	assert_int_equal(bench_writes(b)->errors, 0);
	assert_int_equal(bench_writes(b)->latency.max_nsec, 3 * NSEC_PER_MSEC);
}

static void a_read_comes_in_many_parts(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 0, .result = 512 },
		{ .number = 1, .result = -EAGAIN }, { .number = 2, .result = 4096 },
		{ .number = 3, .result = -EINTR }, { .number = 4, .result = 1 } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 5;
	b->workload.write_percent = 0;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 2;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->fake.submitted, 7);
	assert_int_equal(b->fake.log[5].offset_bytes, b->fake.log[0].offset_bytes + 512 + 4096 + 1);
	assert_int_equal(b->fake.log[5].bytes, BENCH_BLOCK - 512 - 4096 - 1);
	assert_int_equal(bench_reads(b)->ios, 2);
	assert_int_equal(bench_reads(b)->bytes, 2 * BENCH_BLOCK);
	assert_int_equal(bench_reads(b)->errors, 0);
	assert_int_equal(bench_reads(b)->latency.max_nsec, 6 * NSEC_PER_MSEC); /* all of it */
}

static void what_is_put_off_for_ever_is_an_error(void **state)
{
	static struct fake_oddity odd[1100];
	struct bench *b = *state;

	for (size_t i = 0; i < 1100; i++)
		odd[i] = (struct fake_oddity){ .number = i, .result = -EAGAIN };
	b->fake.oddities = odd;
	b->fake.oddity_count = 1100;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 5;
	assert_int_equal(bench_go(b), -EAGAIN);
	assert_int_equal(b->fake.submitted, 1001);
	assert_int_equal(bench_writes(b)->errors, 1);
	assert_int_equal(bench_writes(b)->ios, 0);
}

static void an_error_after_a_part_is_an_error(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 2, .result = 4096 },
		{ .number = 3, .result = -ENOSPC } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 2;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 5;
	assert_int_equal(bench_go(b), -ENOSPC);
	assert_int_equal(bench_writes(b)->ios, 2);
	assert_int_equal(bench_writes(b)->bytes, 2 * BENCH_BLOCK);
	assert_int_equal(bench_writes(b)->errors, 1);
}

static void all_of_it_is_our_own(void **state)
{
	/* one is done in two parts, one is put off, one fails */
	static const struct fake_oddity odd[] = { { .number = 3, .result = 4096 },
		{ .number = 9, .result = -EAGAIN }, { .number = 21, .result = -EIO } };
	struct bench *b = *state;

	b->workload.queue_depth = 1;
	b->workload.warmup_ios = 8;
	b->workload.max_ios = 20;
	b->fake.oddities = odd;
	b->fake.oddity_count = 3;
	b->is_synced = true;
	assert_int_equal(bench_go(b), -EIO);
	assert_int_equal(bench_writes(b)->errors, 1);
	/* 22 were handed in: two again, and the failed one moved nothing */
	assert_int_equal(b->run->own.bytes, 19 * BENCH_BLOCK);
	assert_int_equal(b->run->own.ios, 20);
	assert_int_equal(b->run->own.synced_writes, 20);
}

static void what_is_still_out_is_our_own_too(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 2, .latency_nsec = FAKE_NEVER } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.max_ios = 10;
	b->workload.write_percent = 0;
	b->is_synced = true;
	assert_int_equal(bench_go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	assert_int_equal(b->run->own.bytes, 10 * BENCH_BLOCK);
	assert_int_equal(b->run->own.ios, 10);
	assert_int_equal(b->run->own.synced_writes, 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(an_error_ends_the_run_and_the_rest_is_awaited,
			bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_read_at_the_end_of_the_file_is_an_error, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			what_does_not_come_back_counts_with_its_age, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_hang_in_the_warm_up_counts_too, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			the_deadline_comes_before_the_timeout, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(slow_is_not_stalled, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_partial_transfer_goes_on_with_its_rest, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			what_the_kernel_puts_off_is_tried_again, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			a_read_comes_in_many_parts, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_put_off_for_ever_is_an_error, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			an_error_after_a_part_is_an_error, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			all_of_it_is_our_own, bench_set_up, bench_tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_still_out_is_our_own_too, bench_set_up, bench_tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
