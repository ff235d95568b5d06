/* SPDX-License-Identifier: Apache-2.0 */
/* Copies page by page out of one read transaction, so that a writer beside it neither waits nor
 * makes the copy begin anew. */
#include "store/backup.h"

#include <errno.h>
#include <sqlite3.h>
#include <unistd.h>

#include "base/error.h"
#include "store/database.h"
#include "store/reader.h"
#include "store/sql.h"

#define PAGES_PER_STEP 256
#define BACKUP_MODE 0600

static int copy_pages(
	struct sqlite3_backup *backup, uint64_t page_bytes, const struct store_progress *progress)
{
	int code;

	do {
		code = sqlite3_backup_step(backup, PAGES_PER_STEP);
		uint64_t total = (uint64_t)sqlite3_backup_pagecount(backup);
		uint64_t left = (uint64_t)sqlite3_backup_remaining(backup);
		if (progress)
			progress->show(
				progress->data, (total - left) * page_bytes, total * page_bytes);
	} while (code == SQLITE_OK);
	return code;
}

static int copy_into(struct sqlite3 *from, struct sqlite3 *to,
	const struct store_progress *progress, struct error *reterr)
{
	int64_t page_bytes = 0;
	int r = sql_query_integer(from, "PRAGMA page_size", &page_bytes, reterr);

	if (r < 0)
		return r;
	struct sqlite3_backup *backup = sqlite3_backup_init(to, "main", from, "main");
	if (!backup)
		return sql_fail(to, reterr, "copy");
	int code = copy_pages(backup, (uint64_t)page_bytes, progress);
	(void)sqlite3_backup_finish(backup); /* repeats the step's error */
	if (code != SQLITE_DONE)
		return error_set(reterr, code == SQLITE_OK ? -EIO : sql_errno(code), "copy: %s",
			sqlite3_errstr(code));
	/* One file, without a log beside it. */
	return sql_execute(to, "PRAGMA journal_mode = DELETE", reterr);
}

/* The first read fixes what is seen until the end of the transaction. */
static int begin_reading(struct sqlite3 *db, struct error *reterr)
{
	int64_t objects;
	int r = sql_execute(db, "BEGIN", reterr);

	return r < 0
		? r
		: sql_query_integer(db, "SELECT count(*) FROM sqlite_schema", &objects, reterr);
}

int backup_copy(struct sqlite3 *from, const char *path, unsigned mode,
	const struct store_progress *progress, struct error *reterr)
{
	struct sqlite3 *to = NULL;
	int r = database_create(path, mode, &to, reterr);

	if (r == -EEXIST)
		return r;
	if (r == 0)
		r = begin_reading(from, reterr);
	if (r == 0)
		r = copy_into(from, to, progress, reterr);
	if (!sqlite3_get_autocommit(from))
		(void)sql_execute(from, "ROLLBACK", NULL); /* it only read */
	(void)database_close(to);
	if (r < 0)
		(void)unlink(path); /* a half one is of no use */
	return r;
}

int store_backup(const char *path, const char *target, const struct store_progress *progress,
	struct error *reterr)
{
	struct sqlite3 *db = NULL;
	int r = database_open_to_read(path, false, &db, reterr);

	if (r < 0)
		return r;
	r = backup_copy(db, target, BACKUP_MODE, progress, reterr);
	(void)database_close(db);
	return r;
}
