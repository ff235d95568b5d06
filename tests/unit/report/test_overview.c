/* SPDX-License-Identifier: Apache-2.0 */
/* The overview: verdict, repositories, banners. */
#include "json_real.h"
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "report/report.h"
#include "sample.h"

#define BODY_MAX (1 << 20)

static struct json_t *render(const struct snapshot *snapshot)
{
	struct buf b = BUF_INIT(BODY_MAX);
	struct error e = { "" };
	struct json_t *value = NULL;

	report_overview(snapshot, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(json_parse(buf_text(&b), b.len, &value, &e), 0);
	buf_done(&b);
	return value;
}

static void assert_text(const struct json_t *object, const char *key, const char *expected)
{
	const char *text = json_get_text(object, key);

	assert_non_null(text);
	assert_string_equal(text, expected);
}

static bool is_near(double a, double b)
{
	return a > b - 1e-9 && a < b + 1e-9;
}

static const struct json_t *repository_at(const struct json_t *overview, size_t i)
{
	return json_array_at(json_get(overview, "repositories"), i);
}

static const struct json_t *probe_at(const struct json_t *repository, size_t i)
{
	return json_array_at(json_get(repository, "probes"), i);
}

static void it_says_which_version_and_when(void **unused)
{
	struct sample *s = sample_new();
	s->snapshot.database_lost = 0;
	struct json_t *value = render(&s->snapshot);

	(void)unused;
	assert_text(value, "verdict", "1 of 2 repositories is slow, 1 has no result yet");
	assert_text(value, "version", "0.1.0");
	assert_int_equal(json_get_integer(value, "revision", -1), 77);
	assert_text(value, "now", "2026-11-30T18:01:30.000000Z");
	assert_text(value, "started", "2026-11-30T17:00:00.000000Z");
	assert_int_equal(json_array_length(json_get(value, "repositories")), 2);
	assert_int_equal(json_array_length(json_get(value, "banners")), 0);
	json_free(value);
	sample_free(s);
}

static void a_repository_has_state_target_and_incident(void **unused)
{
	struct sample *s = sample_new();
	struct json_t *value = render(&s->snapshot);
	const struct json_t *nas = repository_at(value, 0);
	const struct json_t *incident = json_get(nas, "incident");
	const struct json_t *series = json_get(incident, "series");

	(void)unused;
	assert_text(nas, "name", "nas1");
	assert_text(nas, "path", "/backup/nas1");
	assert_text(nas, "state", "warning");
	assert_text(nas, "reason", "write average 20 ms, limit 15 ms");
	assert_text(json_get(nas, "target"), "fs_type", "ext4");
	assert_text(json_get(json_get(nas, "target"), "device"), "model", "WDC WD40EFRX-68W");
	assert_text(json_get(nas, "target"), "mount_options", "rw,noatime");
	assert_int_equal(
		json_get_integer(json_get(json_get(nas, "target"), "others"), "ios_per_second", -1),
		340);
	assert_non_null(json_get(json_get(json_get(nas, "target"), "pressure"), "some_percent"));
	assert_int_equal(json_get_integer(incident, "id", -1), 12);
	assert_text(incident, "level", "warning");
	assert_text(incident, "opened", "2026-11-30T17:50:00.000000Z");
	assert_int_equal(json_array_length(series), 1); /* only what fires */
	assert_text(json_array_at(series, 0), "probe", "active-full");
	assert_text(json_array_at(series, 0), "operation", "write");
	assert_text(json_array_at(series, 0), "alarm", "limit");
	assert_true(is_near(json_get_real(json_array_at(series, 0), "avg_seconds", -1), 0.02));
	assert_true(is_near(json_get_real(json_array_at(series, 0), "limit_seconds", -1), 0.015));
	assert_true(is_near(json_get_real(json_array_at(series, 0), "normal_seconds", -1), -1));
	assert_text(json_array_at(series, 0), "load", "idle");
	assert_false(json_get_boolean(incident, "acknowledged", true));
	assert_int_equal(json_array_length(json_get(incident, "reasons")), 1);
	assert_string_equal(json_text(json_array_at(json_get(incident, "reasons"), 0)), "limit");
	assert_int_equal(json_array_length(json_get(incident, "runs")), 0);
	assert_null(json_get_text(json_get(nas, "mute"), "mode"));
	json_free(value);
	sample_free(s);
}

static void who_has_trouble_on_the_same_storage_is_named(void **unused)
{
	static const struct {
		int64_t opened_sec; /* after the other */
		const char *source;
		int64_t others;
	} cases[] = {
		{ 300, "nas1:/b", 1 },
		{ -300, "nas1:/b", 1 },
		{ 301, "nas1:/b", -1 }, /* null */
		{ 0, "nas2:/b", -1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sample *s = sample_new();
		struct alarm_state *alarm = calloc(1, sizeof(*alarm));
		struct identity there = { .has_device = false };
		assert_non_null(alarm);
		s->identity.has_device = false;
		(void)snprintf(s->identity.source, sizeof(s->identity.source), "nas1:/a");
		(void)snprintf(there.source, sizeof(there.source), "%s", cases[i].source);
		alarm->incident_id = 13;
		alarm->incident_opened_usec =
			s->alarm.incident_opened_usec + cases[i].opened_sec * 1000000;
		s->repositories[1].alarm = alarm;
		s->repositories[1].identity = &there;
		struct json_t *value = render(&s->snapshot);
		const struct json_t *group =
			json_get(json_get(repository_at(value, 0), "incident"), "group");
		assert_int_equal(json_get_integer(group, "others", -1), cases[i].others);
		if (cases[i].others > 0) {
			assert_text(group, "name", "nas1");
			assert_string_equal(
				json_text(json_array_at(json_get(group, "repositories"), 0)),
				"tape");
		}
		json_free(value);
		free(alarm);
		sample_free(s);
	}
}

static void what_fires_of_runs_and_what_is_muted_stands_there(void **unused)
{
	struct sample *s = sample_new();

	(void)unused;
	s->alarm.is_acknowledged = true;
	s->alarm.series[1].normal_nsec = 4000000;
	s->alarm.series[1].reason = ALARM_REASON_RELATIVE;
	s->alarm.custom_count = 2;
	s->alarm.customs[0] = (struct alarm_custom){ .name = "quiet", .probe = "active-full" };
	s->alarm.customs[1] = (struct alarm_custom){
		.name = "slow-tail",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.rule = { .level = ALARM_WARNING },
	};
	s->alarm.probe_count = 1;
	s->alarm.probes[0] = (struct alarm_probe){ .probe = "active-full" };
	s->alarm.probes[0].rules[ALARM_RUN_HANG].level = ALARM_CRITICAL;
	s->alarm.probes[0].rules[ALARM_RUN_HANG].since_usec = s->alarm.incident_opened_usec;
	s->repositories[0].mute = (struct snapshot_mute){ .mode = MUTE_MESSAGES,
		.until_usec = s->alarm.incident_opened_usec,
		.reason = "new firmware" };
	s->repositories[1].mute = (struct snapshot_mute){ .mode = MUTE_PROBING, .reason = "" };
	struct json_t *value = render(&s->snapshot);
	const struct json_t *nas = repository_at(value, 0);
	const struct json_t *incident = json_get(nas, "incident");
	const struct json_t *series = json_array_at(json_get(incident, "series"), 0);
	const struct json_t *run = json_array_at(json_get(incident, "runs"), 0);

	assert_true(json_get_boolean(incident, "acknowledged", false));
	assert_text(series, "alarm", "relative");
	assert_true(is_near(json_get_real(series, "normal_seconds", -1), 0.004));
	assert_text(run, "probe", "active-full");
	assert_text(run, "alarm", "hang");
	assert_text(run, "level", "critical");
	assert_text(run, "since", "2026-11-30T17:50:00.000000Z");
	assert_int_equal(json_array_length(json_get(incident, "reasons")), 3);
	const struct json_t *alarm = json_array_at(json_get(incident, "alarms"), 0);
	assert_text(alarm, "alarm", "slow-tail");
	assert_text(alarm, "probe", "active-full");
	assert_text(alarm, "operation", "write");
	assert_text(alarm, "level", "warning");
	assert_int_equal(json_array_length(json_get(incident, "alarms")), 1);
	assert_text(json_get(nas, "mute"), "mode", "mute");
	assert_text(json_get(nas, "mute"), "until", "2026-11-30T17:50:00.000000Z");
	assert_text(json_get(nas, "mute"), "reason", "new firmware");
	assert_text(json_get(repository_at(value, 1), "mute"), "mode", "pause");
	assert_null(json_get_text(json_get(repository_at(value, 1), "mute"), "reason"));
	json_free(value);
	sample_free(s);
}

static void a_probe_has_its_limits_and_its_last_run(void **unused)
{
	struct sample *s = sample_new();
	s->probes[1].is_running = true;
	s->probes[1].schedule = "*-*-* *:00/5:00";
	s->probes[1].limit.limit_critical_nsec = 0;
	struct json_t *value = render(&s->snapshot);
	const struct json_t *probe = probe_at(repository_at(value, 0), 1);
	const struct json_t *run = json_get(probe, "last_run");

	(void)unused;
	assert_text(probe, "name", "active-full");
	assert_text(probe, "description", "512K write, sequential, depth 2, direct+dsync");
	assert_true(is_near(json_get_real(probe, "interval_seconds", -1), 300));
	assert_text(probe, "schedule", "*-*-* *:00/5:00");
	const struct json_t *other = probe_at(repository_at(value, 0), 0);
	assert_non_null(json_get(other, "schedule")); /* but null */
	assert_null(json_get_text(other, "schedule"));
	assert_true(is_near(json_get_real(probe, "limit_seconds", -1), 0.015));
	assert_non_null(json_get(probe, "limit_critical_seconds"));
	assert_true(is_near(json_get_real(probe, "limit_critical_seconds", -1), -1)); /* null */
	assert_true(json_get_boolean(probe, "is_running", false));
	assert_text(probe, "next_run", "2026-11-30T18:05:00.000000Z");
	assert_text(probe, "last_success", "2026-11-30T18:01:01.250000Z");
	assert_int_equal(json_get_integer(run, "id", -1), 4712);
	assert_text(run, "status", "ok");
	assert_true(is_near(
		json_get_real(json_get(json_get(run, "operations"), "write"), "avg_seconds", -1),
		0.02));
	json_free(value);
	sample_free(s);
}

static void before_the_first_run_there_is_null(void **unused)
{
	struct sample *s = sample_new();
	struct json_t *value = render(&s->snapshot);
	const struct json_t *tape = repository_at(value, 1);

	(void)unused;
	assert_non_null(json_get(tape, "incident"));
	assert_null(json_get(json_get(tape, "incident"), "id"));
	assert_non_null(json_get(tape, "target"));
	assert_non_null(json_get(probe_at(tape, 0), "last_run"));
	assert_null(json_get(json_get(probe_at(tape, 0), "last_run"), "status"));
	assert_null(json_get_text(probe_at(tape, 0), "last_success"));
	json_free(value);
	sample_free(s);
}

static void two_repositories_that_are_one_directory_are_a_banner(void **unused)
{
	struct sample *s = sample_new();
	static const struct identity here = { .directory_device = 33, .directory_inode = 2 };
	struct snapshot_repository repositories[] = { s->snapshot.repositories[0],
		s->snapshot.repositories[1] };

	(void)unused;
	repositories[0].identity = repositories[1].identity = &here;
	s->snapshot.repositories = repositories;
	s->snapshot.repository_count = 2;
	struct json_t *value = render(&s->snapshot);
	const struct json_t *banners = json_get(value, "banners");
	size_t count = json_array_length(banners);
	assert_true(count > 0);
	assert_text(json_array_at(banners, count - 1), "about", "configuration");
	struct buf expected = BUF_INIT(512);
	buf_printf(&expected,
		"repositories %s and %s are one directory: remove one from the configuration",
		repositories[0].name, repositories[1].name);
	assert_text(json_array_at(banners, count - 1), "text", buf_text(&expected));
	buf_done(&expected);
	json_free(value);
	sample_free(s);
}

static void trouble_of_our_own_is_a_banner(void **unused)
{
	struct sample *s = sample_new();
	s->snapshot.is_reload_ok = false;
	s->snapshot.reload_error = "repoprobe.conf:3: intervall: did you mean interval?";
	s->snapshot.database_error = "disk I/O error";
	s->snapshot.database_notice = "the history was damaged";
	struct json_t *value = render(&s->snapshot);
	const struct json_t *banners = json_get(value, "banners");

	(void)unused;
	assert_int_equal(json_array_length(banners), 4);
	assert_text(json_array_at(banners, 0), "about", "configuration");
	assert_text(json_array_at(banners, 0), "text",
		"the configuration was not reloaded, the earlier one stays in force: "
		"repoprobe.conf:3: intervall: did you mean interval?");
	assert_text(json_array_at(banners, 1), "about", "database");
	assert_text(json_array_at(banners, 1), "text",
		"the history cannot be written, results wait in memory: disk I/O error");
	assert_text(json_array_at(banners, 2), "text",
		"7 results were lost to the history since the start of the daemon");
	assert_text(json_array_at(banners, 3), "text", "the history was damaged");
	json_free(value);
	sample_free(s);
}

/* Repositories are only counted by state here; "failing" ones are what their newest run makes them.
 */
static void the_verdict_counts_in_words(void **unused)
{
	static const struct {
		enum repository_state states[3];
		unsigned count;
		bool is_incident_open;
		const char *expected;
	} cases[] = {
		{ { REPOSITORY_OK }, 0, false, "no repository is configured" },
		{ { REPOSITORY_OK }, 1, false, "the repository is healthy" },
		{ { REPOSITORY_OK, REPOSITORY_OK, REPOSITORY_OK }, 3, false,
			"all 3 repositories are healthy" },
		{ { REPOSITORY_WARNING, REPOSITORY_OK, REPOSITORY_OK }, 3, true,
			"1 of 3 repositories is slow" },
		{ { REPOSITORY_CRITICAL }, 1, true, "the repository is slow" },
		{ { REPOSITORY_CRITICAL }, 1, false, "the repository is in trouble" },
		{ { REPOSITORY_CRITICAL, REPOSITORY_WARNING, REPOSITORY_OK }, 3, false,
			"2 of 3 repositories are in trouble" },
		{ { REPOSITORY_UNKNOWN, REPOSITORY_OK, REPOSITORY_PAUSED }, 3, false,
			"1 of 3 repositories has no result yet, 1 is paused" },
		{ { REPOSITORY_UNKNOWN, REPOSITORY_UNKNOWN }, 2, false,
			"all 2 repositories have no result yet" },
	};
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));

