/* SPDX-License-Identifier: Apache-2.0 */
/* What `repoprobe status` makes of runs and alarms as the history gives them. */
#include "cli/status.h"

#include <stdlib.h>
#include <string.h>

#include "model/worker_note.h"
#include "test.h"

static void add_run(struct status *status, const char *repository, const char *probe,
	int64_t started_usec, enum run_status run_status)
{
	struct run *run = run_new(repository, probe);

	assert_non_null(run);
	run->started_usec = started_usec;
	if (run_status != RUN_OK)
		run_fail(run, run_status, 0, "what went wrong");
	assert_int_equal(status_add_run(status, run), 0);
	free(run);
}

static void runs_are_gathered_by_repository_and_sorted(void **state)
{
	struct status status = { 0 };
	(void)state;

	add_run(&status, "nas2", "heartbeat", 500, RUN_OK);
	add_run(&status, "nas1", "heartbeat", 400, RUN_OK);
	add_run(&status, "nas2", "active-full", 300, RUN_OK);
	for (int i = 0; i < 20; i++) {
		char name[8] = { 'p', (char)('a' + i), '\0' };
		add_run(&status, "many", name, i, RUN_OK);
	}
	status_judge(&status);
	assert_int_equal(status.count, 3);
	assert_string_equal(status_repository_name(&status.repositories[0]), "many");
	assert_int_equal(status.repositories[0].probe_count, 20);
	assert_string_equal(status_repository_name(&status.repositories[1]), "nas1");
	assert_string_equal(status_repository_name(&status.repositories[2]), "nas2");
	assert_int_equal(status.repositories[2].probe_count, 2);
	assert_string_equal(status.repositories[2].probes[0].name, "active-full");
	assert_int_equal(status.repositories[2].newest_usec, 500);
	status_done(&status);
	assert_int_equal(status.count, 0);
}

static void failed_runs_and_alarms_decide_the_state(void **state)
{
	struct status status = { 0 };
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	(void)state;

	assert_non_null(alarm);
	add_run(&status, "well", "heartbeat", 1, RUN_OK);
	add_run(&status, "broken", "heartbeat", 1, RUN_OK);
	add_run(&status, "broken", "active-full", 2, RUN_READ_ONLY);
	add_run(&status, "slow", "heartbeat", 1, RUN_OK);
	memcpy(alarm->repository, "slow", sizeof("slow"));
	alarm->incident_id = 1;
	alarm->incident_level = ALARM_WARNING;
	alarm->series_count = 1;
	memcpy(alarm->series[0].probe, "heartbeat", sizeof("heartbeat"));
	alarm->series[0].level = ALARM_WARNING;
	alarm->series[0].judged_runs = 3;
	alarm->series[0].warning_bits = 7;
	assert_int_equal(status_add_alarm(&status, alarm), 0);
	memcpy(alarm->repository, "gone", sizeof("gone"));
	assert_int_equal(status_add_alarm(&status, alarm), 0);
	status_judge(&status);

	assert_int_equal(status.count, 3);
	assert_string_equal(status_repository_name(&status.repositories[0]), "broken");
	assert_int_equal(status.repositories[0].state, REPOSITORY_CRITICAL);
	assert_string_equal(status.repositories[0].reason, "what went wrong");
	assert_string_equal(status_repository_name(&status.repositories[1]), "slow");
	assert_int_equal(status.repositories[1].state, REPOSITORY_WARNING);
	assert_non_null(status.repositories[1].alarm);
	assert_string_equal(status_repository_name(&status.repositories[2]), "well");
	assert_int_equal(status.repositories[2].state, REPOSITORY_OK);
	status_done(&status);
	free(alarm);
}

static void a_worker_that_is_stuck_still_says_since_when(void **state)
{
	struct worker_note note = { .pid = 2, .repository = "nas1", .probe = "heartbeat" };
	struct status status = { 0 };
	(void)state;

	add_run(&status, "nas1", "heartbeat", 1796061900000000, RUN_STUCK);
	status_add_stuck(&status, &note); /* noted, but not given up */
	status_judge(&status);
	assert_non_null(strstr(status.repositories[0].reason, "was stuck"));
	note.stuck_since_usec = 1796061967000000;
	status_add_stuck(&status, &note);
	memcpy(note.repository, "gone", sizeof("gone"));
	status_add_stuck(&status, &note);
	status_judge(&status);
	assert_int_equal(status.repositories[0].state, REPOSITORY_CRITICAL);
	assert_non_null(strstr(status.repositories[0].reason, "stuck since "));
	status_done(&status);
}

static void a_pause_is_told_with_its_reason(void **state)
{
	const struct mute pause = {
		.id = 1,
		.repository = "nas1",
		.mode = MUTE_PROBING,
		.until_usec = 2000,
		.reason = "shelf",
	};
	struct status status = { 0 };
	(void)state;

	add_run(&status, "nas1", "heartbeat", 1, RUN_READ_ONLY);
	add_run(&status, "nas2", "heartbeat", 1, RUN_OK);
	assert_int_equal(status_add_mute(&status, &pause, 1000), 0);
	status_find_mutes(&status, NULL, 1000);
	status_judge(&status);
	assert_int_equal(status.repositories[0].state, REPOSITORY_PAUSED);
	assert_non_null(strstr(status.repositories[0].reason, "not probed until "));
	assert_non_null(strstr(status.repositories[0].reason, ": shelf"));
	assert_int_equal(status.repositories[1].state, REPOSITORY_OK);
	status_find_mutes(&status, NULL, 2000);
	status_judge(&status);
	assert_int_equal(status.repositories[0].state, REPOSITORY_CRITICAL);
	status_done(&status);
}

static void an_empty_history_is_no_trouble(void **state)
{
	struct status status = { 0 };
	(void)state;

	status_judge(&status);
	assert_int_equal(status.count, 0);
	status_done(&status);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_are_gathered_by_repository_and_sorted),
		cmocka_unit_test(failed_runs_and_alarms_decide_the_state),
		cmocka_unit_test(a_worker_that_is_stuck_still_says_since_when),
		cmocka_unit_test(a_pause_is_told_with_its_reason),
		cmocka_unit_test(an_empty_history_is_no_trouble),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
