/* SPDX-License-Identifier: Apache-2.0 */
/* The state and the sentence that follow from the alarm and the newest runs. */
#include "model/snapshot.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "test.h"

#define TIME_1805 INT64_C(1796061900000000) /* 2026-11-30 18:05:00 UTC */
#define DAY_USEC INT64_C(86400000000)

struct fixture {
	struct snapshot_repository repository;
	struct snapshot_probe probes[2];
	struct run *runs[2];
	struct alarm_state alarm;
	char reason[256];
};

static int set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->repository = (struct snapshot_repository){
		.name = "nas", .alarm = &f->alarm, .probe_count = 2, .probes = f->probes
	};
	static const char *const names[] = { "active-full", "heartbeat" };
	for (size_t i = 0; i < 2; i++) {
		f->runs[i] = run_new("nas", names[i]);
		assert_non_null(f->runs[i]);
		f->probes[i].name = names[i];
	}
	*state = f;
	return 0;
}

static int tear_down(void **state)
{
	struct fixture *f = *state;

	free(f->runs[0]);
	free(f->runs[1]);
	free(f);
	return 0;
}

static enum repository_state judge(struct fixture *f)
{
	memset(f->reason, 'x', sizeof(f->reason));
	enum repository_state r = snapshot_judge(&f->repository, f->reason, sizeof(f->reason));
	assert_non_null(memchr(f->reason, '\0', sizeof(f->reason)));
	return r;
}

static struct alarm_series *add_series(struct fixture *f, enum alarm_level level)
{
	struct alarm_series *s = &f->alarm.series[f->alarm.series_count++];

	memcpy(s->probe, "active-full", sizeof("active-full"));
	s->operation = RUN_WRITE;
	s->warning_bits = 5; /* over, not, over */
	s->critical_bits = 1;
	s->judged_runs = 9;
	s->level = level;
	s->since_usec = TIME_1805;
	s->judged_usec = TIME_1805 + 60000000;
	s->value_nsec = 23900000;
	s->limit_nsec = 15000000;
	return s;
}

static struct alarm_custom *add_custom(struct fixture *f, const char *name, enum alarm_level level)
{
	struct alarm_custom *c = &f->alarm.customs[f->alarm.custom_count++];

	*c = (struct alarm_custom){
		.probe = "active-full",
		.operation = RUN_WRITE,
		.rule = { .level = level, .since_usec = TIME_1805 },
	};
	memcpy(c->name, name, strlen(name));
	return c;
}

static void an_alarm_of_the_users_makes_the_state(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	f->probes[1].last_run = f->runs[1];
	add_series(f, ALARM_NONE);
	add_custom(f, "quiet", ALARM_NONE);
	assert_int_equal(judge(f), REPOSITORY_OK);
	add_custom(f, "slow-tail", ALARM_WARNING);
	add_custom(f, "other", ALARM_WARNING);
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason,
		"alarm slow-tail: writes of active-full since 18:05 UTC; also: alarm other");
	add_custom(f, "slow-tail", ALARM_CRITICAL)->operation = RUN_READ;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason,
		"alarm slow-tail: reads of active-full since 18:05 UTC; also: alarm other");
	f->alarm.series[0].level = ALARM_CRITICAL;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_non_null(strstr(f->reason, "; also: alarm slow-tail, alarm other"));
}

static void a_repository_without_results_is_unknown(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(judge(f), REPOSITORY_UNKNOWN);
	assert_string_equal(f->reason, "no result yet");
	f->repository.probe_count = 0;
	f->repository.alarm = NULL;
	assert_int_equal(judge(f), REPOSITORY_UNKNOWN);
	assert_string_equal(f->reason, "no result yet");
}

static void one_good_run_makes_it_ok_and_says_how_good(void **state)
{
	struct fixture *f = *state;

	f->probes[1].last_run = f->runs[1];
	histogram_add(&f->runs[1]->operations[RUN_WRITE].latency, 3200000);
	assert_int_equal(judge(f), REPOSITORY_OK);
	assert_string_equal(f->reason, "write average 3.2 ms in heartbeat");
	histogram_add(&f->runs[1]->operations[RUN_READ].latency, 840000);
	f->runs[1]->trust = RUN_TRUST_DIRECT | RUN_TRUST_WARMING;
	assert_int_equal(judge(f), REPOSITORY_OK);
	assert_string_equal(f->reason,
		"read average 840 us, write average 3.2 ms in heartbeat, judged by the critical limit "
		"alone while the probe file is growing");
	f->runs[1]->trust = RUN_TRUST_CACHED;
	(void)judge(f);
	assert_non_null(strstr(f->reason, "not judged: probably served from a cache"));
}

