/* SPDX-License-Identifier: Apache-2.0 */
/* Selects the rows, with one statement per tier; see window.h. Parameters of all of them:
 *   ?1 series  ?2 operation  ?3 from  ?4 to (microseconds)
 *   ?5 ?6 ids of hours from, to  ?7 ?8 ids of days from, to  ?9 from an id to that of the operation
 * A window is read within one transaction, so that the rows counted are the rows read. */
#include "store/window.h"

#include <errno.h>
#include <stdlib.h>

#include "base/error.h"
#include "store/bad_rows.h"
#include "store/code.h"
#include "store/rollup.h"

/* --- Where rows come from ----------------------------------------------- */

#define NUMBERS                                                                                     \
	" o.ios, o.bytes, o.latencies, o.sum_nsec, o.min_nsec, o.max_nsec, o.p50_nsec, o.p95_nsec," \
	" o.p99_nsec, o.histogram"
#define NO_STATUSES " NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL,"
#define STATUSES                                                                                   \
	" ok, error, stalled, timeout, stuck, not_mounted, wrong_target, read_only, no_space,"     \
	" refused, skipped,"

/* Each in three parts: columns, what holds the rows, which of them. */
#define RUN_COLUMNS                                                                                \
	"0, run.started_usec AS start, run.id AS id, run.status," NO_STATUSES                      \
	" run.measured_nsec," NUMBERS
#define RUN_OPERATION " LEFT JOIN run_operation AS o ON o.run = run.id AND o.operation = ?2"
#define HOUR_COLUMNS                                                                               \
	"1, (hour.id & 16777215) * 3600000000 AS start, hour.id AS id, NULL," STATUSES             \
	" o.measured_nsec," NUMBERS
#define HOUR_OPERATION " LEFT JOIN hour_operation AS o ON o.id = hour.id + ?9"
#define DAY_COLUMNS                                                                                \
	"2, (day.id & 16777215) * 86400000000 AS start, day.id AS id, NULL," STATUSES              \
	" o.measured_nsec," NUMBERS
#define DAY_OPERATION " LEFT JOIN day_operation AS o ON o.id = day.id + ?9"

#define RUNS_IN_TIME " run.series = ?1 AND run.started_usec >= ?3 AND run.started_usec < ?4"
#define HOURS_IN_TIME " hour.id >= ?5 AND hour.id < ?6"
#define DAYS_IN_TIME " day.id >= ?7 AND day.id < ?8"
/* An hour that is due is incomplete: its runs are read instead. If its runs were dropped, the hour
 * is read and the late runs are added. */
#define HOUR_IS_WHOLE                                                                              \
	" NOT (hour.runs_kept AND EXISTS (SELECT 1 FROM hour_due"                                  \
	" WHERE hour_due.hour = hour.id & 16777215 AND hour_due.series = ?1))"
#define DAY_IS_WHOLE                                                                               \
	" NOT (day.hours_kept AND EXISTS (SELECT 1 FROM day_due"                                   \
	" WHERE day_due.day = day.id & 16777215 AND day_due.series = ?1))"
#define OF_DUE_HOURS                                                                               \
	" hour_due.series = ?1 AND hour_due.hour >= ?5 & 16777215"                                 \
	" AND hour_due.hour < (?5 & 16777215) + (?6 - ?5)"                                         \
	" AND run.series = ?1 AND run.started_usec >= hour_due.hour * 3600000000"                  \
	" AND run.started_usec < (hour_due.hour + 1) * 3600000000 AND run.started_usec < ?4"
#define OF_DUE_DAYS                                                                                \
	" day_due.series = ?1 AND day_due.day >= ?7 & 16777215"                                    \
	" AND day_due.day < (?7 & 16777215) + (?8 - ?7)"                                           \
	" AND hour.id >= (?1 << 24) + day_due.day * 24"                                            \
	" AND hour.id < (?1 << 24) + (day_due.day + 1) * 24 AND hour.id < ?6"

#define SELECT(columns, from, operation, where)                                                    \
	"SELECT " columns " FROM " from operation " WHERE" where
#define BY_START " ORDER BY start, id"

#define ALL_RUNS SELECT(RUN_COLUMNS, "run", RUN_OPERATION, RUNS_IN_TIME)
#define DUE_RUNS SELECT(RUN_COLUMNS, "hour_due CROSS JOIN run", RUN_OPERATION, OF_DUE_HOURS)
#define ALL_HOURS SELECT(HOUR_COLUMNS, "hour", HOUR_OPERATION, HOURS_IN_TIME " AND" HOUR_IS_WHOLE)
#define LAST_HOURS                                                                                 \
	SELECT(HOUR_COLUMNS, "hour", HOUR_OPERATION, HOURS_IN_TIME " AND NOT hour.runs_kept")
