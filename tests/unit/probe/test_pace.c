/* SPDX-License-Identifier: Apache-2.0 */
/* Rates and pauses, on invented time. */
#include "test.h"

#include "base/clock.h"
#include "probe/pace.h"

#define START (7 * NSEC_PER_SEC)

static const struct workload plain = { .block_size_bytes = 4096, .threads = 1 };

static struct pace new_pace(const struct workload *w)
{
	struct pace p;

	pace_init(&p, w, 0, START);
	return p;
}

static void without_limits_everything_may_go_at_once(void **state)
{
	struct pace p = new_pace(&plain);

	(void)state;
	assert_false(pace_is_limited(&p));
	assert_int_equal(pace_due_nsec(&p), START);
	pace_submitted(&p, START + 5);
	assert_true(pace_due_nsec(&p) <= START + 5);
}

static void a_rate_spaces_ios_evenly(void **state)
{
	static const struct {
		uint64_t bytes, ios, interval_nsec;
	} cases[] = {
		{ 0, 100, 10 * NSEC_PER_MSEC },
		{ 4096 * 50, 0, 20 * NSEC_PER_MSEC },
		{ 4096 * 50, 100, 20 * NSEC_PER_MSEC }, /* the slower of the two */
		{ 4096 * 200, 100, 10 * NSEC_PER_MSEC },
		{ 1, 0, 4096 * NSEC_PER_SEC },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct workload w = plain;
		w.rate_bytes_per_sec = cases[i].bytes;
		w.rate_ios_per_sec = cases[i].ios;
		struct pace p = new_pace(&w);
		assert_true(pace_is_limited(&p));
		for (uint64_t k = 0; k < 10; k++) {
			assert_int_equal(pace_due_nsec(&p), START + k * cases[i].interval_nsec);
			pace_submitted(&p, pace_due_nsec(&p));
		}
	}
}

static void late_timers_do_not_lower_the_rate(void **state)
{
	struct workload w = plain;

	(void)state;
	w.rate_ios_per_sec = 1000;
	struct pace p = new_pace(&w);
	for (uint64_t k = 0; k < 1000; k++) {
		assert_int_equal(pace_due_nsec(&p), START + k * NSEC_PER_MSEC);
		pace_submitted(&p, pace_due_nsec(&p) + 300 * NSEC_PER_USEC);
	}
}

static void a_stall_is_not_made_up_for(void **state)
{
	static const uint64_t rates[] = { 1, 10, 1000, 100000 };

	(void)state;
	for (size_t i = 0; i < sizeof(rates) / sizeof(rates[0]); i++) {
		struct workload w = plain;
		w.rate_ios_per_sec = rates[i];
		struct pace p = new_pace(&w);
		pace_submitted(&p, START);
		uint64_t now = START + 3600 * NSEC_PER_SEC;
		uint64_t went = 0;
		/* What may go within the two intervals after a stall of an hour. */
		while (pace_due_nsec(&p) <= now + 2 * p.interval_nsec) {
			uint64_t due = pace_due_nsec(&p) > now ? pace_due_nsec(&p) : now;
			pace_submitted(&p, due);
			went++;
		}
		assert_in_range(went, 3, 4);
	}
}

static void a_slow_rate_never_sends_two_at_once(void **state)
{
	struct workload w = plain;

	(void)state;
	w.rate_ios_per_sec = 10;
	struct pace p = new_pace(&w);
	pace_submitted(&p, START + 60 * NSEC_PER_SEC);
	assert_true(pace_due_nsec(&p) >= START + 60 * NSEC_PER_SEC + 98 * NSEC_PER_MSEC);
}

static void threads_begin_one_after_the_other(void **state)
{
	struct workload w = plain;

	(void)state;
	w.rate_ios_per_sec = 100;
	w.threads = 4;
	for (uint32_t i = 0; i < 4; i++) {
		struct pace p;
		pace_init(&p, &w, i, START);
		assert_int_equal(pace_due_nsec(&p), START + i * 2500 * NSEC_PER_USEC);
		pace_submitted(&p, pace_due_nsec(&p));
		assert_int_equal(
			pace_due_nsec(&p), START + i * 2500 * NSEC_PER_USEC + 10 * NSEC_PER_MSEC);
	}
}

static void thinking_begins_when_the_burst_is_back(void **state)
{
	struct workload w = plain;

	(void)state;
	w.think_time_usec = 50 * USEC_PER_MSEC;
	w.burst_ios = 3;
	struct pace p = new_pace(&w);
	for (int i = 0; i < 3; i++) {
		assert_true(pace_due_nsec(&p) <= START + 10);
		pace_submitted(&p, START + 10);
		if (i < 2)
			pace_drained(&p, START + 10); /* in the midst of it: no pause */
	}
	assert_int_equal(pace_due_nsec(&p), PACE_WHEN_DRAINED);
	pace_drained(&p, START + 2000);
	assert_int_equal(pace_due_nsec(&p), START + 2000 + 50 * NSEC_PER_MSEC);
}

static void a_burst_is_one_io_unless_told_otherwise(void **state)
{
	struct workload w = plain;

	(void)state;
	w.think_time_usec = 1;
	struct pace p = new_pace(&w);
	pace_submitted(&p, START);
	assert_int_equal(pace_due_nsec(&p), PACE_WHEN_DRAINED);
}

static void rate_and_think_time_hold_both(void **state)
{
	struct workload w = plain;

	(void)state;
	w.rate_ios_per_sec = 10;
	w.think_time_usec = 1 * USEC_PER_MSEC;
	struct pace p = new_pace(&w);
	pace_submitted(&p, START);
	pace_drained(&p, START + 1000);
	assert_int_equal(pace_due_nsec(&p), START + 100 * NSEC_PER_MSEC);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_limits_everything_may_go_at_once),
		cmocka_unit_test(a_rate_spaces_ios_evenly),
		cmocka_unit_test(late_timers_do_not_lower_the_rate),
		cmocka_unit_test(a_stall_is_not_made_up_for),
		cmocka_unit_test(a_slow_rate_never_sends_two_at_once),
		cmocka_unit_test(threads_begin_one_after_the_other),
		cmocka_unit_test(thinking_begins_when_the_burst_is_back),
		cmocka_unit_test(a_burst_is_one_io_unless_told_otherwise),
		cmocka_unit_test(rate_and_think_time_hold_both),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
