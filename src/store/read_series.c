/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of a trend graph: a run each while they fit, else runs merged by equal spans of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/code.h"
#include "store/reader.h"

#define POINTS_MAX 5000
#define P50 UINT64_C(500000000)
#define P95 UINT64_C(950000000)
#define P99 UINT64_C(990000000)

/* Runs [from, to) of one series. */
struct window {
	int64_t series;
	int64_t from_usec;
	int64_t to_usec;
	uint64_t runs;
};

/* One run, as far as its operation goes. */
struct row {
	int64_t started_usec;
	enum run_status status;
	uint64_t measured_nsec;
	bool has_operation;
	uint64_t ios;
	uint64_t bytes;
	uint64_t latencies;
	uint64_t sum_nsec;
	uint64_t min_nsec;
	uint64_t max_nsec;
	uint64_t p50_nsec;
	uint64_t p95_nsec;
	uint64_t p99_nsec;
	const void *histogram; /* lent until the next row */
	size_t histogram_len;
};

struct points {
	struct store_series_point *list;
	size_t count;
	size_t max;
};

/* What is summed up for the point of a span. */
struct span {
	int64_t start_usec;
	int64_t width_usec;
	bool is_begun;
	struct store_series_point point;
	uint64_t ios;
	uint64_t bytes;
	uint64_t measured_nsec;
	struct histogram latency;
	struct histogram of_run; /* scratch */
};

static double iops(uint64_t ios, uint64_t nsec)
{
	return nsec > 0 ? (double)ios * (double)NSEC_PER_SEC / (double)nsec : 0;
}

/* As histogram_mean_nsec. */
static uint64_t mean(uint64_t sum, uint64_t count)
{
	return count > 0 ? (sum + count / 2) / count : 0;
}

static uint64_t bytes_per_sec(uint64_t bytes, uint64_t nsec)
{
	unsigned __int128 scaled = (unsigned __int128)bytes * NSEC_PER_SEC + nsec / 2;

	return nsec > 0 ? (uint64_t)(scaled / nsec) : 0;
}

static bool has_numbers(const struct row *row)
{
	return row->has_operation && run_status_has_numbers(row->status) && row->latencies > 0;
}

/* Skipped runs are neither good nor bad: they make no point. */
static void count_status(struct store_series_point *point, enum run_status status)
{
	point->ok_runs += status == RUN_OK;
	point->failed_runs += status != RUN_OK && status != RUN_SKIPPED;
}

static int add_point(struct points *points, const struct store_series_point *point)
{
	if (point->ok_runs == 0 && point->failed_runs == 0)
		return 0;
	if (points->count >= points->max)
		return -ENOBUFS;
	points->list[points->count++] = *point;
	return 0;
}

/* --- A point a run ------------------------------------------------------ */

static int add_run(struct points *points, const struct row *row)
{
	struct store_series_point point = { .time_usec = row->started_usec };

	count_status(&point, row->status);
	if (has_numbers(row)) {
		point.has_numbers = true;
		point.avg_nsec = mean(row->sum_nsec, row->latencies);
		point.p50_nsec = row->p50_nsec;
		point.p95_nsec = row->p95_nsec;
		point.p99_nsec = row->p99_nsec;
		point.min_nsec = row->min_nsec;
		point.max_nsec = row->max_nsec;
		point.throughput_bytes_per_sec = bytes_per_sec(row->bytes, row->measured_nsec);
		point.iops = iops(row->ios, row->measured_nsec);
	}
	return add_point(points, &point);
}

/* --- A point a span ----------------------------------------------------- */

static int finish_span(struct points *points, struct span *span)
{
	struct store_series_point *point = &span->point;
	const struct histogram *h = &span->latency;

	if (!span->is_begun)
		return 0;
	if (h->count > 0) {
		point->has_numbers = true;
		point->avg_nsec = histogram_mean_nsec(h);
		point->p50_nsec = histogram_percentile_nsec(h, P50);
		point->p95_nsec = histogram_percentile_nsec(h, P95);
		point->p99_nsec = histogram_percentile_nsec(h, P99);
		point->min_nsec = h->min_nsec;
		point->max_nsec = h->max_nsec;
		point->throughput_bytes_per_sec = bytes_per_sec(span->bytes, span->measured_nsec);
		point->iops = iops(span->ios, span->measured_nsec);
	}
	return add_point(points, point);
}

