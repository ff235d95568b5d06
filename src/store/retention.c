/* SPDX-License-Identifier: Apache-2.0 */
/* Retention by age and by size: the same statements with a different end time. */
#include "store/retention.h"

#include <errno.h>

#include "base/error.h"
#include "store/rollup.h"
#include "store/sql.h"
#include "store/store.h"
#include "store/tend.h"

/* Rows dropped per piece; a piece ends with the hour (day) that exceeds it. */
#define DROP_RUNS 200
#define DROP_HOURS 400
#define DROP_DAYS 400

/* Free pages are given back when they exceed one in FREE_TOLERATED of all pages and this minimum:
 * new runs need some soon. */
#define FREE_TOLERATED 8
#define FREE_MIN 2048
#define GIVE_BACK "PRAGMA incremental_vacuum(64)"

static const char used_bytes_text[] =
	"SELECT (page_count - freelist_count) * page_size"
	" FROM pragma_page_count, pragma_freelist_count, pragma_page_size";
static const char file_bytes_text[] =
	"SELECT page_count * page_size FROM pragma_page_count, pragma_page_size";

/* --- Runs of an hour, hours of a day ------------------------------------ */

enum statement {
	FIND_OLDEST, /* an hour (day) with sources that is not due itself → id */
	DROP_SOURCES,
	DROP_SOURCE_OPERATIONS,
	DROP_SOURCES_OF_SOURCES, /* series, microseconds from, to */
	NOTE_DROPPED, /* id */
};
#define STATEMENTS (NOTE_DROPPED + 1)

struct tier {
	int64_t width_usec;
	int64_t sources; /* dropped per piece */
	void (*bind)(struct sql *s, int64_t series, int64_t time);
	struct { /* one struct each, so that the linter finds missing commas */
		const char *sql;
	} texts[STATEMENTS];
};

#define DROP_HOUR_OPERATIONS                                                                       \
	"DELETE FROM hour_operation WHERE id >= ? AND id < ? OR id >= ? AND id < ?"
#define FIND_TEXT(tier, kept)                                                                      \
	"SELECT id FROM " tier " WHERE " kept " AND id > 0 AND id & 16777215 < ?"                  \
	" AND NOT EXISTS (SELECT 1 FROM " tier "_due WHERE " tier " = id & 16777215"               \
	" AND series = id >> 24) ORDER BY id & 16777215 LIMIT 1"

static const struct tier runs = {
	.width_usec = ROLLUP_HOUR_USEC,
	.sources = DROP_RUNS,
	.bind = rollup_bind_runs,
	.texts = {
		[FIND_OLDEST] = { FIND_TEXT("hour", "runs_kept") },
		[DROP_SOURCES] = { "DELETE FROM run WHERE series = ? AND started_usec >= ?"
				 " AND started_usec < ?" },
		[NOTE_DROPPED] = { "UPDATE hour SET runs_kept = 0 WHERE id = ?" },
	},
};

static const struct tier hours = {
	.width_usec = ROLLUP_DAY_USEC,
	.sources = DROP_HOURS,
	.bind = rollup_bind_hours,
	.texts = {
		[FIND_OLDEST] = { FIND_TEXT("day", "hours_kept") },
		[DROP_SOURCES] = { "DELETE FROM hour WHERE id >= ? AND id < ?" },
		[DROP_SOURCE_OPERATIONS] = { DROP_HOUR_OPERATIONS },
		[DROP_SOURCES_OF_SOURCES] = { "DELETE FROM run WHERE series = ? AND started_usec >= ?"
					    " AND started_usec < ?" },
		[NOTE_DROPPED] = { "UPDATE day SET hours_kept = 0 WHERE id = ?" },
	},
};

struct dropping {
	const struct tier *tier;
	struct sql statements[STATEMENTS];
	int64_t dropped;
};

static struct sql *start(struct dropping *d, enum statement which)
{
	sql_start(&d->statements[which]);
	return &d->statements[which];
}

