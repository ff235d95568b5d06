/* SPDX-License-Identifier: Apache-2.0 */
/* Does one piece of the first step below that has something to do. */
#include "store/tend.h"

#include <errno.h>
#include <sqlite3.h>
#include <stddef.h>

#include "base/error.h"
#include "store/database.h"
#include "store/retention.h"
#include "store/rollup.h"
#include "store/sql.h"

static int merge_hours(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	return rollup_hours(db, t->now_usec, t->bad_rows, ret_did, reterr);
}

static int merge_days(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	return rollup_days(db, t->now_usec, t->bad_rows, ret_did, reterr);
}

/* SQLite restarts the log at 4 MiB unless a reader needs its content; then it grows, and keeps its
 * size when that reader is gone. Waits only briefly for readers, since a run may come. */
#define LOG_MAX_BYTES (UINT64_C(8) << 20)
#define LOG_WAIT_MSEC 100

static int empty_log(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr)
{
	(void)t; /* its size is its own matter */
	*ret_did = false;
	if (database_log_bytes(sqlite3_db_filename(db, "main")) <= LOG_MAX_BYTES)
		return 0;
	(void)sqlite3_busy_timeout(db, LOG_WAIT_MSEC); /* cannot fail */
	int code = sqlite3_wal_checkpoint_v2(db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
	int r = code == SQLITE_OK ? 0 : sql_fail(db, reterr, "history: its log");
	(void)sqlite3_busy_timeout(db, 0); /* likewise */
	if (r == -EAGAIN)
		return 0; /* a reader is still active: next time */
	*ret_did = r == 0;
	return r;
}

static const struct step {
	int (*run)(
		struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
	bool has_transaction;
} steps[] = {
	{ merge_hours, true },
	{ merge_days, true },
	{ retention_begin_portion, true },
	{ retention_drop_runs, true },
	{ retention_drop_hours, true },
	{ retention_drop_days, true },
	{ retention_give_back, false },
	{ empty_log, false },
};

static int run_step(struct sqlite3 *db, const struct step *step, const struct tending *t,
	bool *ret_did, struct error *reterr)
{
	int r = step->has_transaction ? sql_execute(db, "BEGIN IMMEDIATE", reterr) : 0;

	*ret_did = false;
	if (r < 0)
		return r;
	r = step->run(db, t, ret_did, reterr);
	if (r == 0 && step->has_transaction)
		r = sql_execute(db, *ret_did ? "COMMIT" : "ROLLBACK", reterr);
	if (r < 0 && !sqlite3_get_autocommit(db))
		(void)sql_execute(db, "ROLLBACK", NULL); /* the first error is reported */
	return r;
}

/* All of this is derived from rows that stay or can be repeated: it need not be on disk before the
 * next run's commit, which syncs it too. */
int tend_step(
	struct sqlite3 *db, const struct tending *tending, bool *ret_has_more, struct error *reterr)
{
	bool did = false;
	int r = sql_execute(db, "PRAGMA synchronous = NORMAL", reterr);

	for (size_t i = 0; r == 0 && !did && i < sizeof(steps) / sizeof(steps[0]); i++)
		r = run_step(db, &steps[i], tending, &did, reterr);
	int restored = sql_execute(db, "PRAGMA synchronous = FULL", r < 0 ? NULL : reterr);
	if (r == 0)
		r = restored;
	if (r < 0)
		return r;
	*ret_has_more = did;
	return 0;
}
