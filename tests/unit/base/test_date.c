/* SPDX-License-Identifier: Apache-2.0 */
/* Days to dates and back, against known days. */
#include "test.h"

#include <stdbool.h>

#include "base/date.h"

static void known_days_have_their_dates_and_weekdays(void **state)
{
	static const struct {
		int64_t days;
		struct date date;
		unsigned weekday; /* 0 is Monday */
	} cases[] = {
		{ 0, { 1970, 1, 1 }, 3 },
		{ -1, { 1969, 12, 31 }, 2 },
		{ 59, { 1970, 3, 1 }, 6 },
		{ 11016, { 2000, 2, 29 }, 1 },
		{ 20787, { 2026, 11, 30 }, 0 },
		{ 84005, { 2199, 12, 31 }, 1 },
		{ 47540, { 2100, 2, 28 }, 6 },
		{ 47541, { 2100, 3, 1 }, 0 },
		{ -719528, { 0, 1, 1 }, 5 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct date *date = &cases[i].date;
		struct date found = date_from_days(cases[i].days);

		assert_int_equal(found.year, date->year);
		assert_int_equal(found.month, date->month);
		assert_int_equal(found.day, date->day);
		assert_int_equal(date_to_days(date->year, date->month, date->day), cases[i].days);
		assert_int_equal(date_weekday(cases[i].days), cases[i].weekday);
	}
}

static void every_day_of_many_centuries_follows_the_one_before(void **state)
{
	struct date before = date_from_days(-800000);

	(void)state;
	for (int64_t days = -800000 + 1; days < 800000; days++) {
		struct date date = date_from_days(days);
		bool is_new_month = date.day == 1;

		assert_int_equal(date_to_days(date.year, date.month, date.day), days);
		assert_int_equal(date_weekday(days), (date_weekday(days - 1) + 1) % 7);
		if (is_new_month)
			assert_int_equal(before.day, date_month_days(before.year, before.month));
		else
			assert_int_equal(date.day, before.day + 1);
		before = date;
	}
}

static void seconds_before_1970_belong_to_the_day_before(void **state)
{
	(void)state;
	assert_int_equal(date_days_of_seconds(0), 0);
	assert_int_equal(date_days_of_seconds(86399), 0);
	assert_int_equal(date_days_of_seconds(86400), 1);
	assert_int_equal(date_days_of_seconds(-1), -1);
	assert_int_equal(date_days_of_seconds(-86400), -1);
	assert_int_equal(date_days_of_seconds(-86401), -2);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(known_days_have_their_dates_and_weekdays),
		cmocka_unit_test(every_day_of_many_centuries_follows_the_one_before),
		cmocka_unit_test(seconds_before_1970_belong_to_the_day_before),
	};

	return cmocka_run_group_tests_name("date", tests, NULL, NULL);
}
