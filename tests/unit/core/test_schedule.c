/* SPDX-License-Identifier: Apache-2.0 */
/* Slots: a year of them in a moment, across restarts and clock steps. */
#include "test.h"

#include "base/clock.h"
#include "core/schedule.h"

#define MINUTE_USEC (60 * USEC_PER_SEC)
#define NOW_USEC INT64_C(1796065200000000) /* 2026-11-30 */

static void next_slot_lies_on_the_grid_of_its_splay(void **state)
{
	const struct schedule s = { .interval_usec = 5 * MINUTE_USEC,
		.splay_usec = 17 * USEC_PER_SEC };

	(void)state;
	for (int64_t now = NOW_USEC; now < NOW_USEC + (int64_t)(20 * MINUTE_USEC); now += 7654321) {
		uint64_t delay = schedule_delay_usec(&s, now, 0);
		assert_in_range(delay, 1, s.interval_usec);
		assert_int_equal(((uint64_t)now + delay) % s.interval_usec, s.splay_usec);
	}
}

static void slot_is_never_nearer_than_asked(void **state)
{
	const struct schedule s = { .interval_usec = 5 * MINUTE_USEC, .splay_usec = 0 };
	uint64_t half = s.interval_usec / 2;

	(void)state;
	for (int64_t now = NOW_USEC; now < NOW_USEC + (int64_t)(20 * MINUTE_USEC); now += 7654321) {
		uint64_t delay = schedule_delay_usec(&s, now, half);
		assert_in_range(delay, half + 1, half + s.interval_usec);
		assert_int_equal(((uint64_t)now + delay) % s.interval_usec, 0);
	}
}

static void year_of_slots_has_no_gap_and_no_double(void **state)
{
	const struct schedule s = { .interval_usec = 5 * MINUTE_USEC,
		.splay_usec =
			schedule_splay_usec("nas1", "active-full", 5 * MINUTE_USEC, true, 0) };
	uint64_t year_usec = 365 * 24 * 60 * MINUTE_USEC;
	uint64_t slots = 0;
	uint64_t at = 0;

	(void)state;
	while (at < year_usec) {
		at += schedule_delay_usec(&s, NOW_USEC + (int64_t)at, 0);
		slots++;
	}
	assert_in_range(slots, 365 * 288, 365 * 288 + 1);
}

static void clock_step_moves_a_slot_by_at_most_one_interval(void **state)
{
	const struct schedule s = { .interval_usec = 5 * MINUTE_USEC, .splay_usec = 1 };
	const int64_t steps_usec[] = { -3600000000, 3600000000, -1, 1, -86400000000 };

	(void)state;
	for (size_t i = 0; i < sizeof(steps_usec) / sizeof(steps_usec[0]); i++)
		assert_in_range(
			schedule_delay_usec(&s, NOW_USEC + steps_usec[i], 0), 1, s.interval_usec);
}

static void splay_depends_on_both_names_and_stays_below_the_interval(void **state)
{
	uint64_t a = schedule_splay_usec("nas1", "active-full", 5 * MINUTE_USEC, true, 0);
	uint64_t b = schedule_splay_usec("nas2", "active-full", 5 * MINUTE_USEC, true, 0);
	uint64_t c = schedule_splay_usec("nas1", "heartbeat", 5 * MINUTE_USEC, true, 0);

	(void)state;
	assert_int_not_equal(a, b);
	assert_int_not_equal(a, c);
	assert_in_range(a, 0, 5 * MINUTE_USEC - 1);
	assert_int_equal(a, schedule_splay_usec("nas1", "active-full", 5 * MINUTE_USEC, true, 0));
	assert_int_equal(schedule_splay_usec("x", "y", MINUTE_USEC, false, 90 * USEC_PER_SEC),
		30 * USEC_PER_SEC);
}

static void same_slots_are_known_as_such(void **state)
{
	const struct schedule five = { .interval_usec = 5 * MINUTE_USEC, .splay_usec = 1 };
	const struct schedule moved = { .interval_usec = 5 * MINUTE_USEC, .splay_usec = 2 };
	const struct schedule six = { .interval_usec = 6 * MINUTE_USEC, .splay_usec = 1 };

	(void)state;
	assert_true(schedule_is_equal(&five, &five));
	assert_false(schedule_is_equal(&five, &moved));
	assert_false(schedule_is_equal(&five, &six));
	assert_int_equal(schedule_next_usec(&five, NOW_USEC) % (5 * MINUTE_USEC), 1);
}

static void clock_put_back_by_up_to_an_hour_is_not_believed(void **state)
{
	const int64_t hour = 60 * MINUTE_USEC;

	(void)state;
	assert_int_equal(schedule_look_from_usec(NOW_USEC, 0), NOW_USEC);
	assert_int_equal(schedule_look_from_usec(NOW_USEC, NOW_USEC - 1), NOW_USEC);
	assert_int_equal(schedule_look_from_usec(NOW_USEC, NOW_USEC + 1), NOW_USEC + 1);
	assert_int_equal(schedule_look_from_usec(NOW_USEC, NOW_USEC + hour), NOW_USEC + hour);
	assert_int_equal(schedule_look_from_usec(NOW_USEC, NOW_USEC + hour + 1), NOW_USEC);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(next_slot_lies_on_the_grid_of_its_splay),
		cmocka_unit_test(slot_is_never_nearer_than_asked),
		cmocka_unit_test(year_of_slots_has_no_gap_and_no_double),
		cmocka_unit_test(clock_step_moves_a_slot_by_at_most_one_interval),
		cmocka_unit_test(splay_depends_on_both_names_and_stays_below_the_interval),
		cmocka_unit_test(same_slots_are_known_as_such),
		cmocka_unit_test(clock_put_back_by_up_to_an_hour_is_not_believed),
	};

	return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
