/* SPDX-License-Identifier: Apache-2.0 */
/* Writing and parsing JSON. */
#include "test.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"

/* Dumps, frees and compares. */
static void assert_json(struct json_t *value, const char *expected)
{
	struct buf b = BUF_INIT(100000);

	assert_int_equal(json_dump(value, false, &b), 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static struct json_t *parse(const char *text)
{
	struct json_t *value = NULL;
	struct error e = { 0 };

	assert_int_equal(json_parse(text, strlen(text), &value, &e), 0);
	assert_string_equal(e.text, "");
	return value;
}

static void members_keep_their_order(void **state)
{
	struct json_t *o = json_new_object();

	(void)state;
	json_add_text(o, "z", "text");
	json_add_integer(o, "y", INT64_MIN);
	json_add_real(o, "x", 0.25);
	json_add_boolean(o, "w", true);
	json_add_null(o, "v");
	json_add_text(o, "u", NULL);
	json_add_seconds(o, "t", UINT64_C(23900000));
	json_add_instant(o, "s", INT64_C(1796061600000000));
	json_add(o, "r", json_new_object());
	json_add(o, "q", json_new_array());
	assert_json(o,
		"{\"z\":\"text\",\"y\":-9223372036854775808,\"x\":0.25,\"w\":true,\"v\":null,\"u\":null,"
		"\"t\":0.0239,\"s\":\"2026-11-30T18:00:00.000000Z\",\"r\":{},\"q\":[]}");
}

static void arrays_hold_every_kind(void **state)
{
	struct json_t *a = json_new_array();

	(void)state;
	json_append_text(a, "ä\n\"");
	json_append_integer(a, 7);
	json_append_real(a, 1e300);
	json_append_seconds(a, UINT64_C(1500000000));
	json_append_null(a);
	json_append(a, json_new_array());
	assert_json(a, "[\"ä\\n\\\"\",7,1e300,1.5,null,[]]");
}

static void reals_have_twelve_digits(void **state)
{
	struct json_t *a = json_new_array();

	(void)state;
	json_append_real(a, 0.1);
	json_append_real(a, 1.0 / 3.0);
	json_append_real(a, 3.0);
	json_append_seconds(a, 1);
	assert_json(a, "[0.1,0.333333333333,3.0,1e-9]");
}

static void what_json_cannot_say_becomes_null(void **state)
{
	struct json_t *a = json_new_array();

	(void)state;
	json_append_real(a, (double)NAN);
	json_append_real(a, (double)INFINITY);
	json_append_real(a, -(double)INFINITY);
	assert_json(a, "[null,null,null]");
}

static void text_that_is_not_utf8_is_mended(void **state)
{
	struct json_t *a = json_new_array();

	(void)state;
	json_append_text(a,
		"a\xff"
		"b");
	assert_json(a,
		"[\"a\xef\xbf\xbd"
		"b\"]");
}

static void pretty_output_ends_a_line(void **state)
{
	struct json_t *o = json_new_object();
	struct buf b = BUF_INIT(1000);

	(void)state;
	json_add_integer(o, "a", 1);
	assert_int_equal(json_dump(o, true, &b), 0);
	assert_string_equal(buf_text(&b), "{\n  \"a\": 1\n}\n");
	buf_done(&b);
}

static void a_part_that_failed_is_said_once_at_the_end(void **state)
{
	struct buf b = BUF_INIT(1000);
	struct json_t *o = json_new_object();
	struct json_t *inner = json_new_array();

	(void)state;
	assert_int_equal(json_dump(NULL, false, &b), -ENOMEM);
	json_add_integer(o, "before", 1);
	json_append(inner, NULL); /* as returned by json_new_object when memory is short */
	json_append_integer(inner, 2);
	json_add(o, "inner", inner);
	json_add_integer(o, "after", 3);
	assert_int_equal(json_dump(o, false, &b), -ENOMEM);
	assert_int_equal(b.error, 0);
	json_add_text(NULL, "key", "freed");
	json_append(NULL, json_new_object());
	assert_null(json_free(NULL));
	o = json_new_object();
	json_add(o, "x", NULL);
	assert_null(json_free(o));
	buf_done(&b);
}

static void a_full_buffer_is_said(void **state)
{
	struct buf b = BUF_INIT(5);
	struct json_t *a = json_new_array();

	(void)state;
	json_append_text(a, "longer than five");
	assert_int_equal(json_dump(a, false, &b), -ENOBUFS);
	assert_int_equal(json_dump(json_new_array(), false, &b), -ENOBUFS);
	buf_done(&b);
}

static void members_are_read_by_type(void **state)
{
	struct json_t *o = parse(
		"{\"text\":\"x\",\"integer\":-5,\"real\":2.5,\"yes\":true,\"null\":null,\"list\":[1,\"b\"]}");

	(void)state;
	assert_string_equal(json_get_text(o, "text"), "x");
	assert_null(json_get_text(o, "integer"));
	assert_null(json_get_text(o, "missing"));
	assert_int_equal(json_get_integer(o, "integer", 9), -5);
	assert_int_equal(json_get_integer(o, "real", 9), 9);
	assert_int_equal(json_get_integer(o, "text", 9), 9);
	assert_true(json_get_boolean(o, "yes", false));
	assert_false(json_get_boolean(o, "integer", false));
	assert_true(json_get_boolean(o, "missing", true));
	const struct json_t *list = json_get(o, "list");
	assert_int_equal(json_array_length(list), 2);
	assert_non_null(json_array_at(list, 1));
	assert_null(json_array_at(list, 2));
	assert_int_equal(json_array_length(o), 0);
	assert_int_equal(json_array_length(NULL), 0);
	assert_null(json_get(NULL, "x"));
	assert_null(json_get(list, "x"));
	json_free(o);
}

static void documents_come_back_as_written(void **state)
{
	static const char *const documents[] = {
		"{}",
		"[]",
		"{\"b\":1,\"a\":[true,false,null,{\"c\":\"\\u0001ä\"}]}",
		"[-9223372036854775808,9223372036854775807]",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(documents) / sizeof(documents[0]); i++)
		assert_json(parse(documents[i]), documents[i]);
}

static void other_than_strict_json_is_refused_with_a_place(void **state)
{
	static const struct {
		const char *text;
		const char *place;
	} cases[] = {
		{ "", "line 1, column 0: " },
		{ "{", "line 1, column 1: " },
		{ "{\"a\":1,\n\"a\":2}", "line 2, column 3: duplicate object key" },
		{ "{} x", "line 1, column 4: " },
		{ "[1,]", "line 1, column 4: " },
		{ "[NaN]", "line 1, column 4: " },
		{ "[\"\xff\"]", "line 1, column 2: " },
		{ "[\"\\u0000\"]", "line 1, column 9: " },
		{ "[9223372036854775808]", "line 1, column 20: " },
		{ "5", "line 1, column 1: " },
		{ "{'a':1}", "line 1, column 2: " },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_t *value = NULL;
		struct error e = { 0 };

		assert_int_equal(
			json_parse(cases[i].text, strlen(cases[i].text), &value, &e), -EINVAL);
		assert_null(value);
		assert_memory_equal(e.text, cases[i].place, strlen(cases[i].place));
		assert_int_equal(
			json_parse(cases[i].text, strlen(cases[i].text), &value, NULL), -EINVAL);
	}
}

static void an_embedded_nul_is_refused(void **state)
{
	struct json_t *value = NULL;

	(void)state;
	assert_int_equal(json_parse("[1]\0", 4, &value, NULL), -EINVAL);
	assert_int_equal(json_parse("[\"a\0b\"]", 7, &value, NULL), -EINVAL);
	assert_int_equal(json_parse(NULL, 0, &value, NULL), -EINVAL);
	assert_null(value);
}

static void nesting_ends_at_64_levels(void **state)
{
	struct buf b = BUF_INIT(1000);
	struct json_t *value = NULL;
	struct error e = { 0 };

	(void)state;
	for (int i = 0; i < 64; i++)
		buf_add_char(&b, '[');
	buf_add_text(&b, "\"[[[[\\\"[[[\"");
	for (int i = 0; i < 64; i++)
		buf_add_char(&b, ']');
	assert_int_equal(json_parse(b.data, b.len, &value, &e), 0);
	value = json_free(value);
	buf_clear(&b);
	for (int i = 0; i < 65; i++)
		buf_add_char(&b, '[');
	for (int i = 0; i < 65; i++)
		buf_add_char(&b, ']');
	assert_int_equal(json_parse(b.data, b.len, &value, &e), -EINVAL);
	assert_string_equal(e.text, "nested deeper than 64 levels");
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_keep_their_order),
		cmocka_unit_test(arrays_hold_every_kind),
		cmocka_unit_test(reals_have_twelve_digits),
		cmocka_unit_test(what_json_cannot_say_becomes_null),
		cmocka_unit_test(text_that_is_not_utf8_is_mended),
		cmocka_unit_test(pretty_output_ends_a_line),
		cmocka_unit_test(a_part_that_failed_is_said_once_at_the_end),
		cmocka_unit_test(a_full_buffer_is_said),
		cmocka_unit_test(members_are_read_by_type),
		cmocka_unit_test(documents_come_back_as_written),
		cmocka_unit_test(other_than_strict_json_is_refused_with_a_place),
		cmocka_unit_test(an_embedded_nul_is_refused),
		cmocka_unit_test(nesting_ends_at_64_levels),
	};

	return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
