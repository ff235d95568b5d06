/* SPDX-License-Identifier: Apache-2.0 */
/* User-defined rules: parsed from text, and judged on runs. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>

#include "alarm/custom.h"
#include "alarm/octave.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"

static struct condition condition_of(const char *text)
{
	struct condition condition;
	struct error error = { "" };

	if (condition_parse_relative(text, &condition, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	return condition;
}

static void a_factor_of_the_normal_is_read_and_written(void **unused)
{
	static const struct {
		const char *text;
		const char *again;
	} cases[] = {
		{ "avg > x2 normal", "avg > x2 normal" },
		{ "write p99 > x1.50  normal", "write p99 > x1.5 normal" },
		{ "throughput < x0.5 normal", "throughput < x0.5 normal" },
		{ "iops<x0.025 normal", "iops < x0.025 normal" },
		{ "avg > 15ms", "avg > 15ms" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition condition = condition_of(cases[i].text);
		struct buf again = BUF_INIT(128);
		condition_format(&condition, &again);
		assert_string_equal(buf_text(&again), cases[i].again);
		buf_done(&again);
	}
}

static void what_is_no_factor_is_pointed_at(void **unused)
{
	static const struct {
		const char *text;
		int error;
		const char *says;
	} cases[] = {
		{ "avg > x2 usual", -EINVAL,
			"column 7: expected a factor and the word normal, as in x2 normal; got "
			"\"x2 usual\"" },
		{ "max > x2 normal", -EINVAL, "column 7: there is no normal of max" },
		{ "avg > x0 normal", -ERANGE,
			"column 7: \"x0 normal\": expected a factor from 0.001 to 1000" },
		{ "avg > x9999 normal", -ERANGE,
			"column 7: \"x9999 normal\": expected a factor from 0.001 to 1000" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct condition condition;
		struct error error = { "" };
		assert_int_equal(condition_parse_relative(cases[i].text, &condition, &error),
			cases[i].error);
		assert_string_equal(error.text, cases[i].says);
	}
}

static void hold_and_clear_are_read(void **unused)
{
	struct rule_hold hold;
	struct condition clear;
	struct error error;
	uint8_t runs;

	(void)unused;
	assert_int_equal(custom_parse_hold("2 of 3", &hold, &error), 0);
	assert_int_equal(hold.hits, 2);
	assert_int_equal(hold.window, 3);
	assert_int_equal(custom_parse_hold("3", &hold, &error), -EINVAL);
	assert_int_equal(custom_parse_hold("0 of 3", &hold, &error), -ERANGE);
	assert_int_equal(custom_parse_hold("4 of 3", &hold, &error), -ERANGE);
	assert_int_equal(custom_parse_hold("2 of 33", &hold, &error), -ERANGE);
	assert_int_equal(custom_parse_clear("avg < 10ms for 4", &clear, &runs, &error), 0);
	assert_int_equal(runs, 4);
	assert_int_equal(clear.value, 10000000);
	assert_int_equal(custom_parse_clear("avg < 10ms", &clear, &runs, &error), 0);
	assert_int_equal(runs, 6);
	assert_true(custom_parse_clear("avg < 10ms for ever", &clear, &runs, &error) < 0);
	assert_true(custom_parse_clear("avg <", &clear, &runs, &error) < 0);
}

static enum custom_change step_in(const struct custom_rule *rule, struct alarm_rule_state *state,
	const struct baseline *baseline, enum load_class load, uint64_t msec, int ios)
{
	struct run *run = run_new("r", "p");

	assert_non_null(run);
	run->measured_nsec = NSEC_PER_SEC;
	for (int i = 0; i < ios; i++)
		histogram_add(&run->operations[RUN_WRITE].latency, msec * NSEC_PER_MSEC);
	run->operations[RUN_WRITE].ios = (uint64_t)ios;
	const struct custom_input input = {
		.run = run,
		.operation = RUN_WRITE,
		.window = &run->operations[RUN_WRITE].latency,
		.baseline = baseline,
		.load = load,
		.now_usec = 7,
	};
	enum custom_change change = custom_step(rule, state, &input);
	free(run);
	return change;
}

static void a_rule_fires_when_held_and_clears_by_its_own_condition(void **unused)
{
	const struct custom_rule rule = {
		.when = condition_of("avg > 20ms"),
		.clear = condition_of("avg < 10ms"),
		.has_clear = true,
		.clear_runs = 2,
		.hold = { 2, 3 },
		.level = ALARM_CRITICAL,
	};
	struct alarm_rule_state state = { .bits = 0 };
	static const struct {
		uint64_t msec;
		enum custom_change change;
	} steps[] = { { 21, CUSTOM_NOTHING }, { 5, CUSTOM_NOTHING }, { 5, CUSTOM_NOTHING },
		{ 21, CUSTOM_NOTHING }, { 20, CUSTOM_NOTHING }, { 21, CUSTOM_FIRED },
		{ 15, CUSTOM_NOTHING }, { 9, CUSTOM_NOTHING }, { 10, CUSTOM_NOTHING },
		{ 9, CUSTOM_NOTHING }, { 9, CUSTOM_CLEARED }, { 21, CUSTOM_NOTHING } };

	(void)unused;
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++)
		assert_int_equal(step_in(&rule, &state, NULL, LOAD_IDLE, steps[i].msec, 10),
			steps[i].change);
}

static void load_and_too_few_ios_are_not_judged(void **unused)
{
	struct custom_rule rule = {
		.when = condition_of("write p99 > 20ms"),
		.clear_runs = 1,
		.hold = { 1, 1 },
		.level = ALARM_WARNING,
		.load = CUSTOM_LOAD_BUSY,
	};
	struct alarm_rule_state state = { .bits = 0 };

	(void)unused;
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_IDLE, 30, 1000), CUSTOM_NOTHING);
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_UNKNOWN, 30, 1000), CUSTOM_NOTHING);
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_LIGHT, 30, 999), CUSTOM_NOTHING);
	assert_int_equal(state.slots, 0);
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_LIGHT, 30, 1000), CUSTOM_FIRED);
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_HEAVY, 5, 1000), CUSTOM_CLEARED);
	rule.when = condition_of("read p99 > 20ms");
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_HEAVY, 30, 1000), CUSTOM_NOTHING);
}

static void a_factor_is_of_the_normal_at_this_load(void **unused)
{
	const struct custom_rule rule = {
		.when = condition_of("avg > x2 normal"),
		.clear_runs = 1,
		.hold = { 1, 1 },
		.level = ALARM_WARNING,
	};
	struct baseline *b = calloc(1, sizeof(*b));
	struct alarm_rule_state state = { .bits = 0 };

	(void)unused;
	assert_non_null(b);
	assert_int_equal(step_in(&rule, &state, NULL, LOAD_IDLE, 30, 10), CUSTOM_NOTHING);
	assert_int_equal(step_in(&rule, &state, b, LOAD_IDLE, 30, 10), CUSTOM_NOTHING);
	b->normals[BASELINE_AVERAGE][LOAD_IDLE].count = 100;
	b->normals[BASELINE_AVERAGE][LOAD_IDLE].median = octave_from(4000000);
	assert_int_equal(step_in(&rule, &state, b, LOAD_IDLE, 7, 10), CUSTOM_NOTHING);
	assert_int_equal(step_in(&rule, &state, b, LOAD_HEAVY, 30, 10), CUSTOM_NOTHING);
	assert_int_equal(step_in(&rule, &state, b, LOAD_IDLE, 9, 10), CUSTOM_FIRED);
	free(b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_factor_of_the_normal_is_read_and_written),
		cmocka_unit_test(what_is_no_factor_is_pointed_at),
		cmocka_unit_test(hold_and_clear_are_read),
		cmocka_unit_test(a_rule_fires_when_held_and_clears_by_its_own_condition),
		cmocka_unit_test(load_and_too_few_ios_are_not_judged),
		cmocka_unit_test(a_factor_is_of_the_normal_at_this_load),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
