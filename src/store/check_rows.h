/* SPDX-License-Identifier: Apache-2.0 */
/* Reads every row as the readers do, to find the bad ones. Private to the store. */
#ifndef REPOPROBE_STORE_CHECK_ROWS_H
#define REPOPROBE_STORE_CHECK_ROWS_H

struct error;
struct store_reader;

/* Bad rows are noted in the bad_rows of the reader. Errors are those of any read. */
int check_rows(struct store_reader *reader, struct error *reterr);

#endif
