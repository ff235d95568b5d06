/* SPDX-License-Identifier: Apache-2.0 */
/* The effective configuration is shown as a configuration file that loads as the same
 * configuration. */
#include "config_test.h"

#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "model/workload.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define SHOWN_MAX (1U << 22)

static char *show(const struct config *config)
{
	struct buf b = BUF_INIT(SHOWN_MAX);
	char *text = NULL;

	config_show(config, &b);
	assert_int_equal(buf_take(&b, &text, NULL), 0);
	return text;
}

static void assert_same_list(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	assert_int_equal(a_count, b_count);
	for (size_t i = 0; i < a_count; i++)
		assert_string_equal(a[i], b[i]);
}

/* Structs may have padding: each option is compared as text, the only way to set it. */
static void assert_same_workload(const struct workload *a, const struct workload *b)
{
	for (size_t i = 0; workload_option_at(i); i++) {
		const struct workload_option *option = workload_option_at(i);
		struct buf a_value = BUF_INIT(256);
		struct buf b_value = BUF_INIT(256);

		if (!option->is_available)
			continue;
		assert_int_equal(workload_get(a, option->key, &a_value), 0);
		assert_int_equal(workload_get(b, option->key, &b_value), 0);
		assert_string_equal(buf_text(&a_value), buf_text(&b_value));
		buf_done(&a_value);
		buf_done(&b_value);
	}
}

static void assert_same_probe(const struct config_probe *a, const struct config_probe *b)
{
	assert_string_equal(a->name, b->name);
	assert_same_workload(&a->workload, &b->workload);
	assert_int_equal(a->interval_usec, b->interval_usec);
	assert_string_equal(a->schedule ? calendar_text(a->schedule) : "",
		b->schedule ? calendar_text(b->schedule) : "");
	assert_int_equal(a->limit.limit_nsec, b->limit.limit_nsec);
	assert_int_equal(a->limit.limit_critical_nsec, b->limit.limit_critical_nsec);
	assert_string_equal(a->limit_reason, b->limit_reason);
}

static void assert_same_repository(
	const struct config_repository *a, const struct config_repository *b)
{
	assert_string_equal(a->name, b->name);
	assert_string_equal(a->path, b->path);
	assert_string_equal(a->probe_directory, b->probe_directory);
	assert_int_equal(a->is_mount_auto, b->is_mount_auto);
	assert_int_equal(a->requires_mount, b->requires_mount);
	assert_string_equal(a->expect_fstype, b->expect_fstype);
	assert_string_equal(a->expect_source, b->expect_source);
	assert_int_equal(a->min_free_bytes, b->min_free_bytes);
	assert_int_equal(a->min_free_percent, b->min_free_percent);
	assert_int_equal(a->keep_file, b->keep_file);
	assert_int_equal(a->is_splay_auto, b->is_splay_auto);
	assert_int_equal(a->splay_usec, b->splay_usec);
	assert_int_equal(a->file_target_bytes, b->file_target_bytes);
	assert_int_equal(a->probe_count, b->probe_count);
	for (size_t i = 0; i < a->probe_count; i++)
		assert_same_probe(&a->probes[i], &b->probes[i]);
}

/* Everything except the files' names. */
static void assert_same(const struct config *a, const struct config *b)
{
	assert_string_equal(a->state_directory, b->state_directory);
	assert_string_equal(a->runtime_directory, b->runtime_directory);
	assert_int_equal(a->parallel_runs, b->parallel_runs);
	assert_int_equal(a->log_level, b->log_level);
	assert_same_list(a->listen, a->listen_count, b->listen, b->listen_count);
	assert_same_list(
		a->allowed_hosts, a->allowed_host_count, b->allowed_hosts, b->allowed_host_count);
	assert_int_equal(a->max_connections, b->max_connections);
	assert_string_equal(a->external_url, b->external_url);
	assert_int_equal(a->repository_count, b->repository_count);
	for (size_t i = 0; i < a->repository_count; i++)
		assert_same_repository(&a->repositories[i], &b->repositories[i]);
}

static void assert_round_trip(const char *text, const struct config_overrides *overrides)
{
	struct config *config = load_text_over(text, overrides);
	char *shown = show(config);
	struct config *again = load_text(shown);
	char *shown_again = show(again);

	assert_same(config, again);
	assert_string_equal(shown, shown_again);
	free(shown);
	free(shown_again);
	config_free(config);
	config_free(again);
}

