/* SPDX-License-Identifier: Apache-2.0 */
/* The syntax of the files: comments, sections, keys, and faults. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "config/ini.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* Each event on a line: "1 [kind] name", "2 key=value", "3 !fault", "4 [!fault". */
static char *read_all(const char *text, size_t len)
{
	struct ini_reader *reader = malloc(sizeof(*reader));
	struct buf b = BUF_INIT(1 << 20);
	struct ini_event e;
	char *all = NULL;

	assert_non_null(reader);
	ini_init(reader, text, len);
	while (ini_next(reader, &e)) {
		switch (e.kind) {
		case INI_SECTION:
			buf_printf(&b, "%u [%s]%s\n", e.line, e.name, e.value);
			break;
		case INI_KEY:
			buf_printf(&b, "%u %s=%s\n", e.line, e.name, e.value);
			break;
		case INI_FAULT:
			buf_printf(&b, "%u !%.20s\n", e.line, e.value);
			break;
		case INI_SECTION_FAULT:
			buf_printf(&b, "%u [!%.20s\n", e.line, e.value);
			break;
		}
	}
	free(reader);
	buf_add_text(&b, "");
	if (b.len == 0)
		return strdup("");
	assert_int_equal(buf_take(&b, &all, NULL), 0);
	return all;
}

struct form {
	const char *text;
	const char *events;
};

static void assert_forms(const struct form *forms, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		char *events = read_all(forms[i].text, strlen(forms[i].text));

		if (strcmp(events, forms[i].events) != 0)
			fail_msg("\"%s\" reads as\n%snot\n%s", forms[i].text, events,
				forms[i].events);
		free(events);
	}
}

static void sections_and_keys_are_read_with_their_lines(void **state)
{
	static const struct form forms[] = {
		{ "", "" },
		{ "\n\n  \t\n", "" },
		{ "[daemon]\nlog_level = info\n", "1 [daemon]\n2 log_level=info\n" },
		{ "[daemon]", "1 [daemon]\n" },
		{ "[repository nas1]\n\npath=/mnt", "1 [repository]nas1\n3 path=/mnt\n" },
		{ "  [ repository \t  the big one ]  \n", "1 [repository]the big one\n" },
		{ "[repository größe]\n", "1 [repository]größe\n" },
		{ "\ta  =  b c  \n", "1 a=b c\n" },
		{ "a=\n", "1 a=\n" },
		{ "a = b = c\n", "1 a=b = c\n" },
		{ "a = [x]\n", "1 a=[x]\n" },
		{ "[x y] \n", "1 [x]y\n" },
	};

	(void)state;
	assert_forms(forms, COUNT(forms));
}

static void only_a_line_that_starts_with_a_mark_is_a_comment(void **state)
{
	static const struct form forms[] = {
		{ "# a = b\n; [x]\n#\n;\n", "" },
		{ "#[x\n;\xc3\xa4\n", "" },
		{ "a = b # c\n", "1 a=b # c\n" },
		{ "path = /srv/#1;old\n", "1 path=/srv/#1;old\n" },
		{ "a = #\n", "1 a=#\n" },
		{ " # a = b\n", "1 !blanks before a comm\n" },
		{ "\t;\n", "1 !blanks before a comm\n" },
		{ "[x] # y\n", "1 [!text after the ]; ex\n" },
	};

	(void)state;
	assert_forms(forms, COUNT(forms));
}

static void windows_files_are_read(void **state)
{
	static const struct form forms[] = {
		{ "\xef\xbb\xbf[a]\r\nb = c\r\n\r\n# d\r\n", "1 [a]\n2 b=c\n" },
		{ "\xef\xbb\xbf", "" },
		{ "a = b\r", "1 a=b\n" },
		{ "a = b\r\r\n", "1 !a control character;\n" },
		{ "[a]\rb = c\n", "1 !a control character;\n" },
		{ "a = b\n\xef\xbb\xbf"
		  "c = d\n",
			"1 a=b\n2 \xef\xbb\xbf"
			"c=d\n" },
	};

	(void)state;
	assert_forms(forms, COUNT(forms));
}

static void lines_without_a_form_are_faults_and_reading_goes_on(void **state)
{
	static const struct form forms[] = {
		{ "nonsense\na = b\n", "1 !neither a section no\n2 a=b\n" },
		{ "= b\n", "1 !a key is missing; ex\n" },
		{ " = \n", "1 !a key is missing; ex\n" },
		{ "[a\nb = c\n", "1 [!the ] is missing; ex\n2 b=c\n" },
		{ "[]\n[ \t]\n[\n",
			"1 [!an empty section nam\n2 [!an empty section nam\n"
			"3 [!the ] is missing; ex\n" },
		{ "[a]b]\n", "1 [a]b]\n" },
		{ "a = \x01\n", "1 !a control character;\n" },
		{ "a = \x7f\n", "1 !a control character;\n" },
		{ "a = \xff\nb = c\n", "1 !bytes that are not U\n2 b=c\n" },
		{ "# \xc3\x28\n", "1 !bytes that are not U\n" },
	};

	(void)state;
	assert_forms(forms, COUNT(forms));
}

static void nul_bytes_are_faults(void **state)
{
	static const char text[] = "a = b\0c\n# \0\nd = e\n\0";
	char *events = read_all(text, sizeof(text) - 1);

	(void)state;
	assert_string_equal(events,
		"1 !a NUL byte; expected\n2 !a NUL byte; expected\n3 d=e\n"
		"4 !a NUL byte; expected\n");
	free(events);
}

/* A line of exactly len bytes: PREFIX, then x, then SUFFIX, and a line break. */
static char *make_line(const char *prefix, const char *suffix, size_t len)
{
	struct buf b = BUF_INIT(1 << 20);
	char *line = NULL;

	buf_add_text(&b, prefix);
	while (b.len + strlen(suffix) < len)
		buf_add_char(&b, 'x');
	buf_add_text(&b, suffix);
	buf_add_text(&b, "\r\nb = c\n");
	assert_int_equal(buf_take(&b, &line, NULL), 0);
	return line;
}

static void lines_of_8_kib_are_read_whole_and_longer_ones_are_faults(void **state)
{
	static const char *const ends[][2] = { { "a = ", "" }, { "[repository ", "]" } };

	(void)state;
	for (size_t i = 0; i < COUNT(ends); i++) {
		char *line = make_line(ends[i][0], ends[i][1], INI_LINE_MAX);
		char *events = read_all(line, strlen(line));
		size_t overhead = strlen("1 a=\n2 b=c\n") - strlen("a = ");

		if (i == 1)
			overhead = strlen("1 [repository]\n2 b=c\n") - strlen("[repository ]");
		assert_int_equal(strlen(events), INI_LINE_MAX + overhead);
		free(events);
		free(line);
		line = make_line(ends[i][0], ends[i][1], INI_LINE_MAX + 1);
		events = read_all(line, strlen(line));
		assert_string_equal(events, "1 !this line is too lon\n2 b=c\n");
		free(events);
		free(line);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sections_and_keys_are_read_with_their_lines),
		cmocka_unit_test(only_a_line_that_starts_with_a_mark_is_a_comment),
		cmocka_unit_test(windows_files_are_read),
		cmocka_unit_test(lines_without_a_form_are_faults_and_reading_goes_on),
		cmocka_unit_test(nul_bytes_are_faults),
		cmocka_unit_test(lines_of_8_kib_are_read_whole_and_longer_ones_are_faults),
	};

	return cmocka_run_group_tests_name("ini", tests, NULL, NULL);
}
