/* SPDX-License-Identifier: Apache-2.0 */
/* field: lines, words and columns of texts under /proc. */
#include "model/field.h"

#include <errno.h>
#include <string.h>

#include "test.h"

static struct field field_of(const char *text)
{
	return (struct field){ .text = text, .len = strlen(text) };
}

static void assert_field(struct field field, const char *text)
{
	assert_int_equal(field.len, strlen(text));
	assert_memory_equal(field.text, text, field.len);
}

static void lines_end_with_a_line_break_or_the_text(void **state)
{
	const char *text = "one\n\nthree";
	struct field line;
	(void)state;

	assert_true(field_next_line(&text, &line));
	assert_field(line, "one");
	assert_true(field_next_line(&text, &line));
	assert_field(line, "");
	assert_true(field_next_line(&text, &line));
	assert_field(line, "three");
	assert_false(field_next_line(&text, &line));
	text = "";
	assert_false(field_next_line(&text, &line));
}

static void words_are_parted_by_any_blanks(void **state)
{
	struct field line = field_of("\t  READ:  1\t2 ");
	struct field word;
	(void)state;

	assert_true(field_next_word(&line, &word));
	assert_field(word, "READ:");
	assert_true(field_next_word(&line, &word));
	assert_field(word, "1");
	assert_true(field_next_word(&line, &word));
	assert_field(word, "2");
	assert_false(field_next_word(&line, &word));
	line = field_of("");
	assert_false(field_next_word(&line, &word));
}

static void columns_may_be_empty(void **state)
{
	struct field line = field_of("-  none rw ");
	struct field column;
	(void)state;

	assert_true(field_next_column(&line, &column));
	assert_field(column, "-");
	assert_true(field_next_column(&line, &column));
	assert_field(column, "");
	assert_true(field_next_column(&line, &column));
	assert_field(column, "none");
	assert_true(field_next_column(&line, &column));
	assert_field(column, "rw");
	assert_true(field_next_column(&line, &column));
	assert_field(column, "");
	assert_false(field_next_column(&line, &column));
}

static void a_beginning_is_taken_off_only_when_it_is_there(void **state)
{
	struct field field = field_of("rsize=1048576");
	(void)state;

	assert_false(field_skip(&field, "wsize="));
	assert_field(field, "rsize=1048576");
	assert_true(field_skip(&field, "rsize="));
	assert_field(field, "1048576");
	assert_false(field_skip(&field, "10485760"));
	assert_true(field_is(field, "1048576"));
	assert_false(field_is(field, "104857"));
}

static void numbers_are_whole_fields(void **state)
{
	struct field line = field_of("18446744073709551615,7");
	uint64_t v = 3;
	(void)state;

	assert_int_equal(field_read_uint((struct field){ line.text, 20 }, &v), 0);
	assert_true(v == UINT64_MAX);
	assert_int_equal(field_read_uint(field_of("18446744073709551616"), &v), -ERANGE);
	assert_int_equal(field_read_uint(field_of("111111111111111111111"), &v), -ERANGE);
	assert_int_equal(field_read_uint(field_of(""), &v), -EINVAL);
	assert_int_equal(field_read_uint(field_of("-1"), &v), -EINVAL);
	assert_int_equal(field_read_uint(field_of("1.5"), &v), -EINVAL);
	assert_true(v == UINT64_MAX);
}

static void octal_escapes_are_undone(void **state)
{
	static const struct {
		const char *escaped, *plain;
	} cases[] = {
		{ "/srv/backup\\040one", "/srv/backup one" },
		{ "\\011\\012\\134", "\t\n\\" },
		{ "\\040", " " },
		{ "\\04", "\\04" },
		{ "\\400", "\\400" },
		{ "\\", "\\" },
		{ "", "" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		char plain[64];
		field_copy_unescaped(field_of(cases[i].escaped), plain, sizeof(plain));
		assert_string_equal(plain, cases[i].plain);
		assert_true(field_is_unescaped(field_of(cases[i].escaped), cases[i].plain));
		assert_false(field_is_unescaped(field_of(cases[i].escaped), "x"));
	}
	assert_false(field_is_unescaped(field_of("/srv"), "/srv/backup"));
	assert_false(field_is_unescaped(field_of("/srv/backup"), "/srv"));
}

static void a_copy_is_cut_to_what_fits(void **state)
{
	char small[4];
	(void)state;

	field_copy_unescaped(field_of("a\\040bcd"), small, sizeof(small));
	assert_string_equal(small, "a b");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_end_with_a_line_break_or_the_text),
		cmocka_unit_test(words_are_parted_by_any_blanks),
		cmocka_unit_test(columns_may_be_empty),
		cmocka_unit_test(a_beginning_is_taken_off_only_when_it_is_there),
		cmocka_unit_test(numbers_are_whole_fields),
		cmocka_unit_test(octal_escapes_are_undone),
		cmocka_unit_test(a_copy_is_cut_to_what_fits),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
