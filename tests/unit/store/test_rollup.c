/* SPDX-License-Identifier: Apache-2.0 */
/* Hours and days hold exactly what their runs held, whatever came late and whatever was dropped
 * since; a series reads the same from any of them. */
#include "store/rollup.h"

#include <errno.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fixture.h"
#include "store/code.h"
#include "store/tend.h"
#include "test.h"

#define FIRST_DAY INT64_C(20700)
#define START_USEC (FIRST_DAY * ROLLUP_DAY_USEC)
#define INTERVAL_USEC INT64_C(1200000000) /* 20 min */
#define RUNS_A_DAY 72
#define DAYS 4
#define DAY_USEC_UNSIGNED ((uint64_t)ROLLUP_DAY_USEC)
#define MUCH_LATER (START_USEC + 10 * ROLLUP_DAY_USEC)

static const struct store_retention keep_all = { 0 };

/* Does all there is to do now. */
static void tend_once(struct fixture *f, const struct store_retention *retention, int64_t now_usec)
{
	const struct tending tending = { .retention = retention, .now_usec = now_usec };
	struct sqlite3 *db = fixture_connect(f);
	struct error error = { "" };
	bool has_more = true;

	assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
	while (has_more)
		if (tend_step(db, &tending, &has_more, &error) < 0)
			fail_msg("%s", error.text);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* Does all that there is to do in some days, at a moment: each portion of what is old begins at
 * once.
 */
static void tend(struct fixture *f, const struct store_retention *retention, int64_t now_usec)
{
	for (int i = 0; i < 3 * DAYS; i++) {
		fixture_sql(f, "DELETE FROM meta WHERE key LIKE 'drop%'");
		tend_once(f, retention, now_usec);
	}
}

static enum run_status status_of(int64_t id)
{
	if (id % 13 == 0)
		return RUN_ERROR;
	if (id % 17 == 0)
		return RUN_SKIPPED;
	return id % 19 == 0 ? RUN_STALLED : RUN_OK;
}

/* Number `id` of one each 20 minutes; some fail, some are skipped, some stall. */
static struct run *run_number(struct fixture *f, int64_t id)
{
	struct run *run = fixture_run(f, id, "nas1", "active-full");

	run->started_usec = START_USEC + (id - 1) * INTERVAL_USEC + 1234567;
	run->status = status_of(id);
	fixture_add_latencies(f, run, RUN_READ, 20, UINT64_C(3000000));
	if (id % 7 == 0)
		run->trust |= RUN_TRUST_SHORT;
	if (!run_status_has_numbers(run->status))
		memset(run->operations, 0, sizeof(run->operations));
	return run;
}

static void commit_runs(struct fixture *f, int64_t first, int64_t last)
{
	fixture_open(f);
	for (int64_t id = first; id <= last;) {
		struct batch *batch = batch_new();
		for (int i = 0; i < 100 && id <= last; i++, id++)
			assert_int_equal(batch_add_run(batch, run_number(f, id)), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
	}
	fixture_close(f);
}

/* Adds up what column 0 holds of each row. */
static struct histogram *sum_of(struct fixture *f, const char *text)
{
	struct histogram *sum = calloc(1, sizeof(*sum));
	struct histogram *one = calloc(1, sizeof(*one));
	struct sqlite3 *db = fixture_connect(f);
	sqlite3_stmt *s;

	assert_non_null(sum);
	assert_non_null(one);
	assert_int_equal(sqlite3_prepare_v2(db, text, -1, &s, NULL), SQLITE_OK);
	while (sqlite3_step(s) == SQLITE_ROW) {
		assert_int_equal(code_read_histogram(sqlite3_column_blob(s, 0),
					 (size_t)sqlite3_column_bytes(s, 0), one, NULL),
			0);
		histogram_merge(sum, one);
	}
	assert_int_equal(sqlite3_finalize(s), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	free(one);
	return sum;
}

static void assert_equal_sums(struct fixture *f, const char *a_text, const char *b_text)
{
	struct histogram *a = sum_of(f, a_text);
	struct histogram *b = sum_of(f, b_text);

	assert_true(a->count > 0);
	assert_memory_equal(a, b, sizeof(*a));
	free(a);
	free(b);
}

static void hours_and_days_hold_exactly_what_their_runs_held(void **state)
{
	struct fixture *f = *state;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	tend(f, &keep_all, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), DAYS * 24);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), DAYS);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour_due"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day_due"), 0);
	assert_equal_sums(f,
		"SELECT histogram FROM run_operation JOIN run ON run.id = run WHERE operation = 1"
		" AND started_usec >= 20701 * 86400000000 AND started_usec < 20702 * 86400000000",
		"SELECT histogram FROM day_operation WHERE id >> 24 & 3 = 1"
		" AND id & 16777215 = 20701");
	assert_equal_sums(f,
		"SELECT histogram FROM run_operation JOIN run ON run.id = run WHERE operation = 0"
		" AND started_usec >= 496805 * 3600000000 AND started_usec < 496806 * 3600000000",
		"SELECT histogram FROM hour_operation WHERE id >> 24 & 3 = 0"
		" AND id & 16777215 = 496805");
	/* Each status, each sum: what SQL says of the runs. */
	assert_int_equal(
		fixture_sql_integer(f,
			"SELECT count(*) FROM (SELECT sum(status = 0), sum(status = 1),"
			" sum(status = 2), sum(status = 10), max(trust & 128), max(trust & 1),"
			" sum(CASE WHEN status IN (0, 2) THEN measured_nsec END), sum(w.bytes),"
			" sum(w.ios), sum(w.sum_nsec), min(w.min_nsec), max(w.max_nsec) FROM run"
			" LEFT JOIN run_operation AS w ON w.run = run.id AND w.operation = 1"
			" GROUP BY started_usec / 86400000000 INTERSECT"
			" SELECT ok, error, stalled, skipped, trust & 128, trust & 1,"
			" w.measured_nsec, w.bytes, w.ios, w.sum_nsec, w.min_nsec, w.max_nsec"
			" FROM day JOIN day_operation AS w"
			" ON w.id = day.id + (1 * 3 + 1 << 24))"),
		DAYS);
}

