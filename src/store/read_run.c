/* SPDX-License-Identifier: Apache-2.0 */
/* Reads runs from their rows. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "store/code.h"
#include "store/reader.h"

/* Selects runs: the newest (oldest) of each series by the index, then the newest of those. An order
 * is "" or " DESC". */
#define PICK_OF_SERIES(order)                                                                      \
	"SELECT r.id FROM run AS r WHERE r.series = series.id AND r.started_usec >= ?3"            \
	" AND r.started_usec < ?4 ORDER BY r.started_usec" order ", r.id" order " LIMIT "
#define PICK_FROM " FROM series JOIN target ON target.id = series.target JOIN run ON run.id IN "
#define PICK_WHERE " WHERE (?1 IS NULL OR target.name = ?1) AND (?2 IS NULL OR series.probe = ?2)"
#define PICK_ORDER(order) " ORDER BY run.started_usec" order ", run.id" order " LIMIT ?5"

#define PICK_ALL(order)                                                                            \
	"SELECT run.id" PICK_FROM "(" PICK_OF_SERIES(order) "?5)" PICK_WHERE PICK_ORDER(order)
/* A probe whose workload was changed has several series. */
#define PICK_NEWEST_PER_PROBE                                                                      \
	"SELECT id FROM (SELECT run.id, run.started_usec, row_number() OVER"                       \
	" (PARTITION BY series.target, series.probe ORDER BY run.started_usec DESC, run.id DESC)"  \
	" AS place" PICK_FROM "(" PICK_OF_SERIES(" DESC") "1)" PICK_WHERE ") AS run"               \
							  " WHERE place = 1" PICK_ORDER(" DESC")
#define PICK_ONE                                                                                   \
	"SELECT run.id FROM run JOIN series ON series.id = run.series"                             \
	" JOIN target ON target.id = series.target" PICK_WHERE                                     \
	" AND run.started_usec >= ?3 AND run.started_usec < ?4 AND run.id = ?6 LIMIT ?5"

/* A row for each operation of each run picked, or one for a run without any; more columns, and what
 * they come from. */
#define RUNS_OF(picked, order, columns, joined)                                                                                              \
	"WITH picked (id) AS MATERIALIZED (" picked ")"                                                                                      \
	" SELECT run.id, run.started_usec, target.id, target.name, run.series, series.probe,"                                                \
	" run.status, run.skip, run.error_number, run.reason, run.trust, run.engine,"                                                        \
	" run.start_delay_usec, run.duration_nsec, run.setup_nsec, run.measured_nsec,"                                                       \
	" run.cpu_user_nsec, run.cpu_system_nsec, run.outstanding_ios, run.layout_bytes,"                                                    \
	" run.others_bytes_per_sec, run.others_ios_per_sec, run.pressure_some, run.pressure_full,"                                           \
	" run.file_bytes, run.file_target_bytes, run.registered_buffers, run.iops_seconds,"                                                  \
	" run.iops_ios, run.iops_squares, run.is_confirmation, run.setup_longest_nsec, run.setup_step, run.file_size_bytes, run.size_bytes," \
	" run.free_bytes, workload.id, workload.options,"                                                                                    \
	" identity.id, identity.fs_type, identity.source, identity.mount_point, identity.fs_uuid,"                                           \
	" identity.is_mount, identity.sector_bytes, identity.mount_options,"                                                                 \
	" identity.fs_options, identity.device, identity.size_bytes, o.operation, o.ios, o.bytes,"                                           \
	" o.errors, o.active_nsec, o.iops_seconds, o.iops_ios, o.iops_squares, o.latencies,"                                                 \
	" o.histogram" columns " FROM picked CROSS JOIN run ON run.id = picked.id"                                                           \
	" JOIN series ON series.id = run.series JOIN target ON target.id = series.target"                                                    \
	" LEFT JOIN workload ON workload.id = run.workload"                                                                                  \
	" LEFT JOIN identity ON identity.id = run.identity"                                                                                  \
	" LEFT JOIN run_operation AS o ON o.run = run.id" joined                                                                             \
	" ORDER BY run.started_usec" order ", run.id" order ", o.operation"
