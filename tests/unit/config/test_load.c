/* SPDX-License-Identifier: Apache-2.0 */
/* Files, conf.d and the command line: the order of reading, and how errors are reported. */
#include "config_test.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define PATH_BYTES 256

/* A directory with the test's own files. */
struct place {
	char directory[64];
	char path[PATH_BYTES]; /* of the main file */
};

static void make_path(const struct place *p, const char *name, char path[PATH_BYTES])
{
	int len = snprintf(path, PATH_BYTES, "%s/%s", p->directory, name);

	assert_true(len > 0 && len < PATH_BYTES);
}

static void write_file(const struct place *p, const char *name, const char *text)
{
	char path[PATH_BYTES];

	make_path(p, name, path);
	assert_int_equal(fd_replace_file(path, 0644, text, strlen(text)), 0);
}

static int set_up(void **state)
{
	struct place *p = calloc(1, sizeof(*p));
	char conf_d[PATH_BYTES];

	assert_non_null(p);
	(void)snprintf(p->directory, sizeof(p->directory), "/tmp/repoprobe-config-XXXXXX");
	assert_non_null(mkdtemp(p->directory));
	make_path(p, "main.conf", p->path);
	make_path(p, "conf.d", conf_d);
	assert_int_equal(mkdir(conf_d, 0755), 0);
	*state = p;
	return 0;
}

static int tear_down(void **state)
{
	static const char *const names[] = { "main.conf", "conf.d/a.conf", "conf.d/b.conf",
		"conf.d/10.conf", "conf.d/9.conf", "conf.d/.hidden.conf", "conf.d/a.conf.bak",
		"conf.d/.conf" };
	struct place *p = *state;
	char path[PATH_BYTES];

	for (size_t i = 0; i < COUNT(names); i++) {
		make_path(p, names[i], path);
		(void)unlink(path); /* each test has only some of them */
	}
	make_path(p, "conf.d/dir.conf", path);
	(void)rmdir(path); /* one test has it */
	make_path(p, "conf.d", path);
	(void)rmdir(path); /* one test has none */
	assert_int_equal(rmdir(p->directory), 0);
	free(p);
	return 0;
}

static struct config *load(const struct place *p, const struct config_overrides *overrides)
{
	struct config_errors errors;
	struct config *config = NULL;
	int r = config_load(p->path, true, overrides, &config, &errors);

	if (r < 0)
		fail_msg("answered %d: %s", r, errors.lines[0] ? errors.lines[0] : "");
	return config;
}

static void assert_load_refused(const struct place *p, const char *const *expected, size_t count)
{
	struct config_errors errors;
	struct config *config = NULL;

	assert_int_equal(config_load(p->path, true, NULL, &config, &errors), -EINVAL);
	assert_null(config);
	assert_lines(&errors, expected, count);
	config_errors_done(&errors);
}

static void the_main_file_and_then_conf_d_are_read_in_name_order(void **state)
{
	static const char *const names[] = { "main.conf", "conf.d/10.conf", "conf.d/9.conf",
		"conf.d/a.conf" };
	const struct place *p = *state;
	char path[PATH_BYTES];

	write_file(p, "main.conf", "[repository m]\npath = /m\n");
	write_file(p, "conf.d/a.conf", "[repository a]\npath = /a\n");
	write_file(p, "conf.d/9.conf", "[repository 9]\npath = /9\n");
	write_file(
		p, "conf.d/10.conf", "[repository 10]\npath = /10\n[daemon]\nlog_level = debug\n");
	write_file(p, "conf.d/a.conf.bak", "nonsense");
	write_file(p, "conf.d/.hidden.conf", "nonsense");
	write_file(p, "conf.d/.conf", "nonsense");
	struct config *config = load(p, NULL);
	assert_int_equal(config->file_count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		make_path(p, names[i], path);
		assert_string_equal(config->files[i], path);
	}
	assert_int_equal(config->repository_count, 4);
	assert_string_equal(config->repositories[0].name, "m");
	assert_string_equal(config->repositories[1].name, "10");
	assert_string_equal(config->repositories[2].name, "9");
	assert_string_equal(config->repositories[3].name, "a");
	assert_int_equal(config->log_level, LOG_LEVEL_DEBUG);
	config_free(config);
}

