/* SPDX-License-Identifier: Apache-2.0 */
/* Hours and days are merged alike: due entry → sum of its sources → rows. The tables below hold the
 * differences. */
#include "store/rollup.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/run.h"
#include "store/bad_rows.h"
#include "store/code.h"
#include "store/sql.h"

/* Most runs have ended and are committed by then. A later one makes its hour due again. */
#define GRACE_USEC INT64_C(120000000)

#define STATUS_COLUMNS                                                                             \
	"ok, error, stalled, timeout, stuck, not_mounted, wrong_target, read_only, no_space,"      \
	" refused, skipped, trust"
#define OF_RUNS " run.series = ?1 AND run.started_usec >= ?2 AND run.started_usec < ?3"
#define OF_HOURS " id >= ?1 AND id < ?2"
#define OF_HOUR_OPERATIONS " (id >= ?1 AND id < ?2 OR id >= ?3 AND id < ?4)"

/* Statements of a tier. Heads return the runs of each status and the trust bits, operations the
 * columns of read_operation; any number of rows each. */
enum statement {
	FIND_DUE, /* before a time → time, series */
	REMOVE_DUE, /* time, series */
	FIND_KEPT, /* id → whether all its sources are still stored */
	OWN_HEADS, /* id */
	OWN_OPERATIONS, /* id of reads, of writes */
	SOURCE_HEADS, /* bound by the tier, as the next three */
	SOURCE_OPERATIONS,
	DROP_SOURCES,
	DROP_SOURCE_OPERATIONS,
	DROP_SOURCES_OF_SOURCES, /* series, microseconds from, to */
	ADD_HEAD,
	ADD_OPERATION,
};
#define STATEMENTS (ADD_OPERATION + 1)

struct tier {
	int64_t width_usec;
	int limit; /* merged per piece: some milliseconds of work */
	const char *due; /* names of tables */
	const char *own_heads;
	const char *own_operations;
	const char *source_heads;
	const char *source_operations;
	void (*bind_heads)(struct sql *s, int64_t series, int64_t time);
	void (*bind_operations)(struct sql *s, int64_t series, int64_t time);
	struct { /* one struct each, so that the linter finds missing commas */
		const char *sql;
	} texts[STATEMENTS];
};

#define FIND_DUE_HOURS                                                                             \
	"SELECT hour, series FROM hour_due WHERE hour < ? ORDER BY hour, series LIMIT 1"
/* Only days of which no hour is due. */
#define FIND_DUE_DAYS                                                                              \
	"SELECT day, series FROM day_due WHERE day < ? AND NOT EXISTS"                             \
	" (SELECT 1 FROM hour_due WHERE series = day_due.series"                                   \
	" AND hour >= day * 24 AND hour < (day + 1) * 24) ORDER BY day, series LIMIT 1"

#define OWN_TEXTS(tier, kept)                                                                      \
	[REMOVE_DUE] = { "DELETE FROM " tier "_due WHERE " tier " = ? AND series = ?" },           \
	[FIND_KEPT] = { "SELECT " kept " FROM " tier " WHERE id = ?" },                            \
	[OWN_HEADS] = { "SELECT id, " STATUS_COLUMNS " FROM " tier " WHERE id = ?" },              \
	[OWN_OPERATIONS] = { "SELECT id, id >> 24 & 3, runs, ios, bytes, errors, measured_nsec,"   \
			     " histogram FROM " tier "_operation WHERE id IN (?, ?)" },            \
	[ADD_HEAD] = { "INSERT OR REPLACE INTO " tier " (id, " STATUS_COLUMNS ", " kept ")"        \
		       " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" },                     \
	[ADD_OPERATION] = { "INSERT OR REPLACE INTO " tier "_operation (id, runs, ios, bytes,"     \
			    " errors, measured_nsec, latencies, sum_nsec, min_nsec, max_nsec,"     \
			    " p50_nsec, p95_nsec, p99_nsec, histogram)"                            \
			    " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)" }

void rollup_bind_runs(struct sql *s, int64_t series, int64_t hour)
{
	sql_bind_integer(s, series);
	sql_bind_integer(s, hour * ROLLUP_HOUR_USEC);
	sql_bind_integer(s, (hour + 1) * ROLLUP_HOUR_USEC);
}

void rollup_bind_hours(struct sql *s, int64_t series, int64_t day)
{
	sql_bind_integer(s, rollup_id(series, day * ROLLUP_DAY_HOURS));
	sql_bind_integer(s, rollup_id(series, (day + 1) * ROLLUP_DAY_HOURS));
}

void rollup_bind_hour_operations(struct sql *s, int64_t series, int64_t day)
{
	for (int i = 0; i < RUN_OPERATIONS; i++) {
		sql_bind_integer(s, rollup_operation_id(series, i, day * ROLLUP_DAY_HOURS));
		sql_bind_integer(s, rollup_operation_id(series, i, (day + 1) * ROLLUP_DAY_HOURS));
	}
}