#define JUDGED_COLUMNS ", o.sample, baseline.since_usec"
#define JUDGED_JOINED                                                                              \
	" LEFT JOIN baseline ON baseline.series = run.series AND baseline.operation = o.operation"

#define PAGE_RUNS 256

static void read_times(struct sql *s, struct run *run)
{
	run->start_delay_usec = sql_unsigned(s, INT64_MAX);
	run->duration_nsec = sql_unsigned(s, INT64_MAX);
	run->setup_nsec = sql_unsigned(s, INT64_MAX);
	run->measured_nsec = sql_unsigned(s, INT64_MAX);
	run->cpu_user_nsec = sql_unsigned(s, INT64_MAX);
	run->cpu_system_nsec = sql_unsigned(s, INT64_MAX);
}

/* A value that a decoder rejects makes the row bad. */
static void note_code(struct sql *s, int r)
{
	if (r < 0)
		s->error = r == -EUCLEAN ? -EBADMSG : r;
}

/* Most rows share one device with the row before. */
static void read_device(
	struct store_reader *reader, struct sql *s, int64_t id, struct identity *ret)
{
	size_t len;
	const char *text = sql_bytes(s, &len);

	if (len == 0)
		return;
	if (!reader->has_device || reader->device_identity != id) {
		note_code(s, code_read_device(text, len, &reader->device));
		reader->device_identity = id;
		reader->has_device = s->error == 0;
	}
	ret->device = reader->device;
	ret->has_device = true;
}

static void read_identity(
	struct store_reader *reader, struct sql *s, int64_t id, struct identity *ret)
{
	sql_text(s, ret->fs_type, sizeof(ret->fs_type));
	sql_text(s, ret->source, sizeof(ret->source));
	sql_text(s, ret->mount_point, sizeof(ret->mount_point));
	sql_text(s, ret->fs_uuid, sizeof(ret->fs_uuid));
	ret->is_mount = sql_unsigned_or(s, 1, 0);
	ret->sector_bytes = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	sql_text(s, ret->options.mount, sizeof(ret->options.mount));
	sql_text(s, ret->options.fs, sizeof(ret->options.fs));
	read_device(reader, s, id, ret);
	ret->size_bytes = sql_unsigned_or(s, INT64_MAX, 0);
}

static void read_facts(struct sql *s, struct facts *ret)
{
	ret->has_counters = !sql_is_null(s);
	ret->others_bytes_per_sec = sql_unsigned_or(s, INT64_MAX, 0);
	ret->others_ios_per_sec = sql_unsigned_or(s, INT64_MAX, 0);
	ret->has_pressure = !sql_is_null(s);
	ret->pressure_some_basis_points = (uint32_t)sql_unsigned_or(s, PRESSURE_ALL, 0);
	ret->pressure_full_basis_points = (uint32_t)sql_unsigned_or(s, PRESSURE_ALL, 0);
}

static void read_workload(
	struct store_reader *reader, struct sql *s, int64_t id, struct workload *ret)
{
	size_t len;
	const char *options = sql_bytes(s, &len);
	struct reader_workload *cached = &reader->workloads[(uint64_t)id % READER_WORKLOADS];

	if (!cached->is_used || cached->id != id) {
		note_code(s,
			options ? code_read_workload(options, len, &cached->workload, NULL)
				: -EUCLEAN);
		cached->id = id;
		cached->is_used = s->error == 0;
	}
	if (cached->is_used)
		*ret = cached->workload;
}

static void read_iops(struct sql *s, const struct run_iops *usual, struct run_iops *ret)
{
	ret->seconds = (uint32_t)sql_unsigned_or(s, UINT32_MAX, usual->seconds);
	ret->ios = sql_unsigned_or(s, INT64_MAX, usual->ios);
	ret->squares = sql_unsigned_or(s, INT64_MAX, usual->squares);
}

