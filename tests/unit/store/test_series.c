/* SPDX-License-Identifier: Apache-2.0 */
/* Trend graphs: runs as points while they fit, exact merging when they do not, gaps that stay gaps.
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fixture.h"
#include "store/store.h"
#include "test.h"

#define SECOND INT64_C(1000000)
#define NEAR 1e-9

struct series {
	struct store_series_point *points;
	size_t count;
};

static struct store_series_query query_of(int64_t from_usec, int64_t to_usec, size_t max_points)
{
	return (struct store_series_query){
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.from_usec = from_usec,
		.to_usec = to_usec,
		.max_points = max_points,
	};
}

static struct series read_series(struct fixture *f, struct store_series_query query)
{
	struct series series = { 0 };
	struct error error = { "" };

	int r = store_read_series(fixture_reader(f), &query, &series.points, &series.count, &error);
	if (r < 0)
		fail_msg("%d: %s", r, error.text);
	return series;
}

/* A run that started at a time and wrote two blocks in two seconds. */
static struct run *run_at(
	struct fixture *f, int64_t id, int64_t started_usec, uint64_t first, uint64_t second)
{
	struct run *run = fixture_run(f, id, "nas1", "active-full");
	struct run_operation_result *o = &run->operations[RUN_WRITE];

	memset(run->operations, 0, sizeof(run->operations));
	run->started_usec = started_usec;
	run->measured_nsec = 2000000000;
	o->ios = 2;
	o->bytes = 1 << 20;
	histogram_add(&o->latency, first);
	histogram_add(&o->latency, second);
	return run;
}

static void a_run_is_a_point_while_they_fit(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	fixture_commit_run(f, run_at(f, 2, 20 * SECOND, 3000000, 5000000));
	fixture_commit_run(f, run_at(f, 1, 10 * SECOND, 1000000, 2000000));
	struct series s = read_series(f, query_of(0, 0, 2));
	assert_int_equal(s.count, 2);
	const struct store_series_point *p = &s.points[0];
	assert_int_equal(p->time_usec, 10 * SECOND);
	assert_int_equal(p->runs[RUN_OK], 1);
	assert_int_equal(p->failed_runs, 0);
	assert_true(p->has_numbers);
	assert_int_equal(p->avg_nsec, 1500000);
	assert_int_equal(p->min_nsec, 1000000);
	assert_int_equal(p->max_nsec, 2000000);
	assert_in_range(p->p50_nsec, 1000000 - 8000, 1000000 + 8000);
	assert_in_range(p->p95_nsec, 2000000 - 16000, 2000000);
	assert_int_equal(p->p95_nsec, p->p99_nsec);
	assert_int_equal(p->throughput_bytes_per_sec, 1 << 19);
	assert_true(fabs(p->iops - 1) < NEAR);
	assert_int_equal(s.points[1].time_usec, 20 * SECOND);
	assert_int_equal(s.points[1].avg_nsec, 4000000);
	free(s.points);
}

static void the_window_takes_its_start_and_leaves_its_end(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 1; i <= 5; i++)
		fixture_commit_run(f, run_at(f, i, i * SECOND, 1000000, 2000000));
	struct series s = read_series(f, query_of(2 * SECOND, 4 * SECOND, 10));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.points[0].time_usec, 2 * SECOND);
	assert_int_equal(s.points[1].time_usec, 3 * SECOND);
	free(s.points);
	s = read_series(f, query_of(4 * SECOND, 0, 10));
	assert_int_equal(s.count, 2);
	free(s.points);
	s = read_series(f, query_of(0, 2 * SECOND, 10));
	assert_int_equal(s.count, 1);
	free(s.points);
	s = read_series(f, query_of(6 * SECOND, 9 * SECOND, 10));
	assert_int_equal(s.count, 0);
	assert_null(s.points);
	s = read_series(f, query_of(4 * SECOND, 2 * SECOND, 10));
	assert_int_equal(s.count, 0);
}

