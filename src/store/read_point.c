/* SPDX-License-Identifier: Apache-2.0 */
/* The history probe by probe, each from its oldest run on: for export. */
#include <errno.h>

#include "base/error.h"
#include "store/reader.h"

int store_read_probes(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const char *probe), void *data,
	struct error *reterr)
{
	static const char text[] =
		"SELECT DISTINCT target.name, series.probe FROM series"
		" JOIN target ON target.id = series.target ORDER BY target.name, series.probe";
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	struct sql s = { 0 };
	int r = reader_prepare(reader, text, &s, reterr);

	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		sql_text(&s, repository, sizeof(repository));
		sql_text(&s, probe, sizeof(probe));
		r = s.error < 0 ? reader_refuse_row(&s, "series", 0, reterr)
				: each(data, repository, probe);
	}
	sql_done(&s);
	return r;
}

static void read_operation(struct sql *s, struct run_point *point)
{
	if (sql_is_null(s))
		return; /* a run without operations */
	size_t operation = sql_unsigned(s, RUN_OPERATIONS - 1);
	struct run_point_operation *o = &point->operations[operation];
	o->has_happened = true;
	o->ios = sql_unsigned(s, INT64_MAX);
	o->bytes = sql_unsigned(s, INT64_MAX);
	o->latencies = sql_unsigned_or(s, INT64_MAX, o->ios);
	o->sum_nsec = sql_unsigned(s, INT64_MAX);
	o->min_nsec = sql_unsigned(s, INT64_MAX);
	o->p50_nsec = sql_unsigned(s, INT64_MAX);
	o->p95_nsec = sql_unsigned(s, INT64_MAX);
	o->p99_nsec = sql_unsigned(s, INT64_MAX);
	o->max_nsec = sql_unsigned(s, INT64_MAX);
}

struct point_reading {
	struct run_point point; /* that is being gathered; id 0: none */
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
		int64_t id = r > 0 ? sql_integer(s, 1, INT64_MAX) : 0;
		if (point->id != 0 && id != point->id) {
			int answer = reading->each(reading->data, point);
			if (answer != 0)
				return answer;
		}
		if (r == 0)
			return 0;
		if (id != point->id)
			*point = (struct run_point){ .id = id };
		point->started_usec = sql_integer(s, 0, INT64_MAX);
		point->status = (enum run_status)sql_unsigned(s, RUN_STATUSES - 1);
		point->duration_nsec = sql_unsigned(s, INT64_MAX);
		point->measured_nsec = sql_unsigned(s, INT64_MAX);
		read_operation(s, point);
		if (s->error < 0)
			return reader_refuse_row(s, "run", id, reterr);
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
	struct point_reading reading = { .each = each, .data = data };
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
