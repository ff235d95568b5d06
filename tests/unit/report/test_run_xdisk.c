/* SPDX-License-Identifier: Apache-2.0 */
/* A run as XDISK's row: the header to the letter, and how numbers are rounded. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "report/report.h"
#include "sample.h"

#define TEXT_MAX 4096
#define WORDS 16

/* The words of the row below the header. */
static void read_row(const struct run *run, char words[WORDS][32])
{
	struct buf b = BUF_INIT(TEXT_MAX);

	report_run_xdisk(run, &b);
	assert_int_equal(b.error, 0);
	const char *at = strchr(buf_text(&b), '\n');
	assert_non_null(at);
	at++;
	for (size_t i = 0; i < WORDS; i++) {
		at += strspn(at, " ");
		size_t len = strcspn(at, " \n");
		assert_in_range(len, 1, 31);
		memcpy(words[i], at, len);
		words[i][len] = '\0';
		at += len;
	}
	assert_string_equal(at, "\n");
	buf_done(&b);
}

static void a_mixed_run_to_the_letter(void **unused)
{
	struct run *run = sample_run();
	struct buf b = BUF_INIT(TEXT_MAX);

	(void)unused;
	report_run_xdisk(run, &b);
	assert_string_equal(buf_text(&b),
		"  BS Proc AIO read% IO Flag IO/s MB/s rMin-ms rMax-ms rAvg-ms WrAvg wMin-ms "
		"wMax-ms wAvg-ms WwAvg\n"
		"512K    1   2    33  R  -DW   80 40.0    3.97    7.87    5.92  5.92    7.80 "
		"   23.6    15.7  15.7\n");
	buf_done(&b);
	free(run);
}

static void what_did_not_happen_is_zero_as_xdisk_has_it(void **unused)
{
	struct run *run = sample_write_run();
	char words[WORDS][32];

	(void)unused;
	read_row(run, words);
	assert_string_equal(words[3], "0"); /* read% */
	assert_string_equal(words[4], "S");
	for (size_t i = 8; i < 12; i++)
		assert_string_equal(words[i], "0.0");
	assert_string_equal(words[14], "20.0");
	free(run);
}

static void numbers_keep_three_digits(void **unused)
{
	struct run *run = sample_write_run();
	struct histogram *h = &run->operations[RUN_WRITE].latency;
	char words[WORDS][32];

	(void)unused;
	memset(h, 0, sizeof(*h));
	histogram_add(h, 1234); /* 0.001 */
	histogram_add(h, 123456789); /* 123 */
	run->operations[RUN_WRITE].ios = 236587;
	run->operations[RUN_WRITE].bytes = UINT64_C(236587) * 8192;
	run->measured_nsec = NSEC_PER_SEC;
	read_row(run, words);
	assert_string_equal(words[6], "236587");
	assert_string_equal(words[7], "1848");
	assert_string_equal(words[12], "0.001");
	assert_string_equal(words[13], "123");
	assert_string_equal(words[14], "61.7"); /* exact: 61.729 */
	assert_string_equal(words[15], "61.6"); /* middles of buckets: 61.604 */
	free(run);
}

static void flags_are_what_the_file_was_opened_with(void **unused)
{
	static const char *const flags[] = {
		[WORKLOAD_DIRECT] = "-D",
		[WORKLOAD_DIRECT_DSYNC] = "-DW",
		[WORKLOAD_DSYNC] = "-W",
		[WORKLOAD_BUFFERED] = "-",
	};
	struct run *run = sample_write_run();
	char words[WORDS][32];

	(void)unused;
	run->workload.queue_depth = 1;
	run->workload.threads = 16;
	for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
		run->workload.cache = (enum workload_cache)i;
		read_row(run, words);
		assert_string_equal(words[5], flags[i]);
	}
	assert_string_equal(words[1], "16");
	assert_string_equal(words[2], "0"); /* one at a time is XDISK without -A */
	run->trust = RUN_TRUST_FALLBACK;
	read_row(run, words);
	assert_string_equal(words[5], "-f");
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mixed_run_to_the_letter),
		cmocka_unit_test(what_did_not_happen_is_zero_as_xdisk_has_it),
		cmocka_unit_test(numbers_keep_three_digits),
		cmocka_unit_test(flags_are_what_the_file_was_opened_with),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
