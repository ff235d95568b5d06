/* SPDX-License-Identifier: Apache-2.0 */
/* The text report of known runs, to the letter. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "report/report.h"
#include "sample.h"

#define TEXT_MAX 65536

static void assert_report(const struct run *run, const char *expected)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	report_run_text(run, &b);
	assert_int_equal(b.error, 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static bool report_has(const struct run *run, const char *part)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	report_run_text(run, &b);
	assert_int_equal(b.error, 0);
	bool has = strstr(buf_text(&b), part) != NULL;
	buf_done(&b);
	return has;
}

#define TABLE_HEAD                                                                                              \
	"                 bytes |         I/Os |      MiB/s |  I/O per s |   AvgLat | IopsStdDev | LatStdDev\n" \
	"--------------------------------------------------------------"                                        \
	"--------------------------------------\n"

static const char mixed_report[] =
	"reverse-incremental on nas1, run 4711\n"
	"\n"
	"status:       ok\n"
	"started:      2026-11-30 18:00:00 UTC\n"
	"preset:       reverse-incremental\n"
	"workload:     512K 67 % write, random:4K, depth 2, direct+dsync\n"
	"bounds:       64M or 5s, warm-up 8 I/Os, timeout 1min\n"
	"engine:       io_uring, registered buffers\n"
	"file:         1 GiB\n"
	"target:       ext4 on /dev/sdb1 at /backup/nas1, 800 GiB free of 2 TiB\n"
	"device:       sdb1, WDC WD40EFRX-68W, rotational, write back cache, mq-deadline scheduler\n"
	"others:       moved 12 MiB/s, 340 I/O/s; processes of this host waited for I/O 41.5% "
	"of the time\n"
	"time:         1.500 s measured, 0.012 s to set up, 1.623 s in all\n"
	"\n"
	"Results, latencies in milliseconds\n"
	"\n"
	"Total IO\n" TABLE_HEAD
	"total:        62914560 |          120 |      40.00 |      80.00 |   12.440 |       0.00 |     5.993\n"
	"\n"
	"Read IO\n" TABLE_HEAD
	"total:        20971520 |           40 |      13.33 |      26.67 |    5.920 |       0.00 |     1.154\n"
	"\n"
	"Write IO\n" TABLE_HEAD
	"total:        41943040 |           80 |      26.67 |      53.33 |   15.700 |       0.00 |     4.618\n"
	"\n"
	"MiB/s while any were out: 50.00 of reads (0.400 s), 32.00 of writes (1.250 s)\n"
	"\n"
	"CPU use: 4.00% of one CPU (user 1.00%, kernel 3.00%)\n"
	"\n"
	"  %-ile |  Read (ms) | Write (ms) | Total (ms)\n"
	"----------------------------------------------\n"
	"    min |      3.970 |      7.800 |      3.970\n"
	"   25th |      4.882 |     11.600 |      6.849\n"
	"   50th |      5.865 |     15.663 |     11.600\n"
	"   75th |      6.849 |     19.530 |     17.695\n"
	"   90th |      7.438*|     21.889*|     21.103\n"
	"   95th |      7.700*|     22.675*|     22.413*\n"
	"   99th |      7.870*|     23.600*|     23.462*\n"
	"3-nines |      7.870*|     23.600*|     23.600*\n"
	"4-nines |      7.870*|     23.600*|     23.600*\n"
	"5-nines |      7.870*|     23.600*|     23.600*\n"
	"6-nines |      7.870*|     23.600*|     23.600*\n"
	"7-nines |      7.870*|     23.600*|     23.600*\n"
	"8-nines |      7.870*|     23.600*|     23.600*\n"
	"9-nines |      7.870*|     23.600*|     23.600*\n"
	"    max |      7.870 |     23.600 |     23.600\n"
	"* fewer than 10/(1-p) I/Os: too few for this percentile\n"
	"\n"
	"trust: direct short\n"
	"  direct       O_DIRECT: the page cache of this host took no part\n"
	"  short        too few I/Os for the 99th percentile\n";

static void a_mixed_run_has_all_tables(void **unused)
{
	struct run *run = sample_run();

	(void)unused;
	assert_report(run, mixed_report);
	free(run);
}

static void an_operation_that_did_not_happen_has_no_numbers(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	assert_true(report_has(run,
		"Read IO\n" TABLE_HEAD
		"total:               - |            - |          - |        "
		"  - |        - |          - |         -\n"));
	assert_true(report_has(run, "   50th |          - |     20.000 |     20.000\n"));
	/* 120 I/Os: 100 are needed for the 90th, 200 for the 95th percentile. */
	assert_true(report_has(run, "   90th |          - |     20.000 |     20.000\n"));
	assert_true(report_has(run, "   95th |          - |     20.000*|     20.000*\n"));
	free(run);
}

