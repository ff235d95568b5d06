/* SPDX-License-Identifier: Apache-2.0 */
/* A heat map (interfaces "HTTP"): time intervals with the counts of latency intervals, as JSON or
 * as CSV with one line per cell. */
#include "http/api.h"

#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "http/request.h"
#include "store/store.h"

static double seconds(uint64_t nsec)
{
	return (double)nsec / (double)NSEC_PER_SEC;
}

static double unix_seconds(int64_t usec)
{
	return (double)usec / (double)USEC_PER_SEC;
}

static struct json_t *bounds_json(const struct store_heatmap *map)
{
	struct json_t *bounds = json_new_array();

	for (size_t i = 0; map->row_count > 0 && i <= map->row_count; i++)
		json_append_seconds(bounds, store_heatmap_bound_nsec(map->first_row + i));
	return bounds;
}

/* A column without numbers (all runs failed) is a gap: null. */
static void append_counts(struct json_t *list, const struct store_heatmap *map,
	const struct store_heatmap_column *column)
{
	struct json_t *counts = json_new_array();
	uint64_t sum = 0;

	for (size_t i = 0; i < map->row_count; i++) {
		uint64_t count = column->counts[map->first_row + i];
		json_append_integer(counts, (int64_t)count);
		sum += count;
	}
	if (sum > 0) {
		json_append(list, counts);
		return;
	}
	(void)json_free(counts);
	json_append_null(list);
}

static struct json_t *map_json(const struct store_heatmap *map)
{
	struct json_t *object = json_new_object();
	struct json_t *time = json_new_array();
	struct json_t *list = json_new_array();
	struct json_t *ok = json_new_array();
	struct json_t *failed = json_new_array();
	struct json_t *runs = json_new_object();

	for (size_t i = 0; i < map->column_count; i++) {
		const struct store_heatmap_column *column = &map->columns[i];
		json_append_real(time, unix_seconds(column->start_usec));
		append_counts(list, map, column);
		json_append_integer(ok, (int64_t)column->ok_runs);
		json_append_integer(failed, (int64_t)column->failed_runs);
	}
	json_add_real(object, "width_seconds", unix_seconds(map->width_usec));
	json_add(object, "bounds_seconds", bounds_json(map));
	json_add(object, "time", time);
	json_add(object, "ios", list);
	json_add(runs, "ok", ok);
	json_add(runs, "failed", failed);
	json_add(object, "counts", runs);
	return object;
}

static int write_json(const struct query *query, const struct store_heatmap *map, struct buf *b)
{
	struct json_t *root = json_new_object();

	json_add_text(root, "repository", query->repository);
	json_add_text(root, "probe", query->probe);
	json_add_text(root, "operation", run_operation_name(query->operation));
	json_add_real(root, "from", unix_seconds(query->from_usec));
	json_add_real(root, "to", unix_seconds(query->to_usec));
	json_add(root, "heatmap", map_json(map));
	return json_dump(root, false, b);
}

/* RFC 4180; only cells with a count. */
static int write_csv(const struct store_heatmap *map, struct buf *b)
{
	buf_add_text(b, "utc,time,from_seconds,to_seconds,ios\r\n");
	for (size_t i = 0; i < map->column_count; i++) {
		const struct store_heatmap_column *column = &map->columns[i];
		for (size_t k = map->first_row; k < map->first_row + map->row_count; k++) {
			if (column->counts[k] == 0)
				continue;
			format_instant(b, column->start_usec);
			buf_printf(b, ",%.6f,%.9f,%.9f,%llu\r\n", unix_seconds(column->start_usec),
				seconds(store_heatmap_bound_nsec(k)),
				seconds(store_heatmap_bound_nsec(k + 1)),
				(unsigned long long)column->counts[k]);
		}
	}
	return b->error;
}

int api_make_heatmap(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	static const struct store_heatmap nothing = { 0 };
	const struct store_series_query query = {
		.repository = q->query.repository,
		.probe = q->query.probe,
		.operation = q->query.operation,
		.from_usec = q->query.from_usec,
		.to_usec = q->query.to_usec,
		.max_points = q->query.columns,
	};
	struct store_heatmap *map = NULL;

	int r = store_read_heatmap(reader, &query, &map, &ret_refusal->message);
	if (r == -ENOENT)
		r = api_excuse_absence(q, ret_refusal);
	if (r < 0)
		return r;
	const struct store_heatmap *shown = map ? map : &nothing;
	r = q->query.format == QUERY_CSV ? write_csv(shown, b) : write_json(&q->query, shown, b);
	store_heatmap_free(map);
	return r;
}
