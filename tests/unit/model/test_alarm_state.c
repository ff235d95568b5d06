/* SPDX-License-Identifier: Apache-2.0 */
/* Names of levels, reasons and changes both ways, and look-up of a series. */
#include "model/alarm_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

static void levels_reasons_and_changes_read_back_what_they_write(void **state)
{
	static const enum alarm_level levels[] = { ALARM_NONE, ALARM_WARNING, ALARM_CRITICAL };
	static const enum incident_change changes[] = { INCIDENT_OPENED, INCIDENT_WORSE,
		INCIDENT_CLEARED };
	(void)state;

	for (size_t i = 0; i < 3; i++) {
		enum alarm_level level = ALARM_NONE;
		enum incident_change change = INCIDENT_OPENED;
		assert_int_equal(alarm_level_parse(alarm_level_name(levels[i]), &level), 0);
		assert_int_equal(level, levels[i]);
		assert_int_equal(
			incident_change_parse(incident_change_name(changes[i]), &change), 0);
		assert_int_equal(change, changes[i]);
	}
	enum alarm_reason reason;
	assert_int_equal(alarm_reason_parse("limit", &reason), 0);
	assert_string_equal(alarm_reason_name(reason), "limit");
}

static void unknown_words_are_refused_and_leave_the_result_alone(void **state)
{
	enum alarm_level level = ALARM_CRITICAL;
	enum alarm_reason reason = ALARM_REASON_LIMIT;
	enum incident_change change = INCIDENT_WORSE;
	(void)state;

	assert_int_equal(alarm_level_parse("Critical", &level), -EINVAL);
	assert_int_equal(alarm_level_parse("", &level), -EINVAL);
	assert_int_equal(level, ALARM_CRITICAL);
	assert_int_equal(alarm_reason_parse("limits", &reason), -EINVAL);
	assert_int_equal(incident_change_parse("closed", &change), -EINVAL);
	assert_int_equal(change, INCIDENT_WORSE);
}

static void a_series_is_found_by_probe_and_operation(void **state)
{
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	(void)state;

	assert_non_null(alarm);
	assert_null(alarm_state_find(alarm, "a", RUN_READ));
	alarm->series_count = 2;
	memcpy(alarm->series[0].probe, "a", 2);
	alarm->series[0].operation = RUN_READ;
	memcpy(alarm->series[1].probe, "a", 2);
	alarm->series[1].operation = RUN_WRITE;
	memcpy(alarm->series[2].probe, "b", 2); /* past the count: not there */
	assert_ptr_equal(alarm_state_find(alarm, "a", RUN_READ), &alarm->series[0]);
	assert_ptr_equal(alarm_state_find(alarm, "a", RUN_WRITE), &alarm->series[1]);
	assert_null(alarm_state_find(alarm, "b", RUN_READ));
	free(alarm);
}

static void a_reason_fires_at_the_highest_level_of_what_gives_it(void **state)
{
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	(void)state;

	assert_non_null(alarm);
	alarm->series_count = 2;
	memcpy(alarm->series[0].probe, "a", 2);
	memcpy(alarm->series[1].probe, "b", 2);
	alarm->probe_count = 1;
	memcpy(alarm->probes[0].probe, "a", 2);
	assert_int_equal(alarm_state_level(alarm, NULL, ALARM_REASON_LIMIT), ALARM_NONE);
	alarm->series[0].rules[ALARM_RULE_LIMIT].level = ALARM_WARNING;
	alarm->series[0].rules[ALARM_RULE_LIMIT_HELD].level = ALARM_CRITICAL;
	alarm->series[0].rules[ALARM_RULE_CACHE].level = ALARM_WARNING;
	alarm->series[1].rules[ALARM_RULE_TAIL].level = ALARM_CRITICAL;
	alarm->probes[0].rules[ALARM_RUN_SPACE].level = ALARM_WARNING;
	assert_int_equal(alarm_state_level(alarm, "a", ALARM_REASON_LIMIT), ALARM_CRITICAL);
	assert_int_equal(alarm_state_level(alarm, "a", ALARM_REASON_TAIL), ALARM_WARNING);
	assert_int_equal(alarm_state_level(alarm, "b", ALARM_REASON_TAIL), ALARM_CRITICAL);
	assert_int_equal(alarm_state_level(alarm, NULL, ALARM_REASON_TAIL), ALARM_CRITICAL);
	assert_int_equal(alarm_state_level(alarm, "b", ALARM_REASON_LIMIT), ALARM_NONE);
	assert_int_equal(alarm_state_level(alarm, "a", ALARM_REASON_SPACE), ALARM_WARNING);
	assert_int_equal(alarm_state_level(alarm, "b", ALARM_REASON_SPACE), ALARM_NONE);
	free(alarm);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_reasons_and_changes_read_back_what_they_write),
		cmocka_unit_test(unknown_words_are_refused_and_leave_the_result_alone),
		cmocka_unit_test(a_series_is_found_by_probe_and_operation),
		cmocka_unit_test(a_reason_fires_at_the_highest_level_of_what_gives_it),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
