/* SPDX-License-Identifier: Apache-2.0 */
/* What threads measure together. */
#include "test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "probe/tally.h"

static void time_at_work_is_the_union_of_all_threads(void **state)
{
	struct activity a;

	(void)state;
	activity_init(&a);
	activity_begin(&a, RUN_WRITE, 100);
	activity_begin(&a, RUN_WRITE, 150);
	activity_end(&a, RUN_WRITE, 180);
	activity_end(&a, RUN_WRITE, 200);
	activity_begin(&a, RUN_READ, 190);
	activity_begin(&a, RUN_WRITE, 300);
	activity_end(&a, RUN_WRITE, 310);
	activity_end(&a, RUN_READ, 400);
	assert_int_equal(a.of[RUN_WRITE].total_nsec, 100 + 10);
	assert_int_equal(a.of[RUN_READ].total_nsec, 210);
	activity_done(&a);
}

static void clock_readings_out_of_order_count_no_time_twice(void **state)
{
	struct activity a;

	(void)state;
	activity_init(&a);
	activity_begin(&a, RUN_READ, 100);
	activity_begin(&a, RUN_READ, 90); /* read first, told second */
	activity_end(&a, RUN_READ, 200);
	activity_end(&a, RUN_READ, 195);
	assert_int_equal(a.of[RUN_READ].total_nsec, 110);
	activity_begin(&a, RUN_READ, 198); /* before the end that another told already */
	activity_end(&a, RUN_READ, 220);
	assert_int_equal(a.of[RUN_READ].total_nsec, 130);
	activity_begin(&a, RUN_READ, 210);
	activity_end(&a, RUN_READ, 215);
	assert_int_equal(a.of[RUN_READ].total_nsec, 130);
	activity_done(&a);
}

static void seconds_of_threads_are_added_before_they_are_squared(void **state)
{
	struct run_iops iops[RUN_OPERATIONS + 1];
	struct seconds a;
	struct seconds b;
	const uint64_t origin = 12345;

	(void)state;
	seconds_init(&a, origin);
	seconds_init(&b, origin);
	for (uint64_t second = 0; second < 2; second++) /* 10, then 20, then only reads */
		for (uint64_t i = 0; i < 10; i++)
			seconds_add(&a, RUN_WRITE, origin + second * NSEC_PER_SEC + 1 + i);
	for (uint64_t i = 0; i < 10; i++)
		seconds_add(&b, RUN_WRITE, origin + 2 * NSEC_PER_SEC); /* the last instant */
	for (uint64_t i = 0; i < 10; i++)
		seconds_add(&b, RUN_READ, origin + 3 * NSEC_PER_SEC + 1);
	seconds_merge(&a, &b);
	seconds_report(&a, 3, iops);
	assert_int_equal(iops[RUN_WRITE].seconds, 3);
	assert_int_equal(iops[RUN_WRITE].ios, 30);
	assert_int_equal(iops[RUN_WRITE].squares, 10 * 10 + 20 * 20);
	assert_int_equal(iops[RUN_READ].seconds, 3);
	assert_int_equal(iops[RUN_READ].ios, 0);
	assert_int_equal(iops[RUN_OPERATIONS].squares, 500);
	seconds_report(&a, 4, iops);
	assert_int_equal(iops[RUN_READ].ios, 10);
	assert_int_equal(iops[RUN_OPERATIONS].ios, 40);
	assert_int_equal(iops[RUN_OPERATIONS].squares, 600);
	seconds_done(&a);
	seconds_done(&b);
}

static void a_day_of_seconds_is_kept_and_silence_counts_as_zero(void **state)
{
	struct run_iops iops[RUN_OPERATIONS + 1];
	struct seconds s;
	const uint32_t day = 86400;

	(void)state;
	seconds_init(&s, 1000);
	seconds_add(&s, RUN_READ, 1000);
	seconds_add(&s, RUN_READ, 1000 + (uint64_t)day * NSEC_PER_SEC);
	seconds_report(&s, day, iops);
	assert_int_equal(iops[RUN_READ].seconds, day);
	assert_int_equal(iops[RUN_READ].ios, 2);
	assert_int_equal(iops[RUN_READ].squares, 2);
	seconds_done(&s);
	seconds_init(&s, 0);
	seconds_report(&s, 5, iops); /* nothing at all came back */
	assert_int_equal(iops[RUN_READ].seconds, 5);
	assert_int_equal(iops[RUN_READ].ios, 0);
	seconds_done(&s);
}

static void more_than_can_be_kept_gives_no_figures_at_all(void **state)
{
	struct run_iops iops[RUN_OPERATIONS + 1];
	struct seconds s;

	(void)state;
	seconds_init(&s, 0);
	seconds_add(&s, RUN_READ, 200000 * NSEC_PER_SEC);
	seconds_add(&s, RUN_READ, 1 + 200000 * NSEC_PER_SEC);
	assert_true(s.is_lost);
	seconds_report(&s, 3, iops);
	assert_int_equal(iops[RUN_READ].seconds, 0);
	seconds_done(&s);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(time_at_work_is_the_union_of_all_threads),
		cmocka_unit_test(clock_readings_out_of_order_count_no_time_twice),
		cmocka_unit_test(seconds_of_threads_are_added_before_they_are_squared),
		cmocka_unit_test(a_day_of_seconds_is_kept_and_silence_counts_as_zero),
		cmocka_unit_test(more_than_can_be_kept_gives_no_figures_at_all),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