/* Spans are equal and lie on multiples of their width, so that the same runs are merged whenever
 * the same length of time is asked for; at most max of them touch the window. */
static void lay_out_spans(struct span *span, const struct window *window, size_t max)
{
	uint64_t range = (uint64_t)window->to_usec - (uint64_t)window->from_usec;
	uint64_t parts = max > 1 ? max - 1 : 1;
	uint64_t width = range / parts + (range % parts > 0);

	span->width_usec = width < INT64_MAX ? (int64_t)width : INT64_MAX;
	span->start_usec = window->from_usec;
	if (max > 1)
		span->start_usec -= window->from_usec % span->width_usec;
}

static void begin_span(struct span *span, int64_t time_usec)
{
	int64_t index = (time_usec - span->start_usec) / span->width_usec;

	span->start_usec += index * span->width_usec;
	span->is_begun = true;
	span->point = (struct store_series_point){ .time_usec = span->start_usec };
	span->ios = 0;
	span->bytes = 0;
	span->measured_nsec = 0;
	memset(&span->latency, 0, sizeof(span->latency));
}

static int add_to_span(struct points *points, struct span *span, const struct row *row)
{
	int r = 0;

	if (!span->is_begun || row->started_usec - span->start_usec >= span->width_usec) {
		r = finish_span(points, span);
		begin_span(span, row->started_usec);
	}
	count_status(&span->point, row->status);
	if (r < 0 || !has_numbers(row))
		return r;
	r = code_read_histogram(row->histogram, row->histogram_len, &span->of_run, NULL);
	if (r < 0)
		return r;
	histogram_merge(&span->latency, &span->of_run);
	span->ios += row->ios;
	span->bytes += row->bytes;
	span->measured_nsec += row->measured_nsec;
	return 0;
}

/* --- The query ---------------------------------------------------------- */

/* Another workload under the same name is another series: of those, the one that ran last. */
static int find_series(struct store_reader *reader, const struct store_series_query *query,
	struct window *window, struct error *reterr)
{
	static const char text[] =
		"SELECT series.id, (SELECT max(started_usec) FROM run WHERE series = series.id"
		" AND started_usec >= ? AND started_usec < ?) AS newest"
		" FROM target JOIN series ON series.target = target.id"
		" WHERE target.name = ? AND series.probe = ?"
		" ORDER BY newest DESC NULLS LAST, series.id DESC LIMIT 1";
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, window->from_usec);
	sql_bind_integer(&s, window->to_usec);
	sql_bind_text(&s, query->repository);
	sql_bind_text(&s, query->probe);
	r = sql_step(&s, reterr);
	if (r > 0) {
		window->series = sql_integer(&s, 1, INT64_MAX);
		r = s.error < 0 ? reader_refuse_row(&s, "series", 0, reterr) : 0;
	} else if (r == 0) {
		r = error_set(reterr, -ENOENT, "there is no history of probe %s in repository %s",
			query->probe, query->repository);
	}
	sql_done(&s);
	return r;
}

/* Counts the runs and draws open ends of the window in to them. */
static int count_runs(struct store_reader *reader, const struct store_series_query *query,
	struct window *window, struct error *reterr)
{
	static const char text[] = "SELECT count(*), min(started_usec), max(started_usec) FROM run"
				   " WHERE series = ? AND started_usec >= ? AND started_usec < ?";
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, window->series);
	sql_bind_integer(&s, window->from_usec);
	sql_bind_integer(&s, window->to_usec);
	r = sql_step(&s, reterr);
	if (r > 0) {
		window->runs = sql_unsigned(&s, INT64_MAX);
		int64_t first = sql_integer_or(&s, 0, INT64_MAX, 0);
		int64_t last = sql_integer_or(&s, 0, INT64_MAX - 1, 0);
		if (query->from_usec <= 0)
			window->from_usec = first;
		if (query->to_usec <= 0)
			window->to_usec = last + 1;
		r = s.error < 0 ? reader_refuse_row(&s, "series", window->series, reterr) : 0;
	}
	sql_done(&s);
	return r;
}

