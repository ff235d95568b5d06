/* SPDX-License-Identifier: Apache-2.0 */
/* An incident in plain words. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "model/message.h"
#include "report/report.h"

#define OPENED_USEC INT64_C(1796061600000000) /* 2026-11-30T18:00:00Z */
#define MIN_USEC (60 * (int64_t)USEC_PER_SEC)

static struct incident_event sample(enum incident_change change, enum alarm_level level)
{
	return (struct incident_event){
		.incident_id = 12,
		.change = change,
		.level = level,
		.reason = ALARM_REASON_LIMIT,
		.time_usec = OPENED_USEC,
		.opened_usec = OPENED_USEC,
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.value_nsec = 23900 * NSEC_PER_USEC,
		.limit_nsec = 15 * NSEC_PER_MSEC,
		.hits = 2,
		.window = 3,
	};
}

static void assert_sentence(const struct incident_event *event, const char *expected)
{
	struct buf b = BUF_INIT(MESSAGE_TEXT_MAX);

	report_incident_sentence(event, &b);
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static void an_opened_incident_names_what_is_slow_and_the_limit(void **unused)
{
	struct incident_event event = sample(INCIDENT_OPENED, ALARM_WARNING);

	(void)unused;
	assert_sentence(&event,
		"nas1: writes of active-full take 23.9 ms on average, limit 15 ms "
		"(2 of the last 3 runs)");
	event.operation = RUN_READ;
	event.value_nsec = 1200 * NSEC_PER_MSEC;
	event.limit_nsec = 900 * NSEC_PER_USEC;
	event.window = 2;
	assert_sentence(&event,
		"nas1: reads of active-full take 1.2 s on average, limit 900 us "
		"(2 of the last 2 runs)");
	event.hits = 1;
	event.window = 1;
	assert_sentence(&event,
		"nas1: reads of active-full take 1.2 s on average, limit 900 us (in the last run)");
}

static void a_worse_incident_says_since_when(void **unused)
{
	struct incident_event event = sample(INCIDENT_WORSE, ALARM_CRITICAL);

	(void)unused;
	event.time_usec += 25 * MIN_USEC;
	event.limit_nsec = 30 * NSEC_PER_MSEC;
	event.value_nsec = 51 * NSEC_PER_MSEC;
	assert_sentence(&event,
		"nas1: worse, critical: writes of active-full take 51 ms on average, limit 30 ms "
		"(2 of the last 3 runs); trouble since 2026-11-30 18:00:00 UTC (25min)");
	event.level = ALARM_WARNING;
	event.operation = RUN_READ;
	assert_sentence(&event,
		"nas1: worse, also reads of active-full take 51 ms on average, limit 30 ms "
		"(2 of the last 3 runs); trouble since 2026-11-30 18:00:00 UTC (25min)");
}

static void a_cleared_incident_says_how_long_it_was(void **unused)
{
	struct incident_event event = sample(INCIDENT_CLEARED, ALARM_CRITICAL);

	(void)unused;
	event.time_usec += 80 * MIN_USEC + 5 * (int64_t)USEC_PER_SEC;
	event.value_nsec = 9200 * NSEC_PER_USEC;
	event.hits = 0;
	event.window = 6;
	assert_sentence(&event,
		"nas1: cleared: writes of active-full take 9.2 ms on average, limit 15 ms "
		"(6 good runs in a row); critical from 2026-11-30 18:00:00 to 2026-11-30 19:20:05 "
		"UTC (1h20min)");
}

static void an_incident_whose_rule_went_away_says_so(void **unused)
{
	struct incident_event event = sample(INCIDENT_CLEARED, ALARM_WARNING);

	(void)unused;
	event.time_usec += (INT64_C(3) * 24 * 60 + 61) * MIN_USEC;
	event.value_nsec = 0;
	event.limit_nsec = 0;
	assert_sentence(&event,
		"nas1: cleared: writes of active-full are no longer judged; warning from "
		"2026-11-30 18:00:00 to 2026-12-03 19:01:00 UTC (3d1h)");
}

static void an_incident_whose_repository_left_says_so(void **unused)
{
	struct incident_event event = sample(INCIDENT_CLEARED, ALARM_CRITICAL);

	(void)unused;
	event.time_usec += MIN_USEC;
	event.window = 0;
	event.hits = 1;
	assert_sentence(&event,
		"nas1: cleared: the repository was removed from the configuration; critical from "
		"2026-11-30 18:00:00 to 2026-11-30 18:01:00 UTC (1min)");
}

static void a_clock_that_went_back_is_no_long_incident(void **unused)
{
	struct incident_event event = sample(INCIDENT_CLEARED, ALARM_WARNING);

	(void)unused;
	event.time_usec -= MIN_USEC;
	event.limit_nsec = 0;
	assert_sentence(&event,
		"nas1: cleared: writes of active-full are no longer judged; warning from "
		"2026-11-30 18:00:00 to 2026-11-30 17:59:00 UTC (0s)");
}

static void the_longest_names_fit_into_a_message(void **unused)
{
	static const enum incident_change changes[] = {
		INCIDENT_OPENED,
		INCIDENT_WORSE,
		INCIDENT_CLEARED,
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct incident_event event = sample(changes[i], ALARM_CRITICAL);
		struct buf b = BUF_INIT(MESSAGE_TEXT_MAX);
		/* Bytes that are not UTF-8, too: they must not grow. */
		memset(event.repository, 0xff, sizeof(event.repository) - 1);
		memset(event.probe, 0xff, sizeof(event.probe) - 1);
		report_incident_sentence(&event, &b);
		assert_int_equal(b.error, 0);
		buf_done(&b);
	}
}

static struct incident_event custom(enum incident_change change, const char *condition)
{
	struct incident_event event = sample(change, ALARM_WARNING);

	event.reason = ALARM_REASON_CUSTOM;
	(void)snprintf(event.alarm, sizeof(event.alarm), "slow-tail");
	(void)snprintf(event.condition, sizeof(event.condition), "%s", condition);
	event.evidence.value = 62 * NSEC_PER_MSEC;
	return event;
}

static void an_alarm_of_the_users_is_called_by_its_name(void **unused)
{
	struct incident_event event = custom(INCIDENT_OPENED, "write avg > 50ms");

	(void)unused;
	assert_sentence(&event,
		"nas1: alarm slow-tail (write avg > 50ms): 62 ms, writes of active-full "
		"(2 of the last 3 runs)");
	event = custom(INCIDENT_OPENED, "write p99 > 50ms");
	event.hits = 0;
	assert_sentence(&event,
		"nas1: alarm slow-tail (write p99 > 50ms): 62 ms, writes of active-full "
		"(the last 3 runs together)");
	event = custom(INCIDENT_JOINED, "throughput < 500M");
	event.evidence.unit = ALARM_UNIT_THROUGHPUT;
	event.evidence.value = UINT64_C(300) << 20;
	assert_sentence(&event,
		"nas1: also alarm slow-tail (throughput < 500M): 300 MiB/s, writes of active-full "
		"(2 of the last 3 runs); trouble since 2026-11-30 18:00:00 UTC (0s)");
	event = custom(INCIDENT_CLEARED, "errors > 3");
	event.evidence.unit = ALARM_UNIT_NUMBER;
	event.evidence.value = 2;
	event.window = 6;
	event.time_usec += MIN_USEC;
	assert_sentence(&event,
		"nas1: cleared: alarm slow-tail (errors > 3): 2, writes of active-full "
		"(6 good runs in a row); warning from 2026-11-30 18:00:00 to "
		"2026-11-30 18:01:00 UTC (1min)");
	event = custom(INCIDENT_CLEARED, "");
	event.window = 0;
	event.hits = 0;
	event.time_usec += MIN_USEC;
	assert_sentence(&event,
		"nas1: cleared: alarm slow-tail: writes of active-full are no longer judged; "
		"warning from 2026-11-30 18:00:00 to 2026-11-30 18:01:00 UTC (1min)");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alarm_of_the_users_is_called_by_its_name),
		cmocka_unit_test(an_opened_incident_names_what_is_slow_and_the_limit),
		cmocka_unit_test(a_worse_incident_says_since_when),
		cmocka_unit_test(a_cleared_incident_says_how_long_it_was),
		cmocka_unit_test(an_incident_whose_rule_went_away_says_so),
		cmocka_unit_test(an_incident_whose_repository_left_says_so),
		cmocka_unit_test(a_clock_that_went_back_is_no_long_incident),
		cmocka_unit_test(the_longest_names_fit_into_a_message),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
