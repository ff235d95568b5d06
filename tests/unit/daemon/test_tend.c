/* SPDX-License-Identifier: Apache-2.0 */
/* When the wall clock is believed enough to drop what is old. */
#include "daemon/tend.h"

#include "base/clock.h"
#include "test.h"

#define DAY_SECONDS INT64_C(86400)
#define START_SECONDS INT64_C(1790000000)

/* At `seconds` after the start, with realtime so much ahead. */
static bool trusts(struct tend_trust *trust, int64_t seconds, int64_t ahead_seconds)
{
	return tend_trust_clock(trust, (uint64_t)(1000 + seconds) * NSEC_PER_SEC,
		(START_SECONDS + seconds + ahead_seconds) * (int64_t)USEC_PER_SEC);
}

static void the_first_ten_minutes_are_not_believed(void **state)
{
	struct tend_trust trust = { 0 };

	assert_false(trusts(&trust, 0, 0));
	assert_false(trusts(&trust, 599, 0));
	assert_true(trusts(&trust, 600, 0));
	(void)state;
}

static void a_clock_that_was_set_is_not_believed_until_it_is_back(void **state)
{
	const int64_t aheads[] = { 40 * DAY_SECONDS, 301, -301, -40 * DAY_SECONDS };

	for (size_t i = 0; i < sizeof(aheads) / sizeof(aheads[0]); i++) {
		struct tend_trust trust = { 0 };
		assert_false(trusts(&trust, 0, 0));
		assert_true(trusts(&trust, 3600, 299)); /* as time servers do */
		assert_false(trusts(&trust, 7200, aheads[i]));
		assert_false(trusts(&trust, 7260, aheads[i]));
		assert_true(trusts(&trust, 7320, 0));
	}
	(void)state;
}

static void what_holds_for_a_day_is_believed(void **state)
{
	struct tend_trust trust = { 0 };
	const int64_t ahead = 40 * DAY_SECONDS;

	assert_false(trusts(&trust, 0, 0));
	assert_false(trusts(&trust, 700, ahead));
	assert_false(trusts(&trust, 699 + DAY_SECONDS, ahead));
	assert_true(trusts(&trust, 700 + DAY_SECONDS, ahead));
	assert_false(trusts(&trust, 760 + DAY_SECONDS, 0));
	(void)state;
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_ten_minutes_are_not_believed),
		cmocka_unit_test(a_clock_that_was_set_is_not_believed_until_it_is_back),
		cmocka_unit_test(what_holds_for_a_day_is_believed),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
