/* SPDX-License-Identifier: Apache-2.0 */
/* The growing buffer and the reader of its integers. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

static void an_empty_buffer_reads_as_empty_text(void **state)
{
	struct buf b = BUF_INIT(10);

	(void)state;
	assert_string_equal(buf_text(&b), "");
	assert_int_equal(b.len, 0);
}

static void appends_follow_each_other(void **state)
{
	struct buf b = BUF_INIT(1000);

	(void)state;
	buf_add_text(&b, "one ");
	buf_add_char(&b, '2');
	buf_printf(&b, " %s %d", "three", 4);
	buf_add(&b, "\0z", 2);
	assert_int_equal(b.error, 0);
	assert_int_equal(b.len, 15);
	assert_memory_equal(b.data, "one 2 three 4\0z", 16);
	buf_done(&b);
}

static void growth_keeps_what_was_written(void **state)
{
	struct buf b = BUF_INIT(100000);

	(void)state;
	for (int i = 0; i < 10000; i++)
		buf_printf(&b, "%04d ", i);
	assert_int_equal(b.error, 0);
	assert_int_equal(b.len, 50000);
	for (int i = 0; i < 10000; i++) {
		char expected[8];

		(void)snprintf(expected, sizeof(expected), "%04d ", i);
		assert_memory_equal(b.data + 5 * (size_t)i, expected, 5);
	}
	buf_done(&b);
}

static void the_maximum_can_be_filled_exactly(void **state)
{
	struct buf b = BUF_INIT(5);

	(void)state;
	buf_add_text(&b, "abc");
	buf_add_text(&b, "de");
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), "abcde");
	buf_done(&b);
}

static void one_byte_too_many_sticks_as_an_error(void **state)
{
	struct buf b = BUF_INIT(5);

	(void)state;
	buf_add_text(&b, "abc");
	buf_add_text(&b, "def");
	assert_int_equal(b.error, -ENOBUFS);
	buf_add_text(&b, "d");
	buf_printf(&b, "%d", 1);
	assert_int_equal(b.error, -ENOBUFS);
	assert_int_equal(b.len, 3);
	assert_string_equal(buf_text(&b), "");
	buf_done(&b);
}

static void printf_beyond_the_maximum_writes_nothing(void **state)
{
	struct buf b = BUF_INIT(5);

	(void)state;
	buf_printf(&b, "%s", "abcdef");
	assert_int_equal(b.error, -ENOBUFS);
	assert_int_equal(b.len, 0);
	buf_done(&b);
}

static void a_huge_length_is_an_error_not_an_overflow(void **state)
{
	struct buf b = BUF_INIT(SIZE_MAX);

	(void)state;
	buf_add_char(&b, 'a');
	buf_add(&b, "b", SIZE_MAX);
	assert_int_equal(b.error, -ENOBUFS);
	assert_int_equal(b.len, 1);
	buf_done(&b);
}

static void clear_forgets_content_and_error(void **state)
{
	struct buf b = BUF_INIT(3);

	(void)state;
	buf_add_text(&b, "abc");
	buf_add_text(&b, "d");
	buf_clear(&b);
	assert_string_equal(buf_text(&b), "");
	buf_add_text(&b, "xyz");
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), "xyz");
	buf_done(&b);
}

static void take_moves_the_bytes_out(void **state)
{
	struct buf b = BUF_INIT(100);
	char *data = NULL;
	size_t len = 0;

	(void)state;
	buf_add_text(&b, "hello");
	assert_int_equal(buf_take(&b, &data, &len), 0);
	assert_string_equal(data, "hello");
	assert_int_equal(len, 5);
	assert_null(b.data);
	assert_int_equal(b.len, 0);
	free(data);
	buf_add_text(&b, "again");
	assert_string_equal(buf_text(&b), "again");
	buf_done(&b);
}

static void take_of_an_empty_buffer_gives_empty_text(void **state)
{
	struct buf b = BUF_INIT(0);
	char *data = NULL;

	(void)state;
	assert_int_equal(buf_take(&b, &data, NULL), 0);
	assert_string_equal(data, "");
	free(data);
}

static void take_of_a_failed_buffer_gives_the_error(void **state)
{
	struct buf b = BUF_INIT(3);
	char *data = NULL;

	(void)state;
	buf_add_text(&b, "abc");
	buf_add_text(&b, "d");
	assert_int_equal(buf_take(&b, &data, NULL), -ENOBUFS);
	assert_null(data);
	assert_null(b.data);
}

static void bytes_that_are_not_utf8_are_replaced(void **state)
{
	static const struct {
		const char *text;
		const char *expected;
	} cases[] = {
		{ "", "" },
		{ "plain", "plain" },
		{ "ä€😀", "ä€😀" },
		{ "a\xff"
		  "b",
			"a\xef\xbf\xbd"
			"b" },
		{ "\x80", "\xef\xbf\xbd" },
		{ "\xc0\xaf", "\xef\xbf\xbd\xef\xbf\xbd" }, /* overlong '/' */
		{ "\xe2\x82", "\xef\xbf\xbd" }, /* cut in the middle */
		{ "\xe2\x82"
		  "a",
			"\xef\xbf\xbd"
			"a" },
		{ "\xed\xa0\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" }, /* a surrogate */
		{ "\xf4\x90\x80\x80", "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd" },
		{ "\xf0\x9f\x98"
		  "z",
			"\xef\xbf\xbd"
			"z" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(100);

		buf_add_utf8(&b, cases[i].text);
		assert_string_equal(buf_text(&b), cases[i].expected);
		buf_done(&b);
	}
}

