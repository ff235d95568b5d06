/* SPDX-License-Identifier: Apache-2.0 */
/* Manual maintenance of a database in use: integrity check, giving free pages back. */
#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "base/error.h"
#include "store/check_rows.h"
#include "store/database.h"
#include "store/sql.h"
#include "store/store.h"

/* A piece is a transaction of some milliseconds: the daemon, which does not wait for locks, writes
 * between two of them. */
#define PIECE "PRAGMA incremental_vacuum(200)"
#define PAUSE_MSEC 5

struct check {
	void (*say)(void *data, const char *line);
	void *data;
	int r;
};

static int say_rows(struct sqlite3 *db, const char *text, struct check *check, struct error *reterr)
{
	struct sql s = { 0 };
	int r = sql_prepare(db, text, &s, reterr);

	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		const char *line = sql_text_lent(&s);
		r = 0;
		if (line && strcmp(line, "ok") == 0)
			continue;
		check->r = -EUCLEAN;
		check->say(check->data, line ? line : "NULL");
	}
	sql_done(&s);
	return r;
}

static void say_bad_row(void *data, const char *line)
{
	struct check *check = data;

	check->r = -EUCLEAN;
	check->say(check->data, line);
}

/* Uses the same decoders as the readers. */
static int say_bad_rows(const char *path, struct check *check, struct error *reterr)
{
	struct store_bad_rows *bad_rows = store_bad_rows_new(say_bad_row, check);
	struct store_reader *reader = NULL;
	int r = bad_rows ? store_reader_open(path, &reader, reterr)
			 : error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));

	if (r == 0) {
		store_reader_report(reader, bad_rows);
		r = check_rows(reader, reterr);
	}
	store_reader_close(reader);
	store_bad_rows_free(bad_rows);
	return r;
}

int store_check(const char *path, void (*say)(void *data, const char *line), void *data,
	struct error *reterr)
{
	static const char foreign_keys[] =
		"SELECT printf('row %s of table %s refers to a row of table %s that is not there',"
		" rowid, \"table\", parent) FROM pragma_foreign_key_check";
	struct check check = { .say = say, .data = data };
	struct sqlite3 *db = NULL;
	int r = database_open_to_read(path, false, &db, reterr);

	if (r < 0)
		return r;
	r = say_rows(db, "PRAGMA integrity_check(100)", &check, reterr);
	if (r == 0)
		r = say_rows(db, foreign_keys, &check, reterr);
	(void)database_close(db);
	if (r == 0)
		r = say_bad_rows(path, &check, reterr);
	if (r == 0 && check.r < 0)
		r = error_set(reterr, check.r, "%s: it is damaged", path);
	return r;
}

static int free_pages(struct sqlite3 *db, int64_t *ret, struct error *reterr)
{
	return sql_query_integer(db, "PRAGMA freelist_count", ret, reterr);
}

static int give_back(
	struct sqlite3 *db, const struct store_progress *progress, struct error *reterr)
{
	int64_t page_bytes = 0;
	int64_t left = 0;
	int r = sql_query_integer(db, "PRAGMA page_size", &page_bytes, reterr);

	if (r == 0)
		r = free_pages(db, &left, reterr);
	int64_t total = left;
	/* Only what was free at the start: the daemon may free more meanwhile. */
	for (int64_t before = left + 1; r == 0 && left > 0 && left < before;) {
		before = left;
		r = sql_execute(db, PIECE, reterr);
		if (r == 0)
			r = free_pages(db, &left, reterr);
		if (r == 0 && progress)
			progress->show(progress->data,
				(uint64_t)((total > left ? total - left : 0) * page_bytes),
				(uint64_t)(total * page_bytes));
		(void)sqlite3_sleep(PAUSE_MSEC);
	}
	return r;
}

int store_compact(const char *path, const struct store_progress *progress, uint64_t *ret_freed,
	struct error *reterr)
{
	struct sqlite3 *db = NULL;
	uint64_t before = database_bytes(path);
	int r = database_open_beside(path, &db, reterr);

	if (r < 0)
		return r;
	r = give_back(db, progress, reterr);
	/* Readers may keep the log from being emptied: then the daemon's next checkpoint does it.
	 */
	(void)sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	(void)database_close(db);
	uint64_t after = database_bytes(path);
	if (r == 0)
		*ret_freed = before > after ? before - after : 0;
	return r;
}
