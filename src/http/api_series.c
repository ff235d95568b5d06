/* SPDX-License-Identifier: Apache-2.0 */
/* A series as columns (interfaces "HTTP"): JSON arrays or CSV. A row without numbers is a gap:
 * null. */
#include "http/api.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "http/bodies.h"
#include "http/request.h"
#include "http/server.h"
#include "store/store.h"

enum column_kind {
	COLUMN_SECONDS, /* a uint64_t of nanoseconds */
	COLUMN_INTEGER, /* a uint64_t */
	COLUMN_REAL, /* a double */
};

static const struct column {
	const char *name;
	enum column_kind kind;
	size_t offset;
} columns[] = {
	{ "avg", COLUMN_SECONDS, offsetof(struct store_series_point, avg_nsec) },
	{ "p50", COLUMN_SECONDS, offsetof(struct store_series_point, p50_nsec) },
	{ "p95", COLUMN_SECONDS, offsetof(struct store_series_point, p95_nsec) },
	{ "p99", COLUMN_SECONDS, offsetof(struct store_series_point, p99_nsec) },
	{ "min", COLUMN_SECONDS, offsetof(struct store_series_point, min_nsec) },
	{ "max", COLUMN_SECONDS, offsetof(struct store_series_point, max_nsec) },
	{ "throughput", COLUMN_INTEGER,
		offsetof(struct store_series_point, throughput_bytes_per_sec) },
	{ "iops", COLUMN_REAL, offsetof(struct store_series_point, iops) },
};
#define COLUMNS (sizeof(columns) / sizeof(columns[0]))

struct points {
	struct store_series_point *rows;
	size_t count;
};

static uint64_t integer_at(const struct store_series_point *p, size_t offset)
{
	uint64_t value;

	memcpy(&value, (const char *)p + offset, sizeof(value));
	return value;
}

static double real_at(const struct store_series_point *p, size_t offset)
{
	double value;

	memcpy(&value, (const char *)p + offset, sizeof(value));
	return value;
}

static double unix_seconds(int64_t usec)
{
	return (double)usec / (double)USEC_PER_SEC;
}

static void append_value(
	struct json_t *array, const struct column *column, const struct store_series_point *p)
{
	if (!p->has_numbers) {
		json_append_null(array);
		return;
	}
	switch (column->kind) {
	case COLUMN_SECONDS:
		json_append_seconds(array, integer_at(p, column->offset));
		return;
	case COLUMN_INTEGER:
		json_append_integer(array, (int64_t)integer_at(p, column->offset));
		return;
	case COLUMN_REAL:
		json_append_real(array, real_at(p, column->offset));
		return;
	}
}

/* The number of runs by status, and "failed": all that are neither ok nor skipped. */
static struct json_t *counts_json(const struct points *points)
{
	struct json_t *object = json_new_object();
	struct json_t *failed = json_new_array();

	for (enum run_status status = RUN_OK; status < RUN_STATUSES; status++) {
		struct json_t *array = json_new_array();
		for (size_t i = 0; i < points->count; i++)
			json_append_integer(array, points->rows[i].runs[status]);
		json_add(object, run_status_name(status), array);
	}
	for (size_t i = 0; i < points->count; i++)
		json_append_integer(failed, points->rows[i].failed_runs);
	json_add(object, "failed", failed);
	return object;
}

static struct json_t *columns_json(const struct points *points)
{
	struct json_t *object = json_new_object();
	struct json_t *time = json_new_array();

	for (size_t i = 0; i < points->count; i++)
		json_append_real(time, unix_seconds(points->rows[i].time_usec));
	json_add(object, "time", time);
	for (size_t c = 0; c < COLUMNS; c++) {
		struct json_t *array = json_new_array();
		for (size_t i = 0; i < points->count; i++)
			append_value(array, &columns[c], &points->rows[i]);
		json_add(object, columns[c].name, array);
	}
	json_add(object, "counts", counts_json(points));
	return object;
}

static int append_measured(void *data, const struct store_measured *measured)
{
	struct json_t *item = json_new_object();

	json_add_text(item, "what", measured->what ? measured->what : "");
	json_add_real(item, "first", unix_seconds(measured->first_usec));
	json_add_real(item, "last", unix_seconds(measured->last_usec));
	json_append(data, item);
	return 0;
}

static int write_json(const struct query *query, const struct points *points,
	struct json_t *measured, struct buf *b)
{
	struct json_t *root = json_new_object();

