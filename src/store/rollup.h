/* SPDX-License-Identifier: Apache-2.0 */
/* Merges runs into hours and hours into days, exactly, since histograms are added up. An hour is
 * made from its runs when it is over, and again when a late run comes; once its runs were dropped,
 * late ones are added to it. A day is made from its hours in the same way. Hours and days are
 * UTC's. Private to the store. */
#ifndef REPOPROBE_STORE_ROLLUP_H
#define REPOPROBE_STORE_ROLLUP_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct sql;
struct sqlite3;
struct store_bad_rows;

#define ROLLUP_HOUR_USEC INT64_C(3600000000)
#define ROLLUP_DAY_USEC INT64_C(86400000000)
#define ROLLUP_DAY_HOURS 24

/* The id of a series' hour or day, and of an operation in it (migration_1.c). */
#define ROLLUP_TIME_BITS 24
#define ROLLUP_TIME_MASK INT64_C(0xffffff)
#define ROLLUP_SERIES_MAX (INT64_C(1) << 36)

static inline int64_t rollup_id(int64_t series, int64_t time)
{
	return series << ROLLUP_TIME_BITS | time;
}

static inline int64_t rollup_operation_id(int64_t series, int operation, int64_t time)
{
	return (series * 4 + operation) << ROLLUP_TIME_BITS | time;
}

/* Parameters of a statement on the runs of an hour, the hours of a day, or the operations of those:
 * series, microseconds from, to; ids from, to; ids from, to of reads, then of writes. */
void rollup_bind_runs(struct sql *s, int64_t series, int64_t hour);
void rollup_bind_hours(struct sql *s, int64_t series, int64_t day);
void rollup_bind_hour_operations(struct sql *s, int64_t series, int64_t day);

/* Merges a few hours (days) that are over at now_usec and due, within the caller's transaction.
 * *ret_did: whether there were any. Waits for runs that are in progress then. Bad rows are left out
 * and noted. */
int rollup_hours(struct sqlite3 *db, int64_t now_usec, struct store_bad_rows *bad_rows,
	bool *ret_did, struct error *reterr);
int rollup_days(struct sqlite3 *db, int64_t now_usec, struct store_bad_rows *bad_rows,
	bool *ret_did, struct error *reterr);

#endif