/* Runs go with the hours of their day, even if they were to be kept for longer. */
static int drop_below(struct dropping *d, int64_t series, int64_t time, struct error *reterr)
{
	if (!d->tier->texts[DROP_SOURCE_OPERATIONS].sql)
		return 0;
	struct sql *s = start(d, DROP_SOURCE_OPERATIONS);
	rollup_bind_hour_operations(s, series, time);
	int r = sql_finish(s, reterr);
	if (r < 0)
		return r;
	s = start(d, DROP_SOURCES_OF_SOURCES);
	sql_bind_integer(s, series);
	sql_bind_integer(s, time * d->tier->width_usec);
	sql_bind_integer(s, (time + 1) * d->tier->width_usec);
	return sql_finish(s, reterr);
}

static int drop(struct dropping *d, struct sqlite3 *db, int64_t id, struct error *reterr)
{
	int64_t series = id >> ROLLUP_TIME_BITS;
	int64_t time = id & ROLLUP_TIME_MASK;
	int64_t changes = 0;

	struct sql *s = start(d, DROP_SOURCES);
	d->tier->bind(s, series, time);
	int r = sql_finish(s, reterr);
	if (r == 0)
		r = sql_query_integer(db, "SELECT changes()", &changes, reterr);
	if (r < 0)
		return r;
	d->dropped += changes + 1;
	r = drop_below(d, series, time, reterr);
	if (r < 0)
		return r;
	s = start(d, NOTE_DROPPED);
	sql_bind_integer(s, id);
	return sql_finish(s, reterr);
}

/* 1: rows before that time were dropped. */
static int drop_next(struct dropping *d, struct sqlite3 *db, int64_t before, struct error *reterr)
{
	struct sql *s = start(d, FIND_OLDEST);

	sql_bind_integer(s, before);
	int r = sql_step(s, reterr);
	if (r <= 0)
		return r;
	int64_t id = sql_integer(s, 1, INT64_MAX);
	r = s->error;
	if (r == 0)
		r = sql_finish(s, reterr);
	if (r == 0)
		r = drop(d, db, id, reterr);
	return r < 0 ? r : 1;
}

static int drop_some(struct sqlite3 *db, const struct tier *tier, int64_t before, bool *ret_did,
	struct error *reterr)
{
	struct dropping d = { .tier = tier };
	int r = 0;

	for (size_t i = 0; r == 0 && i < STATEMENTS; i++)
		if (tier->texts[i].sql)
			r = sql_prepare(db, tier->texts[i].sql, &d.statements[i], reterr);
	while (r >= 0 && d.dropped < tier->sources) {
		r = drop_next(&d, db, before, reterr);
		if (r <= 0)
			break;
	}
	for (size_t i = 0; i < STATEMENTS; i++)
		sql_done(&d.statements[i]);
	if (r < 0)
		return r;
	*ret_did = d.dropped > 0;
	return 0;
}

/* --- End of what is dropped --------------------------------------------- */

/* The first hour (day) to keep; 0: keep all. */
static int64_t first_kept(uint64_t keep_usec, int64_t now_usec, int64_t width_usec)
{
	if (keep_usec == 0 || now_usec < 0 || keep_usec > (uint64_t)now_usec)
		return 0;
	return (now_usec - (int64_t)keep_usec) / width_usec;
}

static int is_too_large(struct sqlite3 *db, const struct store_retention *retention,
	bool *ret_is_too_large, struct error *reterr)
{
	int64_t bytes;
	int r = sql_query_integer(db, used_bytes_text, &bytes, reterr);

	if (r < 0)
		return r;
	*ret_is_too_large =
		retention->max_bytes > 0 && bytes > 0 && (uint64_t)bytes > retention->max_bytes;
	return 0;
}

/* Keys of meta; the first is the start of the portion. */
#define PORTION_VALUE(key)                                                                         \
	"SELECT ifnull((SELECT CAST(value AS INTEGER) FROM meta WHERE key = '" key "'), 0)"