static void what_is_shown_reads_back_as_the_same(void **state)
{
	static const char *const texts[] = {
		"",
		"[daemon]\nstate_directory = /srv/s\nparallel_runs = 5\nlog_level = debug\n",
		"[daemon]\nstate_directory = /srv/s\nruntime_directory = /run/s\n",
		"[http]\nlisten =\nallowed_hosts = a.example.org,b\nexternal_url = https://a/b\n"
		"max_connections = 9\n",
		"[repository a]\npath = /a\n",
		"[defaults]\nschedule = Mon..Fri 20:00 UTC\n"
		"[repository a]\npath = /a\nschedule =\n[repository b]\npath = /b\ninterval = 1h\n"
		"[repository c]\npath = /c\n",
		/* The same probes inherit differently at each repository. */
		"[defaults]\ninterval = 7min\nlimit = 11ms\n"
		"[repository a]\npath = /a\ninterval = 10min\nlimit = auto\n"
		"[repository b]\npath = /b\nlimit_critical = 90ms\n"
		"[repository c]\npath = /c\nprobes = p, heartbeat, q\nsplay = 5s\nmin_free = 3G\n"
		"require_mount = yes\nexpect_fstype = nfs\nexpect_source = nas1:/e\n"
		"[probe p]\npreset = transform\ninterval = 9min\nlimit = 8ms\n"
		"[probe q]\npreset = random-4k\n",
		"[probe p]\nwarmup = 2s\nmax_bytes = 0\nmax_ios = 1000\nduration = 3min\nseed = 5\n"
		"pattern = mixed:30\ncontent = compressible:40\nfile_size = 3G\ncache = dsync\n"
		"[probe heartbeat]\nschedule = Sat,Sun *-*~07/1 02:30 UTC\nblock_size = 8K\npattern = random:4K\ntimeout = 90s\n"
		"[repository the big one]\npath = /big one\nprobes = p, heartbeat, active-full\n"
		"keep_file = no\nprobe_directory = /big one/x\n",
	};

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++)
		assert_round_trip(texts[i], NULL);
}

static void the_command_line_s_values_are_shown_too(void **state)
{
	static const char *const listen[] = { "127.0.0.1:0", "[::1]:1" };
	static const char *const repositories[] = { "a=relative/x", "b=/b=b" };
	static const struct config_overrides overrides = {
		.state_directory = "here",
		.listen = listen,
		.listen_count = 2,
		.repositories = repositories,
		.repository_count = 2,
	};

	(void)state;
	assert_round_trip("[repository a]\npath = /a\nprobes = restore\n", &overrides);
}

static void the_longest_values_still_fit_into_a_line(void **state)
{
	struct buf text = BUF_INIT(1 << 20);

	(void)state;
	buf_add_text(&text, "[http]\nexternal_url=http://");
	while (text.len < 8000)
		buf_add_char(&text, 'x');
	buf_add_text(&text, "\n[defaults]\nlimit_critical=");
	for (int i = 0; i < 8000; i++)
		buf_add_char(&text, '0');
	buf_add_text(&text, "60ms\n[repository r]\npath = /r\n");
	assert_round_trip(buf_text(&text), NULL);
	buf_done(&text);
}

static void a_value_that_could_not_be_shown_again_is_refused(void **state)
{
	struct buf text = BUF_INIT(1 << 20);

	(void)state;
	buf_add_text(&text, "[http]\nexternal_url=http://");
	while (text.len < 8192)
		buf_add_char(&text, 'x');
	assert_refused(
		buf_text(&text), "a.conf:2: external_url: the value is too long; expected at most");
	buf_done(&text);
}

static void what_holds_for_a_probe_is_said_beside_it(void **state)
{
	struct config *config =
		load_text("[repository a]\npath = /a\nprobes = p, heartbeat\nlimit = 12ms\n"
			  "[probe p]\nlimit = 0\nmax_bytes = 0\n"
			  "[defaults]\ndaily_write_budget = 0\n");
	char *shown = show(config);

	(void)state;
	assert_non_null(strstr(shown, "\n# from a.conf\n"));
	assert_non_null(strstr(shown,
		"\n[repository a]\n# p: every 5min; 512K write, sequential, depth 2, "
		"direct+dsync; no limit (0s given in [probe p])\n"
		"# heartbeat: every 1min; "));
	assert_non_null(
		strstr(shown, "; limit 12ms, critical 24ms (12ms given in [repository a])\n"));
	assert_non_null(strstr(shown, "# a day: no bound written, 563 MiB read\n"));
	free(shown);
	config_free(config);
	config = load_text("[defaults]\nschedule = 18:00 UTC\n[repository a]\npath = /a\n"
			   "probes = restore\n");
	shown = show(config);
	assert_non_null(strstr(shown, "\n# restore: at *-*-* 18:00:00 UTC; "));
	assert_non_null(strstr(shown, "\nschedule = 18:00 UTC\n"));
	assert_null(strstr(shown, "\ninterval ="));
	assert_non_null(strstr(shown, "# a day: 0 B written, 64 MiB read\n"));
	free(shown);
	config_free(config);
}

static void a_file_s_name_cannot_break_out_of_its_comment(void **state)
{
	struct config_errors errors;
	struct config *config = NULL;

	(void)state;
	assert_int_equal(config_load_text("a\n[x]\n.conf", "", 0, NULL, &config, &errors), 0);
	char *shown = show(config);
	assert_non_null(strstr(shown, "# from a [x] .conf\n"));
	free(shown);
	config_free(config);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_shown_reads_back_as_the_same),
		cmocka_unit_test(the_command_line_s_values_are_shown_too),
		cmocka_unit_test(the_longest_values_still_fit_into_a_line),
		cmocka_unit_test(a_value_that_could_not_be_shown_again_is_refused),
		cmocka_unit_test(what_holds_for_a_probe_is_said_beside_it),
		cmocka_unit_test(a_file_s_name_cannot_break_out_of_its_comment),
	};

	return cmocka_run_group_tests_name("show", tests, NULL, NULL);
}
