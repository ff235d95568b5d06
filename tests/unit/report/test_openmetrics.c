/* SPDX-License-Identifier: Apache-2.0 */
/* The text that promtool reads: families, labels, numbers, times and what is left out. */
#include "report/openmetrics.h"

#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "report/report.h"
#include "test.h"

static struct run_point point(int64_t started_usec, enum run_status status)
{
	struct run_point p = { .id = 1,
		.started_usec = started_usec,
		.status = status,
		.duration_nsec = 2500000000,
		.measured_nsec = 2000000000 };

	p.operations[RUN_WRITE] = (struct run_point_operation){ .has_happened = true,
		.ios = 4,
		.bytes = 4096,
		.latencies = 4,
		.sum_nsec = 10000001,
		.min_nsec = 1000000,
		.p50_nsec = 2000000,
		.p95_nsec = 3000000,
		.p99_nsec = 4000000,
		.max_nsec = 5000000 };
	return p;
}

static void write_all(const struct run_point *points, size_t count, struct buf *b)
{
	const struct openmetrics_probe probe = {
		.repository = "a \"b\"\\c",
		.probe = "p",
		.points = points,
		.count = count,
	};

	for (size_t i = 0; i < openmetrics_families(); i++) {
		openmetrics_begin(i, b);
		openmetrics_add(i, &probe, b);
	}
	openmetrics_end(b);
}

static void a_run_becomes_samples_with_its_start(void **state)
{
	static const char *const lines[] = {
		"# TYPE repoprobe_probe_latency_seconds gauge\n"
		"# UNIT repoprobe_probe_latency_seconds seconds\n",
		"repoprobe_probe_success{repository=\"a \\\"b\\\"\\\\c\",probe=\"p\"} 1 "
		"1790000000.123\n",
		"repoprobe_probe_duration_seconds{repository=\"a \\\"b\\\"\\\\c\",probe=\"p\"} 2.5 "
		"1790000000.123\n",
		"operation=\"write\"} 2048 1790000000.123\n",
		"operation=\"write\",stat=\"avg\"} 0.0025 1790000000.123\n",
		"operation=\"write\",stat=\"max\"} 0.005 1790000000.123\n",
	};
	const struct run_point p = point(INT64_C(1790000000123456), RUN_OK);
	struct buf b = BUF_INIT(1 << 16);

	(void)state;
	write_all(&p, 1, &b);
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		if (!strstr(buf_text(&b), lines[i]))
			fail_msg("%s is not in\n%s", lines[i], buf_text(&b));
	assert_null(strstr(buf_text(&b), "read"));
	assert_string_equal(buf_text(&b) + b.len - 6, "# EOF\n");
	buf_done(&b);
}

static size_t count(const char *text, const char *word)
{
	size_t found = 0;

	for (; (text = strstr(text, word)); text++)
		found++;
	return found;
}

static void a_failed_run_is_no_zero_and_a_skipped_one_is_nothing(void **state)
{
	const struct run_point points[] = {
		point(INT64_C(1000000), RUN_ERROR),
		point(INT64_C(2000000), RUN_SKIPPED),
	};
	struct buf b = BUF_INIT(1 << 16);

	(void)state;
	write_all(points, 2, &b);
	assert_int_equal(count(buf_text(&b), "} 0 1\n"), 1);
	assert_int_equal(count(buf_text(&b), "operation="), 0);
	assert_int_equal(count(buf_text(&b), " 2\n"), 0);
	buf_done(&b);
}

static void no_series_has_two_samples_of_one_time(void **state)
{
	const struct run_point points[] = {
		point(INT64_C(1000000), RUN_OK),
		point(INT64_C(1000900), RUN_OK),
		point(INT64_C(1001000), RUN_OK),
	};
	struct buf b = BUF_INIT(1 << 16);

	(void)state;
	write_all(points, 3, &b);
	assert_int_equal(count(buf_text(&b), "stat=\"p99\"} 0.004 1\n"), 1);
	assert_int_equal(count(buf_text(&b), "stat=\"p99\"} 0.004 1.001\n"), 1);
	buf_done(&b);
}

static void a_csv_line_has_as_many_fields_as_the_header(void **state)
{
	struct run *run = run_new("nas, \"1\"", "p");
	struct buf header = BUF_INIT(4096);
	struct buf line = BUF_INIT(4096);

	(void)state;
	assert_non_null(run);
	run->id = 7;
	run->started_usec = INT64_C(1790000000123456);
	run->status = RUN_ERROR;
	report_run_csv_header(&header);
	report_run_csv_line(run, &line);
	/* The name has one comma more. */
	assert_int_equal(count(buf_text(&line), ","), count(buf_text(&header), ",") + 1);
	assert_ptr_equal(strstr(buf_text(&line),
				 "7,\"nas, \"\"1\"\"\",p,2026-09-21T14:13:20.123456Z,error,,,"),
		buf_text(&line));
	run->status = RUN_OK;
	run->measured_nsec = 1000000000;
	run->setup_nsec = 26000000000;
	run->setup_longest_nsec = 25000000000;
	run->setup_step = RUN_SETUP_OPEN;
	run->operations[RUN_READ].ios = 2;
	run->operations[RUN_READ].bytes = 8192;
	histogram_add(&run->operations[RUN_READ].latency, 1000);
	histogram_add(&run->operations[RUN_READ].latency, 3000);
	buf_clear(&line);
	report_run_csv_line(run, &line);
	assert_int_equal(count(buf_text(&line), ","), count(buf_text(&header), ",") + 1);
	assert_non_null(strstr(buf_text(&line), ",1.000000000,26.000000000,25.000000000,open,2,"));
	assert_non_null(strstr(buf_text(&line), ",2,8192,0,0.000002000,0.000001000,0.000001000,"));
	assert_non_null(strstr(buf_text(&line), ",8192,2.000,,,"));
	buf_done(&header);
	buf_done(&line);
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_run_becomes_samples_with_its_start),
		cmocka_unit_test(a_failed_run_is_no_zero_and_a_skipped_one_is_nothing),
		cmocka_unit_test(no_series_has_two_samples_of_one_time),
		cmocka_unit_test(a_csv_line_has_as_many_fields_as_the_header),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
