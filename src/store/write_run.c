/* SPDX-License-Identifier: Apache-2.0 */
/* A run as rows: its own, one for each operation that happened, and what it shares with others. */
#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "store/code.h"
#include "store/rollup.h"
#include "store/write.h"

#define OPTIONS_MAX 4096
#define DEVICE_MAX 8192

struct identity_key {
	int64_t target;
	const struct identity *identity;
	const char *device; /* as the column has it */
};

/* Rows that a run refers to; 0: none. */
struct run_rows {
	int64_t series;
	int64_t workload;
	int64_t identity;
};

static void bind_workload(struct sql *s, const void *data)
{
	sql_bind_text(s, data);
}

static void bind_identity(struct sql *s, const void *data)
{
	const struct identity_key *k = data;

	sql_bind_integer(s, k->target);
	sql_bind_text(s, k->identity->fs_type);
	sql_bind_text(s, k->identity->source);
	sql_bind_text(s, k->identity->mount_point);
	sql_bind_text(s, k->identity->fs_uuid);
	sql_bind_integer(s, k->identity->is_mount);
	sql_bind_integer(s, k->identity->sector_bytes);
	sql_bind_text(s, k->identity->options.mount);
	sql_bind_text(s, k->identity->options.fs);
	sql_bind_text(s, k->device);
	sql_bind_unsigned(s, k->identity->size_bytes);
}

static int find_series(struct write *w, const struct run *run, int64_t target, int64_t *ret_id,
	struct error *reterr)
{
	struct buf key = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&run->workload, &key);
	int r = key.error < 0 ? key.error
			      : write_series(w, target, run->probe, buf_text(&key), ret_id, reterr);
	buf_done(&key);
	return r;
}

static int find_workload(
	struct write *w, const struct run *run, int64_t *ret_id, struct error *reterr)
{
	static const struct write_lookup lookup = { WRITE_FIND_WORKLOAD, WRITE_ADD_WORKLOAD,
		bind_workload };
	struct buf options = BUF_INIT(OPTIONS_MAX);

	if (run->workload.block_size_bytes == 0)
		return 0; /* none was set */
	int r = code_workload(&run->workload, &options);
	if (r == 0)
		r = write_look_up(w, &lookup, buf_text(&options), ret_id, reterr);
	buf_done(&options);
	return r;
}

static int find_identity(struct write *w, const struct run *run, int64_t target, int64_t *ret_id,
	struct error *reterr)
{
	static const struct write_lookup lookup = { WRITE_FIND_IDENTITY, WRITE_ADD_IDENTITY,
		bind_identity };
	const struct identity *i = &run->identity;
	struct buf device = BUF_INIT(DEVICE_MAX);

	if (i->fs_type[0] == '\0' && i->source[0] == '\0' && i->mount_point[0] == '\0' &&
		i->fs_uuid[0] == '\0' && i->size_bytes == 0)
		return 0; /* the worker did not come so far */
	int r = i->has_device ? code_device(&i->device, &device) : 0;
	struct identity_key k = { .target = target, .identity = i, .device = buf_text(&device) };
	if (r == 0)
		r = write_look_up(w, &lookup, &k, ret_id, reterr);
	buf_done(&device);
	return r;
}

static void bind_id(struct sql *s, int64_t id)
{
	if (id == 0)
		sql_bind_null(s);
	else
		sql_bind_integer(s, id);
}

static void bind_unless(struct sql *s, uint64_t value, uint64_t usual)
{
	if (value == usual)
		sql_bind_null(s);
	else
		sql_bind_unsigned(s, value);
}

static void bind_if(struct sql *s, bool is_known, uint64_t value)
{
	if (is_known)
		sql_bind_unsigned(s, value < INT64_MAX ? value : INT64_MAX);
	else
		sql_bind_null(s);
}

static void bind_facts(struct sql *s, const struct facts *f)
{
	bind_if(s, f->has_counters, f->others_bytes_per_sec);
	bind_if(s, f->has_counters, f->others_ios_per_sec);
	bind_if(s, f->has_pressure, f->pressure_some_basis_points);
	bind_if(s, f->has_pressure, f->pressure_full_basis_points);
}

static void bind_iops(struct sql *s, const struct run_iops *iops, const struct run_iops *usual)
{
	bind_unless(s, iops->seconds, usual->seconds);
	bind_unless(s, iops->ios, usual->ios);
	bind_unless(s, iops->squares, usual->squares);
}

static int add_run(
	struct write *w, const struct run *run, const struct run_rows *rows, struct error *reterr)
{
	struct sql *s = write_start(w, WRITE_ADD_RUN);