static void the_newest_run_speaks(void **state)
{
	struct fixture *f = *state;

	for (size_t i = 0; i < 2; i++) {
		f->probes[i].last_run = f->runs[i];
		f->runs[i]->started_usec = TIME_1805 + (int64_t)i;
		histogram_add(&f->runs[i]->operations[RUN_READ].latency, 1000000 * (i + 1));
	}
	assert_int_equal(judge(f), REPOSITORY_OK);
	assert_string_equal(f->reason, "read average 2 ms in heartbeat");
	f->runs[0]->started_usec = TIME_1805 + 2;
	(void)judge(f);
	assert_string_equal(f->reason, "read average 1 ms in active-full");
}

static void each_status_has_its_state(void **state)
{
	static const struct {
		enum run_status status;
		enum repository_state state;
	} cases[] = {
		{ RUN_OK, REPOSITORY_OK },
		{ RUN_STALLED, REPOSITORY_OK },
		{ RUN_ERROR, REPOSITORY_CRITICAL },
		{ RUN_TIMEOUT, REPOSITORY_CRITICAL },
		{ RUN_STUCK, REPOSITORY_CRITICAL },
		{ RUN_NOT_MOUNTED, REPOSITORY_CRITICAL },
		{ RUN_WRONG_TARGET, REPOSITORY_CRITICAL },
		{ RUN_READ_ONLY, REPOSITORY_CRITICAL },
		{ RUN_NO_SPACE, REPOSITORY_WARNING },
		{ RUN_REFUSED, REPOSITORY_WARNING },
		{ RUN_SKIPPED, REPOSITORY_UNKNOWN },
	};
	struct fixture *f = *state;

	assert_int_equal(sizeof(cases) / sizeof(cases[0]), RUN_STATUSES);
	f->probes[0].last_run = f->runs[0];
	for (size_t i = 0; i < RUN_STATUSES; i++) {
		run_fail(f->runs[0], cases[i].status, 0, "because of this");
		assert_int_equal(judge(f), cases[i].state);
		if (cases[i].status == RUN_STUCK)
			assert_string_equal(f->reason,
				"the newest run of active-full was stuck: the repository did not "
				"answer, and the kernel could not end the worker");
		else if (cases[i].state == REPOSITORY_WARNING ||
			cases[i].state == REPOSITORY_CRITICAL)
			assert_string_equal(f->reason, "because of this");
		else
			assert_null(strstr(f->reason, "because"));
	}
}

static void three_skips_in_a_row_are_a_warning_and_hide_nothing_worse(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	f->probes[0].skips_in_row = 2;
	f->probes[0].last_skip = RUN_SKIP_BUSY;
	assert_int_equal(judge(f), REPOSITORY_OK);
	f->probes[0].skips_in_row = 3;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason, "the last 3 runs of active-full were skipped (busy)");
	f->probes[0].last_run = NULL;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	f->probes[0].last_run = f->runs[0];
	run_fail(f->runs[0], RUN_ERROR, 0, "because of this");
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason, "because of this");
	run_fail(f->runs[0], RUN_NO_SPACE, 0, "because of that");
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason, "because of that");
}

static void the_worst_probe_decides(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	f->probes[1].last_run = f->runs[1];
	run_fail(f->runs[1], RUN_NO_SPACE, 0, "2 GiB free, 5 GiB must stay");
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason, "2 GiB free, 5 GiB must stay");
	run_fail(f->runs[0], RUN_NOT_MOUNTED, 0, "nothing is mounted here");
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason, "nothing is mounted here");
	f->runs[0]->reason[0] = '\0';
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason, "the newest run of active-full failed with not_mounted");
}

static void a_skipped_run_changes_nothing(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	run_fail(f->runs[0], RUN_SKIPPED, 0, "another one was running");
	assert_int_equal(judge(f), REPOSITORY_UNKNOWN);
	assert_string_equal(f->reason, "no result yet");
	f->probes[0].last_success_usec = TIME_1805;
	assert_int_equal(judge(f), REPOSITORY_OK);
	assert_string_equal(f->reason, "no run since the last good one");
}