static void sections_of_one_file_are_known_in_the_others(void **state)
{
	const struct place *p = *state;

	write_file(p, "main.conf", "[repository m]\npath = /m\nprobes = deep\n");
	write_file(p, "conf.d/a.conf", "[probe deep]\nmax_bytes = 1G\n");
	struct config *config = load(p, NULL);
	assert_string_equal(config->repositories[0].probes[0].name, "deep");
	assert_int_equal(config->repositories[0].probes[0].workload.max_bytes, UINT64_C(1) << 30);
	config_free(config);
}

static void a_missing_file_is_an_error_only_when_it_is_required(void **state)
{
	const struct place *p = *state;
	struct config_errors errors;
	struct config *config = NULL;
	char line[PATH_BYTES * 2];
	const char *const expected[] = { line };

	write_file(p, "conf.d/a.conf", "[daemon]\nparallel_runs = 7\n");
	assert_int_equal(config_load(p->path, false, NULL, &config, &errors), 0);
	assert_int_equal(config->parallel_runs, 7);
	config_free(config);
	(void)snprintf(line, sizeof(line), "%s: the file cannot be read: No such file", p->path);
	assert_load_refused(p, expected, 1);
}

static void without_conf_d_the_main_file_is_enough(void **state)
{
	const struct place *p = *state;
	char conf_d[PATH_BYTES];

	make_path(p, "conf.d", conf_d);
	assert_int_equal(rmdir(conf_d), 0);
	write_file(p, "main.conf", "\xef\xbb\xbf[daemon]\r\nparallel_runs = 3\r\n");
	struct config *config = load(p, NULL);
	assert_int_equal(config->parallel_runs, 3);
	config_free(config);
}

static void what_is_no_file_is_told(void **state)
{
	const struct place *p = *state;
	char directory[PATH_BYTES];
	char line[PATH_BYTES * 2];
	const char *const expected[] = { line };

	write_file(p, "main.conf", "");
	make_path(p, "conf.d/dir.conf", directory);
	assert_int_equal(mkdir(directory, 0755), 0);
	(void)snprintf(line, sizeof(line),
		"%s: the file cannot be read: it is a directory, not a regular file", directory);
	assert_load_refused(p, expected, 1);
}

static void duplicates_name_the_first_place(void **state)
{
	const struct place *p = *state;
	char lines[4][PATH_BYTES * 3];
	const char *expected[4];

	write_file(p, "main.conf",
		"[daemon]\nlog_level = info\nlog_level = info\n"
		"[repository a]\npath = /a\n[daemon]\n");
	write_file(
		p, "conf.d/a.conf", "[daemon]\nparallel_runs = 1\n\n[repository a]\npath = /b\n");
	(void)snprintf(lines[0], sizeof(lines[0]),
		"%s:3: log_level is given twice in [daemon], first at %s:2", p->path, p->path);
	(void)snprintf(lines[1], sizeof(lines[1]), "%s:6: [daemon] appears twice, first at %s:1",
		p->path, p->path);
	(void)snprintf(lines[2], sizeof(lines[2]),
		"%s/conf.d/a.conf:1: [daemon] appears twice, first at %s:1", p->directory, p->path);
	(void)snprintf(lines[3], sizeof(lines[3]),
		"%s/conf.d/a.conf:4: [repository a] appears twice, first at %s:4", p->directory,
		p->path);
	for (size_t i = 0; i < COUNT(lines); i++)
		expected[i] = lines[i];
	/* Its path is an error as well. */
	struct config_errors errors;
	struct config *config = NULL;
	assert_int_equal(config_load(p->path, true, NULL, &config, &errors), -EINVAL);
	assert_int_equal(errors.count, 5);
	assert_non_null(strstr(errors.lines[4], "path is given twice in [repository a], first at"));
	free(errors.lines[4]);
	errors.lines[4] = NULL;
	errors.count = 4;
	assert_lines(&errors, expected, COUNT(expected));
	config_errors_done(&errors);
}