static const struct tier hours = {
	.width_usec = ROLLUP_HOUR_USEC,
	.limit = 32,
	.due = "hour_due",
	.own_heads = "hour",
	.own_operations = "hour_operation",
	.source_heads = "run",
	.source_operations = "run_operation",
	.bind_heads = rollup_bind_runs,
	.bind_operations = rollup_bind_runs,
	.texts = {
		OWN_TEXTS("hour", "runs_kept"),
		[FIND_DUE] = { FIND_DUE_HOURS },
		[SOURCE_HEADS] = { "SELECT id, status = 0, status = 1, status = 2, status = 3, status = 4,"
				 " status = 5, status = 6, status = 7, status = 8, status = 9,"
				 " status = 10, trust FROM run WHERE" OF_RUNS },
		/* ok and stalled: as run_status_has_numbers */
		[SOURCE_OPERATIONS] = { "SELECT run.id, o.operation, 1, o.ios, o.bytes, o.errors,"
				      " run.measured_nsec, o.histogram FROM run"
				      " JOIN run_operation AS o ON o.run = run.id WHERE" OF_RUNS
				      " AND run.status IN (0, 2) AND o.histogram IS NOT NULL" },
		[DROP_SOURCES] = { "DELETE FROM run WHERE" OF_RUNS },
	},
};

static const struct tier days = {
	.width_usec = ROLLUP_DAY_USEC,
	.limit = 16,
	.due = "day_due",
	.own_heads = "day",
	.own_operations = "day_operation",
	.source_heads = "hour",
	.source_operations = "hour_operation",
	.bind_heads = rollup_bind_hours,
	.bind_operations = rollup_bind_hour_operations,
	.texts = {
		OWN_TEXTS("day", "hours_kept"),
		[FIND_DUE] = { FIND_DUE_DAYS },
		[SOURCE_HEADS] = { "SELECT id, " STATUS_COLUMNS " FROM hour WHERE" OF_HOURS },
		[SOURCE_OPERATIONS] = { "SELECT id, id >> 24 & 3, runs, ios, bytes, errors,"
				      " measured_nsec, histogram FROM hour_operation"
				      " WHERE" OF_HOUR_OPERATIONS },
		[DROP_SOURCES] = { "DELETE FROM hour WHERE" OF_HOURS },
		[DROP_SOURCE_OPERATIONS] = { "DELETE FROM hour_operation WHERE" OF_HOUR_OPERATIONS },
		[DROP_SOURCES_OF_SOURCES] = { "DELETE FROM run WHERE" OF_RUNS },
	},
};

/* The sum of the sources. */
struct sum {
	uint64_t runs[RUN_STATUSES];
	uint64_t trust;
	struct sum_operation {
		uint64_t runs;
		uint64_t ios;
		uint64_t bytes;
		uint64_t errors;
		uint64_t measured_nsec;
		struct histogram latency;
	} operations[RUN_OPERATIONS];
	struct histogram one; /* scratch */
};

struct merging {
	const struct tier *tier;
	struct sql statements[STATEMENTS];
	struct sum *sum;
	struct store_bad_rows *bad_rows;
};

/* --- Adding up ---------------------------------------------------------- */

/* Saturates at the largest integer of the database. */
static void add_capped(uint64_t *sum, uint64_t value)
{
	*sum = value > INT64_MAX - *sum ? INT64_MAX : *sum + value;
}

static int add_head(struct sum *sum, struct sql *s)
{
	uint64_t runs[RUN_STATUSES];

	for (size_t i = 0; i < RUN_STATUSES; i++)
		runs[i] = sql_unsigned(s, INT64_MAX);
	uint64_t trust = sql_unsigned(s, INT64_MAX);
	if (s->error < 0)
		return s->error;
	for (size_t i = 0; i < RUN_STATUSES; i++)
		add_capped(&sum->runs[i], runs[i]);
	sum->trust |= trust;
	return 0;
}

/* Impossible latencies, whose sum with the others would overflow, are left out. */
static int add_operation(struct sum *sum, struct sql *s)
{
	struct sum_operation *o = &sum->operations[sql_unsigned(s, RUN_OPERATIONS - 1)];
	uint64_t runs = sql_unsigned(s, INT64_MAX);
	uint64_t ios = sql_unsigned(s, INT64_MAX);
	uint64_t bytes = sql_unsigned(s, INT64_MAX);
	uint64_t errors = sql_unsigned(s, INT64_MAX);
	uint64_t measured_nsec = sql_unsigned(s, INT64_MAX);
	size_t len;
	const void *histogram = sql_bytes(s, &len);
	int r = s->error;

	if (r == 0)
		r = code_read_histogram(histogram, len, &sum->one, NULL);
	if (r < 0)
		return r == -EUCLEAN ? -EBADMSG : r;
	if (sum->one.sum_nsec > INT64_MAX - o->latency.sum_nsec)
		return 0;
	histogram_merge(&o->latency, &sum->one);
	add_capped(&o->runs, runs);
	add_capped(&o->ios, ios);
	add_capped(&o->bytes, bytes);
	add_capped(&o->errors, errors);
	add_capped(&o->measured_nsec, measured_nsec);
	return 0;
}

