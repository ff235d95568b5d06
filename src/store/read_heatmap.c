/* SPDX-License-Identifier: Apache-2.0 */
/* Latency heat map: histograms merged by spans of time, eight rows per power of two. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/code.h"
#include "store/window.h"

#define COLUMNS_MAX 1000
/* Histogram buckets per row; all lie within one power of two. */
#define ROW_BUCKETS (HISTOGRAM_SUBBUCKETS / STORE_HEATMAP_ROWS_PER_OCTAVE)
_Static_assert(STORE_HEATMAP_ROWS *ROW_BUCKETS == HISTOGRAM_BUCKETS, "a row for each");

struct heating {
	struct window window;
	struct store_heatmap *map;
	size_t max_columns;
	struct histogram of_row; /* scratch */
};

static struct store_heatmap_column *column_at(struct heating *h, int64_t start_usec)
{
	struct store_heatmap *map = h->map;

	if (map->column_count > 0 && map->columns[map->column_count - 1].start_usec == start_usec)
		return &map->columns[map->column_count - 1];
	if (map->column_count == h->max_columns)
		return NULL;
	struct store_heatmap_column *column = &map->columns[map->column_count++];
	column->start_usec = start_usec;
	return column;
}

static int add_row(void *data, const struct window_row *row)
{
	struct heating *h = data;

	if (row->runs[RUN_OK] == 0 && row->failed_runs == 0)
		return 0; /* skipped: neither good nor bad */
	struct store_heatmap_column *column =
		column_at(h, window_span(&h->window, row->start_usec));
	if (!column)
		return -ENOBUFS;
	column->ok_runs += row->runs[RUN_OK];
	column->failed_runs += row->failed_runs;
	if (!row->has_numbers)
		return 0;
	int r = code_read_histogram(row->histogram, row->histogram_len, &h->of_row, NULL);
	if (r < 0)
		return r;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		column->counts[i / ROW_BUCKETS] += h->of_row.buckets[i];
	return 0;
}

static bool is_used(const struct store_heatmap *map, size_t row)
{
	for (size_t i = 0; i < map->column_count; i++)
		if (map->columns[i].counts[row] > 0)
			return true;
	return false;
}

static void find_rows(struct store_heatmap *map)
{
	size_t first = 0;
	size_t end = STORE_HEATMAP_ROWS;

	while (first < end && !is_used(map, first))
		first++;
	while (end > first && !is_used(map, end - 1))
		end--;
	map->first_row = first;
	map->row_count = end - first;
}

uint64_t store_heatmap_bound_nsec(size_t row)
{
	size_t bucket = row * ROW_BUCKETS;
	unsigned shift = bucket < (size_t)2 * HISTOGRAM_SUBBUCKETS
		? 0
		: (unsigned)(bucket / HISTOGRAM_SUBBUCKETS) - 1;

	if (bucket < (size_t)2 * HISTOGRAM_SUBBUCKETS)
		return bucket;
	return (uint64_t)(HISTOGRAM_SUBBUCKETS + bucket % HISTOGRAM_SUBBUCKETS) << shift;
}

static int read_heatmap(struct store_reader *reader, const struct store_series_query *query,
	struct heating *h, struct error *reterr)
{
	const struct window_query asked = {
		.repository = query->repository,
		.probe = query->probe,
		.operation = query->operation,
		.from_usec = query->from_usec,
		.to_usec = query->to_usec,
		.max_spans = query->max_points,
		.is_always_spans = true,
	};
	struct window *window = &h->window;

	int r = window_find(reader, &asked, window, reterr);
	if (r < 0 || window->is_empty)
		return r;
	h->map->width_usec = window->width_usec < INT64_MAX ? window->width_usec
							    : window->to_usec - window->from_usec;
	r = window_read(reader, window, add_row, h, reterr);
	find_rows(h->map);
	return r;
}

static struct store_heatmap *new_map(size_t columns)
{
	struct store_heatmap *map = calloc(1, sizeof(*map));

	if (map)
		map->columns = calloc(columns, sizeof(map->columns[0]));
	return map && map->columns ? map : store_heatmap_free(map);
}

struct store_heatmap *store_heatmap_free(struct store_heatmap *map)
{
	if (map)
		free(map->columns);
	free(map);
	return NULL;
}

int store_read_heatmap(struct store_reader *reader, const struct store_series_query *query,
	struct store_heatmap **ret, struct error *reterr)
{
	struct heating *h = NULL;

	if (query->max_points < 1 || query->max_points > COLUMNS_MAX)
		return error_set(reterr, -EINVAL, "columns must be within 1 and %d", COLUMNS_MAX);
	h = calloc(1, sizeof(*h));
	if (h) {
		h->max_columns = query->max_points;
		h->map = new_map(query->max_points);
	}
	if (!h || !h->map) {
		free(h);
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	}
	int r = sql_execute(reader->db, "BEGIN", reterr);
	if (r == 0) {
		r = read_heatmap(reader, query, h, reterr);
		/* Nothing was written; after an interrupt there may be no transaction left. */
		(void)sql_execute(reader->db, "COMMIT", NULL);
	}
	if (r == 0)
		*ret = h->map;
	else
		store_heatmap_free(h->map);
	free(h);
	return r;
}
