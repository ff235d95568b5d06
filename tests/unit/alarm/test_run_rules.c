/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's status alone says, and silence. */
#include "test.h"

#include "fixture.h"

static void statuses_mean_what_the_table_says(void **unused)
{
	static const struct {
		enum run_status status;
		const char *first;
		const char *second;
	} cases[] = {
		{ RUN_NOT_MOUNTED, "opened target critical", "" },
		{ RUN_WRONG_TARGET, "opened target critical", "" },
		{ RUN_READ_ONLY, "opened target critical", "" },
		{ RUN_NO_SPACE, "opened space warning", "" },
		{ RUN_REFUSED, "opened target warning", "" },
		{ RUN_ERROR, "", "opened error critical" },
		{ RUN_TIMEOUT, "", "opened hang critical" },
		{ RUN_SKIPPED, "", "" },
		{ RUN_STUCK, "", "" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = new_fixture();
		failed(f, cases[i].status, false);
		assert_events(f, cases[i].first);
		bool is_asking = f->outcome.confirm_at_usec == f->now_usec + MINUTE_USEC;
		assert_int_equal(is_asking, cases[i].second[0] != '\0');
		f->now_usec += MINUTE_USEC;
		failed(f, cases[i].status, true);
		assert_events(f, cases[i].second);
		free_fixture(f);
	}
}

static void a_hang_clears_after_three_good_runs_an_error_after_six(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	failed(f, RUN_TIMEOUT, false);
	failed(f, RUN_TIMEOUT, true);
	slots(f, 2, 4);
	assert_events(f, "opened hang critical");
	slots(f, 1, 4);
	assert_events(f, "cleared hang critical");
	free_fixture(f);

	f = new_fixture();
	failed(f, RUN_ERROR, false);
	slots(f, 1, 4);
	failed(f, RUN_ERROR, false);
	assert_events(f, ""); /* a good run was between them */
	failed(f, RUN_ERROR, true);
	slots(f, 5, 4);
	assert_events(f, "opened error critical");
	slots(f, 1, 4);
	assert_events(f, "cleared error critical");
	free_fixture(f);
}

static void a_worker_stuck_for_a_minute_is_critical(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	failed(f, RUN_STUCK, false);
	assert_int_equal(f->outcome.next_check_usec, f->now_usec + ALARM_STUCK_USEC);
	f->now_usec += ALARM_STUCK_USEC - 1;
	tick(f, 0);
	assert_events(f, "");
	failed(f, RUN_SKIPPED, false);
	f->now_usec += 1;
	tick(f, 0);
	assert_events(f, "opened hang critical");
	assert_int_equal(f->outcome.next_check_usec, 0);
	tick(f, 0);
	assert_events(f, "");
	slots(f, 3, 4);
	assert_events(f, "cleared hang critical");
	free_fixture(f);
}

static void silence_of_three_intervals_is_no_data(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take(f, new_read(f, NORMAL_NSEC, 200000000), false);
	assert_int_equal(f->outcome.next_check_usec, f->now_usec + 3 * SLOT_USEC);
	f->now_usec += 3 * SLOT_USEC - 1;
	tick(f, 0);
	assert_events(f, "");
	failed(f, RUN_SKIPPED, false); /* neither good nor bad, but no silence */
	f->now_usec += 3 * SLOT_USEC;
	tick(f, f->now_usec - SLOT_USEC); /* the daemon has just started */
	assert_events(f, "");
	tick(f, 0);
	assert_events(f, "opened no_data warning");
	f->now_usec += 3 * SLOT_USEC;
	tick(f, 0);
	assert_events(f, "worse no_data critical");
	slots(f, 3, 4);
	assert_events(f, "cleared no_data critical");
	free_fixture(f);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses_mean_what_the_table_says),
		cmocka_unit_test(a_hang_clears_after_three_good_runs_an_error_after_six),
		cmocka_unit_test(a_worker_stuck_for_a_minute_is_critical),
		cmocka_unit_test(silence_of_three_intervals_is_no_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