/* A bad row is skipped; the others are merged. */
static int add_rows(struct merging *m, struct sql *s, const char *table,
	int (*add)(struct sum *sum, struct sql *s), struct error *reterr)
{
	int r;

	while ((r = sql_step(s, reterr)) > 0) {
		int64_t id = sql_integer(s, INT64_MIN, INT64_MAX);
		r = add(m->sum, s);
		if (r == -EBADMSG) {
			bad_rows_note(m->bad_rows, table, id);
			s->error = 0;
		} else if (r < 0) {
			return error_set(reterr, r, "history: %s", errno_text(-r));
		}
	}
	return r;
}

static struct sql *start(struct merging *m, enum statement which)
{
	sql_start(&m->statements[which]);
	return &m->statements[which];
}

static int add_sources(struct merging *m, int64_t series, int64_t time, struct error *reterr)
{
	struct sql *s = start(m, SOURCE_HEADS);

	m->tier->bind_heads(s, series, time);
	int r = add_rows(m, s, m->tier->source_heads, add_head, reterr);
	if (r < 0)
		return r;
	s = start(m, SOURCE_OPERATIONS);
	m->tier->bind_operations(s, series, time);
	return add_rows(m, s, m->tier->source_operations, add_operation, reterr);
}

static int add_own(struct merging *m, int64_t series, int64_t time, struct error *reterr)
{
	struct sql *s = start(m, OWN_HEADS);

	sql_bind_integer(s, rollup_id(series, time));
	int r = add_rows(m, s, m->tier->own_heads, add_head, reterr);
	if (r < 0)
		return r;
	s = start(m, OWN_OPERATIONS);
	for (int i = 0; i < RUN_OPERATIONS; i++)
		sql_bind_integer(s, rollup_operation_id(series, i, time));
	return add_rows(m, s, m->tier->own_operations, add_operation, reterr);
}

/* --- Writing ------------------------------------------------------------ */

static int write_head(
	struct merging *m, int64_t series, int64_t time, bool is_kept, struct error *reterr)
{
	struct sql *s = start(m, ADD_HEAD);

	sql_bind_integer(s, rollup_id(series, time));
	for (size_t i = 0; i < RUN_STATUSES; i++)
		sql_bind_unsigned(s, m->sum->runs[i]);
	sql_bind_unsigned(s, m->sum->trust);
	sql_bind_integer(s, is_kept);
	return sql_finish(s, reterr);
}

static int write_operation(
	struct merging *m, int64_t series, int operation, int64_t time, struct error *reterr)
{
	static const uint64_t percentiles[] = { 500000000, 950000000, 990000000 };
	const struct sum_operation *o = &m->sum->operations[operation];
	const struct histogram *h = &o->latency;
	struct buf code = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct sql *s = start(m, ADD_OPERATION);

	if (h->count == 0)
		return 0;
	int r = code_histogram(h, &code);
	sql_bind_integer(s, rollup_operation_id(series, operation, time));
	sql_bind_unsigned(s, o->runs);
	sql_bind_unsigned(s, o->ios);
	sql_bind_unsigned(s, o->bytes);
	sql_bind_unsigned(s, o->errors);
	sql_bind_unsigned(s, o->measured_nsec);
	if (h->count == o->ios)
		sql_bind_null(s);
	else
		sql_bind_unsigned(s, h->count);
	sql_bind_unsigned(s, h->sum_nsec);
	sql_bind_unsigned(s, h->min_nsec);
	sql_bind_unsigned(s, h->max_nsec);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		sql_bind_unsigned(s, histogram_percentile_nsec(h, percentiles[i]));
	sql_bind_bytes(s, code.data, code.len);
	if (r == 0)
		r = sql_finish(s, reterr);
	buf_done(&code);
	return r;
}