#define DUE_HOURS                                                                                  \
	SELECT(HOUR_COLUMNS, "day_due CROSS JOIN hour", HOUR_OPERATION,                            \
		OF_DUE_DAYS " AND" HOUR_IS_WHOLE)
#define ALL_DAYS SELECT(DAY_COLUMNS, "day", DAY_OPERATION, DAYS_IN_TIME " AND" DAY_IS_WHOLE)
#define LAST_DAYS SELECT(DAY_COLUMNS, "day", DAY_OPERATION, DAYS_IN_TIME " AND NOT day.hours_kept")

static const char *const row_texts[] = {
	[WINDOW_RUNS] = ALL_RUNS " UNION ALL " LAST_HOURS " UNION ALL " LAST_DAYS BY_START,
	[WINDOW_HOURS] = DUE_RUNS " UNION ALL " ALL_HOURS " UNION ALL " LAST_DAYS BY_START,
	[WINDOW_DAYS] = DUE_RUNS " UNION ALL " DUE_HOURS " UNION ALL " ALL_DAYS BY_START,
};
/* The number of rows of WINDOW_RUNS, up to ?10. */
static const char count_text[] =
	"SELECT count(*) FROM (SELECT 1 FROM run WHERE" RUNS_IN_TIME
	" UNION ALL SELECT 1 FROM hour WHERE" HOURS_IN_TIME " AND NOT hour.runs_kept"
	" UNION ALL SELECT 1 FROM day WHERE" DAYS_IN_TIME " AND NOT day.hours_kept LIMIT ?10)";

/* --- The window --------------------------------------------------------- */

static int64_t round_up(int64_t usec, int64_t width_usec)
{
	return usec / width_usec + (usec % width_usec > 0);
}

static void bind_window(struct sql *s, const struct window *w)
{
	int64_t hours = round_up(w->to_usec, ROLLUP_HOUR_USEC);
	int64_t days = round_up(w->to_usec, ROLLUP_DAY_USEC);
	int64_t first_hour = w->from_usec / ROLLUP_HOUR_USEC;
	int64_t first_day = w->from_usec / ROLLUP_DAY_USEC;

	sql_bind_integer(s, w->series);
	sql_bind_integer(s, w->operation);
	sql_bind_integer(s, w->from_usec);
	sql_bind_integer(s, w->to_usec);
	sql_bind_integer(s, rollup_id(w->series, first_hour));
	sql_bind_integer(s, rollup_id(w->series, hours));
	sql_bind_integer(s, rollup_id(w->series, first_day));
	sql_bind_integer(s, rollup_id(w->series, days));
	sql_bind_integer(
		s, rollup_operation_id(w->series, w->operation, 0) - rollup_id(w->series, 0));
}

static const char extent_columns[] =
	"SELECT series.id,"
	" min(ifnull((SELECT min(started_usec) FROM run WHERE series = series.id"
	"  AND started_usec >= ?1 AND started_usec < ?2), 9223372036854775807),"
	" ifnull((SELECT min(id) FROM hour WHERE id >= (series.id << 24) + ?1 / 3600000000"
	"  AND id < (series.id << 24) + (?2 + 3599999999) / 3600000000) % 16777216 * 3600000000,"
	"  9223372036854775807),"
	" ifnull((SELECT min(id) FROM day WHERE id >= (series.id << 24) + ?1 / 86400000000"
	"  AND id < (series.id << 24) + (?2 + 86399999999) / 86400000000) % 16777216 * 86400000000,"
	"  9223372036854775807)) AS oldest,"
	" max(ifnull((SELECT max(started_usec) FROM run WHERE series = series.id"
	"  AND started_usec >= ?1 AND started_usec < ?2), -1),"
	" ifnull((SELECT max(id) FROM hour WHERE id >= (series.id << 24) + ?1 / 3600000000"
	"  AND id < (series.id << 24) + (?2 + 3599999999) / 3600000000) % 16777216 * 3600000000,"
	"  -1),"
	" ifnull((SELECT max(id) FROM day WHERE id >= (series.id << 24) + ?1 / 86400000000"
	"  AND id < (series.id << 24) + (?2 + 86399999999) / 86400000000) % 16777216 * 86400000000,"
	"  -1)) AS newest"
	" FROM target JOIN series ON series.target = target.id"
	" WHERE target.name = ?3 AND series.probe = ?4 AND series.id BETWEEN 1 AND ?5"
	" ORDER BY newest DESC, series.id DESC LIMIT 1";

