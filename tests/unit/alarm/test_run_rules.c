/* SPDX-License-Identifier: Apache-2.0 */
/* Rules about a run's status, and about missing runs. */
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
	assert_events(f, ""); /* a good run was in between */
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
	failed(f, RUN_SKIPPED, false); /* neither good nor bad, but not silence */
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

/* Skips slots for this long, advancing now_usec. */
static void skip_for(struct fixture *f, int64_t usec)
{
	int64_t until_usec = f->now_usec + usec;

	while (f->now_usec + SLOT_USEC <= until_usec) {
		f->now_usec += SLOT_USEC;
		tick(f, 0);
		failed(f, RUN_SKIPPED, false);
	}
	f->now_usec = until_usec;
}

static void an_hour_of_skipped_runs_is_no_data(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take(f, new_read(f, NORMAL_NSEC, 200000000), false);
	skip_for(f, HOUR_USEC - 1);
	tick(f, 0);
	assert_events(f, "");
	f->now_usec += 1;
	tick(f, f->now_usec - HOUR_USEC + 1); /* the daemon was started after the run */
	assert_events(f, "");
	assert_int_equal(f->outcome.next_check_usec, f->now_usec + 1);
	tick(f, 0);
	assert_events(f, "opened no_data warning");
	assert_int_equal(f->outcome.events[0].status, RUN_SKIPPED);
	skip_for(f, 24 * HOUR_USEC);
	tick(f, 0);
	assert_events(f, ""); /* and no higher level */
	f->now_usec += 6 * SLOT_USEC; /* but when not even skips come … */
	tick(f, 0);
	assert_events(f, "worse no_data critical");
	slots(f, 3, 4);
	assert_events(f, "cleared no_data critical");
	free_fixture(f);
}

static void three_long_intervals_of_skipped_runs_are_no_data(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->interval_usec = 24 * HOUR_USEC;
	take(f, new_read(f, NORMAL_NSEC, 200000000), false);
	for (int day = 0; day < 2; day++) {
		f->now_usec += 24 * HOUR_USEC;
		failed(f, RUN_SKIPPED, false);
	}
	f->now_usec += 24 * HOUR_USEC - 1;
	tick(f, 0);
	assert_events(f, "");
	f->now_usec += 1;
	tick(f, 0);
	assert_events(f, "opened no_data warning");
	free_fixture(f);
}

/* As for a new repository that is never free. */
static void runs_that_were_all_skipped_count_from_the_first(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	failed(f, RUN_SKIPPED, false);
	skip_for(f, HOUR_USEC - 1);
	tick(f, 0);
	assert_events(f, "");
	f->now_usec += 1;
	tick(f, 0);
	assert_events(f, "opened no_data warning");
	free_fixture(f);
}

static void a_mute_explains_skipped_runs(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take(f, new_read(f, NORMAL_NSEC, 200000000), false);
	f->is_muted = true;
	skip_for(f, 5 * HOUR_USEC);
	f->is_muted = false;
	skip_for(f, HOUR_USEC - SLOT_USEC);
	tick(f, 0);
	assert_events(f, "");
	skip_for(f, SLOT_USEC);
	tick(f, 0);
	assert_events(f, "opened no_data warning");
	free_fixture(f);
}

static void trouble_of_our_own_says_nothing(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	failed(f, RUN_NOT_MOUNTED, false);
	assert_events(f, "opened target critical");
	for (int i = 0; i < 12 * 24; i++) {
		struct run *run = new_run(f);
		run->status = RUN_SKIPPED;
		take(f, run, false);
		assert_int_equal(f->outcome.confirm_at_usec, 0);
		f->now_usec += SLOT_USEC;
		tick(f, 0);
	}
	assert_events(f, ""); /* neither raised nor cleared, and no data is missing */
	free_fixture(f);
}

static void a_repository_that_left_ends_its_incident_and_says_so(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 2, 4);
	failed(f, RUN_NOT_MOUNTED, false);
	assert_events(f, "opened target critical");
	alarm_forget_repository(&f->state, f->now_usec + 1, &f->outcome);
	note_events(f);
	assert_events(f, "cleared target critical");
	assert_true(incident_event_left(&f->outcome.events[0]));
	assert_int_equal(f->state.probe_count + f->state.series_count, 0);
	alarm_forget_repository(&f->state, f->now_usec + 2, &f->outcome);
	assert_int_equal(f->outcome.event_count, 0);
	free_fixture(f);

	/* A probe that was removed does not end its repository, and the end event is about what
	 * fired. */
	f = new_fixture();
	slots(f, 2, 4);
	failed(f, RUN_NOT_MOUNTED, false);
	alarm_forget_probe(&f->state, f->state.probes[0].probe, f->now_usec + 1, &f->outcome);
	note_events(f);
	assert_events(f, "opened target critical; cleared target critical");
	assert_false(incident_event_left(&f->outcome.events[0]));
	free_fixture(f);
}

static void any_run_that_took_place_is_data(void **unused)
{
	static const enum run_status statuses[] = { RUN_OK, RUN_STALLED, RUN_NO_SPACE, RUN_REFUSED,
		RUN_NOT_MOUNTED, RUN_ERROR, RUN_TIMEOUT };

	(void)unused;
	for (size_t i = 0; i < sizeof(statuses) / sizeof(statuses[0]); i++) {
		struct fixture *f = new_fixture();
		for (int hour = 0; hour < 5; hour++) {
			failed(f, statuses[i], false);
			skip_for(f, HOUR_USEC - SLOT_USEC);
			assert_int_equal(alarm_state_level(&f->state, NULL, ALARM_REASON_NO_DATA),
				ALARM_NONE);
			f->now_usec += SLOT_USEC;
		}
		free_fixture(f);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(statuses_mean_what_the_table_says),
		cmocka_unit_test(a_hang_clears_after_three_good_runs_an_error_after_six),
		cmocka_unit_test(a_worker_stuck_for_a_minute_is_critical),
		cmocka_unit_test(silence_of_three_intervals_is_no_data),
		cmocka_unit_test(an_hour_of_skipped_runs_is_no_data),
		cmocka_unit_test(three_long_intervals_of_skipped_runs_are_no_data),
		cmocka_unit_test(runs_that_were_all_skipped_count_from_the_first),
		cmocka_unit_test(a_mute_explains_skipped_runs),
		cmocka_unit_test(trouble_of_our_own_says_nothing),
		cmocka_unit_test(a_repository_that_left_ends_its_incident_and_says_so),
		cmocka_unit_test(any_run_that_took_place_is_data),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