static void all_errors_are_told_in_the_order_of_the_lines(void **state)
{
	static const char text[] = "[repository a]\n" /* 1: no path */
				   "probes = x\n" /* 2: unknown */
				   "intervall = 1s\n" /* 3: mistyped */
				   "[notify m]\n" /* 4: later */
				   "reason = x\n" /* 5: skipped */
				   "[probe p]\n" /* 6 */
				   "block_size = 1000K\n" /* 7: fine */
				   "queue_depth = 1024\n" /* 8: fine */
				   "timeout = 2s\n" /* 9: not longer than the duration */
				   "[repository b]\n" /* 10 */
				   "path = b\n" /* 11: relative */
				   "nonsense\n"; /* 12 */
	static const char *const expected[] = {
		"a.conf:1: [repository a] has no path; expected path = /DIRECTORY",
		"a.conf:2: probes: x is neither a [probe] section nor a preset",
		"a.conf:3: unknown key intervall in [repository a]; did you mean interval?",
		"a.conf:4: [notify] is not in this version",
		"a.conf:9: timeout 2s is not longer than duration 5s",
		"a.conf:11: path: b: expected an absolute path; did you mean /b?",
		"a.conf:12: neither a section nor a key; expected [SECTION] or KEY = VALUE",
	};

	(void)state;
	assert_refused_over(text, NULL, expected, COUNT(expected));
}

static void the_first_errors_are_kept_and_all_are_counted(void **state)
{
	struct buf text = BUF_INIT(1 << 20);
	struct config_errors errors;
	struct config *config = NULL;

	(void)state;
	buf_add_text(&text, "[repository r]\n"); /* its missing path is found last */
	for (int i = 0; i < 200; i++)
		buf_printf(&text, "nonsense %d\n", i);
	assert_int_equal(
		config_load_text("a.conf", buf_text(&text), text.len, NULL, &config, &errors),
		-EINVAL);
	assert_int_equal(errors.count, 201);
	assert_string_equal(errors.lines[0],
		"a.conf:1: [repository r] has no path; expected path = /DIRECTORY");
	for (size_t i = 1; i < CONFIG_ERRORS_MAX; i++) {
		char start[32];

		(void)snprintf(start, sizeof(start), "a.conf:%zu: neither", i + 1);
		assert_int_equal(strncmp(errors.lines[i], start, strlen(start)), 0);
	}
	config_errors_done(&errors);
	assert_int_equal(errors.count, 0);
	buf_done(&text);
}

static void there_is_a_limit_to_sections(void **state)
{
	struct buf text = BUF_INIT(1 << 20);
	struct config_errors errors;
	struct config *config = NULL;

	(void)state;
	for (int i = 0; i < CONFIG_REPOSITORIES_MAX; i++)
		buf_printf(&text, "[repository r%d]\npath = /mnt/r%d\n", i, i);
	assert_int_equal(
		config_load_text("a.conf", buf_text(&text), text.len, NULL, &config, &errors), 0);
	assert_int_equal(config->repository_count, CONFIG_REPOSITORIES_MAX);
	config_free(config);
	config = NULL;
	buf_add_text(&text, "[repository more]\npath = /mnt/more\n");
	assert_int_equal(
		config_load_text("a.conf", buf_text(&text), text.len, NULL, &config, &errors),
		-EINVAL);
	assert_int_equal(errors.count, 1);
	assert_string_equal(errors.lines[0],
		"a.conf:2001: too many [repository] sections; expected at most 1000");
	config_errors_done(&errors);
	buf_done(&text);
}

static void repositories_must_not_share_a_path_or_a_probe_directory(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "[repository a]\npath = /mnt//x/\n[repository b]\npath = /mnt/./x\n",
			"a.conf:4: path: /mnt/x is also the path of [repository a] (a.conf:2); "
			"expected one repository for each path" },
		{ "[repository a]\npath = /a\nprobe_directory = /p\n"
		  "[repository b]\npath = /b\nprobe_directory = /p/\n",
			"a.conf:6: probe_directory: [repository a] and [repository b] have the same" },
		{ "[defaults]\nprobe_directory = /p\n[repository a]\npath = /a\n[repository b]\npath = /b\n",
			"a.conf:2: probe_directory: [repository a] and [repository b] have the same" },
		{ "[repository a]\npath = /a\n[repository b]\npath = /b\nprobe_directory = /a/.repoprobe\n",
			"a.conf:5: probe_directory: [repository a] and [repository b] have the same" },
		{ "[repository b]\npath = /b\nprobe_directory = /a/.repoprobe\n[repository a]\npath = /a\n",
			"a.conf:5: probe_directory: [repository b] and [repository a] have the same" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_refused(cases[i].text, cases[i].expected);
}

