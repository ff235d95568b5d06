/* SPDX-License-Identifier: Apache-2.0 */
/* A run as fio's json+: units, bins and percentiles of known latencies, and the job's options. That
 * real readers take it is for tests/integration/test_fio_json.py. */
#include "json_real.h"
#include "test.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "report/format.h"
#include "report/report.h"
#include "sample.h"

#define JSON_TEXT_MAX 262144

/* Written, read back strictly. Freed with json_free(). */
static struct json_t *through_text(const struct run *run)
{
	struct buf b = BUF_INIT(JSON_TEXT_MAX);
	struct error e = { "" };
	struct json_t *value = NULL;

	report_run_fio_json(run, &b);
	assert_int_equal(b.error, 0);
	assert_int_equal(json_parse(buf_text(&b), b.len, &value, &e), 0);
	buf_done(&b);
	return value;
}

static const struct json_t *job_of(const struct json_t *document)
{
	assert_int_equal(json_array_length(json_get(document, "jobs")), 1);
	return json_array_at(json_get(document, "jobs"), 0);
}

static const struct json_t *latency_of(const struct json_t *document, const char *direction)
{
	return json_get(json_get(job_of(document), direction), "clat_ns");
}

static void assert_text(const struct json_t *object, const char *key, const char *expected)
{
	const char *text = json_get_text(object, key);

	if (!text || strcmp(text, expected) != 0)
		fail_msg("%s is %s, not %s", key, text ? text : "absent", expected);
}

static void assert_real(const struct json_t *object, const char *key, double expected)
{
	double value = json_get_real(object, key, -1);

	if (value < expected - 1e-6 || value > expected + 1e-6)
		fail_msg("%s is %g, not %g", key, value, expected);
}

static void rates_and_times_are_in_fios_units(void **unused)
{
	struct run *run = sample_run();
	struct json_t *value = through_text(run);
	const struct json_t *write = json_get(job_of(value), "write");

	(void)unused;
	assert_text(value, "fio version", "repoprobe-" PACKAGE_VERSION);
	assert_int_equal(json_get_integer(value, "timestamp", 0), 1796061601); /* its end */
	assert_int_equal(json_get_integer(value, "timestamp_ms", 0), 1796061601623);
	assert_text(value, "time", "Mon Nov 30 18:00:01 2026");
	assert_int_equal(json_get_integer(write, "io_bytes", -1), 80 * 524288);
	assert_int_equal(json_get_integer(write, "io_kbytes", -1), 80 * 512);
	assert_int_equal(json_get_integer(write, "bw_bytes", -1), 27962027); /* in 1.5 s */
	assert_int_equal(json_get_integer(write, "bw", -1), 27306);
	assert_int_equal(json_get_integer(write, "runtime", -1), 1500);
	assert_int_equal(json_get_integer(write, "total_ios", -1), 80);
	assert_real(write, "iops", 80 / 1.5);
	assert_real(write, "iops_mean", 52);
	assert_int_equal(json_get_integer(write, "iops_samples", -1), 1);
	assert_text(job_of(value), "jobname", "reverse-incremental");
	assert_text(job_of(value), "desc", "status: ok; trust: direct, short");
	assert_int_equal(json_get_integer(job_of(value), "error", -1), 0);
	assert_int_equal(json_get_integer(job_of(value), "elapsed", -1), 2);
	assert_real(job_of(value), "usr_cpu", 1);
	assert_real(job_of(value), "sys_cpu", 3);
	json_free(value);
	free(run);
}

static void latencies_stand_as_clat_and_lat_and_slat_is_empty(void **unused)
{
	struct run *run = sample_run();
	struct json_t *value = through_text(run);
	const struct json_t *read = json_get(job_of(value), "read");
	const struct json_t *clat = json_get(read, "clat_ns");
	const struct json_t *lat = json_get(read, "lat_ns");

	(void)unused;
	assert_int_equal(json_get_integer(clat, "min", -1), 3970000);
	assert_int_equal(json_get_integer(clat, "max", -1), 7870000);
	assert_real(clat, "mean", 5920000);
	/* Of 40 evenly spaced values, with N - 1: 100 us × sqrt(40 × 41 / 12). */
	assert_in_range((uint64_t)json_get_real(clat, "stddev", 0), 1169045, 1169046);
	assert_int_equal(json_get_integer(clat, "N", -1), 40);
	assert_int_equal(json_get_integer(lat, "N", -1), 40);
	assert_real(lat, "mean", 5920000);
	assert_null(json_get(lat, "bins"));
	assert_int_equal(json_get_integer(json_get(read, "slat_ns"), "N", -1), 0);
	assert_int_equal(json_get_integer(latency_of(value, "trim"), "N", -1), 0);
	json_free(value);
	free(run);
}

