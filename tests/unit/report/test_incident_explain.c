/* SPDX-License-Identifier: Apache-2.0 */
/* What an incident's event stands on, in words and as JSON. */
#include "json_real.h"
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "report/report.h"

#define OPENED_USEC INT64_C(1796061900000000) /* 2026-11-30T18:05:00Z */
#define MIN_USEC (60 * (int64_t)USEC_PER_SEC)

static struct incident_event sample(void)
{
	return (struct incident_event){
		.incident_id = 12,
		.change = INCIDENT_OPENED,
		.level = ALARM_WARNING,
		.reason = ALARM_REASON_RELATIVE,
		.time_usec = OPENED_USEC,
		.opened_usec = OPENED_USEC,
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.value_nsec = 9800 * NSEC_PER_USEC,
		.limit_nsec = 15 * NSEC_PER_MSEC,
		.hits = 2,
		.window = 3,
		.evidence = {
			.rule = ALARM_RULE_RELATIVE,
			.value = 9800 * NSEC_PER_USEC,
			.normal = 3100 * NSEC_PER_USEC,
			.normal_low = 2400 * NSEC_PER_USEC,
			.normal_high = 4300 * NSEC_PER_USEC,
			.normal_runs = 5912,
			.load = LOAD_IDLE,
			.others_bytes_per_sec = 2 << 20,
			.confirmations = 2,
			.agreed = 2,
			.moved = ALARM_MOVED_P50 | ALARM_MOVED_P95 | ALARM_MOVED_MAX,
			.cause = ALARM_CAUSE_PATH,
		},
	};
}

static void assert_lines(const struct incident_event *event, const char *expected)
{
	struct buf b = BUF_INIT(4096);
	struct buf line = BUF_INIT(1024);

	for (size_t i = 0; report_incident_line(event, i, &line); i++) {
		if (line.len > 0)
			buf_printf(&b, "%s\n", buf_text(&line));
		buf_clear(&line);
	}
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&line);
	buf_done(&b);
}

static void slower_than_normal_is_explained_by_what_is_normal(void **unused)
{
	struct incident_event event = sample();

	(void)unused;
	assert_lines(&event,
		"measured: write average 9.8 ms, limit 15 ms\n"
		"normal while nothing else is at work there at this hour: 3.1 ms, usual range "
		"2.4 ms to 4.3 ms (5912 runs of the last 28 days)\n"
		"that is 3.2 times the normal\n"
		"in 2 of the last 3 runs; confirmed by 2 of 2 extra runs\n"
		"other load during the run: 2 MiB/s (idle)\n"
		"worse than normal: p50, p95, the longest\n"
		"that suggests: all of them slower: the device or the path to it\n");
}

static void what_is_not_known_is_said_to_be_unknown(void **unused)
{
	struct incident_event event = sample();

	(void)unused;
	event.reason = ALARM_REASON_LIMIT;
	event.evidence = (struct alarm_evidence){ .load = LOAD_UNKNOWN };
	event.time_usec += 25 * MIN_USEC;
	event.change = INCIDENT_WORSE;
	assert_lines(&event,
		"measured: write average 9.8 ms, limit 15 ms\n"
		"normal: not known yet for this load\n"
		"in 2 of the last 3 runs\n"
		"other load during the run: not known\n"
		"the incident began at 2026-11-30 18:05:00 UTC, 25min before\n");
}