static void a_stuck_worker_is_critical_though_later_slots_are_skipped(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	f->runs[0]->started_usec = TIME_1805;
	run_fail(f->runs[0], RUN_SKIPPED, 0, "another one was running");
	f->probes[0].stuck_since_usec = TIME_1805;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	static const char reason[] =
		"stuck since 18:05 UTC: the repository does not answer, and the kernel cannot end "
		"the worker of active-full";
	assert_string_equal(f->reason, reason);
	run_fail(f->runs[0], RUN_STUCK, 0, "the worker hangs in the kernel");
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason, reason);
}

static void a_firing_alarm_outweighs_good_runs(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	struct alarm_series *s = add_series(f, ALARM_WARNING);
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason,
		"write average 23.9 ms, limit 15 ms, in 2 of the last 3 runs of active-full since "
		"18:05 UTC");
	s->since_usec -= 2 * DAY_USEC;
	s->level = ALARM_CRITICAL;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason,
		"write average 23.9 ms, limit 15 ms, in 1 of the last 3 runs of active-full since "
		"2026-11-28 18:05 UTC");
	s->level = ALARM_NONE;
	assert_int_equal(judge(f), REPOSITORY_OK);
}

static void an_alarm_that_recovers_says_so(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	struct alarm_series *s = add_series(f, ALARM_WARNING);
	s->value_nsec = 9000000;
	s->warning_bits = 0x18;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason,
		"write average 9 ms, limit 15 ms, recovering: none of the last 3 runs of active-full "
		"was over it, alarm since 18:05 UTC");
}

static void the_worst_of_several_series_speaks(void **state)
{
	struct fixture *f = *state;

	(void)add_series(f, ALARM_WARNING);
	struct alarm_series *s = add_series(f, ALARM_CRITICAL);
	s->operation = RUN_READ;
	s->judged_runs = 2;
	s->critical_bits = 3;
	(void)add_series(f, ALARM_NONE);
	assert_int_equal(judge(f), REPOSITORY_CRITICAL); /* even before this daemon's first run */
	assert_string_equal(f->reason,
		"read average 23.9 ms, limit 15 ms, in 2 of the last 2 runs of active-full since "
		"18:05 UTC");
	s->judged_runs = 1;
	s->critical_bits = 1;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason,
		"read average 23.9 ms, limit 15 ms, in the last run of active-full since 18:05 UTC");
	s->critical_bits = 0;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason,
		"read average 23.9 ms, limit 15 ms, recovering: the last run of active-full was not "
		"over it, alarm since 18:05 UTC");
}

static void a_failed_run_speaks_before_an_alarm_of_the_same_level(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	(void)add_series(f, ALARM_WARNING);
	run_fail(f->runs[0], RUN_REFUSED, 0, "not our file");
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason, "not our file");
	f->alarm.series[0].level = ALARM_CRITICAL;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_non_null(strstr(f->reason, "limit 15 ms"));
}

static void each_other_reason_is_named(void **state)
{
	struct fixture *f = *state;
	struct alarm_series *s = add_series(f, ALARM_WARNING);

	f->probes[0].last_run = f->runs[0];
	s->reason = ALARM_REASON_RELATIVE;
	s->normal_nsec = 4000000;
	s->rules[ALARM_RULE_RELATIVE].level = ALARM_WARNING;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason,
		"write average 23.9 ms, normal 4 ms: much slower than normal in active-full since "
		"18:05 UTC");
	s->rules[ALARM_RULE_STALL].level = ALARM_WARNING;
	f->alarm.probe_count = 1;
	f->alarm.probes[0].rules[ALARM_RUN_SPACE].level = ALARM_WARNING;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(f->reason,
		"write average 23.9 ms, normal 4 ms: much slower than normal in active-full since "
		"18:05 UTC; also: I/Os or opens stalled for seconds, no room to probe");
}

static void silence_and_runs_that_do_not_end_speak_too(void **state)
{
	struct fixture *f = *state;
	struct alarm_probe *probe = &f->alarm.probes[0];

	f->probes[0].last_run = f->runs[0];
	f->alarm.probe_count = 1;
	memcpy(probe->probe, "heartbeat", sizeof("heartbeat"));
	probe->newest_usec = TIME_1805;
	probe->rules[ALARM_RUN_NO_DATA].level = ALARM_WARNING;
	probe->rules[ALARM_RUN_NO_DATA].since_usec = TIME_1805;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_string_equal(
		f->reason, "heartbeat: no result for several intervals, alarm since 18:05 UTC");
	/* A run ends again, but does not clear it at once. */
	probe->rules[ALARM_RUN_HANG].level = ALARM_CRITICAL;
	probe->rules[ALARM_RUN_HANG].since_usec = TIME_1805;
	assert_int_equal(judge(f), REPOSITORY_CRITICAL);
	assert_string_equal(f->reason,
		"heartbeat: runs did not end, alarm since 18:05 UTC; also: no result for several "
		"intervals");
}