static void the_command_line_beats_the_files(void **state)
{
	static const char *const listen[] = { "127.0.0.1:0" };
	static const char *const repositories[] = { "new=/mnt/a=b", "old=/mnt/elsewhere" };
	static const struct config_overrides overrides = {
		.state_directory = "/srv/state/",
		.listen = listen,
		.listen_count = 1,
		.repositories = repositories,
		.repository_count = 2,
	};
	struct config *config = load_text_over("[daemon]\nstate_directory = /x\n[http]\nlisten =\n"
					       "[repository old]\npath = /mnt/old\nmin_free = 1G\n",
		&overrides);

	(void)state;
	assert_string_equal(config->state_directory, "/srv/state");
	assert_string_equal(config->runtime_directory, "/srv/state");
	assert_int_equal(config->listen_count, 1);
	assert_string_equal(config->listen[0], "127.0.0.1:0");
	assert_int_equal(config->repository_count, 2);
	assert_string_equal(config->repositories[0].path, "/mnt/elsewhere");
	assert_int_equal(config->repositories[0].min_free_bytes, 1 << 30);
	assert_string_equal(config->repositories[1].name, "new");
	assert_string_equal(config->repositories[1].path, "/mnt/a=b");
	assert_int_equal(config->repositories[1].probe_count, 2);
	config_free(config);
}

static void an_empty_list_of_addresses_switches_http_off(void **state)
{
	static const char *const none[] = { "" };
	static const struct config_overrides empty_list = { .listen = none };
	static const struct config_overrides empty_text = { .listen = none, .listen_count = 1 };
	struct config *config = load_text_over("", &empty_list);

	(void)state;
	assert_int_equal(config->listen_count, 0);
	config_free(config);
	config = load_text_over("", &empty_text);
	assert_int_equal(config->listen_count, 0);
	config_free(config);
}

static void relative_paths_on_the_command_line_count_from_here(void **state)
{
	static const char *const repositories[] = { "a=x/./y/", "b=." };
	static const struct config_overrides overrides = {
		.state_directory = "state",
		.repositories = repositories,
		.repository_count = 2,
	};
	char *directory = getcwd(NULL, 0);
	struct buf path = BUF_INIT(8192);

	(void)state;
	assert_non_null(directory);
	struct config *config = load_text_over("", &overrides);
	buf_printf(&path, "%s/x/y", directory);
	assert_string_equal(config->repositories[0].path, buf_text(&path));
	assert_string_equal(config->repositories[1].path, directory);
	buf_clear(&path);
	buf_printf(&path, "%s/state", directory);
	assert_string_equal(config->state_directory, buf_text(&path));
	buf_done(&path);
	free(directory);
	config_free(config);
}

static void mistakes_on_the_command_line_are_told_last(void **state)
{
	static const char *const listen[] = { "localhost:1" };
	static const char *const repositories[] = { "/mnt/backup", "nas1", "=/x", "a/b=/x",
		"ok=/ok", "ok=/other", "same=/mnt/r", "empty=", " x=/y", "n=/a\nb", "u=/\xff" };
	static const struct config_overrides overrides = {
		.state_directory = "",
		.listen = listen,
		.listen_count = 1,
		.repositories = repositories,
		.repository_count = COUNT(repositories),
	};
	static const char *const expected[] = {
		"a.conf:3: unknown key x in [repository r]",
		"--state-directory: the path is empty",
		"--listen: listen: localhost:1: expected ADDRESS:PORT",
		("--repository: /mnt/backup: expected NAME=PATH, such as nas1=/mnt/backup; "
		 "did you mean backup=/mnt/backup?"),
		"--repository: nas1: expected NAME=PATH, such as nas1=/mnt/backup",
		"--repository: expected NAME=PATH: a name must not be empty",
		"--repository: expected NAME=PATH: a/b: a name must not contain '/'",
		"--repository: the name ok is given twice",
		"--repository: empty=: expected NAME=PATH, such as nas1=/mnt/backup",
		"--repository: \" x\": a name must not begin or end with a blank",
		"--repository: /a b: expected a path in UTF-8 without control characters",
		"--repository: /?: expected a path in UTF-8 without control characters",
		"--repository: path: /mnt/r is also the path of [repository r] (a.conf:2)",
	};

	(void)state;
	assert_refused_over(
		"[repository r]\npath = /mnt/r\nx = y\n", &overrides, expected, COUNT(expected));
}