/* What fio 3.33 prints for one I/O of 130 ns and one of 131 ns: buckets of two nanoseconds. */
static void bins_are_named_by_their_middle_and_percentiles_are_bins(void **unused)
{
	struct run *run = sample_write_run();
	struct histogram *h = &run->operations[RUN_WRITE].latency;

	(void)unused;
	memset(h, 0, sizeof(*h));
	histogram_add(h, 100);
	histogram_add(h, 130);
	histogram_add(h, 131);
	histogram_add(h, 1000);
	struct json_t *value = through_text(run);
	const struct json_t *clat = latency_of(value, "write");
	const struct json_t *bins = json_get(clat, "bins");
	const struct json_t *percentile = json_get(clat, "percentile");

	assert_int_equal(json_get_integer(bins, "100", -1), 1);
	assert_int_equal(json_get_integer(bins, "131", -1), 2);
	assert_int_equal(json_get_integer(bins, "1004", -1), 1);
	assert_int_equal(json_get_integer(percentile, "1.000000", -1), 100);
	assert_int_equal(json_get_integer(percentile, "30.000000", -1), 131);
	assert_int_equal(json_get_integer(percentile, "70.000000", -1), 131);
	assert_int_equal(json_get_integer(percentile, "80.000000", -1), 1004);
	assert_int_equal(json_get_integer(percentile, "99.990000", -1), 1004);
	assert_real(json_get(job_of(value), "latency_ns"), "250", 75);
	assert_real(json_get(job_of(value), "latency_us"), "2", 25);
	json_free(value);
	free(run);
}

static void latencies_past_fios_last_bucket_are_in_it(void **unused)
{
	struct run *run = sample_write_run();
	struct histogram *h = &run->operations[RUN_WRITE].latency;

	(void)unused;
	memset(h, 0, sizeof(*h));
	histogram_add(h, 1500000000);
	histogram_add(h, UINT64_C(17100000000));
	histogram_add(h, UINT64_C(20000000000));
	histogram_add(h, UINT64_C(600000000000));
	struct json_t *value = through_text(run);
	const struct json_t *clat = latency_of(value, "write");

	assert_int_equal(json_get_integer(json_get(clat, "bins"), "17112760320", -1), 3);
	assert_int_equal(
		json_get_integer(json_get(clat, "percentile"), "99.000000", -1), 17112760320);
	assert_int_equal(json_get_integer(clat, "max", -1), 600000000000);
	assert_int_equal(json_get_integer(clat, "N", -1), 4);
	assert_real(json_get(job_of(value), "latency_ms"), "2000", 25);
	assert_real(json_get(job_of(value), "latency_ms"), ">=2000", 75);
	json_free(value);
	free(run);
}

static void what_did_not_happen_is_zero_without_bins_as_fio_has_it(void **unused)
{
	struct run *run = sample_write_run();
	struct json_t *value = through_text(run);
	const struct json_t *read = json_get(job_of(value), "read");

	(void)unused;
	assert_int_equal(json_get_integer(read, "total_ios", -1), 0);
	assert_int_equal(json_get_integer(read, "runtime", -1), 0);
	assert_null(json_get(json_get(read, "clat_ns"), "bins"));
	assert_null(json_get(json_get(read, "clat_ns"), "percentile"));
	json_free(value);
	free(run);
}

static void a_failed_run_has_an_error_and_says_why(void **unused)
{
	struct run *run = sample_failed_run(RUN_NOT_MOUNTED, 0, "/backup is not mounted");
	struct json_t *value = through_text(run);

	(void)unused;
	assert_int_equal(json_get_integer(job_of(value), "error", 0), ENODEV);
	assert_text(job_of(value), "desc", "status: not_mounted (/backup is not mounted)");
	json_free(value);
	free(run);
	for (int i = 0; i < RUN_STATUSES; i++) {
		run = sample_failed_run((enum run_status)i, 0, "");
		value = through_text(run);
		assert_int_equal(
			json_get_integer(job_of(value), "error", 0) == 0, i == (int)RUN_OK);
		json_free(value);
		free(run);
	}
}

