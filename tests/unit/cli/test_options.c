/* SPDX-License-Identifier: Apache-2.0 */
/* The option parser and the help it writes, on tables of the test's own. */
#include "cli/options.h"

#include <errno.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "test.h"

#define WORDS_MAX 8
#define LEFT_MAX 256

struct target {
	bool is_loud;
	bool wants_help;
	const char *file;
	uint64_t number;
};

static int set_number(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	(void)option;
	return parse_uint(value, 1, 9, &((struct target *)target)->number, reterr);
}

static const struct cli_option options[] = {
	{ .name = "loud",
		.help = "says more",
		.set = option_set_flag,
		.offset = offsetof(struct target, is_loud) },
	{ .name = "file",
		.value_name = "FILE",
		.help = "what is read",
		.set = option_set_text,
		.offset = offsetof(struct target, file) },
	{ .name = "number",
		.value_name = "N",
		.help = "a number whose explanation is so long that it does not fit on the line "
			"and has to be broken",
		.set = set_number },
	{ .name = "later", .value_name = "X", .help = "never seen", .is_planned = true },
};

static const struct cli_option common[] = {
	{ .name = "help",
		.help = "this text",
		.set = option_set_flag,
		.offset = offsetof(struct target, wants_help) },
};

/* Splits the line at blanks, parses it, and joins what is left. */
static int parse_with(
	int (*parse)(const struct option_group *, size_t, struct arguments *, struct error *),
	const char *line, struct target *target, char left[LEFT_MAX], struct error *error)
{
	static char words_text[256];
	const struct option_group groups[] = {
		{ "Own", options, sizeof(options) / sizeof(options[0]), target },
		{ "Common", common, 1, target },
	};
	char *words[WORDS_MAX];
	struct arguments args = { .words = words };
	char *rest = words_text;

	assert_true(strlen(line) < sizeof(words_text));
	memcpy(words_text, line, strlen(line) + 1);
	for (char *word; (word = strsep(&rest, " ")) != NULL;)
		if (*word && args.count < WORDS_MAX)
			words[args.count++] = word;
	*target = (struct target){ 0 };
	error->text[0] = '\0';
	int r = parse(groups, 2, &args, error);
	struct buf joined = BUF_INIT(LEFT_MAX - 1);
	for (size_t i = 0; r == 0 && i < args.count; i++)
		buf_printf(&joined, "%s%s", i > 0 ? " " : "", args.words[i]);
	assert_int_equal(joined.error, 0);
	memcpy(left, buf_text(&joined), joined.len + 1);
	buf_done(&joined);
	return r;
}

static void operands_and_options_come_in_any_order(void **state)
{
	static const struct {
		const char *line;
		const char *left;
		struct target target;
	} cases[] = {
		{ "", "", { 0 } },
		{ "a b", "a b", { 0 } },
		{ "--loud a", "a", { .is_loud = true } },
		{ "a --loud b", "a b", { .is_loud = true } },
		{ "--file=x a", "a", { .file = "x" } },
		{ "a --file x b", "a b", { .file = "x" } },
		{ "--file=", "", { .file = "" } },
		{ "--file=a=b", "", { .file = "a=b" } },
		{ "--file --loud", "", { .file = "--loud" } },
		{ "--file=x --file=y", "", { .file = "y" } },
		{ "--number 7", "", { .number = 7 } },
		{ "-- --loud -x", "--loud -x", { 0 } },
		{ "--loud -- --file", "--file", { .is_loud = true } },
		{ "-", "-", { 0 } },
		{ "a -h", "a", { .wants_help = true } },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target;
		struct error error;
		char left[LEFT_MAX];

		assert_int_equal(
			parse_with(options_parse, cases[i].line, &target, left, &error), 0);
		assert_string_equal(left, cases[i].left);
		assert_int_equal(target.is_loud, cases[i].target.is_loud);
		assert_int_equal(target.wants_help, cases[i].target.wants_help);
		assert_int_equal(target.number, cases[i].target.number);
		if (cases[i].target.file)
			assert_string_equal(target.file, cases[i].target.file);
		else
			assert_null(target.file);
	}
}

static void mistakes_are_explained(void **state)
{
	static const struct {
		const char *line;
		int r;
		const char *text;
	} cases[] = {
		{ "--lout", -EINVAL, "unknown option --lout; did you mean --loud?" },
		{ "--num", -EINVAL, "unknown option --num; did you mean --number?" },
		{ "--fiel=x", -EINVAL, "unknown option --fiel; did you mean --file?" },
		{ "--zzzzzz", -EINVAL, "unknown option --zzzzzz" },
		{ "--=x", -EINVAL, "unknown option --" },
		{ "-x", -EINVAL, "unknown option -x" },
		{ "-file=x", -EINVAL, "unknown option -file; did you mean --file?" },
		{ "--loud=yes", -EINVAL, "--loud takes no value" },
		{ "a --file", -EINVAL, "--file needs a value: --file=FILE" },
		{ "--number=12", -ERANGE, "--number: 12: must be from 1 to 9" },
		{ "--later=1", -EOPNOTSUPP, "--later is not in this version" },
		{ "--later", -EOPNOTSUPP, "--later is not in this version" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target;
		struct error error;
		char left[LEFT_MAX];

		assert_int_equal(parse_with(options_parse, cases[i].line, &target, left, &error),
			cases[i].r);
		assert_string_equal(error.text, cases[i].text);
	}
}

static void leading_options_end_at_the_first_operand(void **state)
{
	static const struct {
		const char *line;
		const char *left;
		bool is_loud;
	} cases[] = {
		{ "run --loud", "run --loud", false },
		{ "--loud run --file x", "run --file x", true },
		{ "--loud", "", true },
		{ "-- --loud", "--loud", false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct target target;
		struct error error;
		char left[LEFT_MAX];

		assert_int_equal(
			parse_with(options_parse_leading, cases[i].line, &target, left, &error), 0);
		assert_string_equal(left, cases[i].left);
		assert_int_equal(target.is_loud, cases[i].is_loud);
	}
}

static void help_has_every_option_of_this_version(void **state)
{
	struct target target;
	const struct option_group groups[] = {
		{ "Own", options, sizeof(options) / sizeof(options[0]), &target },
		{ "Common", common, 1, &target },
	};
	struct buf b = BUF_INIT(4096);
	(void)state;

	options_help(groups, 2, &b);
	assert_string_equal(buf_text(&b),
		"\nOwn:\n"
		"  --loud        says more\n"
		"  --file=FILE   what is read\n"
		"  --number=N    a number whose explanation is so long that it does not fit on\n"
		"                the line and has to be broken\n"
		"\nCommon:\n"
		"  --help        this text\n");
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(operands_and_options_come_in_any_order),
		cmocka_unit_test(mistakes_are_explained),
		cmocka_unit_test(leading_options_end_at_the_first_operand),
		cmocka_unit_test(help_has_every_option_of_this_version),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
