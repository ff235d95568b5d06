/* SPDX-License-Identifier: Apache-2.0 */
/* User-defined alarms in addition to the built-in rules: when they fire in a step, and how they
 * end. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "fixture.h"

static void an_alarm_of_the_user_is_an_incident_until_it_clears_or_goes(void **unused)
{
	static const struct custom_rule rule = {
		.when = { .measure = CONDITION_AVG, .value = 5500000 },
		.clear_runs = 2,
		.hold = { 2, 3 },
		.level = ALARM_CRITICAL,
	};
	static const struct alarm_user_rule users[] = { { .name = "mine", .rule = &rule } };
	struct fixture *f = new_fixture();

	(void)unused;
	f->user_rules = users;
	f->user_rule_count = 1;
	slots(f, 1, 6);
	assert_events(f, "");
	slots(f, 1, 6);
	assert_events(f, "opened custom critical");
	assert_string_equal(f->outcome.events[0].alarm, "mine");
	assert_int_equal(f->outcome.events[0].hits, 2);
	assert_int_equal(f->outcome.events[0].evidence.value, 6000000);
	assert_string_equal(f->outcome.events[0].condition, "avg > 5.5ms");
	slots(f, 2, 4);
	assert_events(f, "cleared custom critical");
	assert_string_equal(f->outcome.events[0].alarm, "mine");

	f->now_usec += ALARM_REOPEN_USEC;
	slots(f, 2, 6);
	assert_events(f, "opened custom critical");
	f->user_rule_count = 0; /* no longer configured */
	slots(f, 1, 6);
	assert_events(f, "cleared custom critical");
	assert_int_equal(f->state.custom_count, 0);

	f->user_rule_count = 1;
	f->now_usec += ALARM_REOPEN_USEC;
	slots(f, 2, 6);
	assert_events(f, "opened custom critical");
	alarm_forget_probe(&f->state, "active-full", f->now_usec, &f->outcome);
	note_events(f);
	assert_events(f, "cleared custom critical");
	free_fixture(f);
}

static void an_alarm_that_is_about_the_other_operation_now_ends_what_it_said(void **unused)
{
	static const struct custom_rule rule = {
		.when = { .measure = CONDITION_AVG, .value = 5500000 },
		.clear_runs = 2,
		.hold = { 2, 3 },
		.level = ALARM_CRITICAL,
	};
	static const struct custom_rule of_writes = {
		.when = { .has_operation = true, .operation = RUN_WRITE, .value = 5500000 },
		.clear_runs = 2,
		.hold = { 2, 3 },
		.level = ALARM_CRITICAL,
	};
	static const struct alarm_user_rule users[] = { { .name = "mine", .rule = &rule } };
	static const struct alarm_user_rule others[] = { { .name = "mine", .rule = &of_writes } };
	struct fixture *f = new_fixture();

	(void)unused;
	f->user_rules = users;
	f->user_rule_count = 1;
	slots(f, 2, 6);
	assert_events(f, "opened custom critical");
	f->user_rules = others;
	slots(f, 1, 6);
	assert_events(f, "cleared custom critical");
	assert_int_equal(f->state.custom_count, 0);
	free_fixture(f);
}

static void errors_of_a_failed_run_are_a_slot_of_what_is_about_errors(void **unused)
{
	static const struct custom_rule of_errors = {
		.when = { .measure = CONDITION_ERRORS },
		.hold = { 1, 1 },
		.clear_runs = 2,
		.level = ALARM_WARNING,
	};
	static const struct custom_rule of_average = {
		.when = { .measure = CONDITION_AVG, .value = 1 },
		.hold = { 1, 1 },
		.clear_runs = 2,
		.level = ALARM_WARNING,
	};
	static const struct alarm_user_rule users[] = {
		{ .name = "errors", .rule = &of_errors },
		{ .name = "average", .rule = &of_average },
	};
	struct fixture *f = new_fixture();
	struct run *run = new_run(f);

	(void)unused;
	f->user_rules = users;
	f->user_rule_count = 2;
	run->status = RUN_ERROR;
	run->operations[RUN_READ].errors = 3;
	take(f, run, false);
	assert_string_equal(f->outcome.events[0].alarm, "errors");
	assert_int_equal(f->outcome.events[0].evidence.value, 3);
	assert_events(f, "opened custom warning");
	f->user_rule_count = 1;
	slots(f, 1, 4);
	assert_events(f, "");
	slots(f, 1, 4);
	assert_events(f, "cleared custom warning");
	free_fixture(f);
}

static void as_many_alarms_of_the_user_as_there_may_be_fire_at_once(void **unused)
{
	static const struct custom_rule rule = {
		.when = { .measure = CONDITION_AVG, .value = 1 },
		.hold = { 1, 1 },
		.clear_runs = 2,
		.level = ALARM_WARNING,
	};
	static char names[ALARM_CUSTOMS_MAX][8];
	static struct alarm_user_rule users[ALARM_CUSTOMS_MAX];
	struct fixture *f = new_fixture();

	(void)unused;
	for (size_t i = 0; i < ALARM_CUSTOMS_MAX; i++) {
		(void)snprintf(names[i], sizeof(names[i]), "%zu", i);
		users[i] = (struct alarm_user_rule){ .name = names[i], .rule = &rule };
	}
	f->user_rules = users;
	f->user_rule_count = ALARM_CUSTOMS_MAX;
	slots(f, 1, 4);
	assert_int_equal(f->outcome.event_count, ALARM_CUSTOMS_MAX);
	for (size_t i = 0; i < ALARM_CUSTOMS_MAX; i++)
		assert_string_equal(f->outcome.events[i].alarm, names[i]);
	free_fixture(f);
}

TEST_MAIN(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alarm_of_the_user_is_an_incident_until_it_clears_or_goes),
		cmocka_unit_test(an_alarm_that_is_about_the_other_operation_now_ends_what_it_said),
		cmocka_unit_test(errors_of_a_failed_run_are_a_slot_of_what_is_about_errors),
		cmocka_unit_test(as_many_alarms_of_the_user_as_there_may_be_fire_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