	(void)unused;
	assert_non_null(alarm);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct snapshot_repository repositories[3] = { { .name = "r" } };
		alarm->incident_id = cases[i].is_incident_open;
		for (size_t k = 0; k < 3; k++) {
			repositories[k].name = "r";
			repositories[k].state = cases[i].states[k];
			repositories[k].alarm = alarm;
		}
		const struct snapshot snapshot = {
			.version = "0",
			.is_reload_ok = true,
			.repository_count = cases[i].count,
			.repositories = repositories,
		};
		struct json_t *value = render(&snapshot);
		assert_text(value, "verdict", cases[i].expected);
		json_free(value);
	}
	free(alarm);
}

static void an_incident_beside_failing_runs_is_more_than_slow(void **unused)
{
	struct sample *s = sample_new();
	struct run *failed = sample_failed_run(RUN_TIMEOUT, 0, "silent");
	s->probes[0].last_run = failed;
	struct json_t *value = render(&s->snapshot);

	(void)unused;
	assert_text(value, "verdict", "1 of 2 repositories is in trouble, 1 has no result yet");
	json_free(value);
	s->probes[0].last_run = s->runs[0];
	s->probes[0].stuck_since_usec = SAMPLE_STARTED_USEC;
	value = render(&s->snapshot);
	assert_text(value, "verdict", "1 of 2 repositories is in trouble, 1 has no result yet");
	json_free(value);
	free(failed);
	sample_free(s);
}

static void a_full_buffer_is_an_error(void **unused)
{
	struct sample *s = sample_new();
	struct buf b = BUF_INIT(1000);

	(void)unused;
	report_overview(&s->snapshot, &b);
	assert_int_equal(b.error, -ENOBUFS);
	buf_done(&b);
	sample_free(s);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_says_which_version_and_when),
		cmocka_unit_test(a_repository_has_state_target_and_incident),
		cmocka_unit_test(who_has_trouble_on_the_same_storage_is_named),
		cmocka_unit_test(what_fires_of_runs_and_what_is_muted_stands_there),
		cmocka_unit_test(a_probe_has_its_limits_and_its_last_run),
		cmocka_unit_test(before_the_first_run_there_is_null),
		cmocka_unit_test(two_repositories_that_are_one_directory_are_a_banner),
		cmocka_unit_test(trouble_of_our_own_is_a_banner),
		cmocka_unit_test(the_verdict_counts_in_words),
		cmocka_unit_test(an_incident_beside_failing_runs_is_more_than_slow),
		cmocka_unit_test(a_full_buffer_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
