/* SPDX-License-Identifier: Apache-2.0 */
/* The points of a trend graph: one per run, hour or day while they fit, else merged by equal spans
 * of time. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "store/code.h"
#include "store/window.h"

#define POINTS_MAX 5000
#define P50 UINT64_C(500000000)
#define P95 UINT64_C(950000000)
#define P99 UINT64_C(990000000)

struct points {
	struct store_series_point *list;
	size_t count;
	size_t max;
};

/* Sums for the point of a span. */
struct span {
	struct store_reader *reader;
	const struct window *window;
	struct points *points;
	bool is_begun;
	struct store_series_point point;
	/* A row alone in its span has the percentiles already: its histogram is not decoded. */
	size_t rows;
	struct buf lone;
	struct window_row lone_row;
	uint64_t ios;
	uint64_t bytes;
	uint64_t measured_nsec;
	struct histogram latency;
	struct histogram of_row; /* scratch */
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

static void count_status(struct store_series_point *point, const struct window_row *row)
{
	for (size_t i = 0; i < RUN_STATUSES; i++)
		point->runs[i] += row->runs[i];
	point->failed_runs += row->failed_runs;
}

/* Skipped runs are neither good nor bad: no point. */
static int add_point(struct points *points, const struct store_series_point *point)
{
	if (point->runs[RUN_OK] == 0 && point->failed_runs == 0)
		return 0;
	if (points->count >= points->max)
		return -ENOBUFS;
	points->list[points->count++] = *point;
	return 0;
}

static void set_numbers(struct store_series_point *point, const struct window_row *row)
{
	point->has_numbers = true;
	point->avg_nsec = mean(row->sum_nsec, row->latencies);
	point->p50_nsec = row->p50_nsec;
	point->p95_nsec = row->p95_nsec;
	point->p99_nsec = row->p99_nsec;
	point->min_nsec = row->min_nsec;
	point->max_nsec = row->max_nsec;
	point->throughput_bytes_per_sec = bytes_per_sec(row->bytes, row->measured_nsec);
	point->iops = iops(row->ios, row->measured_nsec);
}

/* --- A point per row ---------------------------------------------------- */

static int add_row(void *data, const struct window_row *row)
{
	struct store_series_point point = { .time_usec = row->start_usec };

	count_status(&point, row);
	if (row->has_numbers)
		set_numbers(&point, row);
	return add_point(data, &point);
}

/* --- A point per span --------------------------------------------------- */

static int finish_span(struct span *span)
{
	struct store_series_point *point = &span->point;
	const struct histogram *h = &span->latency;

	if (!span->is_begun)
		return 0;
	if (span->rows > 1) {
		point->avg_nsec = histogram_mean_nsec(h);
		point->p50_nsec = histogram_percentile_nsec(h, P50);
		point->p95_nsec = histogram_percentile_nsec(h, P95);
		point->p99_nsec = histogram_percentile_nsec(h, P99);
		point->min_nsec = h->min_nsec;
		point->max_nsec = h->max_nsec;
		point->throughput_bytes_per_sec = bytes_per_sec(span->bytes, span->measured_nsec);
		point->iops = iops(span->ios, span->measured_nsec);
	}
	return add_point(span->points, point);
}

static void begin_span(struct span *span, int64_t start_usec)
{
	span->is_begun = true;
	span->point = (struct store_series_point){ .time_usec = start_usec };
	span->rows = 0;
}

static int merge_histogram(struct span *span, const void *data, size_t len)
{
	int r = code_read_histogram(data, len, &span->of_row, NULL);

	if (r == 0)
		histogram_merge(&span->latency, &span->of_row);
	return r;
}

static void begin_merging(struct span *span)
{
	memset(&span->latency, 0, sizeof(span->latency));
	span->ios = 0;
	span->bytes = 0;
	span->measured_nsec = 0;
}

static int add_lone(struct span *span, const struct window_row *row)
{
	span->rows = 1;
	span->lone_row = *row;
	buf_clear(&span->lone);
	buf_add(&span->lone, row->histogram, row->histogram_len);
	set_numbers(&span->point, row);
	return span->lone.error;
}

static int merge_row(
	struct span *span, const struct window_row *row, const void *histogram, size_t len)
{
	int r = merge_histogram(span, histogram, len);

	if (r < 0)
		return r;
	span->ios += row->ios;
	span->bytes += row->bytes;
	span->measured_nsec += row->measured_nsec;
	return 0;
}

/* A single row that is bad is replaced by the next. */
static int add_numbers(struct span *span, const struct window_row *row)
{
	if (span->rows == 0)
		return add_lone(span, row);
	if (span->rows == 1) {
		begin_merging(span);
		int r = merge_row(span, &span->lone_row, span->lone.data, span->lone.len);
		if (r == -EUCLEAN) {
			window_note_bad(span->reader, span->window, &span->lone_row);
			return add_lone(span, row);
		}
		if (r < 0)
			return r;
	}
	int r = merge_row(span, row, row->histogram, row->histogram_len);
	if (r == 0)
		span->rows++;
	return r;
}

static int add_to_span(void *data, const struct window_row *row)
{
	struct span *span = data;
	int64_t start_usec = window_span(span->window, row->start_usec);
	int r = 0;

	if (!span->is_begun || start_usec != span->point.time_usec) {
		r = finish_span(span);
		begin_span(span, start_usec);
	}
	count_status(&span->point, row);
	if (r < 0 || !row->has_numbers)
		return r;
	return add_numbers(span, row);
}

/* --- The query ---------------------------------------------------------- */

static int read_spans(struct store_reader *reader, const struct window *window,
	struct points *points, struct error *reterr)
{
	struct span *span = calloc(1, sizeof(*span)); /* too big for the stack */

	if (!span)
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	span->reader = reader;
	span->window = window;
	span->points = points;
	span->lone = (struct buf)BUF_INIT(CODE_HISTOGRAM_MAX);
	int r = window_read(reader, window, add_to_span, span, reterr);
	if (r == 0)
		r = finish_span(span);
	buf_done(&span->lone);
	free(span);
	return r;
}

/* One transaction, so that the rows counted are the rows read. */
static int read_series(struct store_reader *reader, const struct store_series_query *query,
	struct points *points, struct error *reterr)
{
	const struct window_query asked = {
		.repository = query->repository,
		.probe = query->probe,
		.operation = query->operation,
		.from_usec = query->from_usec,
		.to_usec = query->to_usec,
		.max_spans = query->max_points,
	};
	struct window window;

	int r = window_find(reader, &asked, &window, reterr);
	if (r < 0 || window.is_empty)
		return r;
	points->max = query->max_points;
	points->list = calloc(points->max, sizeof(points->list[0]));
	if (!points->list)
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	if (window.width_usec > 0)
		return read_spans(reader, &window, points, reterr);
	return window_read(reader, &window, add_row, points, reterr);
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
	/* Nothing was written; after an interrupt there may be no transaction left. */
	(void)sql_execute(reader->db, "COMMIT", NULL);
	if (r < 0) {
		free(points.list);
		return r;
	}
	*ret_points = points.list;
	*ret_count = points.count;
	return 0;
}