/* Each workload under the same name has a series: takes the one that ran last. Open ends of the
 * window become the first and last row. */
static int find_series(struct store_reader *reader, const struct window_query *query,
	struct window *w, struct error *reterr)
{
	struct sql s = { 0 };
	int r = reader_prepare(reader, extent_columns, &s, reterr);

	if (r < 0)
		return r;
	sql_bind_integer(&s, w->from_usec);
	sql_bind_integer(&s, w->to_usec);
	sql_bind_text(&s, query->repository);
	sql_bind_text(&s, query->probe);
	sql_bind_integer(&s, ROLLUP_SERIES_MAX);
	r = sql_step(&s, reterr);
	if (r > 0) {
		w->series = sql_integer(&s, 1, ROLLUP_SERIES_MAX);
		int64_t oldest = sql_integer(&s, 0, INT64_MAX);
		int64_t newest = sql_integer(&s, -1, INT64_MAX - 1);
		w->is_empty = newest < 0;
		if (query->from_usec <= 0 && !w->is_empty)
			w->from_usec = oldest;
		if (query->to_usec <= 0 && !w->is_empty)
			w->to_usec = newest + 1;
		r = s.error;
	} else if (r == 0) {
		r = error_set(reterr, -ENOENT, "there is no history of probe %s in repository %s",
			query->probe, query->repository);
	}
	sql_done(&s);
	return r;
}

static int count_rows(struct store_reader *reader, const struct window *w, size_t limit,
	size_t *ret, struct error *reterr)
{
	struct sql s = { 0 };
	int r = reader_prepare(reader, count_text, &s, reterr);

	if (r < 0)
		return r;
	bind_window(&s, w);
	sql_bind_integer(&s, (int64_t)limit);
	r = sql_step(&s, reterr);
	if (r > 0) {
		*ret = (size_t)sql_unsigned(&s, INT64_MAX);
		r = s.error;
	}
	sql_done(&s);
	return r;
}

/* Spans are equal and lie on multiples of their width, so that the same rows are merged whenever
 * the same length of time is asked for; at most max of them touch the window. A tier is good enough
 * when a span is at least half as wide as one of its rows (so there is half of what was asked for,
 * and it comes many times sooner); spans are then whole numbers of those. */
static void lay_out_spans(struct window *w, size_t max)
{
	uint64_t range = (uint64_t)w->to_usec - (uint64_t)w->from_usec;
	uint64_t parts = max > 1 ? max - 1 : 1;
	uint64_t width = range / parts + (range % parts > 0);
	uint64_t unit = 1;

	w->tier = WINDOW_RUNS;
	if (width >= (uint64_t)ROLLUP_DAY_USEC / 2) {
		w->tier = WINDOW_DAYS;
		unit = (uint64_t)ROLLUP_DAY_USEC;
	} else if (width >= (uint64_t)ROLLUP_HOUR_USEC / 2) {
		w->tier = WINDOW_HOURS;
		unit = (uint64_t)ROLLUP_HOUR_USEC;
	}
	width = (width + unit - 1) / unit * unit;
	w->width_usec = max > 1 ? (int64_t)width : INT64_MAX; /* one span for all */
}

int64_t window_span(const struct window *window, int64_t time_usec)
{
	if (window->width_usec == INT64_MAX)
		return window->from_usec;
	return time_usec - time_usec % window->width_usec;
}

int window_find(struct store_reader *reader, const struct window_query *query, struct window *ret,
	struct error *reterr)
{
	struct window w = {
		.operation = query->operation,
		.from_usec = query->from_usec > 0 ? query->from_usec : 0,
		.to_usec = query->to_usec > 0 ? query->to_usec : WINDOW_TIME_MAX_USEC,
	};
	size_t rows = 0;

	if (w.from_usec > WINDOW_TIME_MAX_USEC)
		w.from_usec = WINDOW_TIME_MAX_USEC;
	if (w.to_usec > WINDOW_TIME_MAX_USEC)
		w.to_usec = WINDOW_TIME_MAX_USEC;
	int r = find_series(reader, query, &w, reterr);
	if (r == 0 && w.from_usec >= w.to_usec)
		w.is_empty = true;
	if (r == 0 && !w.is_empty && !query->is_always_spans)
		r = count_rows(reader, &w, query->max_spans + 1, &rows, reterr);
	if (r < 0)
		return r;
	if (!w.is_empty && (query->is_always_spans || rows > query->max_spans))
		lay_out_spans(&w, query->max_spans);
	*ret = w;
	return 0;
}