static void an_hour_is_merged_when_it_is_over(void **state)
{
	struct fixture *f = *state;

	commit_runs(f, 1, 7);
	tend(f, &keep_all, START_USEC + 2 * ROLLUP_HOUR_USEC + 1000000); /* one is late, maybe */
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 1);
	tend(f, &keep_all, START_USEC + 2 * ROLLUP_HOUR_USEC + 600 * INT64_C(1000000));
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 2);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour_due"), 1);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), 0);
	tend(f, &keep_all, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 3);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), 1);
}

/* --- A series reads the same -------------------------------------------- */

struct series {
	struct store_series_point *points;
	size_t count;
};

static struct series read_days(struct fixture *f, size_t max_points)
{
	const struct store_series_query query = {
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.from_usec = START_USEC,
		.to_usec = START_USEC + DAYS * ROLLUP_DAY_USEC,
		.max_points = max_points,
	};
	struct series series = { 0 };
	struct error error = { "" };
	int r = store_read_series(fixture_reader(f), &query, &series.points, &series.count, &error);

	if (r < 0)
		fail_msg("%s", error.text);
	f->reader = store_reader_close(f->reader);
	return series;
}

/* As many points as make spans of hours, of a few, of a day, of days. */
static const size_t point_counts[] = { DAYS * 24 + 1, 33, 17, 5, 3, 2, 1 };
#define POINT_COUNTS (sizeof(point_counts) / sizeof(point_counts[0]))

static void read_all(struct fixture *f, struct series *ret)
{
	for (size_t i = 0; i < POINT_COUNTS; i++)
		ret[i] = read_days(f, point_counts[i]);
}

