/* SPDX-License-Identifier: Apache-2.0 */
/* Bits come back as they were put, and past the end there are none. */
#include "store/bits.h"

#include "base/buf.h"
#include "test.h"

#define BUF_MAX 65536

static struct bits_reader end_and_read(struct bits_writer *w)
{
	bits_end(w);
	assert_int_equal(w->buf->error, 0);
	return (struct bits_reader){ .data = (const uint8_t *)w->buf->data, .len = w->buf->len };
}

static void each_width_comes_back(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct bits_writer w = { .buf = &b };
	const uint64_t value = UINT64_C(0xa5c3f00f1234567);
	(void)state;

	for (unsigned width = 0; width <= 56; width++)
		bits_put(&w, value, width);
	struct bits_reader r = end_and_read(&w);
	assert_int_equal(b.len, (56 * 57 / 2 + 7) / 8);
	for (unsigned width = 0; width <= 56; width++)
		assert_int_equal(bits_get(&r, width), value & ((UINT64_C(1) << width) - 1));
	assert_true(bits_is_at_end(&r));
	buf_done(&b);
}

static void numbers_of_any_length_come_back(void **state)
{
	struct buf b = BUF_INIT(BUF_MAX);
	struct bits_writer w = { .buf = &b };
	(void)state;

	bits_put_number(&w, 0);
	for (unsigned bit = 0; bit < 127; bit++) {
		bits_put_number(&w, (unsigned __int128)1 << bit);
		bits_put_number(&w, ((unsigned __int128)1 << bit) - 1);
	}
	struct bits_reader r = end_and_read(&w);
	assert_true(bits_get_number(&r) == 0);
	for (unsigned bit = 0; bit < 127; bit++) {
		assert_true(bits_get_number(&r) == (unsigned __int128)1 << bit);
		assert_true(bits_get_number(&r) == ((unsigned __int128)1 << bit) - 1);
	}
	assert_true(bits_is_at_end(&r));
	buf_done(&b);
}

static void rice_codes_are_short_for_small_values_and_hold_large_ones(void **state)
{
	static const uint64_t values[] = { 0, 1, 2, 7, 8, 19, 20, 21, 1000, UINT64_C(1) << 41,
		(UINT64_C(1) << 56) - 1 };
	struct buf b = BUF_INIT(BUF_MAX);
	struct bits_writer w = { .buf = &b };
	(void)state;

	bits_put_rice(&w, 0, 0);
	bits_put_rice(&w, 3, 2);
	bits_put_rice(&w, 1, 0);
	bits_put_rice(&w, 2, 1);
	bits_end(&w);
	assert_int_equal(b.len, 2); /* of 1, 3, 2 and 3 bits */
	buf_clear(&b);
	for (unsigned shift = 0; shift <= 40; shift++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			bits_put_rice(&w, values[i], shift);
	struct bits_reader r = end_and_read(&w);
	for (unsigned shift = 0; shift <= 40; shift++)
		for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
			assert_int_equal(bits_get_rice(&r, shift), values[i]);
	assert_true(bits_is_at_end(&r));
	buf_done(&b);
}

static void past_the_end_there_is_nothing(void **state)
{
	static const uint8_t ones[] = { 0xff, 0xff, 0xff, 0xff };
	struct bits_reader r = { .data = ones, .len = sizeof(ones) };
	(void)state;

	assert_int_equal(bits_get(&r, 24), 0xffffff);
	assert_int_equal(bits_get(&r, 9), 0);
	assert_true(r.is_short);
	assert_false(bits_is_at_end(&r));
	assert_true(bits_get_number(&r) == 0);
	/* The way out of a Rice code announces 63 bits, which none has. */
	r = (struct bits_reader){ .data = ones, .len = sizeof(ones) };
	assert_int_equal(bits_get_rice(&r, 0), 0);
	assert_true(r.is_short);
}

static void what_fills_the_last_byte_is_zero(void **state)
{
	static const uint8_t bytes[] = { 0x80, 0x81, 0x00 };
	struct bits_reader r = { .data = bytes, .len = 1 };
	(void)state;

	assert_int_equal(bits_get(&r, 1), 1);
	assert_true(bits_is_at_end(&r));
	r = (struct bits_reader){ .data = bytes + 1, .len = 1 };
	assert_int_equal(bits_get(&r, 1), 1);
	assert_false(bits_is_at_end(&r));
	r = (struct bits_reader){ .data = bytes, .len = 3 };
	assert_int_equal(bits_get(&r, 16), 0x8081);
	assert_false(bits_is_at_end(&r)); /* a whole byte too many */
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_width_comes_back),
		cmocka_unit_test(numbers_of_any_length_come_back),
		cmocka_unit_test(rice_codes_are_short_for_small_values_and_hold_large_ones),
		cmocka_unit_test(past_the_end_there_is_nothing),
		cmocka_unit_test(what_fills_the_last_byte_is_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
