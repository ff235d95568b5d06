/* SPDX-License-Identifier: Apache-2.0 */
/* The [alarm NAME] sections: what they come to, and each mistake as one line that says where. */
#include "config_test.h"

#include "alarm/custom.h"
#include "base/buf.h"
#include "base/clock.h"

#define HOME "[repository a]\npath = /a\n[repository b]\npath = /b\nprobes = restore\n"
#define WHEN "[alarm x]\nwhen = write p99 > 50ms\n"

static void an_alarm_has_what_its_section_says(void **state)
{
	struct config *config = load_text(HOME "[alarm slow-tail]\n"
					       "repository = b, a\nprobe = restore\n"
					       "when = read p99 > 50ms\nhold = 3 of 5\n"
					       "clear = read p99 < 40ms for 9\n"
					       "level = critical\nload = busy\n");
	const struct config_alarm *alarm = &config->alarms[0];
	const struct custom_rule *rule = alarm->rule;

	(void)state;
	assert_int_equal(config->alarm_count, 1);
	assert_string_equal(alarm->name, "slow-tail");
	assert_true(config_alarm_applies(alarm, "b", "restore"));
	assert_false(config_alarm_applies(alarm, "b", "heartbeat"));
	assert_false(config_alarm_applies(alarm, "c", "restore"));
	assert_true(rule->when.has_operation);
	assert_int_equal(rule->when.operation, RUN_READ);
	assert_int_equal(rule->when.measure, CONDITION_P99);
	assert_int_equal(rule->when.value, 50 * NSEC_PER_MSEC);
	assert_int_equal(rule->hold.hits, 3);
	assert_int_equal(rule->hold.window, 5);
	assert_true(rule->has_clear);
	assert_true(rule->clear.is_below);
	assert_int_equal(rule->clear_runs, 9);
	assert_int_equal(rule->level, ALARM_CRITICAL);
	assert_int_equal(rule->load, CUSTOM_LOAD_BUSY);
	config_free(config);
}

static void an_alarm_with_a_condition_alone_has_the_defaults(void **state)
{
	struct config *config = load_text(HOME "[alarm weak]\nwhen = throughput < x0.5 normal\n");
	const struct custom_rule *rule = config->alarms[0].rule;

	(void)state;
	assert_true(config_alarm_applies(&config->alarms[0], "whatever", "heartbeat"));
	assert_false(rule->when.has_operation);
	assert_true(rule->when.is_relative);
	assert_int_equal(rule->when.value, 500);
	assert_int_equal(rule->hold.hits, 2);
	assert_int_equal(rule->hold.window, 3);
	assert_false(rule->has_clear);
	assert_int_equal(rule->clear_runs, 6);
	assert_int_equal(rule->level, ALARM_WARNING);
	assert_int_equal(rule->load, CUSTOM_LOAD_ANY);
	config_free(config);
}

static void bad_alarms_are_one_line_each(void **state)
{
	static const struct {
		const char *text;
		const char *sentence;
	} cases[] = {
		{ "[alarm x]\n",
			"a.conf:6: [alarm x] does not say when; expected such as when = write p99" },
		{ "[alarm limit]\nwhen = avg > 5ms\n",
			"a.conf:6: [alarm limit]: there is an alarm of that name already" },
		{ "[alarm x]\nwhen = write p98 > 50ms\n", "a.conf:7: when: column 7: " },
		{ "[alarm x]\nwhen = avg > 50\n", "a.conf:7: when: column 7: " },
		{ WHEN "hold = 3\n", "a.conf:8: hold: expected N of M, as in 2 of 3" },
		{ WHEN "hold = 4 of 3\n", "a.conf:8: hold: 4 of 3: there are no 4 in 3" },
		{ WHEN "clear = p99 << 1ms\n", "a.conf:8: clear: column " },
		{ WHEN "level = bad\n", "a.conf:8: level: bad: expected warning or critical" },
		{ WHEN "load = idel\n",
			"a.conf:8: load: idel: expected any, idle or busy; did you mean idle?" },
		{ WHEN "probe = restor\n",
			"a.conf:8: probe: no repository is probed with restor; did you mean restore?" },
		{ WHEN "repository = bb\n", "a.conf:8: repository: there is no [repository bb]" },
		{ WHEN "limit = 3ms\n", "a.conf:8: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = BUF_INIT(4096);
		buf_printf(&text, HOME "%s", cases[i].text);
		assert_refused(buf_text(&text), cases[i].sentence);
		buf_done(&text);
	}
}

/* Two probes of the defaults: active-full only writes, heartbeat reads too. */
static void a_repository_is_watched_by_a_bounded_number(void **state)
{
	struct buf text = BUF_INIT(1 << 16);

	(void)state;
	buf_add_text(&text, "[repository a]\npath = /a\n");
	for (int i = 0; i < 21; i++)
		buf_printf(&text, "[alarm n%d]\nwhen = avg > 50ms\n", i);
	config_free(load_text(buf_text(&text)));
	buf_add_text(&text, "[alarm last]\nwhen = write avg > 50ms\n");
	assert_refused(buf_text(&text),
		"a.conf:1: [repository a]: its alarms watch 65 series; expected at most 64");
	buf_done(&text);
}

static void what_is_shown_means_the_same(void **state)
{
	struct config *config = load_text(HOME WHEN "hold = 3 of 4\nload = idle\n");
	struct buf shown = BUF_INIT(1 << 16);

	(void)state;
	config_show(config, &shown);
	config_free(config);
	assert_non_null(strstr(buf_text(&shown),
		"[alarm x]\nwhen = write p99 > 50ms\nhold = 3 of 4\nload = idle\n"));
	config = load_text(buf_text(&shown));
	assert_int_equal(config->alarms[0].rule->hold.window, 4);
	assert_int_equal(config->alarms[0].rule->load, CUSTOM_LOAD_IDLE);
	config_free(config);
	buf_done(&shown);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alarm_has_what_its_section_says),
		cmocka_unit_test(an_alarm_with_a_condition_alone_has_the_defaults),
		cmocka_unit_test(bad_alarms_are_one_line_each),
		cmocka_unit_test(a_repository_is_watched_by_a_bounded_number),
		cmocka_unit_test(what_is_shown_means_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
