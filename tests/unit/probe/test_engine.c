/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement loop on a back end and a clock that the test holds in its hands. */
#include "probe/fake_io.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "probe/engine.h"
#include "probe/payload.h"

#define BLOCK 65536
#define BASE (UINT64_C(1) << 20)

struct bench {
	struct fake fake;
	struct workload workload;
	struct run *run;
	struct payload *payload;
	uint64_t deadline_nsec;
	bool is_synced;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	b->fake.clock.monotonic_nsec = fake_now;
	b->fake.now_nsec = 5 * NSEC_PER_SEC;
	b->fake.latency_nsec = NSEC_PER_MSEC;
	b->workload = (struct workload){
		.block_size_bytes = BLOCK,
		.write_percent = 100,
		.queue_depth = 2,
		.threads = 1,
		.file_size_bytes = 64 * BLOCK,
		.timeout_usec = 60 * USEC_PER_SEC,
	};
	b->deadline_nsec = UINT64_MAX;
	b->run = run_new("", "");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	free(b->run);
	free(b);
	return 0;
}

static int go(struct bench *b)
{
	struct probe_observer observer = {
		.progress = fake_take_progress, .is_cancelled = fake_is_cancelled, .data = &b->fake
	};
	struct observe observe = { .observer = &observer };
	struct engine_setup setup = {
		.workload = &b->workload,
		.base_bytes = BASE,
		.seed = 1,
		.deadline_nsec = b->deadline_nsec,
		.clock = &b->fake.clock,
		.ops = &fake_ops,
		.backend = &b->fake,
		.payload = b->payload,
		.is_synced = b->is_synced,
		.observe = &observe,
	};

	return engine_run(&setup, b->run);
}

static const struct run_operation_result *writes(const struct bench *b)
{
	return &b->run->operations[RUN_WRITE];
}

static const struct run_operation_result *reads(const struct bench *b)
{
	return &b->run->operations[RUN_READ];
}

static void the_queue_is_full_until_the_bound_and_then_drained(void **state)
{
	struct bench *b = *state;

	b->workload.queue_depth = 8;
	b->workload.max_ios = 800;
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.submitted, 800);
	assert_int_equal(b->fake.most_out, 8);
	assert_int_equal(b->fake.turns_below_depth, 0); /* all 8 end together */
	assert_int_equal(b->fake.out, 0);
	assert_int_equal(writes(b)->ios, 800);
	assert_int_equal(writes(b)->bytes, UINT64_C(800) * BLOCK);
	assert_int_equal(b->run->outstanding_ios, 0);
	assert_int_equal(b->run->measured_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(writes(b)->active_nsec, 100 * NSEC_PER_MSEC);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.turns_below_depth, 1); /* waiting for the very last */
	assert_int_equal(writes(b)->ios, 101);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(writes(b)->latency.count, 100);
	assert_int_equal(writes(b)->latency.min_nsec, NSEC_PER_MSEC);
	assert_int_equal(writes(b)->latency.max_nsec, 11 * NSEC_PER_MSEC);
	assert_int_equal(histogram_mean_nsec(&writes(b)->latency), 1100000);
	assert_int_equal(b->run->measured_nsec, 110 * NSEC_PER_MSEC);
}

static void preparation_is_no_part_of_the_latency(void **state)
{
	struct bench *b = *state;

	b->fake.prepare_nsec = 7 * NSEC_PER_MSEC;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 10;
	assert_int_equal(go(b), 0);
	assert_int_equal(writes(b)->latency.max_nsec, NSEC_PER_MSEC);
}

static void warm_up_by_number_is_left_out_but_bounded(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_ios = 8;
	b->workload.max_ios = 20;
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.submitted, 20);
	assert_int_equal(writes(b)->ios, 12);
	/* Two at a time: the first eight take 4 ms, the other twelve 6 ms. */
	assert_int_equal(b->run->measured_nsec, 6 * NSEC_PER_MSEC);
	assert_int_equal(writes(b)->active_nsec, 6 * NSEC_PER_MSEC);
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
	assert_int_equal(go(b), -EIO);
	assert_int_equal(writes(b)->errors, 1);
	/* 22 were handed in: two again, and the failed one moved nothing */
	assert_int_equal(b->run->own.bytes, 19 * BLOCK);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	assert_int_equal(b->run->own.bytes, 10 * BLOCK);
	assert_int_equal(b->run->own.ios, 10);
	assert_int_equal(b->run->own.synced_writes, 0);
}