/* The run's own columns. */
static void read_own(struct sql *s, struct run *run)
{
	run->status = (enum run_status)sql_unsigned(s, RUN_STATUSES - 1);
	run->skip = (enum run_skip)sql_unsigned(s, RUN_SKIPS - 1);
	run->error_number = (int)sql_unsigned(s, INT_MAX);
	sql_text(s, run->reason, sizeof(run->reason));
	run->trust = (uint32_t)sql_unsigned(s, (1U << RUN_TRUST_FLAGS) - 1);
	run->engine = (enum workload_engine)sql_unsigned(s, WORKLOAD_ENGINE_THREADS);
	read_times(s, run);
	run->outstanding_ios = (uint32_t)sql_unsigned(s, UINT32_MAX);
	run->layout_bytes = sql_unsigned(s, INT64_MAX);
	read_facts(s, &run->facts);
	run->file_bytes = sql_unsigned(s, INT64_MAX);
	run->file_target_bytes = sql_unsigned_or(s, INT64_MAX, run->file_bytes);
	run->has_registered_buffers = sql_unsigned_or(s, 1, 0);
	read_iops(s, &(const struct run_iops){ 0 }, &run->iops[RUN_OPERATIONS]);
	run->is_confirmation = sql_unsigned_or(s, 1, 0);
	run->setup_longest_nsec = sql_unsigned_or(s, INT64_MAX, 0);
	run->setup_step = (enum run_setup_step)sql_unsigned_or(s, RUN_SETUP_STEPS - 1, 0);
	run->workload.file_size_bytes = sql_unsigned_or(s, INT64_MAX, run->file_bytes);
	run->identity.size_bytes = sql_unsigned_or(s, INT64_MAX, 0);
	run->identity.free_bytes = sql_unsigned(s, INT64_MAX);
	if (run->id < 1 || run->id > READER_ID_MAX || run->started_usec < 0)
		s->error = -EBADMSG;
}

/* The rows that the run refers to. A bad row counts as missing. */
static int take_workload(
	struct store_reader *reader, struct sql *s, struct run *run, struct error *reterr)
{
	const uint64_t file_size_bytes = run->workload.file_size_bytes;
	bool has_any = !sql_is_null(s);
	int64_t id = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);

	if (has_any)
		read_workload(reader, s, id, &run->workload);
	else
		s->next++;
	run->workload.file_size_bytes = file_size_bytes;
	return reader_take_row(reader, s, "workload", id, reterr);
}

static int take_identity(
	struct store_reader *reader, struct sql *s, struct run *run, struct error *reterr)
{
	const struct identity own = run->identity;
	int64_t id = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);

	read_identity(reader, s, id, &run->identity);
	if (own.size_bytes > 0)
		run->identity.size_bytes = own.size_bytes;
	int r = reader_take_row(reader, s, "identity", id, reterr);
	if (r == 0)
		run->identity = own;
	return r;
}

/* Everything but id, start and operations. 0: the run is skipped. */
static int take_head(
	struct store_reader *reader, struct sql *s, struct run *run, struct error *reterr)
{
	int64_t target = sql_integer(s, INT64_MIN, INT64_MAX);

	int r = reader_take_target(reader, s, target, run->repository, reterr);
	if (r <= 0)
		return r;
	int64_t series = sql_integer(s, INT64_MIN, INT64_MAX);
	sql_text(s, run->probe, sizeof(run->probe));
	r = reader_take_row(reader, s, "series", series, reterr);
	if (r <= 0)
		return r;
	read_own(s, run);
	r = reader_take_row(reader, s, "run", run->id, reterr);
	if (r <= 0)
		return r;
	r = take_workload(reader, s, run, reterr);
	if (r >= 0)
		r = take_identity(reader, s, run, reterr);
	return r < 0 ? r : 1;
}

