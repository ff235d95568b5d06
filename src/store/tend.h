/* SPDX-License-Identifier: Apache-2.0 */
/* Maintenance while no batch waits: merge, drop, give space back, in pieces small enough not to
 * delay a batch noticeably. Private to the store. */
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
	struct store_bad_rows *bad_rows; /* found while merging; NULL: not counted */
};

/* Does one piece. *ret_has_more: there may be another one. Never waits for other connections
 * (-EAGAIN); the next call does what was left. */
int tend_step(struct sqlite3 *db, const struct tending *tending, bool *ret_has_more,
	struct error *reterr);

#endif