static void a_failed_run_is_counted_and_never_a_zero(void **state)
{
	static const enum run_status statuses[] = { RUN_ERROR, RUN_TIMEOUT, RUN_STUCK,
		RUN_NOT_MOUNTED, RUN_STALLED, RUN_SKIPPED };
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 0; i < 6; i++) {
		struct run *run = run_at(f, i + 1, (i + 1) * SECOND, 1000000, 2000000);
		run->status = statuses[i];
		fixture_commit_run(f, run);
	}
	struct series s = read_series(f, query_of(0, 0, 10));
	/* The skipped one is neither good nor bad. */
	assert_int_equal(s.count, 5);
	for (size_t i = 0; i < s.count; i++) {
		assert_int_equal(s.points[i].runs[RUN_OK], 0);
		assert_int_equal(s.points[i].failed_runs, 1);
		assert_int_equal(s.points[i].runs[statuses[i]], 1);
		/* A stalled run was measured, up to where it stalled. */
		assert_int_equal(s.points[i].has_numbers, statuses[i] == RUN_STALLED);
		assert_int_equal(s.points[i].avg_nsec, statuses[i] == RUN_STALLED ? 1500000 : 0);
	}
	free(s.points);
	/* Merged with others they are all counted, also the skipped one. */
	s = read_series(f, query_of(0, 0, 1));
	assert_int_equal(s.count, 1);
	assert_int_equal(s.points[0].failed_runs, 5);
	for (size_t i = 0; i < 6; i++)
		assert_int_equal(s.points[0].runs[statuses[i]], 1);
	assert_int_equal(s.points[0].runs[RUN_OK], 0);
	free(s.points);
}

static void an_operation_that_did_not_happen_has_no_numbers(void **state)
{
	struct fixture *f = *state;
	struct store_series_query query = query_of(0, 0, 10);

	query.operation = RUN_READ;
	fixture_open(f);
	fixture_commit_run(f, run_at(f, 1, SECOND, 1000000, 2000000));
	struct series s = read_series(f, query);
	assert_int_equal(s.count, 1);
	assert_int_equal(s.points[0].runs[RUN_OK], 1);
	assert_false(s.points[0].has_numbers);
	free(s.points);
}

static void operations_are_read_apart(void **state)
{
	struct fixture *f = *state;
	struct store_series_query query = query_of(0, 0, 10);
	struct run *run = run_at(f, 1, SECOND, 1000000, 2000000);

	run->operations[RUN_READ].ios = 1;
	run->operations[RUN_READ].bytes = 4096;
	histogram_add(&run->operations[RUN_READ].latency, 77);
	fixture_open(f);
	fixture_commit_run(f, run);
	query.operation = RUN_READ;
	struct series s = read_series(f, query);
	assert_int_equal(s.points[0].avg_nsec, 77);
	free(s.points);
	query.operation = RUN_WRITE;
	s = read_series(f, query);
	assert_int_equal(s.points[0].avg_nsec, 1500000);
	free(s.points);
}

static void spans_merge_as_one_run_would_have_counted(void **state)
{
	struct fixture *f = *state;
	struct run *all = run_at(f, 99, SECOND, 1000000, 2000000);
	uint64_t measured_nsec = 0;

	memset(all->operations, 0, sizeof(all->operations));
	fixture_open(f);
	for (int64_t i = 0; i < 20; i++) {
		struct run *run = fixture_run(f, i + 1, "nas1", "active-full");
		run->started_usec = 1000 * SECOND + i * SECOND;
		fixture_add_latencies(
			f, run, RUN_WRITE, 10 + (unsigned)i, UINT64_C(1000000) * (uint64_t)(i + 1));
		all->operations[RUN_WRITE].ios += run->operations[RUN_WRITE].ios;
		all->operations[RUN_WRITE].bytes += run->operations[RUN_WRITE].bytes;
		measured_nsec += run->measured_nsec;
		histogram_merge(
			&all->operations[RUN_WRITE].latency, &run->operations[RUN_WRITE].latency);
		fixture_commit_run(f, run);
	}
	const struct histogram *h = &all->operations[RUN_WRITE].latency;
	struct series s = read_series(f, query_of(0, 0, 1));
	assert_int_equal(s.count, 1);
	const struct store_series_point *p = &s.points[0];
	assert_int_equal(p->time_usec, 1000 * SECOND);
	assert_int_equal(p->runs[RUN_OK], 20);
	assert_int_equal(p->avg_nsec, histogram_mean_nsec(h));
	assert_int_equal(p->p50_nsec, histogram_percentile_nsec(h, 500000000));
	assert_int_equal(p->p95_nsec, histogram_percentile_nsec(h, 950000000));
	assert_int_equal(p->p99_nsec, histogram_percentile_nsec(h, 990000000));
	assert_int_equal(p->min_nsec, h->min_nsec);
	assert_int_equal(p->max_nsec, h->max_nsec);
	all->measured_nsec = measured_nsec;
	assert_int_equal(p->throughput_bytes_per_sec,
		run_throughput_bytes_per_sec(all, &all->operations[RUN_WRITE]));
	assert_true(fabs(p->iops - run_iops(all, &all->operations[RUN_WRITE])) < NEAR);
	free(s.points);
	free(all);
}