static void read_judged(struct sql *s, struct store_judged *ret)
{
	size_t len;
	const void *sample = sql_bytes(s, &len);

	ret->since_usec = sql_integer_or(s, INT64_MIN, INT64_MAX, 0);
	if (len > sizeof(ret->sample)) {
		s->error = -EBADMSG;
		return;
	}
	if (len > 0)
		memcpy(ret->sample, sample, len);
	ret->sample_len = len;
}

static enum run_operation read_operation(struct sql *s, const struct run_iops *usual,
	struct run_operation_result *o, struct run_iops *iops, struct store_judged *judged)
{
	enum run_operation operation = (enum run_operation)sql_unsigned(s, RUN_OPERATIONS - 1);
	size_t len;

	o->ios = sql_unsigned(s, INT64_MAX);
	o->bytes = sql_unsigned(s, INT64_MAX);
	o->errors = sql_unsigned(s, INT64_MAX);
	o->active_nsec = sql_unsigned(s, INT64_MAX);
	read_iops(s, usual, iops);
	uint64_t latencies = sql_unsigned_or(s, INT64_MAX, o->ios);
	const void *code = sql_bytes(s, &len);
	if (s->error == 0 && code)
		note_code(s, code_read_histogram(code, len, &o->latency, NULL));
	if (s->error == 0 && o->latency.count != latencies)
		s->error = -EBADMSG;
	if (s->error == 0 && judged)
		read_judged(s, judged);
	return operation;
}

struct run_reading {
	struct store_reader *reader;
	bool is_judged; /* which of the two callbacks is set */
	int (*each)(void *data, const struct run *run);
	int (*each_judged)(void *data, const struct run *run,
		const struct store_judged judged[RUN_OPERATIONS]);
	void *data;
	struct run *run; /* being assembled */
	bool has_run; /* there is one */
	bool is_good; /* run can be returned */
	struct run_operation_result *operation; /* scratch: too big for the stack */
	struct store_judged judged[RUN_OPERATIONS];
	/* Paging: the position after which the next page begins, and the rows of this one. */
	int64_t last_usec;
	int64_t last_id;
	size_t count;
};

/* Bad rows count as part of a page. */
static int give(struct run_reading *reading)
{
	const struct run *run = reading->run;

	reading->count++;
	if (!reading->is_judged)
		return reading->is_good ? reading->each(reading->data, run) : 0;
	if (run->started_usec == reading->last_usec && run->id <= reading->last_id)
		return 0; /* it was on the previous page */
	reading->last_usec = run->started_usec;
	reading->last_id = run->id;
	if (!reading->is_good)
		return 0;
	return reading->each_judged(reading->data, run, reading->judged);
}

/* A run with one bad operation keeps the others. */
static int take_operation(struct run_reading *reading, struct sql *s, struct error *reterr)
{
	struct run_operation_result *o = reading->operation;
	struct run *run = reading->run;
	struct store_judged judged = { 0 };
	struct run_iops iops;

	if (sql_is_null(s))
		return 0; /* a run without operations */
	memset(o, 0, sizeof(*o));
	enum run_operation operation = read_operation(
		s, &run->iops[RUN_OPERATIONS], o, &iops, reading->is_judged ? &judged : NULL);
	int r = reader_take_row(reading->reader, s, "run_operation", run->id, reterr);
	if (r <= 0)
		return r;
	run->operations[operation] = *o;
	run->iops[operation] = iops;
	reading->judged[operation] = judged;
	return 0;
}

static void begin_run(struct run_reading *reading, int64_t id)
{
	memset(reading->run, 0, sizeof(*reading->run));
	memset(reading->judged, 0, sizeof(reading->judged));
	reading->run->id = id;
	reading->has_run = true;
}

static int read_rows(struct run_reading *reading, struct sql *s, struct error *reterr)
{
	struct run *run = reading->run;

	for (;;) {
		int r = sql_step(s, reterr);
		if (r < 0)
			return r;
		int64_t id = r > 0 ? sql_integer(s, INT64_MIN, INT64_MAX) : 0;
		if (reading->has_run && (r == 0 || id != run->id)) {
			int answer = give(reading);
			if (answer != 0)
				return answer;
		}
		if (r == 0)
			return 0;
		if (!reading->has_run || id != run->id)
			begin_run(reading, id);
		run->started_usec = sql_integer(s, INT64_MIN, INT64_MAX);
		r = take_head(reading->reader, s, run, reterr);
		reading->is_good = r > 0;
		if (r > 0)
			r = take_operation(reading, s, reterr);
		if (r < 0)
			return r;
	}
}