static const char begun_text[] = PORTION_VALUE("drop_begun");
static const char portion_runs_text[] = PORTION_VALUE("drop_runs");
static const char portion_hours_text[] = PORTION_VALUE("drop_hours");
static const char portion_days_text[] = PORTION_VALUE("drop_days");
/* The oldest row of each tier. */
#define OLDEST_HOUR "(SELECT min(id & 16777215) FROM hour WHERE runs_kept AND id > 0)"
#define OLDEST_DAY "(SELECT min(id & 16777215) FROM day WHERE hours_kept AND id > 0)"
#define OLDEST_DAY_ALONE "(SELECT min(id & 16777215) FROM day WHERE NOT hours_kept AND id > 0)"
static const char begin_text[] =
	"INSERT OR REPLACE INTO meta (key, value)"
	" SELECT 'drop_begun', ?1"
	" UNION ALL SELECT 'drop_runs', ifnull(" OLDEST_HOUR " + 24, 0)"
	" UNION ALL SELECT 'drop_hours', ifnull(" OLDEST_DAY " + 1, 0)"
	" UNION ALL SELECT 'drop_days', ifnull(" OLDEST_DAY_ALONE " + 1, 0)";
static const char has_old_text[] = "SELECT ifnull(" OLDEST_HOUR " < ?1, 0)"
				   " OR ifnull(" OLDEST_DAY " < ?2, 0)"
				   " OR ifnull(" OLDEST_DAY_ALONE " < ?3, 0)";

static int has_old(
	struct sqlite3 *db, const struct tending *t, bool *ret_has_any, struct error *reterr)
{
	const struct store_retention *keep = t->retention;
	struct sql s = { 0 };
	int r = sql_prepare(db, has_old_text, &s, reterr);

	if (r < 0)
		return r;
	sql_bind_integer(&s, first_kept(keep->keep_runs_usec, t->now_usec, ROLLUP_HOUR_USEC));
	sql_bind_integer(&s, first_kept(keep->keep_hours_usec, t->now_usec, ROLLUP_DAY_USEC));
	sql_bind_integer(&s, first_kept(keep->keep_days_usec, t->now_usec, ROLLUP_DAY_USEC));
	r = sql_step(&s, reterr);
	if (r > 0) {
		*ret_has_any = sql_integer(&s, 0, 1) != 0;
		r = s.error;
	}
	sql_done(&s);
	return r;
}

/* A start of the portion in the future comes from a wrong clock. */
static int begin(struct sqlite3 *db, int64_t now_usec, int64_t begun_usec, struct error *reterr)
{
	static const char again[] =
		"INSERT OR REPLACE INTO meta (key, value) VALUES ('drop_begun', ?1)";
	struct sql s = { 0 };
	int r = sql_prepare(db, begun_usec > now_usec ? again : begin_text, &s, reterr);

	if (r < 0)
		return r;
	sql_bind_integer(&s, now_usec);
	r = sql_finish(&s, reterr);
	sql_done(&s);
	return r;
}

int retention_begin_portion(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	int64_t begun_usec = 0;
	bool has_any = false;

	*ret_did = false;
	int r = has_old(db, t, &has_any, reterr);
	if (r == 0 && has_any)
		r = sql_query_integer(db, begun_text, &begun_usec, reterr);
	if (r < 0 || !has_any)
		return r;
	if (begun_usec <= t->now_usec && t->now_usec - RETENTION_PORTION_USEC < begun_usec)
		return 0;
	r = begin(db, t->now_usec, begun_usec, reterr);
	*ret_did = r == 0;
	return r;
}

/* The first hour (day) to keep by age, within the present portion. */
static int first_kept_now(struct sqlite3 *db, const char *portion_text, int64_t before,
	int64_t *ret_before, struct error *reterr)
{
	int64_t portion = 0;
	int r = before > 0 ? sql_query_integer(db, portion_text, &portion, reterr) : 0;

	*ret_before = before < portion ? before : portion;
	return r;
}

int retention_drop_runs(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	int64_t before = first_kept(t->retention->keep_runs_usec, t->now_usec, ROLLUP_HOUR_USEC);
	bool is_over;

	int r = first_kept_now(db, portion_runs_text, before, &before, reterr);
	if (r < 0)
		return r;
	r = drop_some(db, &runs, before, ret_did, reterr);
	if (r < 0 || *ret_did)
		return r;
	r = is_too_large(db, t->retention, &is_over, reterr);
	if (r < 0 || !is_over)
		return r;
	return drop_some(db, &runs, ROLLUP_TIME_MASK, ret_did, reterr);
}