static void each_rule_has_its_unit(void **unused)
{
	struct incident_event event = sample();

	(void)unused;
	event.limit_nsec = 0;
	event.evidence = (struct alarm_evidence){
		.rule = ALARM_RULE_THROUGHPUT,
		.value = 40 << 20,
		.normal = 100 << 20,
		.normal_low = 90 << 20,
		.normal_high = 110 << 20,
		.normal_runs = 40,
		.load = LOAD_LIGHT,
		.others_bytes_per_sec = 20 << 20,
	};
	event.reason = ALARM_REASON_THROUGHPUT;
	assert_lines(&event,
		"measured: write throughput 40 MiB/s\n"
		"normal for light work of others at this hour: 100 MiB/s, usual range 90 MiB/s "
		"to 110 MiB/s (40 runs of the last 28 days)\n"
		"that is 40 % of the normal\n"
		"in 2 of the last 3 runs\n"
		"other load during the run: 20 MiB/s (light)\n");
	event.reason = ALARM_REASON_TAIL;
	event.evidence.rule = ALARM_RULE_CACHE;
	event.evidence.value = 3125;
	event.evidence.normal = 8000;
	event.evidence.normal_low = 7500;
	event.evidence.normal_high = 8500;
	event.evidence.moved = ALARM_MOVED_FAST_SHARE;
	event.evidence.cause = ALARM_CAUSE_CACHE;
	assert_lines(&event,
		"measured: write I/Os as fast as from a cache: 31.2 %\n"
		"normal for light work of others at this hour: 80.0 %, usual range 75.0 % to "
		"85.0 % (40 runs of the last 28 days)\n"
		"that is 39 % of the normal\n"
		"in 2 of the last 3 runs\n"
		"other load during the run: 20 MiB/s (light)\n"
		"worse than normal: the share of fast I/Os\n"
		"that suggests: fewer fast ones: lost cache hits\n");
	event.reason = ALARM_REASON_PEER;
	event.evidence = (struct alarm_evidence){
		.rule = ALARM_RULE_PEER,
		.value = 12 * NSEC_PER_MSEC,
		.normal = 4 * NSEC_PER_MSEC,
		.load = LOAD_IDLE,
	};
	assert_lines(&event,
		"measured: write average 12 ms\n"
		"repositories on the same storage at the same time: 4 ms\n"
		"that is 3.0 times as much\n"
		"in 2 of the last 3 runs\n"
		"other load during the run: 0 B/s (idle)\n");
}

static void a_stall_before_the_io_says_what_hung(void **unused)
{
	struct incident_event event = sample();
	struct buf sentence = BUF_INIT(4096);

	(void)unused;
	event.reason = ALARM_REASON_STALL;
	event.hits = 3;
	event.window = 12;
	event.evidence = (struct alarm_evidence){
		.rule = ALARM_RULE_STALL,
		.value = 25 * NSEC_PER_SEC,
		.setup_step = RUN_SETUP_OPEN,
		.load = LOAD_UNKNOWN,
	};
	assert_lines(&event,
		"measured: before the first I/O, opening the probe file took 25 s\n"
		"in 3 of the last 12 runs\n"
		"other load during the run: not known\n");
	report_incident_sentence(&event, &sentence);
	if (!strstr(buf_text(&sentence), ": opening the probe file took 25 s in a run of "))
		fail_msg("%s", buf_text(&sentence));
	buf_done(&sentence);
	struct json_t *json = report_incident_event_json(&event);
	const struct json_t *evidence = json_get(json, "evidence");
	assert_string_equal(json_get_text(evidence, "setup_step"), "open");
	assert_true(json_get_real(evidence, "value_seconds", 0) == 25.0);
	json_free(json);
}

static void a_run_that_failed_has_no_numbers(void **unused)
{
	struct incident_event event = sample();

	(void)unused;
	event.reason = ALARM_REASON_HANG;
	event.status = RUN_TIMEOUT;
	event.hits = 2;
	event.window = 2;
	assert_lines(&event,
		"the run failed with timeout\n"
		"in 2 of the last 2 runs; confirmed by 2 of 2 extra runs\n");
	event.hits = 1;
	event.window = 1;
	assert_lines(&event,
		"the run failed with timeout\n"
		"in the last run; confirmed by 2 of 2 extra runs\n");
	event.reason = ALARM_REASON_NO_DATA;
	event.window = 0;
	assert_lines(&event, "");
}

static void a_cleared_incident_says_what_is_good_again(void **unused)
{
	struct incident_event event = sample();

	(void)unused;
	event.change = INCIDENT_CLEARED;
	event.time_usec += 60 * MIN_USEC;
	event.evidence.value = 3 * NSEC_PER_MSEC;
	event.hits = 0;
	event.window = 6;
	assert_lines(&event,
		"measured: write average 3 ms, limit 15 ms\n"
		"good runs in a row: 6\n"
		"the incident began at 2026-11-30 18:05:00 UTC, 1h before\n");
}

/* --- JSON and CSV ------------------------------------------------------- */

