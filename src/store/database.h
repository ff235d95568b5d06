/* SPDX-License-Identifier: Apache-2.0 */
/* The database as a file: who may write it, how it is opened. Private to the store. */
#ifndef REPOPROBE_STORE_DATABASE_H
#define REPOPROBE_STORE_DATABASE_H

#include <stdint.h>

struct error;
struct sqlite3;

/* The one connection that writes. */
struct database {
	struct sqlite3 *db;
	int lock_fd; /* on PATH.lock, held while open */
};

/* Takes the lock, creates the file where there is none, migrates it. See store_writer_open. */
int database_open(const char *path, struct database *ret, struct error *reterr);
void database_close(struct database *database); /* also a half-built or closed one */

/* A connection that only reads, on a database of this very version. See store_reader_open. */
int database_open_to_read(const char *path, struct sqlite3 **ret, struct error *reterr);

/* Bytes of the file and its write-ahead log; 0 for what is not there. */
uint64_t database_bytes(const char *path);

#endif