/* Late rows of a time that was dropped already: they are in the sum now. */
static int drop_sources(struct merging *m, int64_t series, int64_t time, struct error *reterr)
{
	struct sql *s = start(m, DROP_SOURCES);

	m->tier->bind_heads(s, series, time);
	int r = sql_finish(s, reterr);
	if (r < 0 || !m->tier->texts[DROP_SOURCE_OPERATIONS].sql)
		return r;
	s = start(m, DROP_SOURCE_OPERATIONS);
	m->tier->bind_operations(s, series, time);
	r = sql_finish(s, reterr);
	if (r < 0)
		return r;
	s = start(m, DROP_SOURCES_OF_SOURCES);
	sql_bind_integer(s, series);
	sql_bind_integer(s, time * m->tier->width_usec);
	sql_bind_integer(s, (time + 1) * m->tier->width_usec);
	return sql_finish(s, reterr);
}

static int find_kept(
	struct merging *m, int64_t series, int64_t time, bool *ret_is_kept, struct error *reterr)
{
	struct sql *s = start(m, FIND_KEPT);

	sql_bind_integer(s, rollup_id(series, time));
	int r = sql_step(s, reterr);
	if (r > 0)
		*ret_is_kept = sql_integer(s, INT64_MIN, INT64_MAX) != 0;
	else if (r == 0)
		*ret_is_kept = true; /* a new one */
	return r < 0 ? r : s->error;
}

static int remove_due(struct merging *m, int64_t series, int64_t time, struct error *reterr)
{
	struct sql *s = start(m, REMOVE_DUE);

	sql_bind_integer(s, time);
	sql_bind_integer(s, series);
	return sql_finish(s, reterr);
}

static int merge(struct merging *m, int64_t series, int64_t time, struct error *reterr)
{
	bool is_kept;

	memset(m->sum, 0, sizeof(*m->sum));
	int r = find_kept(m, series, time, &is_kept, reterr);
	if (r == 0 && !is_kept)
		r = add_own(m, series, time, reterr);
	if (r == 0)
		r = add_sources(m, series, time, reterr);
	if (r == 0)
		r = write_head(m, series, time, is_kept, reterr);
	for (int i = 0; r == 0 && i < RUN_OPERATIONS; i++)
		r = write_operation(m, series, i, time, reterr);
	if (r == 0 && !is_kept)
		r = drop_sources(m, series, time, reterr);
	return r < 0 ? r : remove_due(m, series, time, reterr);
}

/* 1: something was due. */
static int merge_next(struct merging *m, int64_t now_usec, struct error *reterr)
{
	struct sql *s = start(m, FIND_DUE);

	sql_bind_integer(s, (now_usec - GRACE_USEC) / m->tier->width_usec);
	int r = sql_step(s, reterr);
	if (r <= 0)
		return r;
	int64_t time = sql_integer(s, INT64_MIN, INT64_MAX);
	int64_t series = sql_integer(s, INT64_MIN, INT64_MAX);
	r = sql_finish(s, reterr);
	if (r < 0)
		return r;
	if (time >= 0 && time <= ROLLUP_TIME_MASK && series >= 1 && series <= ROLLUP_SERIES_MAX) {
		r = merge(m, series, time, reterr);
	} else {
		bad_rows_note(m->bad_rows, m->tier->due, series);
		r = remove_due(m, series, time, reterr); /* it marks work that cannot exist */
	}
	return r < 0 ? r : 1;
}

static int prepare(struct merging *m, struct sqlite3 *db, struct error *reterr)
{
	m->sum = malloc(sizeof(*m->sum));
	if (!m->sum)
		return error_set(reterr, -ENOMEM, "history: %s", errno_text(ENOMEM));
	for (size_t i = 0; i < STATEMENTS; i++) {
		if (!m->tier->texts[i].sql)
			continue;
		int r = sql_prepare(db, m->tier->texts[i].sql, &m->statements[i], reterr);
		if (r < 0)
			return r;
	}
	return 0;
}

static int merge_some(struct sqlite3 *db, const struct tier *tier, int64_t now_usec,
	struct store_bad_rows *bad_rows, bool *ret_did, struct error *reterr)
{
	struct merging m = { .tier = tier, .bad_rows = bad_rows };
	bool did = false;

	int r = prepare(&m, db, reterr);
	for (int i = 0; r >= 0 && i < tier->limit; i++) {
		r = merge_next(&m, now_usec, reterr);
		if (r <= 0)
			break;
		did = true;
	}
	for (size_t i = 0; i < STATEMENTS; i++)
		sql_done(&m.statements[i]);
	free(m.sum);
	if (r < 0)
		return r;
	*ret_did = did;
	return 0;
}

int rollup_hours(struct sqlite3 *db, int64_t now_usec, struct store_bad_rows *bad_rows,
	bool *ret_did, struct error *reterr)
{
	return merge_some(db, &hours, now_usec, bad_rows, ret_did, reterr);
}

int rollup_days(struct sqlite3 *db, int64_t now_usec, struct store_bad_rows *bad_rows,
	bool *ret_did, struct error *reterr)
{
	return merge_some(db, &days, now_usec, bad_rows, ret_did, reterr);
}