	json_add_text(root, "repository", query->repository);
	json_add_text(root, "probe", query->probe);
	json_add_text(root, "operation", run_operation_name(query->operation));
	json_add_real(root, "from", unix_seconds(query->from_usec));
	json_add_real(root, "to", unix_seconds(query->to_usec));
	json_add(root, "measured", measured);
	json_add(root, "series", columns_json(points));
	return json_dump(root, false, b);
}

static void write_csv_value(
	const struct column *column, const struct store_series_point *p, struct buf *b)
{
	buf_add_char(b, ',');
	if (!p->has_numbers)
		return;
	switch (column->kind) {
	case COLUMN_SECONDS:
		buf_printf(b, "%.9f", (double)integer_at(p, column->offset) / (double)NSEC_PER_SEC);
		return;
	case COLUMN_INTEGER:
		buf_printf(b, "%llu", (unsigned long long)integer_at(p, column->offset));
		return;
	case COLUMN_REAL:
		buf_printf(b, "%.3f", real_at(p, column->offset));
		return;
	}
}

/* RFC 4180: lines end with CRLF. Every cell is a number or an instant, so nothing needs quotes. */
static int write_csv(const struct points *points, struct buf *b)
{
	buf_add_text(b, "utc,time");
	for (size_t c = 0; c < COLUMNS; c++)
		buf_printf(b, ",%s", columns[c].name);
	buf_add_text(b, ",ok,failed");
	for (enum run_status status = RUN_OK + 1; status < RUN_STATUSES; status++)
		buf_printf(b, ",%s", run_status_name(status));
	buf_add_text(b, "\r\n");
	for (size_t i = 0; i < points->count; i++) {
		const struct store_series_point *p = &points->rows[i];
		format_instant(b, p->time_usec);
		buf_printf(b, ",%.6f", unix_seconds(p->time_usec));
		for (size_t c = 0; c < COLUMNS; c++)
			write_csv_value(&columns[c], p, b);
		buf_printf(b, ",%u,%u", p->runs[RUN_OK], p->failed_runs);
		for (enum run_status status = RUN_OK + 1; status < RUN_STATUSES; status++)
			buf_printf(b, ",%u", p->runs[status]);
		buf_add_text(b, "\r\n");
	}
	return b->error;
}

static const struct json_t *find_named(const struct json_t *list, const char *name)
{
	for (size_t i = 0; i < json_array_length(list); i++) {
		const struct json_t *item = json_array_at(list, i);
		const char *text = json_get_text(item, "name");
		if (text && strcmp(text, name) == 0)
			return item;
	}
	return NULL;
}

/* A configured probe without runs is an empty series, not an unknown one: the overview lists it. */
static bool is_configured(struct request *q)
{
	struct body *body = bodies_take(q->server->bodies, HTTP_BODY_OVERVIEW);
	struct json_t *root = NULL;

	if (!body)
		return false;
	int r = json_parse(body->data, body->len, &root, NULL);
	(void)body_unref(body);
	if (r < 0)
		return false;
	const struct json_t *repository =
		find_named(json_get(root, "repositories"), q->query.repository);
	bool is_known =
		repository && find_named(json_get(repository, "probes"), q->query.probe) != NULL;
	(void)json_free(root);
	return is_known;
}

int api_excuse_absence(struct request *q, struct refusal *ret_refusal)
{
	if (is_configured(q))
		return 0;
	ret_refusal->status = MHD_HTTP_NOT_FOUND;
	ret_refusal->code = "not_found";
	ret_refusal->header = NULL;
	return error_set(&ret_refusal->message, -ENOENT, "there is no such repository or probe");
}

/* Columns, and what else was measured under that name: an old series stays visible. */
static int make_json(
	struct store_reader *reader, struct request *q, const struct points *points, struct buf *b)
{
	struct json_t *measured = json_new_array();
	int r = store_read_measured(reader, q->query.repository, q->query.probe, append_measured,
		measured, &q->refusal.message);

	if (r < 0) {
		(void)json_free(measured);
		return r;
	}
	return write_json(&q->query, points, measured, b);
}

int api_make_series(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_series_query query = {
		.repository = q->query.repository,
		.probe = q->query.probe,
		.operation = q->query.operation,
		.from_usec = q->query.from_usec,
		.to_usec = q->query.to_usec,
		.max_points = q->query.points,
	};
	struct points points = { .rows = NULL };

	int r = store_read_series(
		reader, &query, &points.rows, &points.count, &ret_refusal->message);
	if (r == -ENOENT)
		r = api_excuse_absence(q, ret_refusal);
	if (r < 0)
		return r;
	r = q->query.format == QUERY_CSV ? write_csv(&points, b) : make_json(reader, q, &points, b);
	free(points.rows);
	return r;
}
