/* SPDX-License-Identifier: Apache-2.0 */
/* repoprobed's command line. */
#include "test.h"

#include "base/error.h"
#include "daemon/daemon.h"
#include "daemon/options.h"

#include <errno.h>
#include <string.h>

#define ARGUMENTS_MAX 8

static int parse(const char *const *words, struct daemon_options *ret, enum options_wish *wish,
	struct error *error)
{
	static char storage[ARGUMENTS_MAX][128];
	char *argv[ARGUMENTS_MAX + 1] = { NULL };
	int argc = 0;

	for (; words[argc] && argc < ARGUMENTS_MAX; argc++) {
		(void)strncpy(storage[argc], words[argc], sizeof(storage[argc]) - 1);
		argv[argc] = storage[argc];
	}
	return options_parse(argc, argv, ret, wish, error);
}

static void every_option_is_taken(void **state)
{
	const char *const words[] = { "repoprobed", "--config=/a.conf", "--repository",
		"nas1=/mnt/nas1", "--listen", "127.0.0.1:0", "--foreground", "--check", NULL };
	struct daemon_options o;
	enum options_wish wish;

	(void)state;
	assert_int_equal(parse(words, &o, &wish, NULL), 0);
	assert_int_equal(wish, OPTIONS_RUN);
	assert_string_equal(o.config_path, "/a.conf");
	assert_true(o.is_config_given && o.is_foreground && o.is_check && o.is_listen_given);
	assert_int_equal(o.repository_count, 1);
	assert_string_equal(o.repositories[0], "nas1=/mnt/nas1");
	assert_int_equal(o.listen_count, 1);
	assert_string_equal(o.listen[0], "127.0.0.1:0");
}

static void nothing_given_means_the_default_file(void **state)
{
	const char *const words[] = { "repoprobed", NULL };
	struct daemon_options o;
	enum options_wish wish;

	(void)state;
	assert_int_equal(parse(words, &o, &wish, NULL), 0);
	assert_string_equal(o.config_path, config_default_path());
	assert_false(o.is_config_given || o.is_foreground || o.is_check || o.is_listen_given);
	assert_null(o.state_directory);
}

static void empty_listen_switches_http_off(void **state)
{
	const char *const words[] = { "repoprobed", "--listen", "", NULL };
	struct daemon_options o;
	enum options_wish wish;

	(void)state;
	assert_int_equal(parse(words, &o, &wish, NULL), 0);
	assert_true(o.is_listen_given);
	assert_int_equal(o.listen_count, 0);
}

static void wrong_options_say_what_was_meant(void **state)
{
	static const struct {
		const char *words[4];
		const char *sentence;
	} cases[] = {
		{ { "repoprobed", "--repositry=a=/b" },
			"unknown option --repositry=a=/b; did you mean --repository?" },
		{ { "repoprobed", "--forground" },
			"unknown option --forground; did you mean --foreground?" },
		{ { "repoprobed", "--config" }, "--config needs a value" },
		{ { "repoprobed", "-x" }, "unknown option -x" },
		{ { "repoprobed", "/mnt/nas1" },
			"unexpected argument \"/mnt/nas1\"; a repository is given as "
			"--repository NAME=PATH" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct daemon_options o;
		enum options_wish wish;
		struct error error = { 0 };
		assert_int_equal(parse(cases[i].words, &o, &wish, &error), -EINVAL);
		assert_string_equal(error.text, cases[i].sentence);
	}
}

static void help_names_every_option(void **state)
{
	static const char *const options[] = { "--config", "--repository", "--state-directory",
		"--listen", "--foreground", "--check", "--help", "--version" };

	(void)state;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		assert_non_null(strstr(options_help(), options[i]));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_option_is_taken),
		cmocka_unit_test(nothing_given_means_the_default_file),
		cmocka_unit_test(empty_listen_switches_http_off),
		cmocka_unit_test(wrong_options_say_what_was_meant),
		cmocka_unit_test(help_names_every_option),
	};

	return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
