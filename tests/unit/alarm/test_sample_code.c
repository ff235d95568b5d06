/* SPDX-License-Identifier: Apache-2.0 */
/* Samples are decoded as they were encoded; anything else is refused. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "alarm/baseline.h"
#include "alarm/sample_code.h"

static const struct baseline_sample sample = {
	.minute = UINT32_MAX - 5,
	.hour_of_week = 167,
	.is_learned = true,
	.values = { 1, 0x1234, BASELINE_UNKNOWN, 4, 5, 6, 10000 },
	.valley = 0xfedc,
	.others_bytes = BASELINE_UNKNOWN,
	.others_ios = 7,
};

static void a_sample_comes_back_as_it_was(void **state)
{
	uint8_t code[SAMPLE_CODE_BYTES];
	struct baseline_sample again = { .minute = 0 };

	(void)state;
	sample_code(&sample, code);
	assert_int_equal(sample_code_read(code, sizeof(code), &again), 0);
	assert_int_equal(again.minute, sample.minute);
	assert_int_equal(again.hour_of_week, sample.hour_of_week);
	assert_true(again.is_learned);
	assert_memory_equal(again.values, sample.values, sizeof(sample.values));
	assert_int_equal(again.valley, sample.valley);
	assert_int_equal(again.others_bytes, sample.others_bytes);
	assert_int_equal(again.others_ios, sample.others_ios);
}

static void all_else_is_refused_and_changes_nothing(void **state)
{
	static const struct {
		size_t at;
		uint8_t value;
	} changes[] = {
		{ 0, 2 }, /* version */
		{ 5, 168 }, /* hour of the week */
		{ 6, 2 }, /* learned */
	};
	uint8_t code[SAMPLE_CODE_BYTES + 1] = { 0 };
	struct baseline_sample kept = { .minute = 77 };

	(void)state;
	sample_code(&sample, code);
	for (size_t len = 0; len < SAMPLE_CODE_BYTES; len++)
		assert_int_equal(sample_code_read(code, len, &kept), -EBADMSG);
	assert_int_equal(sample_code_read(code, sizeof(code), &kept), -EBADMSG);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		sample_code(&sample, code);
		code[changes[i].at] = changes[i].value;
		assert_int_equal(sample_code_read(code, SAMPLE_CODE_BYTES, &kept), -EBADMSG);
	}
	assert_int_equal(kept.minute, 77);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_sample_comes_back_as_it_was),
		cmocka_unit_test(all_else_is_refused_and_changes_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
