/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite with our error numbers: prepare, bind, step, read a row. Parameters and columns are taken
 * in order, with a sticky error: bind or read freely, check once. Private to the store. */
#ifndef REPOPROBE_STORE_SQL_H
#define REPOPROBE_STORE_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct error;
struct sqlite3;
struct sqlite3_stmt;

/* 0 or -errno of an (extended) result code. Trouble that can pass: -EAGAIN (locked by another
 * program), -ENOSPC, -EIO, -ENOMEM, -EROFS, -EACCES. A damaged file is -EUCLEAN, an existing key
 * -EEXIST, any other constraint and every bug -EINVAL, an interrupt -EINTR. */
int sql_errno(int code);

/* True when the same statements may well succeed later, without any change of ours. */
bool sql_is_passing(int r);

/* -errno of the connection's newest failure; the sentence is "WHAT: " and SQLite's own. */
int sql_fail(struct sqlite3 *db, struct error *reterr, const char *what);

/* Runs any number of statements that give no rows. */
int sql_execute(struct sqlite3 *db, const char *text, struct error *reterr);

/* One integer of one row, from a statement without parameters ("PRAGMA user_version"). */
int sql_query_integer(struct sqlite3 *db, const char *text, int64_t *ret, struct error *reterr);

struct sql {
	struct sqlite3_stmt *statement;
	int next; /* parameter, or column of the present row */
	int error;
};

/* Prepares exactly one statement (-EINVAL when more text follows it) that lives long or short. */
int sql_prepare(struct sqlite3 *db, const char *text, struct sql *ret, struct error *reterr);
void sql_done(struct sql *s);

/* Makes a statement ready to be bound (again). What is bound must live until the next start or
 * done. */
void sql_start(struct sql *s);
void sql_bind_integer(struct sql *s, int64_t value);
void sql_bind_unsigned(struct sql *s, uint64_t value); /* -ERANGE when above INT64_MAX */
void sql_bind_text(struct sql *s, const char *text); /* NULL binds NULL */
void sql_bind_bytes(struct sql *s, const void *data, size_t len);
void sql_bind_null(struct sql *s);

/* 1: a row is there; 0: none (left); else -errno, also of a bind or read that went wrong before. */
int sql_step(struct sql *s, struct error *reterr);
/* Steps a statement that gives no rows to its end. */
int sql_finish(struct sql *s, struct error *reterr);

/* Read the next column. A value of another type or out of range makes the sticky error -EBADMSG and
 * answers the minimum: the row is bad, the file is not. */
int64_t sql_integer(struct sql *s, int64_t min, int64_t max);
uint64_t sql_unsigned(struct sql *s, uint64_t max);
/* The same, with NULL read as something else. */
uint64_t sql_unsigned_or(struct sql *s, uint64_t max, uint64_t fallback);
int64_t sql_integer_or(struct sql *s, int64_t min, int64_t max, int64_t fallback);
void sql_text(struct sql *s, char *dst, size_t size); /* copies; NULL reads as "" */
/* Lent until the next step; NULL and 0 for NULL. */
const void *sql_bytes(struct sql *s, size_t *ret_len);
const char *sql_text_lent(struct sql *s);
bool sql_is_null(const struct sql *s); /* is the next column NULL? Does not move on. */

#endif
