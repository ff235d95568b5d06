/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that were skipped because a value in them is out of range. Private to the store. */
#ifndef REPOPROBE_STORE_BAD_ROWS_H
#define REPOPROBE_STORE_BAD_ROWS_H

#include <stdint.h>

struct store_bad_rows;

/* From any thread. table is a literal. Reports the row the first time. Accepts NULL. */
void bad_rows_note(struct store_bad_rows *bad_rows, const char *table, int64_t id);

#endif