static const struct json_t *options_of(const struct json_t *document)
{
	return json_get(job_of(document), "job options");
}

static void options_are_a_job_of_fio(void **unused)
{
	struct run *run = sample_run();
	struct json_t *value = through_text(run);
	const struct json_t *options = options_of(value);

	(void)unused;
	assert_text(options, "rw", "randrw");
	assert_text(options, "rwmixwrite", "67");
	assert_text(options, "bs", "524288");
	assert_text(options, "blockalign", "4096");
	assert_text(options, "iodepth", "2");
	assert_text(options, "numjobs", "1");
	assert_text(options, "direct", "1");
	assert_text(options, "sync", "dsync");
	assert_text(options, "ioengine", "io_uring");
	assert_text(options, "runtime", "5");
	assert_text(options, "io_size", "67108864");
	assert_null(json_get(options, "time_based"));
	assert_null(json_get(options, "randseed"));
	json_free(value);
	free(run);
}

static void other_workloads_have_other_options(void **unused)
{
	struct run *run = sample_write_run();
	struct workload *w = &run->workload;

	(void)unused;
	w->cache = WORKLOAD_BUFFERED;
	w->content = WORKLOAD_CONTENT_COMPRESSIBLE;
	w->compressible_percent = 40;
	w->max_bytes = 0;
	w->duration_usec = 1500000;
	w->has_seed = true;
	w->seed = 7;
	w->pattern = WORKLOAD_MIXED;
	w->random_percent = 30;
	w->think_time_usec = 250;
	w->threads = 3;
	w->max_ios = 100;
	w->rate_bytes_per_sec = 3000000;
	run->engine = WORKLOAD_ENGINE_THREADS;
	struct json_t *value = through_text(run);
	const struct json_t *options = options_of(value);

	assert_text(options, "rw", "randwrite");
	assert_null(json_get(options, "rwmixwrite"));
	assert_text(options, "percentage_random", "30");
	assert_text(options, "direct", "0");
	assert_null(json_get(options, "sync"));
	assert_text(options, "ioengine", "psync");
	assert_text(options, "buffer_compress_percentage", "40");
	assert_text(options, "runtime", "1500000us");
	assert_null(json_get(options, "time_based")); /* number_ios may end it */
	assert_text(options, "numjobs", "3");
	assert_text(options, "group_reporting", "1");
	assert_text(options, "number_ios", "34"); /* of each job */
	assert_text(options, "rate", "3000000");
	assert_text(options, "randseed", "7");
	assert_text(options, "thinktime", "250");
	assert_text(options, "thinktime_blocks", "1");
	json_free(value);
	w->write_percent = 67;
	w->max_ios = 0;
	value = through_text(run);
	assert_text(options_of(value), "rate", "990000,2010000"); /* reads, writes */
	assert_text(options_of(value), "time_based", "1");
	json_free(value);
	free(run);
}

static void every_format_is_found_and_writes(void **unused)
{
	struct run *run = sample_run();
	size_t count = 0;

	(void)unused;
	for (; report_format_at(count); count++) {
		const struct report_format *format = report_format_at(count);
		struct buf b = BUF_INIT(JSON_TEXT_MAX);
		struct buf full = BUF_INIT(10);

		assert_ptr_equal(report_format_find(format->name), format);
		format->write(run, &b);
		assert_int_equal(b.error, 0);
		assert_int_equal(buf_text(&b)[0] == '{', format->is_document);
		format->write(run, &full);
		assert_int_equal(full.error, -ENOBUFS);
		buf_done(&full);
		buf_done(&b);
	}
	assert_int_equal(count, 4);
	assert_string_equal(report_format_at(0)->name, "text");
	assert_null(report_format_find("yaml"));
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_and_times_are_in_fios_units),
		cmocka_unit_test(latencies_stand_as_clat_and_lat_and_slat_is_empty),
		cmocka_unit_test(bins_are_named_by_their_middle_and_percentiles_are_bins),
		cmocka_unit_test(latencies_past_fios_last_bucket_are_in_it),
		cmocka_unit_test(what_did_not_happen_is_zero_without_bins_as_fio_has_it),
		cmocka_unit_test(a_failed_run_has_an_error_and_says_why),
		cmocka_unit_test(options_are_a_job_of_fio),
		cmocka_unit_test(other_workloads_have_other_options),
		cmocka_unit_test(every_format_is_found_and_writes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
