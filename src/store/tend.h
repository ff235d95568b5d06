/* SPDX-License-Identifier: Apache-2.0 */
/* What the writer does with the history while no batch waits: merge, drop, give space back, in
 * pieces so small that a batch which comes meanwhile hardly notices. Private to the store. */
#ifndef REPOPROBE_STORE_TEND_H
#define REPOPROBE_STORE_TEND_H

#include <stdbool.h>
#include <stdint.h>

struct error;
struct sqlite3;
struct store_bad_rows;
struct store_retention;

struct tending {
	const struct store_retention *retention;
	int64_t now_usec;
	struct store_bad_rows *bad_rows; /* that are found on the way; NULL: nobody counts them */
};

/* One piece. *ret_has_more: there may be another one to do. Never waits for others who use the
 * database (-EAGAIN); what was not done is done at the next call. */
int tend_step(struct sqlite3 *db, const struct tending *tending, bool *ret_has_more,
	struct error *reterr);

#endif
