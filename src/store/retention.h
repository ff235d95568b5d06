/* SPDX-License-Identifier: Apache-2.0 */
/* What the history lets go, the oldest first: runs, then hours, days last. Only what was merged
 * into the next tier goes, all of an hour (day) of a series at once. Private to the store. */
#ifndef REPOPROBE_STORE_RETENTION_H
#define REPOPROBE_STORE_RETENTION_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct sqlite3;
struct tending;

/* Each does a piece of at most some milliseconds and answers whether there was anything to do. The
 * first three are to be within a transaction, the last must not be. */
int retention_drop_runs(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
int retention_drop_hours(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
int retention_drop_days(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
/* Gives free pages back to the file system, where they are many. */
int retention_give_back(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);

#endif