static void spans_are_equal_and_lie_on_multiples_of_their_width(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 0; i < 100; i++)
		fixture_commit_run(f, run_at(f, i + 1, (1000 + i) * SECOND, 1000000, 2000000));
	for (size_t max = 2; max < 100; max += 7) {
		struct series s = read_series(f, query_of(0, 0, max));
		int64_t range = 99 * SECOND + 1;
		int64_t width = (range + (int64_t)max - 2) / ((int64_t)max - 1);
		uint64_t runs = 0;

		assert_in_range(s.count, 1, max);
		for (size_t i = 0; i < s.count; i++) {
			assert_int_equal(s.points[i].time_usec % width, 0);
			if (i > 0)
				assert_true(s.points[i].time_usec > s.points[i - 1].time_usec);
			runs += s.points[i].runs[RUN_OK];
		}
		assert_int_equal(runs, 100);
		free(s.points);
	}
}

/* A page that asks for the last so many minutes again and again must not see numbers flicker. */
static void a_window_that_moves_on_keeps_its_spans(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 0; i < 60; i++)
		fixture_commit_run(f, run_at(f, i + 1, (1000 + i) * SECOND, 1000000, 2000000));
	struct series before = read_series(f, query_of(1005 * SECOND, 1055 * SECOND, 11));
	struct series after = read_series(f, query_of(1006 * SECOND, 1056 * SECOND, 11));
	assert_int_equal(before.count, 10);
	assert_int_equal(after.count, 11);
	/* The first span has lost a run, the newest is new, those between are the same. */
	assert_int_equal(after.points[0].runs[RUN_OK], 4);
	for (size_t i = 1; i < 10; i++)
		assert_memory_equal(&before.points[i], &after.points[i], sizeof(before.points[i]));
	free(before.points);
	free(after.points);
}

static void spans_without_runs_are_gaps(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 0; i < 10; i++) {
		int64_t started = (i < 5 ? 1000 + i : 2000 + i) * SECOND;
		struct run *run = run_at(f, i + 1, started, 1000000, 2000000);
		if (i >= 7)
			run->status = RUN_ERROR;
		if (i == 9)
			run->status = RUN_SKIPPED;
		fixture_commit_run(f, run);
	}
	struct series s = read_series(f, query_of(1000 * SECOND, 3000 * SECOND, 5));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.points[0].time_usec, 1000 * SECOND);
	assert_int_equal(s.points[0].runs[RUN_OK], 5);
	assert_int_equal(s.points[1].time_usec, 2000 * SECOND);
	assert_int_equal(s.points[1].runs[RUN_OK], 2);
	assert_int_equal(s.points[1].failed_runs, 2);
	assert_true(s.points[1].has_numbers);
	assert_int_equal(s.points[1].throughput_bytes_per_sec, 1 << 19);
	free(s.points);
}

