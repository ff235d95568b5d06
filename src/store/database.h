/* SPDX-License-Identifier: Apache-2.0 */
/* The database as a file: who may write it, how it is opened. Private to the store. */
#ifndef REPOPROBE_STORE_DATABASE_H
#define REPOPROBE_STORE_DATABASE_H

#include <stdbool.h>
#include <stdint.h>

struct buf;
struct error;
struct sqlite3;

/* Takes the lock that the one writer holds (PATH.lock): it goes with its holder, however that ends.
 * -EBUSY: another has it. Close *ret_fd to let it go. */
int database_lock(const char *path, int *ret_fd, struct error *reterr);

/* The connection that writes: creates the file where there is none and migrates it, after a copy
 * (PATH.schema-VERSION). The lock is held. -ENOSPC also when there is no room for that copy. See
 * store_writer_open for others. */
int database_open(const char *path, struct sqlite3 **ret, struct error *reterr);

/* A connection that writes beside the one writer, for a moment: on a database of this version that
 * is there. */
int database_open_beside(const char *path, struct sqlite3 **ret, struct error *reterr);

/* A connection that only reads, on a database of this very version, or also of an older one. See
 * store_reader_open. */
int database_open_to_read(
	const char *path, bool takes_older, struct sqlite3 **ret, struct error *reterr);

/* A new, empty file (-EEXIST) with a connection to fill it. */
int database_create(const char *path, unsigned mode, struct sqlite3 **ret, struct error *reterr);

/* Closes; accepts NULL, returns NULL. */
struct sqlite3 *database_close(struct sqlite3 *db);

/* Where this version records when PATH was made by a newer one: "history.db" becomes
 * "history-1.db". */
void database_add_older_path(const char *path, struct buf *b);

/* Under which name a file is kept: PATH.KIND-20261130T223455Z. */
void database_add_kept_name(const char *path, const char *kind, int64_t now_usec, struct buf *b);

/* Renames a database that cannot be used, with its log and index, to PATH.KIND-20261130T223455Z,
 * which is appended to b. Nothing is ever deleted. */
int database_set_aside(
	const char *path, const char *kind, int64_t now_usec, struct buf *b, struct error *reterr);

/* Bytes of the file and its write-ahead log; 0 for what is not there. */
uint64_t database_bytes(const char *path);
uint64_t database_log_bytes(const char *path); /* of the log alone */

#endif
