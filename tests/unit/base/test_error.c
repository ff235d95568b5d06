/* SPDX-License-Identifier: Apache-2.0 */
/* Sentences for error numbers, and the names of the numbers. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

static void set_writes_the_sentence_and_passes_the_number(void **state)
{
	struct error e = { 0 };

	(void)state;
	assert_int_equal(error_set(&e, -EIO, "%s failed at %d", "disk", 7), -EIO);
	assert_string_equal(e.text, "disk failed at 7");
}

static void no_error_struct_is_fine(void **state)
{
	(void)state;
	assert_int_equal(error_set(NULL, -EINVAL, "%d", 1), -EINVAL);
	assert_int_equal(error_prefix(NULL, -EINVAL, "%d", 1), -EINVAL);
}

static void prefixes_stack_from_the_left(void **state)
{
	struct error e = { 0 };

	(void)state;
	error_set(&e, -EIO, "no such key");
	assert_int_equal(error_prefix(&e, -EIO, "line %d", 3), -EIO);
	error_prefix(&e, -EIO, "%s", "a.conf");
	assert_string_equal(e.text, "a.conf: line 3: no such key");
}

static void a_sentence_may_quote_the_one_before(void **state)
{
	struct error e = { 0 };

	(void)state;
	error_set(&e, -EIO, "inner");
	error_set(&e, -EIO, "outer (%s)", e.text);
	assert_string_equal(e.text, "outer (inner)");
}

static void long_sentences_are_cut_between_characters(void **state)
{
	struct error e = { 0 };
	char text[1001];

	(void)state;
	for (size_t start = 0; start < 4; start++) {
		memset(text, 'x', sizeof(text));
		for (size_t i = start; i + 3 <= 1000; i += 3)
			memcpy(text + i, "€", 3);
		text[1000] = '\0';
		error_set(&e, -EIO, "%s", text);
		assert_true(strlen(e.text) >= ERROR_TEXT_MAX - 4);
		assert_true(strlen(e.text) < ERROR_TEXT_MAX);
		assert_true(parse_is_utf8(e.text));
		assert_null(strchr(e.text, '?'));
		error_prefix(&e, -EIO, "%s", "file");
		assert_memory_equal(e.text, "file: ", 6);
		assert_true(parse_is_utf8(e.text));
		assert_null(strchr(e.text, '?'));
	}
}

static void control_characters_and_bad_bytes_do_not_pass(void **state)
{
	struct error e = { 0 };

	(void)state;
	error_set(&e, -EIO,
		"a\nb\x1b[1m\xff"
		"c\xc2\x85"
		"d\n");
	assert_string_equal(e.text, "a b [1m?c d");
}

static void every_number_has_a_name(void **state)
{
	static const struct {
		int number;
		const char *name;
	} cases[] = {
		{ EIO, "EIO" },
		{ ESTALE, "ESTALE" },
		{ ENOSPC, "ENOSPC" },
		{ 512, "ERESTARTSYS" },
		{ 524, "ENOTSUPP" },
		{ 0, "EUNKNOWN" },
		{ -5, "EUNKNOWN" },
		{ 100000, "EUNKNOWN" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_string_equal(errno_name(cases[i].number), cases[i].name);
}

static void a_shortage_is_of_memory_or_descriptors(void **state)
{
	(void)state;
	assert_true(errno_is_shortage(ENOMEM));
	assert_true(errno_is_shortage(EMFILE));
	assert_true(errno_is_shortage(ENFILE));
	assert_false(errno_is_shortage(ENOSPC));
	assert_false(errno_is_shortage(0));
}

static void every_number_has_a_sentence(void **state)
{
	(void)state;
	assert_string_equal(errno_text(EIO), "Input/output error");
	assert_string_equal(errno_text(100000), "Unknown error");
	assert_string_equal(errno_text(-1), "Unknown error");
	assert_string_equal(errno_meaning(ESTALE),
		"stale file handle: the server no longer knows it; remount the file system");
	assert_null(errno_meaning(EMFILE));
}

static void a_sentence_may_name_a_column(void **state)
{
	static const struct {
		const char *sentence;
		size_t column;
	} cases[] = {
		{ "column 7: p98: not known", 7 },
		{ "column 120: x", 120 },
		{ "column 0: x", 0 },
		{ "column 7", 0 },
		{ "column : x", 0 },
		{ "column 7x: x", 0 },
		{ "column 99999999999999999999999999: x", 0 },
		{ "when: column 7: x", 0 },
		{ "", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(error_column(cases[i].sentence), cases[i].column);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_writes_the_sentence_and_passes_the_number),
		cmocka_unit_test(no_error_struct_is_fine),
		cmocka_unit_test(prefixes_stack_from_the_left),
		cmocka_unit_test(a_sentence_may_quote_the_one_before),
		cmocka_unit_test(long_sentences_are_cut_between_characters),
		cmocka_unit_test(control_characters_and_bad_bytes_do_not_pass),
		cmocka_unit_test(every_number_has_a_name),
		cmocka_unit_test(a_shortage_is_of_memory_or_descriptors),
		cmocka_unit_test(every_number_has_a_sentence),
		cmocka_unit_test(a_sentence_may_name_a_column),
	};

	return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