static void another_workload_is_another_series(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t i = 1; i <= 6; i++) {
		struct run *run = run_at(f, i, i * SECOND, 1000000 * (uint64_t)i, 1000000);
		if (i > 4)
			run->workload.queue_depth = 32;
		fixture_commit_run(f, run);
	}
	struct series s = read_series(f, query_of(0, 0, 10));
	assert_int_equal(s.count, 2);
	assert_int_equal(s.points[0].time_usec, 5 * SECOND);
	free(s.points);
	s = read_series(f, query_of(0, 5 * SECOND, 10));
	assert_int_equal(s.count, 4);
	free(s.points);
}

static void what_was_never_probed_is_not_there(void **state)
{
	struct fixture *f = *state;
	struct store_series_query query = query_of(0, 0, 10);
	struct store_series_point *points = NULL;
	struct error error = { "" };
	size_t count;

	fixture_open(f);
	fixture_commit_run(f, run_at(f, 1, SECOND, 1000000, 2000000));
	query.probe = "heartbeat";
	assert_int_equal(
		store_read_series(fixture_reader(f), &query, &points, &count, &error), -ENOENT);
	assert_string_equal(
		error.text, "there is no history of probe heartbeat in repository nas1");
	query = query_of(0, 0, 10);
	query.repository = "nas2";
	assert_int_equal(
		store_read_series(fixture_reader(f), &query, &points, &count, &error), -ENOENT);
	assert_null(points);
}

static void numbers_of_points_out_of_bounds_are_refused(void **state)
{
	struct fixture *f = *state;
	struct store_series_point *points = NULL;
	size_t count;

	fixture_open(f);
	for (size_t max = 0; max <= 5001; max += 5001) {
		struct store_series_query query = query_of(0, 0, max);
		struct error error = { "" };
		assert_int_equal(
			store_read_series(fixture_reader(f), &query, &points, &count, &error),
			-EINVAL);
		assert_string_equal(error.text, "points must be within 1 and 5000");
	}
}

static void damaged_rows_are_skipped(void **state)
{
	static const char *const damages[] = {
		"UPDATE run SET status = 11 WHERE id = 2",
		"UPDATE run SET started_usec = -5 WHERE id = 2",
		"UPDATE run SET started_usec = 9223372036854775807 WHERE id = 2",
		"UPDATE run SET measured_nsec = -1 WHERE id = 2",
		"UPDATE run_operation SET sum_nsec = -1 WHERE run = 2",
		"UPDATE run_operation SET histogram = x'01' WHERE run = 2",
		"UPDATE run_operation SET histogram = NULL WHERE run = 2",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct store_series_query query = query_of(0, 0, 1);
		struct store_series_point *points = NULL;
		struct error error = { "" };
		size_t count = 77;
		void *inner;

		assert_int_equal(fixture_set_up(&inner), 0);
		struct fixture *f = inner;
		fixture_open(f);
		for (int64_t id = 1; id <= 3; id++)
			fixture_commit_run(f, run_at(f, id, id * SECOND, 1000000, 2000000));
		fixture_sql(f, damages[i]);
		int r = store_read_series(fixture_reader(f), &query, &points, &count, &error);
		if (r != 0)
			fail_msg("%s: answered %d", damages[i], r);
		/* A run whose numbers are bad took place. */
		bool is_counted = strstr(damages[i], "nsec") || strstr(damages[i], "histogram");
		assert_int_equal(points[0].runs[RUN_OK], 2 + is_counted);
		assert_int_equal(points[0].max_nsec, 2000000);
		free(points);
		assert_int_equal(fixture_tear_down(&inner), 0);
	}
	(void)state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_run_is_a_point_while_they_fit),
		TEST(the_window_takes_its_start_and_leaves_its_end),
		TEST(a_failed_run_is_counted_and_never_a_zero),
		TEST(an_operation_that_did_not_happen_has_no_numbers),
		TEST(operations_are_read_apart),
		TEST(spans_merge_as_one_run_would_have_counted),
		TEST(spans_are_equal_and_lie_on_multiples_of_their_width),
		TEST(a_window_that_moves_on_keeps_its_spans),
		TEST(spans_without_runs_are_gaps),
		TEST(another_workload_is_another_series),
		TEST(what_was_never_probed_is_not_there),
		TEST(numbers_of_points_out_of_bounds_are_refused),
		cmocka_unit_test(damaged_rows_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
