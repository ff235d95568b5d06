/* SPDX-License-Identifier: Apache-2.0 */
/* The first block of a probe file. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "probe/header.h"

static const struct header sample = {
	.uuid = { 0xff, 1, 2, 3, 4, 5, 0xff, 7, 0xff, 9, 10, 11, 12, 13, 14, 15 },
	.created_usec = INT64_C(1796054400123456),
	.auto_bytes = UINT64_C(805) << 20,
	.growth = { INT64_C(1796054400123457), UINT64_C(804) << 20 },
};

static void it_comes_back_as_it_was(void **state)
{
	uint8_t block[HEADER_BYTES];
	struct header back;

	(void)state;
	assert_int_equal(header_encode(&sample, block), 0);
	assert_int_equal(header_decode(block, sizeof(block), &back), 0);
	assert_int_equal(back.created_usec, sample.created_usec);
	assert_int_equal(back.auto_bytes, sample.auto_bytes);
	assert_int_equal(back.growth.began_usec, sample.growth.began_usec);
	assert_int_equal(back.growth.target_bytes, sample.growth.target_bytes);
	assert_memory_equal(back.uuid, sample.uuid, sizeof(sample.uuid));
}

static void its_uuid_is_marked_as_random(void **state)
{
	uint8_t uuid[16];

	(void)state;
	memcpy(uuid, sample.uuid, sizeof(uuid));
	header_make_uuid(uuid);
	assert_int_equal(uuid[6], 0x4f); /* version 4 */
	assert_int_equal(uuid[8], 0xbf); /* variant 1 */
	assert_memory_equal(uuid, sample.uuid, 6);
	assert_memory_equal(uuid + 9, sample.uuid + 9, 7);
}

static void its_bytes_are_fixed(void **state)
{
	static const uint8_t start[24] = { 'r', 'e', 'p', 'o', 'p', 'r', 'o', 'b', 'e', 0, 0, 0, 0,
		0, 0, 0, 1 };
	uint8_t block[HEADER_BYTES];

	(void)state;
	assert_int_equal(header_encode(&sample, block), 0);
	assert_memory_equal(block, start, sizeof(start));
	assert_int_equal(block[48] | block[49] << 8 | block[50] << 16 | block[51] << 24, 805 << 20);
	assert_non_null(strstr((const char *)block + 64, "may be deleted"));
	assert_int_equal(
		block[264] | block[265] << 8 | block[266] << 16 | block[267] << 24, 804 << 20);
	assert_int_equal(block[HEADER_BYTES - 1], 0);
}

struct damage {
	size_t offset;
	uint8_t value;
	size_t len;
	int expected;
};

static void what_is_not_ours_is_told_from_what_is_newer(void **state)
{
	static const struct damage cases[] = {
		{ 0, 'R', HEADER_BYTES, -EBADMSG },
		{ 9, 's', HEADER_BYTES, -EBADMSG }, /* "repoprobes" */
		{ 15, 1, HEADER_BYTES, -EBADMSG },
		{ 16, 0, HEADER_BYTES, -EBADMSG }, /* there was no version 0 */
		{ 16, 2, HEADER_BYTES, -EPROTO },
		{ 19, 1, HEADER_BYTES, -EPROTO },
		{ 0, 'r', HEADER_BYTES - 1, -EBADMSG },
		{ 0, 'r', 16, -EBADMSG },
		{ 0, 'r', 0, -EBADMSG },
		{ 0, 'r', HEADER_BYTES, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint8_t block[HEADER_BYTES];
		struct header back;
		assert_int_equal(header_encode(&sample, block), 0);
		block[cases[i].offset] = cases[i].value;
		assert_int_equal(header_decode(block, cases[i].len, &back), cases[i].expected);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_comes_back_as_it_was),
		cmocka_unit_test(its_uuid_is_marked_as_random),
		cmocka_unit_test(its_bytes_are_fixed),
		cmocka_unit_test(what_is_not_ours_is_told_from_what_is_newer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
