/* SPDX-License-Identifier: Apache-2.0 */
/* Stored history by probe, each from its oldest run on; for export. */
#include <errno.h>

#include "base/error.h"
#include "store/reader.h"

int store_read_probes(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const char *probe), void *data,
	struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, series.id, series.probe FROM series"
		" JOIN target ON target.id = series.target GROUP BY target.name, series.probe"
		" ORDER BY target.name, series.probe";
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	struct sql s = { 0 };
	int r = reader_prepare(reader, text, &s, reterr);

	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t target = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = reader_take_target(reader, &s, target, repository, reterr);
		if (r <= 0)
			continue;
		int64_t series = sql_integer(&s, INT64_MIN, INT64_MAX);
		sql_text(&s, probe, sizeof(probe));
		r = reader_take_row(reader, &s, "series", series, reterr);
		if (r > 0)
			r = each(data, repository, probe);
	}
	sql_done(&s);
	return r;
}

/* A run with one bad operation keeps the others. */
static int take_operation(
	struct store_reader *reader, struct sql *s, struct run_point *point, struct error *reterr)
{
	if (sql_is_null(s))
		return 0; /* a run without operations */
	size_t operation = sql_unsigned(s, RUN_OPERATIONS - 1);
	struct run_point_operation read = { .has_happened = true };
	struct run_point_operation *o = &read;
	o->ios = sql_unsigned(s, INT64_MAX);
	o->bytes = sql_unsigned(s, INT64_MAX);
	o->latencies = sql_unsigned_or(s, INT64_MAX, o->ios);
	o->sum_nsec = sql_unsigned(s, INT64_MAX);
	o->min_nsec = sql_unsigned(s, INT64_MAX);
	o->p50_nsec = sql_unsigned(s, INT64_MAX);
	o->p95_nsec = sql_unsigned(s, INT64_MAX);
	o->p99_nsec = sql_unsigned(s, INT64_MAX);
	o->max_nsec = sql_unsigned(s, INT64_MAX);
	int r = reader_take_row(reader, s, "run_operation", point->id, reterr);
	if (r > 0)
		point->operations[operation] = read;
	return r < 0 ? r : 0;
}

static int take_head(
	struct store_reader *reader, struct sql *s, struct run_point *point, struct error *reterr)
{
	point->started_usec = sql_integer(s, 0, INT64_MAX);
	point->status = (enum run_status)sql_unsigned(s, RUN_STATUSES - 1);
	point->duration_nsec = sql_unsigned(s, INT64_MAX);
	point->measured_nsec = sql_unsigned(s, INT64_MAX);
	if (point->id < 1 || point->id > READER_ID_MAX)
		s->error = -EBADMSG;
	return reader_take_row(reader, s, "run", point->id, reterr);
}

struct point_reading {
	struct store_reader *reader;
	struct run_point point; /* being assembled */
	bool is_good; /* the run can be returned */
	int (*each)(void *data, const struct run_point *point);
	void *data;
};

static int read_rows(struct point_reading *reading, struct sql *s, struct error *reterr)
{
	struct run_point *point = &reading->point;

	for (;;) {
		int r = sql_step(s, reterr);
		if (r < 0)
			return r;
		int64_t id = r > 0 ? sql_integer(s, INT64_MIN, INT64_MAX) : 0;
		if (reading->is_good && (r == 0 || id != point->id)) {
			int answer = reading->each(reading->data, point);
			if (answer != 0)
				return answer;
		}
		if (r == 0)
			return 0;
		if (!reading->is_good || id != point->id)
			*point = (struct run_point){ .id = id };
		r = take_head(reading->reader, s, point, reterr);
		reading->is_good = r > 0;
		if (r > 0)
			r = take_operation(reading->reader, s, point, reterr);
		if (r < 0)
			return r;
	}
}

int store_read_points(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run_point *point), void *data, struct error *reterr)
{
	/* A probe whose workload was changed has several series. */
	static const char text[] =
		"SELECT run.id, run.started_usec, run.status, run.duration_nsec, run.measured_nsec,"
		" o.operation, o.ios, o.bytes, o.latencies, o.sum_nsec, o.min_nsec, o.p50_nsec,"
		" o.p95_nsec, o.p99_nsec, o.max_nsec"
		" FROM series JOIN target ON target.id = series.target"
		" JOIN run ON run.series = series.id LEFT JOIN run_operation AS o ON o.run = run.id"
		" WHERE target.name = ? AND series.probe = ?"
		" AND run.started_usec >= ? AND run.started_usec < ?"
		" ORDER BY run.started_usec, run.id, o.operation";
	struct point_reading reading = { .reader = reader, .each = each, .data = data };
	struct sql s = { 0 };
	int r = reader_prepare(reader, text, &s, reterr);

	if (r < 0)
		return r;
	sql_bind_text(&s, filter->repository);
	sql_bind_text(&s, filter->probe);
	sql_bind_integer(&s, filter->from_usec != 0 ? filter->from_usec : INT64_MIN);
	sql_bind_integer(&s, filter->to_usec != 0 ? filter->to_usec : INT64_MAX);
	r = read_rows(&reading, &s, reterr);
	sql_done(&s);
	return r;
}