static void free_all(struct series *series)
{
	for (size_t i = 0; i < POINT_COUNTS; i++)
		free(series[i].points);
}

/* Only what hours can tell: at least so many. */
static void assert_reads_as(struct fixture *f, const struct series *expected, size_t first)
{
	for (size_t i = first; i < POINT_COUNTS; i++) {
		struct series s = read_days(f, point_counts[i]);
		assert_int_equal(s.count, expected[i].count);
		for (size_t k = 0; k < s.count; k++)
			assert_memory_equal(
				&s.points[k], &expected[i].points[k], sizeof(s.points[k]));
		free(s.points);
	}
}

static void a_series_reads_the_same_from_runs_hours_and_days(void **state)
{
	static const struct store_retention no_runs = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	static const struct store_retention only_days = { .keep_runs_usec = DAY_USEC_UNSIGNED,
		.keep_hours_usec = DAY_USEC_UNSIGNED };
	struct fixture *f = *state;
	struct series before[POINT_COUNTS];

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	read_all(f, before); /* all is due: from the runs themselves */
	assert_int_equal(before[0].count, DAYS * 24);
	assert_true(before[0].points[3].has_numbers);
	/* Half of the second day is merged, the rest is not. */
	tend(f, &keep_all, START_USEC + 36 * ROLLUP_HOUR_USEC);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour_due"), 61);
	assert_reads_as(f, before, 0);
	tend(f, &keep_all, MUCH_LATER);
	assert_reads_as(f, before, 0);
	/* The runs of the first days go, then all; then the hours. */
	tend(f, &no_runs, START_USEC + 3 * ROLLUP_DAY_USEC + 5 * ROLLUP_HOUR_USEC);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 43 * 3);
	assert_reads_as(f, before, 0);
	tend(f, &no_runs, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run_operation"), 0);
	assert_reads_as(f, before, 0);
	tend(f, &only_days, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour_operation"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), DAYS);
	assert_reads_as(f, before, 3);
	free_all(before);
}

static void commit_one(struct fixture *f, struct run *run)
{
	fixture_open(f);
	fixture_commit_run(f, run);
	fixture_close(f);
}

static uint32_t first_day_runs(struct fixture *f)
{
	struct series s = read_days(f, DAYS + 1);
	uint32_t runs = 0;

	for (size_t i = 0; i < s.count; i++)
		if (s.points[i].time_usec < START_USEC + ROLLUP_DAY_USEC)
			runs += s.points[i].runs[RUN_OK];
	free(s.points);
	return runs;
}

/* A run of the first day that comes when its runs, or even its hours, are gone. */
static void what_comes_late_is_counted_once(void **state)
{
	static const struct store_retention stages[] = {
		{ 0 },
		{ .keep_runs_usec = DAY_USEC_UNSIGNED },
		{ .keep_runs_usec = DAY_USEC_UNSIGNED, .keep_hours_usec = DAY_USEC_UNSIGNED },
	};
	struct fixture *f = *state;
	uint32_t expected = 0;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	for (int64_t id = 1; id <= RUNS_A_DAY; id++)
		expected += status_of(id) == RUN_OK;
	for (size_t i = 0; i < sizeof(stages) / sizeof(stages[0]); i++) {
		tend(f, &stages[i], MUCH_LATER);
		struct run *late = run_number(f, 1);
		late->id = 1000 + (int64_t)i;
		commit_one(f, late);
		expected++;
		for (int k = 0; k < 2; k++) { /* while it waits, and when it is merged */
			assert_int_equal(first_day_runs(f), expected);
			tend(f, &stages[i], MUCH_LATER);
			tend(f, &stages[i], MUCH_LATER);
		}
	}
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 0);
}