static void bind_filter(struct sql *s, const struct store_run_filter *filter)
{
	int64_t limit = reader_limit(filter->limit);

	/* All probes, without a limit. */
	if (filter->is_newest_per_probe && filter->limit == 0)
		limit = INT64_MAX;
	sql_bind_text(s, filter->repository);
	sql_bind_text(s, filter->probe);
	sql_bind_integer(s, filter->from_usec != 0 ? filter->from_usec : INT64_MIN);
	sql_bind_integer(s, filter->to_usec != 0 ? filter->to_usec : INT64_MAX);
	sql_bind_integer(s, limit);
	if (filter->id != 0)
		sql_bind_integer(s, filter->id);
}

static int begin_reading(struct run_reading *reading, struct error *reterr)
{
	reading->run = run_new("", "");
	reading->operation = malloc(sizeof(*reading->operation));
	if (reading->run && reading->operation)
		return 0;
	return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
}

static void end_reading(struct run_reading *reading)
{
	free(reading->run);
	free(reading->operation);
}

int store_read_runs(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run *run), void *data, struct error *reterr)
{
	static const char one[] = RUNS_OF(PICK_ONE, "", "", "");
	static const char newest[] = RUNS_OF(PICK_NEWEST_PER_PROBE, " DESC", "", "");
	static const char newest_first[] = RUNS_OF(PICK_ALL(" DESC"), " DESC", "", "");
	static const char oldest_first[] = RUNS_OF(PICK_ALL(""), "", "", "");
	struct run_reading reading = { .reader = reader, .each = each, .data = data };
	const char *text = filter->is_oldest_first ? oldest_first : newest_first;
	struct sql s = { 0 };

	if (filter->is_newest_per_probe)
		text = newest;
	if (filter->id != 0)
		text = one;
	int r = begin_reading(&reading, reterr);
	if (r == 0)
		r = reader_prepare(reader, text, &s, reterr);
	if (r == 0) {
		bind_filter(&s, filter);
		r = read_rows(&reading, &s, reterr);
	}
	sql_done(&s);
	end_reading(&reading);
	return r;
}

static int read_page(
	struct run_reading *reading, const struct store_run_filter *page, struct error *reterr)
{
	static const char text[] = RUNS_OF(PICK_ALL(""), "", JUDGED_COLUMNS, JUDGED_JOINED);
	struct sql s = { 0 };
	int r = reader_prepare(reading->reader, text, &s, reterr);

	reading->has_run = false;
	reading->count = 0;
	if (r == 0) {
		bind_filter(&s, page);
		r = read_rows(reading, &s, reterr);
	}
	sql_done(&s);
	return r;
}

int store_read_judged(struct store_reader *reader, const struct store_run_filter *filter,
	int (*each)(void *data, const struct run *run,
		const struct store_judged judged[RUN_OPERATIONS]),
	void *data, struct error *reterr)
{
	struct run_reading reading = {
		.reader = reader, .is_judged = true, .each_judged = each, .data = data
	};
	struct store_run_filter page = *filter;
	int r = begin_reading(&reading, reterr);

	page.limit = PAGE_RUNS;
	reading.last_usec = INT64_MIN;
	reading.count = PAGE_RUNS;
	while (r == 0 && reading.count == PAGE_RUNS) {
		int64_t from_usec = page.from_usec;
		r = read_page(&reading, &page, reterr);
		/* Runs that started at once may be on two pages, but not on three. */
		page.from_usec = reading.last_usec > from_usec ? reading.last_usec : from_usec + 1;
	}
	end_reading(&reading);
	return r;
}
