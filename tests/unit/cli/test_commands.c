/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands, and how the program refuses what it cannot understand. */
#include "cli/commands.h"

#include <stdlib.h>
#include <string.h>

#include "test.h"

#define LINE_COLUMNS 80
#define WORDS_MAX 8

static void each_command_is_complete_and_found_by_its_name(void **state)
{
	(void)state;

	for (size_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);

		assert_ptr_equal(command_find(command->name), command);
		assert_non_null(command->handler);
		assert_true(command->section[0] != '\0');
		assert_true(command->summary[0] != '\0');
		assert_true(command->max_operands >= command->min_operands);
		assert_int_equal(command->max_operands > 0, command->operands[0] != '\0');
	}
	assert_null(command_find("forecast"));
}

static void help_teaches_by_example_and_fits_a_terminal(void **state)
{
	(void)state;

	for (size_t i = 0; command_at(i); i++) {
		const char *help = command_at(i)->help;

		assert_non_null(strstr(help, "\nExamples:\n"));
		assert_non_null(strstr(help, command_at(i)->name));
		assert_int_equal(help[strlen(help) - 1], '\n');
		for (const char *line = help; *line; line += strcspn(line, "\n") + 1)
			assert_in_range(strcspn(line, "\n"), 0, LINE_COLUMNS);
	}
}

/* The program may reorder its words, so they are freed by another list. */
static int call(const char *const *words)
{
	char *owned[WORDS_MAX] = { NULL };
	char *argv[WORDS_MAX] = { NULL };
	size_t argc = 0;

	for (; argc < WORDS_MAX && words[argc]; argc++) {
		owned[argc] = strdup(words[argc]);
		assert_non_null(owned[argc]);
		argv[argc] = owned[argc];
	}
	int exit_code = cli_main(argc, argv);
	for (size_t i = 0; i < argc; i++)
		free(owned[i]);
	return exit_code;
}

static void wrong_usage_exits_with_two(void **state)
{
	static const char *const cases[][WORDS_MAX] = {
		{ "repoprobe", NULL },
		{ "repoprobe", "stauts", NULL },
		{ "repoprobe", "forecast", NULL },
		{ "repoprobe", "--nonsense", NULL },
		{ "repoprobe", "--json", "status", NULL },
		{ "repoprobe", "help", "stauts", NULL },
		{ "repoprobe", "run", NULL },
		{ "repoprobe", "run", "/a", "/b", NULL },
		{ "repoprobe", "run", "--block-size=64KB", "/a", NULL },
		{ "repoprobe", "run", "--format=fio", "/a", NULL },
		{ "repoprobe", "run", "--rate=fast", "/a", NULL },
		{ "repoprobe", "run", "--duration=0", "--max-bytes=0", "/a", NULL },
		{ "repoprobe", "run", "", NULL },
		{ "repoprobe", "runs", NULL },
		{ "repoprobe", "runs", "--limit=0", "nas1", NULL },
		{ "repoprobe", "show", "last", NULL },
		{ "repoprobe", "incidents", "--explain=0", NULL },
		{ "repoprobe", "incidents", "--state=shut", NULL },
		{ "repoprobe", "rule", "replay", NULL },
		{ "repoprobe", "rule", "save", "avg > 1ms", NULL },
		{ "repoprobe", "rule", "replay", "write p98 > 50ms", NULL },
		{ "repoprobe", "rule", "replay", "p99.9 > x2 normal", NULL },
		{ "repoprobe", "rule", "replay", "--hold=3", "avg > 1ms", NULL },
		{ "repoprobe", "rule", "replay", "--clear=avg", "avg > 1ms", NULL },
		{ "repoprobe", "rebaseline", NULL },
		{ "repoprobe", "config", "edit", NULL },
		{ "repoprobe", "config", "check", "/nonexistent/repoprobe.conf", NULL },
		{ "repoprobe", "probe-now", NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(call(cases[i]), CLI_USAGE);
}

static void what_is_not_there_exits_with_one(void **state)
{
	static const char *const cases[][WORDS_MAX] = {
		{ "repoprobe", "--state-directory=/nonexistent", "status", NULL },
		{ "repoprobe", "runs", "nas1", "--state-directory=/nonexistent", NULL },
		{ "repoprobe", "show", "1", "--state-directory", "/nonexistent", NULL },
		{ "repoprobe", "incidents", "--state-directory", "/nonexistent", NULL },
		{ "repoprobe", "--config=/dev/null", "reload", "--state-directory", "/nonexistent",
			NULL },
		{ "repoprobe", "--config=/dev/null", "probe-now", "nas1", "--state-directory",
			"/nonexistent", NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(call(cases[i]), CLI_FAILED);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_command_is_complete_and_found_by_its_name),
		cmocka_unit_test(help_teaches_by_example_and_fits_a_terminal),
		cmocka_unit_test(wrong_usage_exits_with_two),
		cmocka_unit_test(what_is_not_there_exits_with_one),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
