/* SPDX-License-Identifier: Apache-2.0 */
/* The [alarm NAME] sections: their resolved rules, and each mistake as one line with its place. */
#include "config_test.h"

#include "alarm/custom.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"

#define HOME "[repository a]\npath = /a\n[repository b]\npath = /b\nprobes = restore\n"
#define WHEN "[alarm x]\nwhen = write avg > 50ms\n"

static void an_alarm_has_what_its_section_says(void **state)
{
	struct config *config = load_text(HOME "[alarm slow-tail]\n"
					       "repository = b, a\nprobe = restore\n"
					       "when = read p99 > 50ms\nhold = 3 of 9\n"
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
	assert_int_equal(rule->hold.window, 9);
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

/* Of HOME's probes active-full has 120 measured writes, heartbeat 96 of each, restore 120 reads. */
static void where_a_percentile_is_never_judged_is_told(void **state)
{
	static const struct {
		const char *text;
		const char *told;
	} cases[] = {
		{ "when = write p99 > 50ms\nprobe = active-full\n",
			"alarm x is never judged on active-full: p99 takes 1000 I/Os, and a run has 120; "
			"hold = N of 9 would do\n" },
		{ "when = p99 > 50ms\nrepository = a\nprobe = heartbeat\nhold = 2 of 10\n",
			"alarm x is never judged on heartbeat: p99 takes 1000 I/Os, and a run has 96; "
			"hold = N of 11 would do\n" },
		{ "when = read p99.9 > 50ms\nprobe = restore\nhold = 2 of 32\n",
			"alarm x is never judged on restore: p99.9 takes 10000 I/Os, and a run has 120; "
			"only a longer run would do\n" },
		{ "when = avg > 50ms\nprobe = restore\nhold = 1 of 1\nclear = p95 < 40ms\n",
			"alarm x is never cleared on restore: p95 takes 200 I/Os, and a run has 120; "
			"hold = N of 2 would do\n" },
		{ "when = write p99 > 50ms\nprobe = active-full\nhold = 2 of 9\n", "" },
		{ "when = p99 > 50ms\nprobe = heartbeat\nhold = 1 of 11\n", "" },
		{ "when = p95 > 50ms\n", "" },
		{ "when = max > 5s\nhold = 1 of 1\n", "" },
		{ "when = p99 > 50ms\nprobe = random-4k\nhold = 1 of 1\n"
		  "[repository c]\npath = /c\nprobes = random-4k\n",
			"" },
		{ "when = p99.9 > 50ms\nprobe = by-time\nhold = 1 of 1\n"
		  "[probe by-time]\nmax_bytes = 0\n[repository c]\npath = /c\nprobes = by-time\n"
		  "daily_write_budget = 0\n",
			"" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = BUF_INIT(4096);
		struct buf told = BUF_INIT(4096);

		buf_printf(&text, HOME "[alarm x]\n%s", cases[i].text);
		struct config *config = load_text(buf_text(&text));
		config_describe_silence(config, &config->alarms[0], &told);
		assert_string_equal(buf_text(&told), cases[i].told);
		config_free(config);
		buf_done(&told);
		buf_done(&text);
	}
}

static void a_probe_of_many_repositories_is_told_once(void **state)
{
	struct config *config = load_text(HOME "[repository c]\npath = /c\n"
					       "[alarm x]\nwhen = write p99 > 50ms\n");
	struct buf told = BUF_INIT(4096);

	(void)state;
	config_describe_silence(config, &config->alarms[0], &told);
	assert_string_equal(buf_text(&told),
		"alarm x is never judged on active-full: p99 takes 1000 I/Os, and a run has 120; "
		"hold = N of 9 would do\n"
		"alarm x is never judged on heartbeat: p99 takes 1000 I/Os, and a run has 96; "
		"hold = N of 11 would do\n");
	config_free(config);
	buf_done(&told);
}

/* The blocks of docs/alarms.md. */
static void what_is_there_to_copy_is_accepted_and_judged(void **state)
{
	static const char fence[] = "```ini\n";
	struct buf page = BUF_INIT(1 << 20);
	struct buf all = BUF_INIT(1 << 20);
	struct buf silent = BUF_INIT(4096);
	size_t count = 0;

	(void)state;
	assert_int_equal(fd_read_file(ALARMS_MD, &page), 0);
	buf_add_text(&all, "[repository a]\npath = /a\n");
	for (const char *at = buf_text(&page); (at = strstr(at, fence)) != NULL; count++) {
		at += strlen(fence);
		const char *end = strstr(at, "```");
		assert_non_null(end);
		buf_add(&all, at, (size_t)(end - at));
	}
	struct config *config = load_text(buf_text(&all));
	assert_true(count >= 6);
	assert_int_equal(config->alarm_count, count);
	for (size_t i = 0; i < count; i++)
		config_describe_silence(config, &config->alarms[i], &silent);
	assert_string_equal(buf_text(&silent), "");
	config_free(config);
	buf_done(&silent);
	buf_done(&all);
	buf_done(&page);
}

static void bad_alarms_are_one_line_each(void **state)
{
	static const struct {
		const char *text;
		const char *sentence;
	} cases[] = {
		{ "[alarm x]\n",
			"a.conf:6: [alarm x] has no when; expected one such as when = write p99" },
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
		{ WHEN "repository = bb\nprobe = restore\n",
			"a.conf:8: repository: there is no [repository bb]" },
		{ WHEN "repository = a\nprobe = restore\n",
			"a.conf:9: probe: no repository of the alarm is probed with restore" },
		{ "[alarm x]\nwhen = read avg > 1s\nprobe = active-full\n",
			"a.conf:7: when: no probe of the alarm ever does a read; expected one with " },
		{ "[alarm x]\nwhen = write avg > 1s\nrepository = b\n",
			"a.conf:7: when: no probe of the alarm ever does a write; expected one with " },
		{ WHEN "clear = read avg < 9ms\n", "a.conf:8: clear: read: when is about write; " },
		{ "[alarm x]\nwhen = avg > 5ms\nclear = read avg < 4ms\n",
			"a.conf:8: clear: when is about reads and writes, each by itself; " },
		{ "[alarm x]\nwhen = max > x2 normal\n", "a.conf:7: when: column 7: there is no " },
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

static void a_mistake_in_a_rule_is_marked(void **state)
{
	static const struct {
		const char *text;
		const char *mark;
	} cases[] = {
		{ "[alarm x]\nwhen =   write p98 > 50ms\n",
			"  when = write p98 > 50ms\n               ^" },
		{ "[alarm x]\nwhen = avg >\n", "  when = avg >\n              ^" },
		{ WHEN "clear = p99 < 50\n", "  clear = p99 < 50\n                ^" },
		{ WHEN "hold = 4 of 3\n", NULL },
		{ WHEN "when = avg > 1s\n", NULL },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf text = BUF_INIT(4096);
		struct config_errors errors;
		struct config *config = NULL;

		buf_printf(&text, HOME "%s", cases[i].text);
		int r = config_load_text(
			"a.conf", buf_text(&text), text.len, NULL, &config, &errors);
		assert_int_equal(r, -EINVAL);
		assert_int_equal(errors.count, 1);
		if (cases[i].mark)
			assert_string_equal(errors.marks[0], cases[i].mark);
		else
			assert_null(errors.marks[0]);
		config_errors_done(&errors);
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
		"[alarm x]\nwhen = write avg > 50ms\nhold = 3 of 4\nload = idle\n"));
	config = load_text(buf_text(&shown));
	assert_int_equal(config->alarms[0].rule->hold.window, 4);
	assert_int_equal(config->alarms[0].rule->load, CUSTOM_LOAD_IDLE);
	config_free(config);
	buf_done(&shown);
}

TEST_MAIN(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_alarm_has_what_its_section_says),
		cmocka_unit_test(an_alarm_with_a_condition_alone_has_the_defaults),
		cmocka_unit_test(where_a_percentile_is_never_judged_is_told),
		cmocka_unit_test(a_probe_of_many_repositories_is_told_once),
		cmocka_unit_test(what_is_there_to_copy_is_accepted_and_judged),
		cmocka_unit_test(bad_alarms_are_one_line_each),
		cmocka_unit_test(a_mistake_in_a_rule_is_marked),
		cmocka_unit_test(a_repository_is_watched_by_a_bounded_number),
		cmocka_unit_test(what_is_shown_means_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