static void hours_without_a_good_run_have_no_numbers(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t id = 1; id <= RUNS_A_DAY; id++) {
		struct run *run = run_number(f, id);
		run->status = id <= 3 ? RUN_TIMEOUT : RUN_SKIPPED;
		if (id > 6)
			run->status = RUN_OK;
		fixture_commit_run(f, run);
	}
	fixture_close(f);
	tend(f, &(const struct store_retention){ .keep_runs_usec = 1 }, MUCH_LATER);
	struct series s = read_days(f, DAYS * 24 + 1);
	assert_int_equal(s.count, 23); /* the skipped ones make none */
	assert_int_equal(s.points[0].time_usec, START_USEC);
	assert_int_equal(s.points[0].failed_runs, 3);
	assert_false(s.points[0].has_numbers);
	assert_int_equal(s.points[0].avg_nsec, 0);
	assert_int_equal(s.points[1].time_usec, START_USEC + 2 * ROLLUP_HOUR_USEC);
	free(s.points);
}

static void a_damaged_histogram_does_not_keep_others_from_being_merged(void **state)
{
	struct fixture *f = *state;

	commit_runs(f, 1, 3);
	fixture_sql(f, "UPDATE run_operation SET histogram = x'0299' WHERE run = 2");
	tend(f, &keep_all, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT ok FROM hour"), 3);
	assert_int_equal(fixture_sql_integer(f, "SELECT runs FROM hour_operation LIMIT 1"), 2);
}

#define ALL_RUNS (DAYS * RUNS_A_DAY)
#define HALF_DAY_USEC (12 * ROLLUP_HOUR_USEC)

#define count_runs_of(f) fixture_sql_integer(f, "SELECT count(*) FROM run")

/* A clock that is years ahead makes everything old at once. */
static void no_more_than_a_day_goes_at_once_whatever_the_clock_says(void **state)
{
	static const struct store_retention retention = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	const int64_t wrong_usec = MUCH_LATER + 4000 * ROLLUP_DAY_USEC;
	struct fixture *f = *state;

	commit_runs(f, 1, ALL_RUNS);
	tend_once(f, &retention, wrong_usec);
	int64_t left = count_runs_of(f);
	assert_in_range(left, ALL_RUNS - RUNS_A_DAY - 3, ALL_RUNS - 1);
	/* A restart does not hurry it, nor does a clock that is right again. */
	tend_once(f, &retention, MUCH_LATER);
	tend_once(f, &retention, MUCH_LATER + HALF_DAY_USEC - 1);
	assert_int_equal(count_runs_of(f), left);
	tend_once(f, &retention, MUCH_LATER + HALF_DAY_USEC);
	assert_in_range(count_runs_of(f), ALL_RUNS - 2 * RUNS_A_DAY - 3, left - 1);
	for (int i = 1; i < 2 * DAYS; i++)
		tend_once(f, &retention, wrong_usec + i * HALF_DAY_USEC);
	assert_int_equal(count_runs_of(f), 0);
}

/* --- Heat map ----------------------------------------------------------- */

static struct store_heatmap *read_map(struct fixture *f, int64_t days, size_t max_columns)
{
	const struct store_series_query query = {
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.from_usec = START_USEC,
		.to_usec = START_USEC + days * ROLLUP_DAY_USEC,
		.max_points = max_columns,
	};
	struct store_heatmap *map = NULL;
	struct error error = { "" };

	if (store_read_heatmap(fixture_reader(f), &query, &map, &error) < 0)
		fail_msg("%s", error.text);
	f->reader = store_reader_close(f->reader);
	return map;
}

static void assert_equal_maps(struct store_heatmap *a, struct store_heatmap *b)
{
	assert_int_equal(a->width_usec, b->width_usec);
	assert_int_equal(a->first_row, b->first_row);
	assert_int_equal(a->row_count, b->row_count);
	assert_int_equal(a->column_count, b->column_count);
	assert_memory_equal(a->columns, b->columns, a->column_count * sizeof(a->columns[0]));
	store_heatmap_free(a);
	store_heatmap_free(b);
}

static void a_heat_map_is_the_same_from_runs_and_hours(void **state)
{
	static const struct store_retention no_runs = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	struct fixture *f = *state;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	struct store_heatmap *wide = read_map(f, DAYS, 30);
	struct store_heatmap *one = read_map(f, DAYS, 1);
	tend(f, &no_runs, MUCH_LATER);
	assert_equal_maps(wide, read_map(f, DAYS, 30));
	assert_equal_maps(one, read_map(f, DAYS, 1));
}

static void a_cell_counts_the_latencies_between_its_bounds(void **state)
{
	static const uint64_t latencies[] = { 5, 127, 128, 143, 144, 1000000, 7999999 };
	struct fixture *f = *state;
	struct run *run = run_number(f, 1);
	struct histogram *h = &run->operations[RUN_WRITE].latency;

	memset(h, 0, sizeof(*h));
	for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++)
		histogram_add(h, latencies[i]);
	commit_one(f, run);
	struct store_heatmap *map = read_map(f, 1, 24);
	assert_int_equal(map->column_count, 1);
	assert_int_equal(map->columns[0].start_usec, START_USEC);
	assert_int_equal(map->columns[0].ok_runs, 1);
	for (size_t row = 0; row < STORE_HEATMAP_ROWS; row++) {
		uint64_t expected = 0;
		for (size_t i = 0; i < sizeof(latencies) / sizeof(latencies[0]); i++)
			expected += latencies[i] >= store_heatmap_bound_nsec(row) &&
				latencies[i] < store_heatmap_bound_nsec(row + 1);
		assert_int_equal(map->columns[0].counts[row], expected);
	}
	assert_true(store_heatmap_bound_nsec(map->first_row) <= 5);
	assert_true(store_heatmap_bound_nsec(map->first_row + map->row_count) > 7999999);
	store_heatmap_free(map);
}