/* All other errors are ignored; a directory in error counts as not given. */
static void places_are_found_whatever_else_is_in_error(void **state)
{
	static const struct {
		const char *text;
		const char *default_state;
		const char *state;
		const char *runtime;
	} cases[] = {
		{ "", NULL, "/var/lib/repoprobe", "/run/repoprobe" },
		{ "nonsense\n", NULL, "/var/lib/repoprobe", "/run/repoprobe" },
		{ "nonsense\n", "/running", "/running", "/running" },
		{ "[daemon]\nstate_directory = /s\nx = y\n[z]\n", "/running", "/s", "/s" },
		{ "[daemon]\nstate_directory = s\n", NULL, "/var/lib/repoprobe", "/run/repoprobe" },
		{ "[daemon]\nstate_directory = s\n", "/running", "/running", "/running" },
		{ "x\n[daemon]\nruntime_directory = /r\n", "/running", "/running", "/r" },
		{ "x\n[daemon]\nruntime_directory = r\nstate_directory = /s\n", NULL, "/s", "/s" },
		{ "[daemon]\nstate_directory = /s\n[daemon]\nstate_directory = /t\n", NULL, "/s",
			"/s" },
		{ "[repository a]\npath = b\n[daemon]\nstate_directory = /s\n", NULL, "/s", "/s" },
	};
	const struct place *p = *state;
	struct config_places places;

	for (size_t i = 0; i < COUNT(cases); i++) {
		write_file(p, "main.conf", cases[i].text);
		assert_int_equal(
			config_load_places(p->path, NULL, cases[i].default_state, &places), 0);
		assert_string_equal(places.state_directory, cases[i].state);
		assert_string_equal(places.runtime_directory, cases[i].runtime);
		config_places_done(&places);
	}
	assert_int_equal(config_load_places("/nonexistent/x.conf", NULL, "/running", &places), 0);
	assert_string_equal(places.state_directory, "/running");
	config_places_done(&places);
}

static void the_default_path_is_the_build_s(void **state)
{
	(void)state;
	assert_string_equal(config_default_path(), SYSCONFDIR "/repoprobe/repoprobe.conf");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_main_file_and_then_conf_d_are_read_in_name_order, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			sections_of_one_file_are_known_in_the_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_missing_file_is_an_error_only_when_it_is_required, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			without_conf_d_the_main_file_is_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_told, set_up, tear_down),
		cmocka_unit_test_setup_teardown(duplicates_name_the_first_place, set_up, tear_down),
		cmocka_unit_test(all_errors_are_told_in_the_order_of_the_lines),
		cmocka_unit_test(the_first_errors_are_kept_and_all_are_counted),
		cmocka_unit_test(there_is_a_limit_to_sections),
		cmocka_unit_test(repositories_must_not_share_a_path_or_a_probe_directory),
		cmocka_unit_test(the_command_line_beats_the_files),
		cmocka_unit_test(an_empty_list_of_addresses_switches_http_off),
		cmocka_unit_test(relative_paths_on_the_command_line_count_from_here),
		cmocka_unit_test(mistakes_on_the_command_line_are_told_last),
		cmocka_unit_test_setup_teardown(
			places_are_found_whatever_else_is_in_error, set_up, tear_down),
		cmocka_unit_test(the_default_path_is_the_build_s),
	};

	return cmocka_run_group_tests_name("load", tests, NULL, NULL);
}
