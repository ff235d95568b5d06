/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's result codes as errno, and statements whose parameters and columns are taken in order.
 */
#include "store/sql.h"

#include <errno.h>
#include <limits.h>
#include <sqlite3.h>
#include <string.h>

#include "base/error.h"

static const struct {
	int code;
	int error;
} primary_codes[] = {
	{ SQLITE_OK, 0 },
	{ SQLITE_ROW, 0 },
	{ SQLITE_DONE, 0 },
	{ SQLITE_PERM, EACCES },
	{ SQLITE_BUSY, EAGAIN },
	{ SQLITE_LOCKED, EAGAIN },
	{ SQLITE_PROTOCOL, EAGAIN },
	{ SQLITE_NOMEM, ENOMEM },
	{ SQLITE_READONLY, EROFS },
	{ SQLITE_INTERRUPT, EINTR },
	{ SQLITE_IOERR, EIO },
	{ SQLITE_CORRUPT, EUCLEAN },
	{ SQLITE_NOTADB, EUCLEAN },
	{ SQLITE_FULL, ENOSPC },
	{ SQLITE_CANTOPEN, EACCES },
	{ SQLITE_TOOBIG, E2BIG },
};

int sql_errno(int code)
{
	if (code == SQLITE_CONSTRAINT_PRIMARYKEY || code == SQLITE_CONSTRAINT_UNIQUE ||
		code == SQLITE_CONSTRAINT_ROWID)
		return -EEXIST;
	if (code == SQLITE_IOERR_NOMEM)
		return -ENOMEM;
	for (size_t i = 0; i < sizeof(primary_codes) / sizeof(primary_codes[0]); i++)
		if (primary_codes[i].code == (code & 0xff))
			return -primary_codes[i].error;
	return -EINVAL;
}

bool sql_is_passing(int r)
{
	static const int passing[] = { EAGAIN, ENOSPC, EIO, ENOMEM, EROFS, EACCES };

	for (size_t i = 0; i < sizeof(passing) / sizeof(passing[0]); i++)
		if (r == -passing[i])
			return true;
	return false;
}

int sql_fail(struct sqlite3 *db, struct error *reterr, const char *what)
{
	int r = sql_errno(sqlite3_extended_errcode(db));

	if (r == 0)
		r = -EINVAL;
	return error_set(reterr, r, "%s: %s", what, sqlite3_errmsg(db));
}

int sql_execute(struct sqlite3 *db, const char *text, struct error *reterr)
{
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		return sql_fail(db, reterr, "history");
	return 0;
}

int sql_query_integer(struct sqlite3 *db, const char *text, int64_t *ret, struct error *reterr)
{
	struct sql s = { 0 };
	int r = sql_prepare(db, text, &s, reterr);

	if (r == 0)
		r = sql_step(&s, reterr);
	if (r == 0)
		r = error_set(reterr, -EINVAL, "history: no answer to: %s", text);
	if (r > 0) {
		int64_t value = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = s.error;
		if (r == 0)
			*ret = value;
	}
	sql_done(&s);
	return r;
}

int sql_prepare(struct sqlite3 *db, const char *text, struct sql *ret, struct error *reterr)
{
	sqlite3_stmt *statement = NULL;
	const char *tail = NULL;

	if (sqlite3_prepare_v3(db, text, -1, 0, &statement, &tail) != SQLITE_OK)
		return sql_fail(db, reterr, "history");
	if (!statement || tail[strspn(tail, " \t\n;")] != '\0') {
		(void)sqlite3_finalize(statement); /* never ran */
		return error_set(reterr, -EINVAL, "history: not one statement: %.100s", text);
	}
	*ret = (struct sql){ .statement = statement };
	return 0;
}

void sql_done(struct sql *s)
{
	(void)sqlite3_finalize(s->statement); /* repeats the step's error, which was handled */
	s->statement = NULL;
}

void sql_start(struct sql *s)
{
	(void)sqlite3_reset(s->statement); /* likewise */
	(void)sqlite3_clear_bindings(s->statement); /* cannot fail */
	s->next = 0;
	s->error = 0;
}