static void warm_up_by_time_is_left_out(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_usec = 10 * USEC_PER_MSEC;
	b->workload.duration_usec = 50 * USEC_PER_MSEC;
	b->workload.queue_depth = 1;
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.submitted, 50);
	assert_int_equal(writes(b)->ios, 41); /* the one that ends at 10 ms counts */
}

static void duration_ends_the_run(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 100 * USEC_PER_MSEC;
	assert_int_equal(go(b), 0);
	assert_int_equal(writes(b)->ios, 200);
	assert_int_equal(b->run->measured_nsec, 100 * NSEC_PER_MSEC);
	assert_int_equal(b->run->trust & RUN_TRUST_CLAMPED, 0);
}

static void max_bytes_are_never_passed(void **state)
{
	struct bench *b = *state;

	b->workload.max_bytes = 10 * BLOCK + BLOCK / 2;
	b->workload.duration_usec = 5 * USEC_PER_SEC;
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.submitted, 10);
}

static void offsets_start_at_the_base(void **state)
{
	struct bench *b = *state;

	b->workload.max_ios = 1000;
	b->workload.pattern = WORKLOAD_RANDOM;
	assert_int_equal(go(b), 0);
	for (size_t i = 0; i < 1000; i++) {
		assert_in_range(b->fake.log[i].offset_bytes, BASE, BASE + 63 * BLOCK);
		assert_int_equal(b->fake.log[i].bytes, BLOCK);
		assert_int_equal(b->fake.log[i].offset_bytes % BLOCK, 0);
	}
}

static void an_error_ends_the_run_and_the_rest_is_awaited(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 4, .result = -EIO } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.max_ios = 100;
	assert_int_equal(go(b), -EIO);
	assert_int_equal(writes(b)->errors, 1);
	assert_int_equal(b->fake.submitted, 6); /* its companion was out already */
	assert_int_equal(b->fake.out, 0);
	assert_int_equal(writes(b)->ios, 5);
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
	assert_int_equal(go(b), -ENODATA);
	assert_int_equal(reads(b)->errors, 1);
	assert_int_equal(reads(b)->ios, 2);
}

static void what_does_not_come_back_counts_with_its_age(void **state)
{
	static const struct fake_oddity odd[] = { { .number = 20, .latency_nsec = FAKE_NEVER } };
	struct bench *b = *state;

	b->fake.oddities = odd;
	b->fake.oddity_count = 1;
	b->workload.duration_usec = USEC_PER_SEC;
	b->workload.timeout_usec = 10 * USEC_PER_SEC;
	assert_int_equal(go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	/* the other slot went on for the whole duration */
	assert_in_range(writes(b)->ios, 1000, 1020);
	assert_int_equal(writes(b)->latency.count, writes(b)->ios);
	assert_int_equal(writes(b)->bytes, (writes(b)->ios - 1) * BLOCK);
	assert_int_equal(writes(b)->latency.max_nsec, 9990 * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 10 * NSEC_PER_SEC);
	assert_int_equal(writes(b)->active_nsec, 10 * NSEC_PER_SEC);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 2);
	assert_int_equal(writes(b)->ios, 2);
	assert_int_equal(writes(b)->bytes, 0);
	assert_int_equal(writes(b)->latency.min_nsec, 3 * NSEC_PER_SEC);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->run->outstanding_ios, 1);
	assert_int_equal(writes(b)->latency.max_nsec, 2 * NSEC_PER_SEC);
}

static void slow_is_not_stalled(void **state)
{
	struct bench *b = *state;

	b->fake.latency_nsec = 300 * NSEC_PER_MSEC;
	b->workload.max_bytes = UINT64_C(1) << 40; /* never reached: only the timeout is left */
	b->workload.timeout_usec = 10 * USEC_PER_SEC;
	assert_int_equal(go(b), 0);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.submitted, 6);
	assert_int_equal(b->fake.log[4].offset_bytes, b->fake.log[3].offset_bytes + 4096);
	assert_int_equal(b->fake.log[4].bytes, BLOCK - 4096);
	assert_int_equal(writes(b)->ios, 5);
	assert_int_equal(writes(b)->bytes, 5 * BLOCK);
	assert_int_equal(writes(b)->latency.max_nsec, 2 * NSEC_PER_MSEC);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(writes(b)->ios, 5);
	assert_int_equal(writes(b)->errors, 0);
	assert_int_equal(writes(b)->latency.max_nsec, 3 * NSEC_PER_MSEC);
}