static struct incident incident(void)
{
	return (struct incident){
		.id = 12,
		.repository = "nas \"1\"",
		.level = ALARM_CRITICAL,
		.opened_usec = OPENED_USEC,
		.last_event = sample(),
	};
}

static const struct incident_group nobody = { .count = 0 };

static void only_an_incident_that_is_over_has_a_duration(void **unused)
{
	struct incident i = incident();
	struct json_t *json = report_incident_json(&i, &nobody);

	(void)unused;
	assert_string_equal(json_get_text(json, "state"), "open");
	assert_string_equal(json_get_text(json, "level"), "critical");
	assert_string_equal(json_get_text(json, "alarm"), "relative");
	assert_string_equal(json_get_text(json, "operation"), "write");
	assert_null(json_get_text(json, "closed"));
	assert_true(json_get_real(json, "duration_seconds", -1) == -1); /* null */
	assert_null(json_get_text(json_get(json, "acknowledged"), "time"));
	json_free(json);

	i.closed_usec = OPENED_USEC + MIN_USEC;
	i.acknowledged_usec = OPENED_USEC;
	i.acknowledged_uid = 1000;
	i.last_event.reason = ALARM_REASON_HANG;
	json = report_incident_json(&i, &nobody);
	assert_string_equal(json_get_text(json, "state"), "closed");
	assert_true(json_get_real(json, "duration_seconds", 0) == 60.0);
	assert_null(json_get_text(json, "operation")); /* it is about the run as a whole */
	const struct json_t *acknowledged = json_get(json, "acknowledged");
	assert_string_equal(json_get_text(acknowledged, "time"), "2026-11-30T18:05:00.000000Z");
	assert_int_equal(json_get_integer(acknowledged, "uid", 0), 1000);
	assert_null(json_get_text(acknowledged, "reason"));
	json_free(json);
}

static void an_event_has_its_evidence_as_numbers_and_in_words(void **unused)
{
	struct incident_event event = sample();
	struct json_t *json = report_incident_event_json(&event);
	const struct json_t *evidence = json_get(json, "evidence");

	(void)unused;
	assert_string_equal(json_get_text(json, "change"), "opened");
	assert_int_equal(json_array_length(json_get(json, "explain")), 7);
	assert_string_equal(json_text(json_array_at(json_get(json, "explain"), 0)),
		"measured: write average 9.8 ms, limit 15 ms");
	assert_true(json_get_real(evidence, "value_seconds", 0) == 0.0098);
	assert_true(json_get_real(evidence, "normal_seconds", 0) == 0.0031);
	assert_true(json_get_real(evidence, "normal_low_seconds", 0) == 0.0024);
	assert_true(json_get_real(evidence, "normal_high_seconds", 0) == 0.0043);
	assert_int_equal(json_get_integer(evidence, "normal_runs", 0), 5912);
	assert_string_equal(json_get_text(evidence, "load"), "idle");
	assert_int_equal(json_get_integer(evidence, "others_bytes_per_second", 0), 2 << 20);
	assert_int_equal(json_get_integer(evidence, "confirmations_agreed", 0), 2);
	json_free(json);
	event.evidence.rule = ALARM_RULE_CACHE;
	event.evidence.value = 3125;
	event.evidence.load = LOAD_UNKNOWN;
	json = report_incident_event_json(&event);
	evidence = json_get(json, "evidence");
	assert_true(json_get_real(evidence, "value_share", 0) == 0.3125);
	assert_null(json_get(evidence, "others_bytes_per_second"));
	json_free(json);
	event.reason = ALARM_REASON_ERROR;
	json = report_incident_event_json(&event);
	assert_null(json_get_text(json_get(json, "evidence"), "load"));
	json_free(json);
}

static struct incident_event custom(void)
{
	struct incident_event event = sample();

	event.reason = ALARM_REASON_CUSTOM;
	event.hits = 0;
	memcpy(event.alarm, "slow-tail", sizeof("slow-tail"));
	memcpy(event.condition, "write iops < 90", sizeof("write iops < 90"));
	event.evidence = (struct alarm_evidence){
		.value = 40, .unit = ALARM_UNIT_NUMBER, .normal = 100, .load = LOAD_IDLE
	};
	return event;
}