static void enough_ios_leave_no_mark_and_no_explanation(void **unused)
{
	struct run *run = sample_write_run();
	struct histogram *h = &run->operations[RUN_WRITE].latency;

	(void)unused;
	h->buckets[histogram_bucket(20 * NSEC_PER_MSEC)] = UINT64_C(10000000000);
	h->count = UINT64_C(10000000000);
	assert_false(report_has(run, "*"));
	h->count--;
	h->buckets[histogram_bucket(20 * NSEC_PER_MSEC)]--;
	assert_true(report_has(run,
		"8-nines |          - |     20.000 |     20.000\n"
		"9-nines |          - |     20.000*|     20.000*\n"));
	free(run);
}

static void iops_deviate_over_full_seconds_only(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	assert_true(report_has(run, " |   20.000 |        N/A |     0.000\n"));
	run->iops[RUN_WRITE] = (struct run_iops){ 3, 600, 140000 };
	assert_true(report_has(run,
		"Write IO\n" TABLE_HEAD "total:        62914560 |          120 |      50.00 |     "
		"100.00 |   20.000 |      81.65 |     0.000\n"));
	free(run);
}

static void registered_buffers_are_told(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	run->has_registered_buffers = true;
	assert_true(report_has(run, "engine:       io_uring, registered buffers\n"));
	run->has_registered_buffers = false;
	assert_true(report_has(
		run, "engine:       io_uring, plain buffers (the memory-lock limit is small)\n"));
	free(run);
}

static void a_failed_run_has_status_and_reason_instead_of_tables(void **unused)
{
	struct run *run = sample_failed_run(
		RUN_NOT_MOUNTED, 0, "/backup/nas1 is not mounted (it was before)");

	(void)unused;
	assert_report(run,
		"active-full on nas1\n"
		"\n"
		"status:       not_mounted\n"
		"reason:       /backup/nas1 is not mounted (it was before)\n"
		"started:      2026-11-30 18:00:00 UTC\n"
		"preset:       active-full\n"
		"workload:     512K write, sequential, depth 2, direct+dsync\n"
		"bounds:       64M or 5s, warm-up 8 I/Os, timeout 1min\n"
		"file:         1 GiB\n"
		"time:         nothing measured, 0.003 s in all\n");
	free(run);
}

static void an_error_has_the_name_of_its_number(void **unused)
{
	struct run *run = sample_failed_run(RUN_ERROR, EIO, "write failed");

	(void)unused;
	assert_true(report_has(run, "status:       error (EIO)\n"));
	free(run);
}

static void a_skipped_run_says_why(void **unused)
{
	struct run *run = sample_failed_run(RUN_SKIPPED, 0, "");

	(void)unused;
	run->skip = RUN_SKIP_IN_USE;
	assert_true(report_has(run, "status:       skipped (in_use)\nstarted:"));
	free(run);
}

static void a_stalled_run_has_numbers_and_tells_of_the_lost(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	run->status = RUN_STALLED;
	run->outstanding_ios = 2;
	run->operations[RUN_WRITE].errors = 3;
	assert_true(report_has(run, "status:       stalled\n"));
	assert_true(report_has(run, "\nerrors: 3 writes failed\n"));
	assert_true(report_has(run,
		"\nstalled: 2 I/Os were still out at the end; "
		"they count with their age, a lower bound\n"));
	assert_true(report_has(run, "Write IO\n"));
	free(run);
}

static void what_differs_from_the_preset_is_said(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	run->workload.block_size_bytes = 65536;
	run->workload.queue_depth = 8;
	assert_true(
		report_has(run, "preset:       active-full, but block_size=64K queue_depth=8\n"));
	free(run);
}

static void a_file_that_grows_says_so(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	run->trust |= RUN_TRUST_WARMING;
	run->file_bytes = UINT64_C(192) << 20;
	run->layout_bytes = UINT64_C(64) << 20;
	assert_true(report_has(run,
		"file:         192 MiB, growing to 1 GiB, 64 MiB of it laid out in this run\n"));
	assert_true(report_has(run, "trust: direct short warming\n"));
	free(run);
}