static void note_bind(struct sql *s, int code)
{
	if (code != SQLITE_OK && s->error == 0)
		s->error = sql_errno(code);
}

void sql_bind_integer(struct sql *s, int64_t value)
{
	note_bind(s, sqlite3_bind_int64(s->statement, ++s->next, value));
}

void sql_bind_unsigned(struct sql *s, uint64_t value)
{
	if (value > INT64_MAX && s->error == 0)
		s->error = -ERANGE;
	sql_bind_integer(s, (int64_t)(value & INT64_MAX));
}

void sql_bind_text(struct sql *s, const char *text)
{
	note_bind(s, sqlite3_bind_text(s->statement, ++s->next, text, -1, SQLITE_STATIC));
}

void sql_bind_bytes(struct sql *s, const void *data, size_t len)
{
	note_bind(s, sqlite3_bind_blob64(s->statement, ++s->next, data, len, SQLITE_STATIC));
}

void sql_bind_null(struct sql *s)
{
	s->next++; /* unbound parameters are NULL */
}

int sql_step(struct sql *s, struct error *reterr)
{
	if (s->error < 0)
		return error_set(reterr, s->error, "history: %s", errno_text(-s->error));
	s->next = 0;
	int code = sqlite3_step(s->statement);
	if (code == SQLITE_ROW)
		return 1;
	if (code == SQLITE_DONE)
		return 0;
	s->error = sql_fail(sqlite3_db_handle(s->statement), reterr, "history");
	return s->error;
}

int sql_finish(struct sql *s, struct error *reterr)
{
	int r;

	do
		r = sql_step(s, reterr);
	while (r > 0);
	(void)sqlite3_reset(s->statement); /* ends a read; repeats r */
	return r;
}

static bool is_integer(struct sql *s, int column)
{
	if (sqlite3_column_type(s->statement, column) == SQLITE_INTEGER)
		return true;
	s->error = -EBADMSG;
	return false;
}

int64_t sql_integer(struct sql *s, int64_t min, int64_t max)
{
	int column = s->next++;

	if (!is_integer(s, column))
		return min;
	int64_t value = sqlite3_column_int64(s->statement, column);
	if (value >= min && value <= max)
		return value;
	s->error = -EBADMSG;
	return min;
}

uint64_t sql_unsigned(struct sql *s, uint64_t max)
{
	return (uint64_t)sql_integer(s, 0, max > INT64_MAX ? INT64_MAX : (int64_t)max);
}

uint64_t sql_unsigned_or(struct sql *s, uint64_t max, uint64_t fallback)
{
	if (!sql_is_null(s))
		return sql_unsigned(s, max);
	s->next++;
	return fallback;
}

int64_t sql_integer_or(struct sql *s, int64_t min, int64_t max, int64_t fallback)
{
	if (!sql_is_null(s))
		return sql_integer(s, min, max);
	s->next++;
	return fallback;
}

const char *sql_text_lent(struct sql *s)
{
	int column = s->next++;
	const char *text = (const char *)sqlite3_column_text(s->statement, column);

	/* NULL also when memory is short: then the row counts as bad this time only. */
	if (!text && sqlite3_column_type(s->statement, column) != SQLITE_NULL)
		s->error = -ENOMEM;
	return text;
}

void sql_text(struct sql *s, char *dst, size_t size)
{
	int column = s->next;
	const char *text = sql_text_lent(s);
	size_t len = text ? (size_t)sqlite3_column_bytes(s->statement, column) : 0;

	dst[0] = '\0';
	if (len >= size || (len > 0 && strlen(text) != len)) {
		s->error = -EBADMSG;
		return;
	}
	if (len > 0)
		memcpy(dst, text, len + 1);
}

const void *sql_bytes(struct sql *s, size_t *ret_len)
{
	int column = s->next++;
	const void *data = sqlite3_column_blob(s->statement, column);

	*ret_len = data ? (size_t)sqlite3_column_bytes(s->statement, column) : 0;
	return data;
}

bool sql_is_null(const struct sql *s)
{
	return sqlite3_column_type(s->statement, s->next) == SQLITE_NULL;
}
