/* SPDX-License-Identifier: Apache-2.0 */
/* Raw bytes to zlib and gzip and back. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compress.h"

#define BIG_BYTES ((size_t)300000)

/* Bytes that compress a little: a linear congruential generator, every second one zero. */
static uint8_t *new_bytes(size_t len)
{
	uint8_t *data = malloc(len + 1);
	uint32_t v = 1;

	assert_non_null(data);
	for (size_t i = 0; i < len; i++) {
		v = v * 1664525 + 1013904223;
		data[i] = i % 2 ? (uint8_t)(v >> 24) : 0;
	}
	return data;
}

static void zlib_streams_come_back(void **state)
{
	static const size_t lengths[] = { 0, 1, 100, 8191, 8192, 8193, BIG_BYTES };
	uint8_t *data = new_bytes(BIG_BYTES);

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		struct buf packed = BUF_INIT(2 * BIG_BYTES);
		struct buf plain = BUF_INIT(BIG_BYTES);

		for (int level = 1; level <= 9; level += 4) {
			buf_clear(&packed);
			buf_clear(&plain);
			assert_int_equal(compress_zlib(data, lengths[i], level, &packed), 0);
			assert_int_equal(compress_unzlib(packed.data, packed.len, &plain), 0);
			assert_int_equal(plain.len, lengths[i]);
			if (plain.len > 0)
				assert_memory_equal(plain.data, data, lengths[i]);
		}
		buf_done(&packed);
		buf_done(&plain);
	}
	free(data);
}

static void compression_makes_text_smaller(void **state)
{
	struct buf text = BUF_INIT(100000);
	struct buf packed = BUF_INIT(100000);

	(void)state;
	for (int i = 0; i < 1000; i++)
		buf_printf(&text, "repoprobe_probe_latency_seconds{repository=\"nas\"} %d\n", i);
	assert_int_equal(compress_gzip(text.data, text.len, 6, &packed), 0);
	assert_true(packed.len * 10 < text.len);
	/* RFC 1952: magic, deflate; the last four bytes are the length. */
	assert_memory_equal(packed.data, "\x1f\x8b\x08", 3);
	struct buf_reader r = BUF_READER((const uint8_t *)packed.data + packed.len - 4, 4);
	assert_int_equal(buf_read_u32(&r), text.len);
	buf_done(&text);
	buf_done(&packed);
}

static void what_is_already_in_the_buffer_stays(void **state)
{
	struct buf packed = BUF_INIT(1000);
	struct buf plain = BUF_INIT(1000);

	(void)state;
	buf_add_text(&packed, "<");
	assert_int_equal(compress_zlib("abc", 3, 9, &packed), 0);
	assert_int_equal(packed.data[0], '<');
	buf_add_text(&plain, ">");
	assert_int_equal(compress_unzlib(packed.data + 1, packed.len - 1, &plain), 0);
	assert_string_equal(buf_text(&plain), ">abc");
	buf_done(&packed);
	buf_done(&plain);
}

static void damaged_streams_are_refused_and_leave_nothing(void **state)
{
	struct buf packed = BUF_INIT(2 * BIG_BYTES);
	struct buf plain = BUF_INIT(BIG_BYTES + 4);
	uint8_t *data = new_bytes(BIG_BYTES);

	(void)state;
	assert_int_equal(compress_zlib(data, BIG_BYTES, 6, &packed), 0);
	buf_add_text(&plain, "kept");
	assert_int_equal(compress_unzlib(packed.data, packed.len - 1, &plain), -EBADMSG);
	assert_int_equal(compress_unzlib(packed.data, packed.len / 2, &plain), -EBADMSG);
	assert_int_equal(compress_unzlib("", 0, &plain), -EBADMSG);
	assert_int_equal(compress_unzlib("hello", 5, &plain), -EBADMSG);
	packed.data[packed.len - 1] ^= 1; /* the checksum */
	assert_int_equal(compress_unzlib(packed.data, packed.len, &plain), -EBADMSG);
	packed.data[packed.len - 1] ^= 1;
	buf_add_char(&packed, 'x');
	assert_int_equal(compress_unzlib(packed.data, packed.len, &plain), -EBADMSG);
	assert_string_equal(buf_text(&plain), "kept");
	assert_int_equal(compress_unzlib(packed.data, packed.len - 1, &plain), 0);
	assert_int_equal(plain.len, BIG_BYTES + 4);
	buf_done(&packed);
	buf_done(&plain);
	free(data);
}

static void a_bomb_stops_at_the_maximum(void **state)
{
	struct buf packed = BUF_INIT(1 << 20);
	struct buf plain = BUF_INIT(1000);
	char *zeros = calloc(1, 10 << 20);

	(void)state;
	assert_non_null(zeros);
	assert_int_equal(compress_zlib(zeros, 10 << 20, 9, &packed), 0);
	assert_true(packed.len < 20000);
	assert_int_equal(compress_unzlib(packed.data, packed.len, &plain), -ENOBUFS);
	assert_true(plain.capacity <= 1001);
	buf_done(&packed);
	buf_done(&plain);
	free(zeros);
}

static void a_full_buffer_is_said(void **state)
{
	struct buf packed = BUF_INIT(10);
	uint8_t *data = new_bytes(1000);

	(void)state;
	assert_int_equal(compress_zlib(data, 1000, 6, &packed), -ENOBUFS);
	assert_int_equal(compress_gzip(data, 1000, 6, &packed), -ENOBUFS);
	buf_done(&packed);
	free(data);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(zlib_streams_come_back),
		cmocka_unit_test(compression_makes_text_smaller),
		cmocka_unit_test(what_is_already_in_the_buffer_stays),
		cmocka_unit_test(damaged_streams_are_refused_and_leave_nothing),
		cmocka_unit_test(a_bomb_stops_at_the_maximum),
		cmocka_unit_test(a_full_buffer_is_said),
	};

	return cmocka_run_group_tests_name("compress", tests, NULL, NULL);
}
