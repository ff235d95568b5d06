/* SPDX-License-Identifier: Apache-2.0 */
/* The table of runs: its columns stand under each other. */
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "report/report.h"
#include "sample.h"

static void assert_line(const struct run *run, const char *expected)
{
	struct buf b = BUF_INIT(4096);

	report_run_list_line(run, &b);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static void the_header_stands_over_the_columns(void **unused)
{
	struct buf b = BUF_INIT(4096);

	(void)unused;
	report_run_list_header(&b);
	assert_string_equal(buf_text(&b),
		"     RUN  STARTED (UTC)        REPOSITORY        PROBE                STATUS      "
		"   READ AVG  WRITE AVG   THROUGHPUT  NOTES\n");
	buf_done(&b);
}

static void a_measured_run_has_its_averages(void **unused)
{
	struct run *run = sample_run();

	(void)unused;
	assert_line(run,
		"    4711  2026-11-30 18:00:00  nas1              reverse-incremental  ok          "
		"     5.9 ms    15.7 ms     40 MiB/s  short\n");
	run->trust = RUN_TRUST_DIRECT;
	assert_line(run,
		"    4711  2026-11-30 18:00:00  nas1              reverse-incremental  ok          "
		"     5.9 ms    15.7 ms     40 MiB/s\n");
	free(run);
}

static void a_failed_run_has_its_reason(void **unused)
{
	struct run *run = sample_failed_run(RUN_ERROR, EIO, "write failed: EIO");

	(void)unused;
	assert_line(run,
		"       -  2026-11-30 18:00:00  nas1              active-full          error       "
		"          -          -            -  write failed: EIO\n");
	free(run);
}

static void a_skipped_run_has_its_cause(void **unused)
{
	struct run *run = sample_failed_run(RUN_SKIPPED, 0, "a backup is running");

	(void)unused;
	run->skip = RUN_SKIP_BUSY;
	assert_line(run,
		"       -  2026-11-30 18:00:00  nas1              active-full          skipped     "
		"          -          -            -  busy: a backup is running\n");
	free(run);
}

static void columns_are_counted_in_characters(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	memcpy(run->repository, "B\xc3\xbcro", sizeof("B\xc3\xbcro"));
	assert_line(run,
		"    4712  2026-11-30 18:01:00  B\xc3\xbcro              active-full          ok    "
		"                -      20 ms     50 MiB/s  short\n");
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_header_stands_over_the_columns),
		cmocka_unit_test(a_measured_run_has_its_averages),
		cmocka_unit_test(a_failed_run_has_its_reason),
		cmocka_unit_test(a_skipped_run_has_its_cause),
		cmocka_unit_test(columns_are_counted_in_characters),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