/* --- An old series ------------------------------------------------------ */

static int note_measured(void *data, const struct store_measured *measured)
{
	struct store_measured *list = data;
	size_t i = list[0].series > 0;

	assert_true(list[1].series == 0);
	list[i] = *measured;
	list[i].what = strstr(measured->what, "block_size=4096") ? "4096" : "524288";
	return 0;
}

static void an_old_series_stays_visible(void **state)
{
	static const struct store_retention no_runs = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	struct store_measured list[2] = { { 0 }, { 0 } };
	struct fixture *f = *state;
	struct error error = { "" };

	commit_runs(f, 1, RUNS_A_DAY);
	struct run *run = run_number(f, RUNS_A_DAY + 1);
	run->workload.block_size_bytes = 4096;
	commit_one(f, run);
	tend(f, &no_runs, MUCH_LATER);
	int r = store_read_measured(
		fixture_reader(f), "nas1", "active-full", note_measured, list, &error);
	assert_int_equal(r, 0);
	f->reader = store_reader_close(f->reader);
	assert_string_equal(list[0].what, "524288");
	assert_int_equal(list[0].first_usec, START_USEC);
	assert_int_equal(list[0].last_usec, START_USEC + 23 * ROLLUP_HOUR_USEC);
	assert_string_equal(list[1].what, "4096");
	assert_int_equal(list[1].first_usec, START_USEC + ROLLUP_DAY_USEC);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM series_v WHERE first IS NOT NULL"), 2);
	/* The series that ran last in the time asked for: the second day's, or the first's. */
	struct series s = read_days(f, DAYS * 24 + 1);
	assert_int_equal(s.count, 1);
	free(s.points);
	struct store_heatmap *map = read_map(f, 1, 30);
	assert_int_equal(map->column_count, 24);
	store_heatmap_free(map);
}

/* --- Size --------------------------------------------------------------- */

static const char used[] = "SELECT (page_count - freelist_count) * page_size"
			   " FROM pragma_page_count, pragma_freelist_count, pragma_page_size";