static void every_trust_flag_is_named_and_explained(void **unused)
{
	struct run *run = sample_write_run();
	char part[64];

	(void)unused;
	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++) {
		run->trust = 1U << bit;
		(void)snprintf(part, sizeof(part), "\ntrust: %s\n  %-11s  ", run_trust_name(bit),
			run_trust_name(bit));
		assert_true(report_has(run, part));
	}
	run->trust = 0;
	assert_true(report_has(run, "\ntrust: -\n"));
	free(run);
}

static void others_are_told_in_words(void **unused)
{
	static const struct {
		struct facts facts;
		const char *expected;
	} cases[] = {
		{ { .has_counters = false }, "others:       unknown\n" },
		{ { .has_counters = true }, "others:       nobody else used the device\n" },
		{ { .has_counters = true, .others_bytes_per_sec = 2048, .others_ios_per_sec = 1 },
			"others:       almost nothing (2 KiB/s, 1 I/O/s)\n" },
		{ { .has_counters = true, .others_bytes_per_sec = 4096, .others_ios_per_sec = 5 },
			"others:       moved 4 KiB/s, 5 I/O/s\n" },
		{ { .has_pressure = true },
			"others:       unknown; processes of this host waited for I/O 0.0% of "
			"the time\n" },
	};
	struct run *run = sample_write_run();

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		run->facts = cases[i].facts;
		assert_true(report_has(run, cases[i].expected));
	}
	free(run);
}

static void a_device_is_described_as_far_as_it_is_known(void **unused)
{
	struct run *run = sample_write_run();
	struct device_info *d = &run->identity.device;

	(void)unused;
	run->identity.has_device = false;
	assert_true(report_has(run, "device:       unknown\n"));
	run->identity.has_device = true;
	*d = (struct device_info){ .name = "sda", .disk = "sda" };
	d->leaf_count = 1;
	d->leaves[0] = (struct device_leaf){ .name = "sda" };
	assert_true(report_has(run, "device:       sda\n"));
	*d = (struct device_info){
		.name = "md0",
		.disk = "md0",
		.array_level = "raid1",
		.array_action = "resync",
		.rotational = DEVICE_ROTATIONAL_NO,
		.leaf_count = 2,
		.leaves = { { .name = "sda" }, { .name = "sdb" } },
	};
	assert_true(report_has(
		run, "device:       md0, raid1, on sda sdb, not rotational, resync under way\n"));
	free(run);
}

static void a_run_of_the_command_line_has_no_repository_and_no_number(void **unused)
{
	struct run *run = sample_write_run();

	(void)unused;
	run->id = 0;
	run->repository[0] = '\0';
	run->probe[0] = '\0';
	assert_true(report_has(run, "active-full\n\nstatus:"));
	free(run);
}

static void text_of_others_cannot_steer_the_terminal(void **unused)
{
	struct run *run = sample_failed_run(
		RUN_ERROR, 0, "evil \x1b[2J \xff\xfe \xc2\x9b line\nbreak \xc3\xa4 ok");

	(void)unused;
	assert_true(report_has(run, "reason:       evil  [2J ??   line break \xc3\xa4 ok\n"));
	assert_false(report_has(run, "\x1b"));
	free(run);
}

static void a_full_buffer_stays_an_error(void **unused)
{
	struct run *run = sample_run();
	struct buf b = BUF_INIT(100);

	(void)unused;
	report_run_text(run, &b);
	assert_int_equal(b.error, -ENOBUFS);
	buf_done(&b);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_mixed_run_has_all_tables),
		cmocka_unit_test(an_operation_that_did_not_happen_has_no_numbers),
		cmocka_unit_test(enough_ios_leave_no_mark_and_no_explanation),
		cmocka_unit_test(iops_deviate_over_full_seconds_only),
		cmocka_unit_test(registered_buffers_are_told),
		cmocka_unit_test(a_failed_run_has_status_and_reason_instead_of_tables),
		cmocka_unit_test(an_error_has_the_name_of_its_number),
		cmocka_unit_test(a_skipped_run_says_why),
		cmocka_unit_test(a_stalled_run_has_numbers_and_tells_of_the_lost),
		cmocka_unit_test(what_differs_from_the_preset_is_said),
		cmocka_unit_test(a_file_that_grows_says_so),
		cmocka_unit_test(every_trust_flag_is_named_and_explained),
		cmocka_unit_test(others_are_told_in_words),
		cmocka_unit_test(a_device_is_described_as_far_as_it_is_known),
		cmocka_unit_test(a_run_of_the_command_line_has_no_repository_and_no_number),
		cmocka_unit_test(text_of_others_cannot_steer_the_terminal),
		cmocka_unit_test(a_full_buffer_stays_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
