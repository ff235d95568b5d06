/* SPDX-License-Identifier: Apache-2.0 */
/* Drops stored history, the oldest first: runs, then hours, days last. Only rows that were merged
 * into the next tier are dropped, an hour (day) of a series at once. Private to the store. */
#ifndef REPOPROBE_STORE_RETENTION_H
#define REPOPROBE_STORE_RETENTION_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct sqlite3;
struct tending;

/* Bounds what is dropped by age, whatever the clock says: at most the oldest day of each tier, and
 * the next one half a day later, so that a shorter retention takes effect in the end. Stores the
 * bounds of the next portion in the database (meta, drop_*) when it is due and not empty; a restart
 * does not make it earlier. Within a transaction. */
#define RETENTION_PORTION_USEC (INT64_C(12) * 3600 * 1000000)
int retention_begin_portion(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);

/* Each does a piece of at most some milliseconds and returns whether there was anything to do. The
 * first three run within a transaction, the last must not. */
int retention_drop_runs(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
int retention_drop_hours(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
int retention_drop_days(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);
/* Gives free pages back to the file system when there are many. */
int retention_give_back(
	struct sqlite3 *db, const struct tending *t, bool *ret_did, struct error *reterr);

#endif