static void each_operation_has_its_own_time(void **state)
{
	struct bench *b = *state;

	b->workload.write_percent = 50;
	b->workload.pattern = WORKLOAD_RANDOM;
	b->workload.queue_depth = 1;
	b->workload.max_ios = 400;
	b->workload.warmup_ios = 8;
	assert_int_equal(go(b), 0);
	assert_int_equal(reads(b)->ios + writes(b)->ios, 392);
	assert_true(reads(b)->ios > 100 && writes(b)->ios > 100);
	assert_int_equal(reads(b)->active_nsec, reads(b)->ios * NSEC_PER_MSEC);
	assert_int_equal(writes(b)->active_nsec, writes(b)->ios * NSEC_PER_MSEC);
	assert_int_equal(b->run->measured_nsec, 392 * NSEC_PER_MSEC);
}

static void too_few_for_p99_is_said(void **state)
{
	struct bench *b = *state;

	b->workload.max_ios = 999;
	assert_int_equal(go(b), 0);
	assert_true(b->run->trust & RUN_TRUST_SHORT);

	memset(b->run->operations, 0, sizeof(b->run->operations));
	b->run->trust = 0;
	b->workload.max_ios = 1000;
	assert_int_equal(go(b), 0);
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
	assert_int_equal(go(b), 0); /* fake_wait compares what is out with what was handed in */
	assert_int_equal(writes(b)->ios, 200);
	assert_int_equal(b->fake.turns_below_depth, 0);
	payload_done(&payload);
}

static void progress_is_rare_and_in_order(void **state)
{
	struct bench *b = *state;

	b->workload.warmup_ios = 400;
	b->workload.duration_usec = 2 * USEC_PER_SEC;
	assert_int_equal(go(b), 0);
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
	assert_int_equal(go(b), 0);
	assert_int_equal(b->fake.last_measure.total, UINT64_C(4000) * BLOCK);
	assert_in_range(b->fake.last_measure.done, UINT64_C(3700) * BLOCK, UINT64_C(4000) * BLOCK);
}

static void a_cancelled_run_ends_at_once(void **state)
{
	struct bench *b = *state;

	b->workload.duration_usec = 10 * USEC_PER_SEC;
	b->fake.cancel_nsec = b->fake.now_nsec + 500 * NSEC_PER_MSEC;
	assert_int_equal(go(b), -ECANCELED);
	assert_in_range(writes(b)->ios, 1000, 1003);
	assert_int_equal(b->fake.out, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_queue_is_full_until_the_bound_and_then_drained, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			each_completion_is_followed_at_once, set_up, tear_down),
		cmocka_unit_test_setup_teardown(latencies_are_exact, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			preparation_is_no_part_of_the_latency, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			warm_up_by_number_is_left_out_but_bounded, set_up, tear_down),
		cmocka_unit_test_setup_teardown(all_of_it_is_our_own, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_still_out_is_our_own_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(warm_up_by_time_is_left_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(duration_ends_the_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(max_bytes_are_never_passed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(offsets_start_at_the_base, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_error_ends_the_run_and_the_rest_is_awaited, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_read_at_the_end_of_the_file_is_an_error, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_does_not_come_back_counts_with_its_age, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_hang_in_the_warm_up_counts_too, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_deadline_comes_before_the_timeout, set_up, tear_down),
		cmocka_unit_test_setup_teardown(slow_is_not_stalled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_partial_transfer_goes_on_with_its_rest, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_the_kernel_puts_off_is_tried_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(each_operation_has_its_own_time, set_up, tear_down),
		cmocka_unit_test_setup_teardown(too_few_for_p99_is_said, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			content_is_fresh_and_still_while_it_is_out, set_up, tear_down),
		cmocka_unit_test_setup_teardown(progress_is_rare_and_in_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			progress_follows_the_nearer_bound, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_cancelled_run_ends_at_once, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