static void an_alarm_of_the_users_is_explained_by_its_condition(void **unused)
{
	struct incident_event event = custom();
	struct json_t *json = report_incident_event_json(&event);
	const struct json_t *evidence = json_get(json, "evidence");

	(void)unused;
	assert_lines(&event,
		"alarm slow-tail (write iops < 90): write, measured 40\n"
		"normal while nothing else is at work there: 100\n"
		"that is 40 % of the normal\n"
		"the last 3 runs together\n"
		"other load during the run: 0 B/s (idle)\n");
	assert_string_equal(json_get_text(json, "alarm"), "slow-tail");
	assert_string_equal(json_get_text(json, "operation"), "write");
	assert_string_equal(json_get_text(evidence, "condition"), "write iops < 90");
	assert_int_equal(json_get_integer(evidence, "value", -1), 40);
	assert_int_equal(json_get_integer(evidence, "normal", -1), 100);
	json_free(json);
}

static void csv_quotes_what_people_name(void **unused)
{
	struct incident i = incident();
	struct buf b = BUF_INIT(4096);

	(void)unused;
	i.last_event.evidence = (struct alarm_evidence){ 0 };
	i.last_event.reason = ALARM_REASON_LIMIT;
	report_incident_csv_line(&i, &b);
	assert_string_equal(buf_text(&b),
		"12,\"nas \"\"1\"\"\",open,critical,2026-11-30T18:05:00.000000Z,,,,limit,"
		"\"active-full\",write,\"nas1: writes of active-full take 9.8 ms on average, limit "
		"15 ms (2 of the last 3 runs)\"\r\n");
	buf_clear(&b);
	i.last_event = custom();
	memcpy(i.last_event.alarm, "a,\"b\"", sizeof("a,\"b\""));
	report_incident_csv_line(&i, &b);
	assert_non_null(strstr(buf_text(&b), ",,,,\"a,\"\"b\"\"\",\"active-full\",write,"));
	buf_done(&b);
}

static void an_incident_names_who_else_had_trouble_there(void **unused)
{
	const struct incident i = incident();
	struct incident_group *group = calloc(1, sizeof(*group));
	struct json_t *json = report_incident_json(&i, &nobody);
	struct buf b = BUF_INIT(4096);

	(void)unused;
	assert_non_null(group);
	assert_int_equal(json_get_integer(json_get(json, "group"), "others", -1), -1); /* null */
	json_free(json);
	report_incident_group(&nobody, true, &b);
	assert_int_equal(b.len, 0);

	*group = (struct incident_group){ .name = "nas1", .count = 1, .repositories = { "b" } };
	report_incident_group(group, false, &b);
	assert_string_equal(buf_text(&b), "with 1 other on nas1");
	buf_clear(&b);
	group->count = INCIDENT_GROUP_MAX + 2;
	report_incident_group(group, true, &b);
	assert_non_null(strstr(buf_text(&b), "with 18 others on nas1: b, "));
	assert_non_null(strstr(buf_text(&b), " and 2 more"));
	json = report_incident_json(&i, group);
	const struct json_t *shown = json_get(json, "group");
	assert_string_equal(json_get_text(shown, "name"), "nas1");
	assert_int_equal(json_get_integer(shown, "others", 0), 18);
	assert_int_equal(json_array_length(json_get(shown, "repositories")), INCIDENT_GROUP_MAX);
	json_free(json);
	buf_done(&b);
	free(group);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower_than_normal_is_explained_by_what_is_normal),
		cmocka_unit_test(what_is_not_known_is_said_to_be_unknown),
		cmocka_unit_test(each_rule_has_its_unit),
		cmocka_unit_test(a_stall_before_the_io_says_what_hung),
		cmocka_unit_test(a_run_that_failed_has_no_numbers),
		cmocka_unit_test(a_cleared_incident_says_what_is_good_again),
		cmocka_unit_test(only_an_incident_that_is_over_has_a_duration),
		cmocka_unit_test(an_incident_names_who_else_had_trouble_there),
		cmocka_unit_test(an_event_has_its_evidence_as_numbers_and_in_words),
		cmocka_unit_test(an_alarm_of_the_users_is_explained_by_its_condition),
		cmocka_unit_test(csv_quotes_what_people_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