/* --- Rows --------------------------------------------------------------- */

static void read_head(struct sql *s, struct window_row *ret)
{
	*ret = (struct window_row){ .tier = (enum window_tier)sql_unsigned(s, WINDOW_DAYS) };
	ret->start_usec = sql_integer(s, 0, INT64_MAX);
	ret->id = sql_integer(s, INT64_MIN, INT64_MAX);
	const bool is_run = !sql_is_null(s);
	enum run_status status = (enum run_status)sql_unsigned_or(s, RUN_STATUSES - 1, RUN_OK);

	for (size_t i = 0; i < RUN_STATUSES; i++)
		ret->runs[i] = (uint32_t)sql_unsigned_or(s, UINT32_MAX, 0);
	if (is_run)
		ret->runs[status] = 1;
	for (size_t i = 0; i < RUN_STATUSES; i++)
		if (i != RUN_OK && i != RUN_SKIPPED)
			ret->failed_runs += ret->runs[i];
	ret->has_numbers = !is_run || run_status_has_numbers(status);
}

static void read_numbers(struct sql *s, struct window_row *ret)
{
	ret->measured_nsec = sql_unsigned_or(s, INT64_MAX, 0);
	if (!ret->has_numbers || sql_is_null(s)) {
		ret->has_numbers = false; /* there was no such operation */
		return;
	}
	ret->ios = sql_unsigned(s, INT64_MAX);
	ret->bytes = sql_unsigned(s, INT64_MAX);
	ret->latencies = sql_unsigned_or(s, INT64_MAX, ret->ios);
	ret->sum_nsec = sql_unsigned(s, INT64_MAX);
	ret->min_nsec = sql_unsigned(s, INT64_MAX);
	ret->max_nsec = sql_unsigned(s, INT64_MAX);
	ret->p50_nsec = sql_unsigned(s, INT64_MAX);
	ret->p95_nsec = sql_unsigned(s, INT64_MAX);
	ret->p99_nsec = sql_unsigned(s, INT64_MAX);
	ret->histogram = sql_bytes(s, &ret->histogram_len);
	if (ret->histogram_len > CODE_HISTOGRAM_MAX)
		s->error = -EBADMSG;
	if (ret->latencies == 0)
		ret->has_numbers = false;
}

static void name_row(const struct window *window, const struct window_row *row, bool is_numbers,
	const char **ret_table, int64_t *ret_id)
{
	static const char *const heads[] = { "run", "hour", "day" };
	static const char *const operations[] = { "run_operation", "hour_operation",
		"day_operation" };

	*ret_table = is_numbers ? operations[row->tier] : heads[row->tier];
	*ret_id = row->id;
	if (is_numbers && row->tier != WINDOW_RUNS)
		*ret_id += rollup_operation_id(window->series, window->operation, 0) -
			rollup_id(window->series, 0);
}

void window_note_bad(
	struct store_reader *reader, const struct window *window, const struct window_row *row)
{
	const char *table;
	int64_t id;

	name_row(window, row, true, &table, &id);
	bad_rows_note(reader->bad_rows, table, id);
}

/* 0: the row is bad. One with bad numbers keeps its statuses. */
static int take_row(struct store_reader *reader, const struct window *window, struct sql *s,
	struct window_row *row, struct error *reterr)
{
	const char *table;
	int64_t id;

	read_head(s, row);
	name_row(window, row, false, &table, &id);
	int r = reader_take_row(reader, s, table, id, reterr);
	if (r <= 0)
		return r;
	read_numbers(s, row);
	name_row(window, row, true, &table, &id);
	r = reader_take_row(reader, s, table, id, reterr);
	if (r == 0)
		row->has_numbers = false;
	return r < 0 ? r : 1;
}

int window_read(struct store_reader *reader, const struct window *window,
	int (*each)(void *data, const struct window_row *row), void *data, struct error *reterr)
{
	struct window_row row;
	struct sql s = { 0 };

	if (window->is_empty)
		return 0;
	int r = reader_prepare(reader, row_texts[window->tier], &s, reterr);
	if (r == 0)
		bind_window(&s, window);
	while (r >= 0) {
		r = sql_step(&s, reterr);
		if (r <= 0)
			break;
		r = take_row(reader, window, &s, &row, reterr);
		if (r <= 0)
			continue;
		r = each(data, &row);
		if (r == -EUCLEAN) {
			window_note_bad(reader, window, &row);
			r = 0;
		}
		if (r < 0)
			(void)error_set(reterr, r, "history: %s", errno_text(-r)); /* r goes up */
	}
	sql_done(&s);
	return r;
}