static void read_row(struct sql *s, struct row *ret)
{
	*ret = (struct row){ 0 };
	ret->started_usec = sql_integer(s, 0, INT64_MAX);
	ret->status = (enum run_status)sql_unsigned(s, RUN_STATUSES - 1);
	ret->measured_nsec = sql_unsigned(s, INT64_MAX);
	ret->has_operation = !sql_is_null(s);
	if (!ret->has_operation)
		return;
	ret->ios = sql_unsigned(s, INT64_MAX);
	ret->bytes = sql_unsigned(s, INT64_MAX);
	ret->latencies = sql_unsigned_or(s, INT64_MAX, ret->ios);
	ret->sum_nsec = sql_unsigned(s, INT64_MAX);
	ret->min_nsec = sql_unsigned(s, INT64_MAX);
	ret->max_nsec = sql_unsigned(s, INT64_MAX);
	ret->p50_nsec = sql_unsigned(s, INT64_MAX);
	ret->p95_nsec = sql_unsigned(s, INT64_MAX);
	ret->p99_nsec = sql_unsigned(s, INT64_MAX);
	ret->histogram = sql_bytes(s, &ret->histogram_len);
}

/* span is NULL for a point a run. */
static int read_rows(struct sql *s, struct points *points, struct span *span, struct error *reterr)
{
	struct row row;
	int r;

	while ((r = sql_step(s, reterr)) > 0) {
		int64_t id = sql_integer(s, INT64_MIN, INT64_MAX);
		read_row(s, &row);
		if (s->error == 0)
			s->error = span ? add_to_span(points, span, &row) : add_run(points, &row);
		if (s->error < 0)
			return reader_refuse_row(s, "run", id, reterr);
	}
	if (r == 0 && span)
		r = finish_span(points, span);
	return r;
}

static int read_points(struct store_reader *reader, const struct store_series_query *query,
	const struct window *window, struct points *points, struct error *reterr)
{
	static const char text[] =
		"SELECT run.id, run.started_usec, run.status, run.measured_nsec, o.ios, o.bytes,"
		" o.latencies, o.sum_nsec, o.min_nsec, o.max_nsec, o.p50_nsec, o.p95_nsec,"
		" o.p99_nsec, o.histogram FROM run"
		" LEFT JOIN run_operation AS o ON o.run = run.id AND o.operation = ?"
		" WHERE run.series = ? AND run.started_usec >= ? AND run.started_usec < ?"
		" ORDER BY run.started_usec, run.id";
	struct span *span = NULL;
	struct sql s = { 0 };

	if (window->runs > query->max_points) {
		span = calloc(1, sizeof(*span)); /* too big for the stack */
		if (!span)
			return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
		lay_out_spans(span, window, query->max_points);
	}
	int r = reader_prepare(reader, text, &s, reterr);
	if (r == 0) {
		sql_bind_integer(&s, query->operation);
		sql_bind_integer(&s, window->series);
		sql_bind_integer(&s, window->from_usec);
		sql_bind_integer(&s, window->to_usec);
		r = read_rows(&s, points, span, reterr);
	}
	sql_done(&s);
	free(span);
	return r;
}

/* All within one transaction: the runs counted are the runs read. */
static int read_series(struct store_reader *reader, const struct store_series_query *query,
	struct points *points, struct error *reterr)
{
	struct window window = {
		.from_usec = query->from_usec > 0 ? query->from_usec : 0,
		.to_usec = query->to_usec > 0 ? query->to_usec : INT64_MAX,
	};

	int r = find_series(reader, query, &window, reterr);
	if (r == 0)
		r = count_runs(reader, query, &window, reterr);
	if (r < 0 || window.runs == 0)
		return r;
	points->max = window.runs < query->max_points ? (size_t)window.runs : query->max_points;
	points->list = calloc(points->max, sizeof(points->list[0]));
	if (!points->list)
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	return read_points(reader, query, &window, points, reterr);
}

int store_read_series(struct store_reader *reader, const struct store_series_query *query,
	struct store_series_point **ret_points, size_t *ret_count, struct error *reterr)
{
	struct points points = { 0 };

	if (query->max_points < 1 || query->max_points > POINTS_MAX)
		return error_set(reterr, -EINVAL, "points must be within 1 and %d", POINTS_MAX);
	int r = sql_execute(reader->db, "BEGIN", reterr);
	if (r < 0)
		return r;
	r = read_series(reader, query, &points, reterr);
	/* A read leaves nothing to undo; after an interrupt there may be no transaction left. */
	(void)sql_execute(reader->db, "COMMIT", NULL);
	if (r < 0) {
		free(points.list);
		return r;
	}
	*ret_points = points.list;
	*ret_count = points.count;
	return 0;
}