	sql_bind_integer(s, run->id);
	sql_bind_integer(s, rows->series);
	sql_bind_integer(s, run->started_usec);
	sql_bind_integer(s, run->status);
	sql_bind_integer(s, run->skip);
	sql_bind_integer(s, run->error_number);
	sql_bind_text(s, run->reason);
	sql_bind_integer(s, run->trust);
	sql_bind_integer(s, run->engine);
	bind_id(s, rows->workload);
	bind_id(s, rows->identity);
	sql_bind_unsigned(s, run->start_delay_usec);
	sql_bind_unsigned(s, run->duration_nsec);
	sql_bind_unsigned(s, run->setup_nsec);
	sql_bind_unsigned(s, run->measured_nsec);
	sql_bind_unsigned(s, run->cpu_user_nsec);
	sql_bind_unsigned(s, run->cpu_system_nsec);
	sql_bind_integer(s, run->outstanding_ios);
	sql_bind_unsigned(s, run->layout_bytes);
	bind_facts(s, &run->facts);
	sql_bind_unsigned(s, run->file_bytes);
	bind_unless(s, run->file_target_bytes, run->file_bytes);
	bind_unless(s, run->workload.file_size_bytes, run->file_bytes);
	sql_bind_unsigned(s, run->identity.free_bytes);
	sql_bind_unsigned(s, run->identity.size_bytes);
	bind_unless(s, run->has_registered_buffers, false);
	bind_iops(s, &run->iops[RUN_OPERATIONS], &(const struct run_iops){ 0 });
	bind_unless(s, run->is_confirmation, false);
	bind_if(s, run->setup_step != RUN_SETUP_NONE, run->setup_longest_nsec);
	bind_unless(s, run->setup_step, RUN_SETUP_NONE);
	return sql_finish(s, reterr);
}

static bool did_happen(const struct run_operation_result *o)
{
	return o->ios > 0 || o->bytes > 0 || o->errors > 0 || o->active_nsec > 0 ||
		o->latency.count > 0;
}

static int add_operation(
	struct write *w, const struct run *run, enum run_operation operation, struct error *reterr)
{
	static const uint64_t percentiles[] = { 500000000, 950000000, 990000000 };
	const struct run_operation_result *o = &run->operations[operation];
	const struct histogram *h = &o->latency;
	struct buf code = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct sql *s = write_start(w, WRITE_ADD_OPERATION);

	int r = h->count > 0 ? code_histogram(h, &code) : 0;
	sql_bind_integer(s, run->id);
	sql_bind_integer(s, operation);
	sql_bind_unsigned(s, o->ios);
	sql_bind_unsigned(s, o->bytes);
	sql_bind_unsigned(s, o->errors);
	sql_bind_unsigned(s, o->active_nsec);
	bind_iops(s, &run->iops[operation], &run->iops[RUN_OPERATIONS]);
	bind_unless(s, h->count, o->ios);
	sql_bind_unsigned(s, h->sum_nsec);
	sql_bind_unsigned(s, h->min_nsec);
	sql_bind_unsigned(s, h->max_nsec);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		sql_bind_unsigned(s, histogram_percentile_nsec(h, percentiles[i]));
	if (h->count > 0)
		sql_bind_bytes(s, code.data, code.len);
	if (r == 0)
		r = sql_finish(s, reterr);
	buf_done(&code);
	return r;
}

/* Its hour and its day are to be merged, or merged again. A series whose id somebody changed to one
 * that no id of an hour can hold has none. */
static int add_due(struct write *w, const struct run *run, int64_t series, struct error *reterr)
{
	if (series < 1 || series > ROLLUP_SERIES_MAX)
		return 0;
	struct sql *s = write_start(w, WRITE_ADD_HOUR_DUE);

	sql_bind_integer(s, run->started_usec / ROLLUP_HOUR_USEC);
	sql_bind_integer(s, series);
	int r = sql_finish(s, reterr);
	if (r < 0)
		return r;
	s = write_start(w, WRITE_ADD_DAY_DUE);
	sql_bind_integer(s, run->started_usec / ROLLUP_DAY_USEC);
	sql_bind_integer(s, series);
	return sql_finish(s, reterr);
}

int write_run(struct write *w, const struct change *change, struct error *reterr)
{
	const struct run *run = change->run;
	struct run_rows rows = { 0 };
	int64_t target;

	if (run->id <= 0 || run->started_usec < 0)
		return error_set(reterr, -EINVAL, "history: a run has no id or no time");
	int r = write_target(w, run->repository, &target, reterr);
	if (r == 0)
		r = find_series(w, run, target, &rows.series, reterr);
	if (r == 0)
		r = find_workload(w, run, &rows.workload, reterr);
	if (r == 0)
		r = find_identity(w, run, target, &rows.identity, reterr);
	if (r == 0)
		r = add_run(w, run, &rows, reterr);
	for (size_t i = 0; r == 0 && i < RUN_OPERATIONS; i++)
		if (did_happen(&run->operations[i]))
			r = add_operation(w, run, (enum run_operation)i, reterr);
	if (r == 0)
		r = add_due(w, run, rows.series, reterr);
	return r;
}

int write_duration(struct write *w, const struct change *change, struct error *reterr)
{
	struct sql *s = write_start(w, WRITE_SET_DURATION);

	sql_bind_unsigned(s, change->duration->duration_nsec);
	sql_bind_integer(s, change->duration->run_id);
	return sql_finish(s, reterr);
}

int write_budget(struct write *w, const struct change *change, struct error *reterr)
{
	const struct saved_budget *budget = &change->budget->budget;
	int64_t target;

	int r = write_target(w, change->budget->repository, &target, reterr);
	if (r < 0)
		return r;
	struct sql *s = write_start(w, WRITE_SET_BUDGET);
	sql_bind_integer(s, target);
	sql_bind_unsigned(s, budget->day_bytes);
	sql_bind_integer(s, budget->level_bytes);
	sql_bind_integer(s, budget->saved_usec);
	return sql_finish(s, reterr);
}

int write_watched(struct write *w, const struct change *change, struct error *reterr)
{
	struct sql *s = write_start(w, WRITE_SET_WATCHED);

	sql_bind_text(s, change->watched);
	return sql_finish(s, reterr);
}