/* By size only when no runs are left to drop: the caller drops those first. */
int retention_drop_hours(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	int64_t before = first_kept(t->retention->keep_hours_usec, t->now_usec, ROLLUP_DAY_USEC);
	bool is_over;

	int r = first_kept_now(db, portion_hours_text, before, &before, reterr);
	if (r < 0)
		return r;
	r = drop_some(db, &hours, before, ret_did, reterr);
	if (r < 0 || *ret_did)
		return r;
	r = is_too_large(db, t->retention, &is_over, reterr);
	if (r < 0 || !is_over)
		return r;
	return drop_some(db, &hours, ROLLUP_TIME_MASK, ret_did, reterr);
}

/* --- Days --------------------------------------------------------------- */

/* The oldest days of a series are first in its id range. Days with hours are dropped later. */
static int find_old_days(struct sqlite3 *db, int64_t before, int64_t *ret_id, struct error *reterr)
{
	static const char text[] =
		"SELECT (SELECT id FROM day WHERE id >= series.id << 24"
		" AND id < (series.id << 24) + ?1 AND NOT hours_kept ORDER BY id LIMIT 1) AS oldest"
		" FROM series WHERE id BETWEEN 1 AND ?2 AND oldest IS NOT NULL LIMIT 1";
	struct sql s = { 0 };

	int r = sql_prepare(db, text, &s, reterr);
	if (r < 0)
		return r;
	sql_bind_integer(&s, before);
	sql_bind_integer(&s, ROLLUP_SERIES_MAX);
	r = sql_step(&s, reterr);
	if (r > 0)
		*ret_id = sql_integer(&s, 1, INT64_MAX);
	if (s.error < 0)
		r = s.error;
	sql_done(&s);
	return r;
}

static int delete_days(struct sqlite3 *db, const char *text, int64_t series, int operation,
	int64_t before, struct error *reterr)
{
	struct sql s = { 0 };
	int r = sql_prepare(db, text, &s, reterr);

	if (r < 0)
		return r;
	sql_bind_integer(&s,
		operation < 0 ? rollup_id(series, 0) : rollup_operation_id(series, operation, 0));
	sql_bind_integer(&s, before);
	sql_bind_integer(&s, DROP_DAYS);
	r = sql_finish(&s, reterr);
	sql_done(&s);
	return r;
}

int retention_drop_days(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	static const char days[] =
		"DELETE FROM day WHERE id IN (SELECT id FROM day WHERE id >= ?1 AND id < ?1 + ?2"
		" AND NOT hours_kept ORDER BY id LIMIT ?3)";
	static const char operations[] =
		"DELETE FROM day_operation WHERE id IN (SELECT id FROM day_operation"
		" WHERE id >= ?1 AND id < ?1 + ?2 ORDER BY id LIMIT ?3)";
	int64_t before = first_kept(t->retention->keep_days_usec, t->now_usec, ROLLUP_DAY_USEC);
	int64_t id;

	*ret_did = false;
	int r = first_kept_now(db, portion_days_text, before, &before, reterr);
	if (r < 0 || before == 0)
		return r;
	r = find_old_days(db, before, &id, reterr);
	if (r <= 0)
		return r;
	int64_t series = id >> ROLLUP_TIME_BITS;
	r = delete_days(db, days, series, -1, before, reterr);
	for (int i = 0; r == 0 && i < 2; i++)
		r = delete_days(db, operations, series, i, before, reterr);
	*ret_did = r == 0;
	return r;
}

/* --- Space -------------------------------------------------------------- */

int retention_give_back(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	int64_t pages = 0;
	int64_t free_pages = 0;
	int64_t bytes = 0;

	*ret_did = false;
	int r = sql_query_integer(db, "PRAGMA page_count", &pages, reterr);
	if (r == 0)
		r = sql_query_integer(db, "PRAGMA freelist_count", &free_pages, reterr);
	if (r == 0)
		r = sql_query_integer(db, file_bytes_text, &bytes, reterr);
	if (r < 0)
		return r;
	uint64_t max_bytes = t->retention->max_bytes;
	bool is_over = max_bytes > 0 && (uint64_t)bytes > max_bytes;
	bool is_much = free_pages > FREE_MIN && free_pages > pages / FREE_TOLERATED;
	if (free_pages == 0 || (!is_over && !is_much))
		return 0;
	r = sql_execute(db, GIVE_BACK, reterr);
	*ret_did = r == 0;
	return r;
}
