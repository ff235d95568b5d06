/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs of the block kind by a clock that makes all that touches the disk slow: what the
 * deadline bounds, and what is said of it. */
#include "probe/temporary.h"

#include <errno.h>

#include "base/clock.h"
#include "probe/probe.h"

#define MIB (UINT64_C(1) << 20)

/* It goes on by so much at each look. */
struct slow_clock {
	struct clock clock; /* first */
	uint64_t *now_nsec;
	uint64_t tick_nsec;
};

struct bench {
	struct temporary directory;
	struct slow_clock clock;
	uint64_t now_nsec;
	struct job job;
	struct run *run;
};

static uint64_t tick(const struct clock *c)
{
	const struct slow_clock *slow = (const struct slow_clock *)c;

	*slow->now_nsec += slow->tick_nsec;
	return *slow->now_nsec;
}

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock = (struct slow_clock){ clock_system(), &b->now_nsec, 100 * NSEC_PER_MSEC };
	b->clock.clock.monotonic_nsec = tick;
	b->job = (struct job){
		.kind = JOB_BLOCK,
		.file_name = "0123456789abcdef-1000.dat",
		.file_target_bytes = 128 * MIB,
		.deadline_usec = 20 * USEC_PER_SEC,
		.keep_file = true,
	};
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	b->job.workload = workload_preset_default()->workload;
	b->job.workload.max_bytes = 16 * MIB;
	b->run = run_new("", "");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	temporary_close(&b->directory);
	free(b->run);
	free(b);
	return 0;
}

static void go(struct bench *b)
{
	b->now_nsec = 0;
	memset(b->run, 0, sizeof(*b->run));
	probe_run(&b->job, &b->clock.clock, NULL, b->run);
}

static void skip_without_uring(const struct bench *b)
{
	if (b->run->error_number == EPERM || b->run->error_number == ENOSYS)
		skip();
}

static void a_layout_ends_with_the_time_and_says_how_fast_it_was(void **state)
{
	struct bench *b = *state;

	b->job.workload.block_size_bytes = 32 * MIB;
	b->job.workload.max_bytes = 0;
	go(b);
	assert_int_equal(b->run->status, RUN_TIMEOUT);
	assert_int_equal(b->run->error_number, ETIMEDOUT);
	assert_non_null(strstr(b->run->reason, "laying out the probe file took too long: "));
	assert_non_null(strstr(b->run->reason, "/s; the next run goes on"));
	assert_true(b->now_nsec < 20 * NSEC_PER_SEC);
}

static void what_is_laid_out_in_time_is_measured(void **state)
{
	struct bench *b = *state;

	b->job.deadline_usec = 60 * USEC_PER_SEC;
	go(b);
	skip_without_uring(b);
	assert_string_equal(b->run->reason, "");
	assert_true(b->run->trust & RUN_TRUST_WARMING);
	assert_in_range(b->run->workload.file_size_bytes, MIB, 127 * MIB);
	assert_true(b->now_nsec < 60 * NSEC_PER_SEC);
}

static void where_opening_takes_all_the_time_nothing_is_ok(void **state)
{
	struct bench *b = *state;

	b->clock.tick_nsec = 5 * NSEC_PER_SEC;
	b->job.keep_file = false;
	go(b);
	assert_int_equal(b->run->status, RUN_TIMEOUT);
	assert_non_null(strstr(b->run->reason, "opening the probe file took "));
	assert_null(strstr(b->run->reason, "next run"));
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void where_the_file_is_there_nothing_is_ok_without_an_io(void **state)
{
	struct bench *b = *state;

	b->job.file_target_bytes = 4 * MIB;
	b->clock.tick_nsec = NSEC_PER_USEC;
	go(b);
	skip_without_uring(b);
	assert_string_equal(b->run->reason, "");
	b->clock.tick_nsec = 5 * NSEC_PER_SEC;
	go(b);
	assert_int_equal(b->run->status, RUN_TIMEOUT);
	assert_non_null(strstr(b->run->reason, "opening the probe file took "));
	assert_int_equal(b->run->file_bytes, 4 * MIB);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_layout_ends_with_the_time_and_says_how_fast_it_was, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_laid_out_in_time_is_measured, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			where_opening_takes_all_the_time_nothing_is_ok, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			where_the_file_is_there_nothing_is_ok_without_an_io, set_up, tear_down),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