static void integers_are_little_endian(void **state)
{
	static const uint8_t expected[] = {
		0x01,
		0x03,
		0x02,
		0x07,
		0x06,
		0x05,
		0x04,
		0x0f,
		0x0e,
		0x0d,
		0x0c,
		0x0b,
		0x0a,
		0x09,
		0x08,
	};
	struct buf b = BUF_INIT(100);

	(void)state;
	buf_add_u8(&b, 0x01);
	buf_add_u16(&b, 0x0203);
	buf_add_u32(&b, 0x04050607);
	buf_add_u64(&b, UINT64_C(0x08090a0b0c0d0e0f));
	assert_int_equal(b.len, sizeof(expected));
	assert_memory_equal(b.data, expected, sizeof(expected));

	struct buf_reader r = BUF_READER((const uint8_t *)b.data, b.len);
	assert_int_equal(buf_read_u8(&r), 0x01);
	assert_int_equal(buf_read_u16(&r), 0x0203);
	assert_int_equal(buf_read_u32(&r), 0x04050607);
	assert_int_equal(buf_read_u64(&r), UINT64_C(0x08090a0b0c0d0e0f));
	assert_int_equal(r.error, 0);
	assert_int_equal(r.pos, r.len);
	buf_done(&b);
}

static void varints_come_back_in_leb128_length(void **state)
{
	static const struct {
		uint64_t value;
		size_t len;
	} cases[] = {
		{ 0, 1 },
		{ 127, 1 },
		{ 128, 2 },
		{ 16383, 2 },
		{ 16384, 3 },
		{ UINT32_MAX, 5 },
		{ UINT64_C(1) << 62, 9 },
		{ UINT64_C(1) << 63, 10 },
		{ UINT64_MAX, 10 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(10);

		buf_add_varint(&b, cases[i].value);
		assert_int_equal(b.len, cases[i].len);
		struct buf_reader r = BUF_READER((const uint8_t *)b.data, b.len);
		assert_true(buf_read_varint(&r) == cases[i].value);
		assert_int_equal(r.error, 0);
		assert_int_equal(r.pos, b.len);
		buf_done(&b);
	}
}

static void malformed_varints_are_refused(void **state)
{
	static const struct {
		const char *bytes;
		size_t len;
	} cases[] = {
		{ "", 0 },
		{ "\x80", 1 },
		{ "\xff\xff\xff", 3 },
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x02", 10 }, /* 65 bits */
		{ "\xff\xff\xff\xff\xff\xff\xff\xff\xff\x81\x00", 11 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf_reader r = BUF_READER((const uint8_t *)cases[i].bytes, cases[i].len);

		assert_int_equal(buf_read_varint(&r), 0);
		assert_int_equal(r.error, -EBADMSG);
	}
}

static void a_short_input_answers_zero_from_then_on(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct buf_reader r = BUF_READER(bytes, sizeof(bytes));

	(void)state;
	assert_int_equal(buf_read_u16(&r), 0x0201);
	assert_int_equal(buf_read_u16(&r), 0);
	assert_int_equal(r.error, -EBADMSG);
	assert_int_equal(buf_read_u8(&r), 0);
	assert_null(buf_read_bytes(&r, 1));
}

static void lent_bytes_stay_inside_the_input(void **state)
{
	static const uint8_t bytes[] = { 1, 2, 3 };
	struct buf_reader r = BUF_READER(bytes, sizeof(bytes));

	(void)state;
	assert_ptr_equal(buf_read_bytes(&r, 2), bytes);
	assert_ptr_equal(buf_read_bytes(&r, 1), bytes + 2);
	assert_non_null(buf_read_bytes(&r, 0));
	assert_null(buf_read_bytes(&r, SIZE_MAX));
	assert_int_equal(r.error, -EBADMSG);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_buffer_reads_as_empty_text),
		cmocka_unit_test(appends_follow_each_other),
		cmocka_unit_test(growth_keeps_what_was_written),
		cmocka_unit_test(the_maximum_can_be_filled_exactly),
		cmocka_unit_test(one_byte_too_many_sticks_as_an_error),
		cmocka_unit_test(printf_beyond_the_maximum_writes_nothing),
		cmocka_unit_test(a_huge_length_is_an_error_not_an_overflow),
		cmocka_unit_test(clear_forgets_content_and_error),
		cmocka_unit_test(take_moves_the_bytes_out),
		cmocka_unit_test(take_of_an_empty_buffer_gives_empty_text),
		cmocka_unit_test(take_of_a_failed_buffer_gives_the_error),
		cmocka_unit_test(bytes_that_are_not_utf8_are_replaced),
		cmocka_unit_test(integers_are_little_endian),
		cmocka_unit_test(varints_come_back_in_leb128_length),
		cmocka_unit_test(malformed_varints_are_refused),
		cmocka_unit_test(a_short_input_answers_zero_from_then_on),
		cmocka_unit_test(lent_bytes_stay_inside_the_input),
	};

	return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