static void what_people_did_about_it_is_said(void **state)
{
	struct fixture *f = *state;

	f->probes[0].last_run = f->runs[0];
	(void)add_series(f, ALARM_WARNING);
	f->alarm.incident_id = 1;
	f->alarm.is_acknowledged = true;
	assert_int_equal(judge(f), REPOSITORY_WARNING);
	assert_non_null(strstr(f->reason, " since 18:05 UTC; acknowledged"));
	f->repository.mute.mode = MUTE_MESSAGES;
	assert_int_equal(judge(f), REPOSITORY_WARNING); /* a mute does not change the state */
	assert_non_null(strstr(f->reason, " since 18:05 UTC; acknowledged; muted"));
	f->alarm = (struct alarm_state){ .incident_id = 0 };
	assert_int_equal(judge(f), REPOSITORY_OK);
	assert_null(strstr(f->reason, "muted"));
}

static void a_repository_that_is_not_probed_is_paused(void **state)
{
	struct fixture *f = *state;

	(void)add_series(f, ALARM_CRITICAL);
	f->repository.mute =
		(struct snapshot_mute){ .mode = MUTE_PROBING, .until_usec = TIME_1805 };
	assert_int_equal(judge(f), REPOSITORY_PAUSED);
	assert_string_equal(f->reason, "not probed until 2026-11-30 18:05 UTC");
	f->repository.mute.reason = "new shelf";
	assert_int_equal(judge(f), REPOSITORY_PAUSED);
	assert_string_equal(f->reason, "not probed until 2026-11-30 18:05 UTC: new shelf");
}

static void a_short_buffer_cuts_the_sentence(void **state)
{
	struct fixture *f = *state;
	char little[4] = "abc";

	assert_int_equal(
		snapshot_judge(&f->repository, little, sizeof(little)), REPOSITORY_UNKNOWN);
	assert_string_equal(little, "no ");
	assert_int_equal(snapshot_judge(&f->repository, little, 0), REPOSITORY_UNKNOWN);
}

static void states_have_the_names_of_the_contract(void **state)
{
	(void)state;
	assert_string_equal(repository_state_name(REPOSITORY_OK), "ok");
	assert_string_equal(repository_state_name(REPOSITORY_WARNING), "warning");
	assert_string_equal(repository_state_name(REPOSITORY_CRITICAL), "critical");
	assert_string_equal(repository_state_name(REPOSITORY_UNKNOWN), "unknown");
	assert_string_equal(repository_state_name(REPOSITORY_PAUSED), "paused");
}

#define WITH_FIXTURE(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		WITH_FIXTURE(a_repository_without_results_is_unknown),
		WITH_FIXTURE(an_alarm_of_the_users_makes_the_state),
		WITH_FIXTURE(one_good_run_makes_it_ok_and_says_how_good),
		WITH_FIXTURE(the_newest_run_speaks),
		WITH_FIXTURE(each_status_has_its_state),
		WITH_FIXTURE(three_skips_in_a_row_are_a_warning_and_hide_nothing_worse),
		WITH_FIXTURE(the_worst_probe_decides),
		WITH_FIXTURE(a_skipped_run_changes_nothing),
		WITH_FIXTURE(a_stuck_worker_is_critical_though_later_slots_are_skipped),
		WITH_FIXTURE(a_firing_alarm_outweighs_good_runs),
		WITH_FIXTURE(an_alarm_that_recovers_says_so),
		WITH_FIXTURE(the_worst_of_several_series_speaks),
		WITH_FIXTURE(a_failed_run_speaks_before_an_alarm_of_the_same_level),
		WITH_FIXTURE(each_other_reason_is_named),
		WITH_FIXTURE(silence_and_runs_that_do_not_end_speak_too),
		WITH_FIXTURE(what_people_did_about_it_is_said),
		WITH_FIXTURE(a_repository_that_is_not_probed_is_paused),
		WITH_FIXTURE(a_short_buffer_cuts_the_sentence),
		cmocka_unit_test(states_have_the_names_of_the_contract),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
