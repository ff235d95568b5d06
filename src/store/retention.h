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

/* What may go for its age is bounded by what a day can age, whatever the clock says: at most the
 * oldest day of each tier, and the next one half a day later, so that what is kept for less than
 * before does go in the end. Lays the bounds of the next portion down in the database (meta,
 * drop_*), when it is time and there is something; a restart does not hurry it. Within a
 * transaction. */
#define RETENTION_PORTION_USEC (INT64_C(12) * 3600 * 1000000)
int retention_begin_portion(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);

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