static void by_size_runs_go_before_hours_and_days_never(void **state)
{
	struct fixture *f = *state;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	tend(f, &keep_all, MUCH_LATER);
	int64_t all = fixture_sql_integer(f, used);
	const struct store_retention less = { .max_bytes = (uint64_t)all - 20000 };
	tend(f, &less, MUCH_LATER);
	assert_in_range(fixture_sql_integer(f, used), 1, less.max_bytes);
	int64_t runs = fixture_sql_integer(f, "SELECT count(*) FROM run");
	assert_in_range(runs, 50, (RUNS_A_DAY * DAYS) - 10);
	/* The newest are there. */
	assert_int_equal(
		fixture_sql_integer(f, "SELECT min(id) FROM run"), RUNS_A_DAY * DAYS + 1 - runs);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), DAYS * 24);
	const struct store_retention nothing = { .max_bytes = 4096 };
	tend(f, &nothing, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), DAYS);
	/* What is free went back to the file system: the file is beyond what it may be. */
	assert_int_equal(fixture_sql_integer(f, "PRAGMA freelist_count"), 0);
}

static void days_go_when_they_are_too_old(void **state)
{
	static const struct store_retention retention = { .keep_runs_usec = DAY_USEC_UNSIGNED,
		.keep_hours_usec = DAY_USEC_UNSIGNED,
		.keep_days_usec = 2 * DAY_USEC_UNSIGNED };
	struct fixture *f = *state;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	tend(f, &retention, START_USEC + DAYS * ROLLUP_DAY_USEC + ROLLUP_HOUR_USEC);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), 2);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day_operation"), 4);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT min(id) & 16777215 FROM day"), FIRST_DAY + 2);
}

/* A clock that ran ahead for a while: what it made is old one day, too. */
static void a_run_of_the_future_waits(void **state)
{
	static const struct store_retention retention = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	struct fixture *f = *state;
	struct run *run = run_number(f, 1);

	run->started_usec = MUCH_LATER + 1000 * ROLLUP_DAY_USEC;
	commit_one(f, run);
	tend(f, &retention, MUCH_LATER);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM hour"), 0);
	tend(f, &retention, 0);
	tend(f, &retention, -5);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
}

static void the_writer_tends_when_asked_and_batches_go_first(void **state)
{
	static const struct store_retention retention = { .keep_runs_usec = DAY_USEC_UNSIGNED };
	struct store_writer_status status;
	struct fixture *f = *state;

	commit_runs(f, 1, RUNS_A_DAY * DAYS);
	fixture_open(f);
	store_writer_tend(f->writer, &retention, MUCH_LATER);
	for (int64_t id = 2000; id < 2010; id++) {
		struct run *run = run_number(f, 1);
		run->id = id;
		run->started_usec = MUCH_LATER + id;
		fixture_commit_run(f, run);
	}
	do
		store_writer_status(f->writer, &status);
	while (status.is_tending);
	assert_string_equal(status.tend_error, "");
	assert_in_range(count_runs_of(f), ALL_RUNS + 10 - RUNS_A_DAY - 3, ALL_RUNS + 9);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM day"), DAYS);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(hours_and_days_hold_exactly_what_their_runs_held),
		TEST(an_hour_is_merged_when_it_is_over),
		TEST(a_series_reads_the_same_from_runs_hours_and_days),
		TEST(what_comes_late_is_counted_once),
		TEST(hours_without_a_good_run_have_no_numbers),
		TEST(no_more_than_a_day_goes_at_once_whatever_the_clock_says),
		TEST(a_damaged_histogram_does_not_keep_others_from_being_merged),
		TEST(a_heat_map_is_the_same_from_runs_and_hours),
		TEST(a_cell_counts_the_latencies_between_its_bounds),
		TEST(an_old_series_stays_visible),
		TEST(by_size_runs_go_before_hours_and_days_never),
		TEST(days_go_when_they_are_too_old),
		TEST(a_run_of_the_future_waits),
		TEST(the_writer_tends_when_asked_and_batches_go_first),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
