/* SPDX-License-Identifier: Apache-2.0 */
/* Statements: one at a time, sticky errors, checked columns, errno for each result code. */
#include "store/sql.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>

#include "base/error.h"
#include "test.h"

static struct sqlite3 *open_memory(void)
{
	struct sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(":memory:", &db), SQLITE_OK);
	assert_int_equal(sqlite3_exec(db,
				 "CREATE TABLE t (id INTEGER PRIMARY KEY, v, UNIQUE (v));"
				 "CREATE TABLE c (p INTEGER REFERENCES t (id));"
				 "PRAGMA foreign_keys = ON",
				 NULL, NULL, NULL),
		SQLITE_OK);
	return db;
}

static void result_codes_become_errno(void **state)
{
	static const struct {
		int code;
		int r;
		bool is_passing;
	} cases[] = {
		{ SQLITE_OK, 0, false },
		{ SQLITE_DONE, 0, false },
		{ SQLITE_BUSY, -EAGAIN, true },
		{ SQLITE_BUSY_SNAPSHOT, -EAGAIN, true },
		{ SQLITE_FULL, -ENOSPC, true },
		{ SQLITE_IOERR_FSYNC, -EIO, true },
		{ SQLITE_IOERR_NOMEM, -ENOMEM, true },
		{ SQLITE_NOMEM, -ENOMEM, true },
		{ SQLITE_READONLY_DBMOVED, -EROFS, true },
		{ SQLITE_CANTOPEN, -EACCES, true },
		{ SQLITE_CORRUPT_INDEX, -EUCLEAN, false },
		{ SQLITE_NOTADB, -EUCLEAN, false },
		{ SQLITE_CONSTRAINT_PRIMARYKEY, -EEXIST, false },
		{ SQLITE_CONSTRAINT_UNIQUE, -EEXIST, false },
		{ SQLITE_CONSTRAINT_NOTNULL, -EINVAL, false },
		{ SQLITE_CONSTRAINT_FOREIGNKEY, -EINVAL, false },
		{ SQLITE_INTERRUPT, -EINTR, false },
		{ SQLITE_ERROR, -EINVAL, false },
		{ SQLITE_MISUSE, -EINVAL, false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(sql_errno(cases[i].code), cases[i].r);
		assert_int_equal(sql_is_passing(cases[i].r), cases[i].is_passing);
	}
}

static void text_after_the_statement_is_refused(void **state)
{
	struct sqlite3 *db = open_memory();
	struct error error = { "" };
	struct sql s = { 0 };
	(void)state;

	assert_int_equal(sql_prepare(db, "SELECT 1; DELETE FROM t", &s, &error), -EINVAL);
	assert_non_null(strstr(error.text, "not one statement"));
	assert_int_equal(sql_prepare(db, "", &s, &error), -EINVAL);
	assert_int_equal(sql_prepare(db, "SELEKT", &s, &error), -EINVAL);
	assert_non_null(strstr(error.text, "syntax error"));
	assert_null(s.statement);
	assert_int_equal(sql_prepare(db, "SELECT 1 ;\n", &s, NULL), 0);
	sql_done(&s);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void values_come_back_in_order(void **state)
{
	struct sqlite3 *db = open_memory();
	struct sql s = { 0 };
	char text[4];
	size_t len;
	(void)state;

	assert_int_equal(sql_prepare(db, "SELECT ?, ?, ?, ?, ?, ?", &s, NULL), 0);
	sql_bind_integer(&s, INT64_MIN);
	sql_bind_unsigned(&s, INT64_MAX);
	sql_bind_text(&s, "abc");
	sql_bind_bytes(&s, "\0\1", 2);
	sql_bind_null(&s);
	sql_bind_text(&s, NULL);
	assert_int_equal(sql_step(&s, NULL), 1);
	assert_int_equal(sql_integer(&s, INT64_MIN, INT64_MAX), INT64_MIN);
	assert_int_equal(sql_unsigned(&s, UINT64_MAX), INT64_MAX);
	sql_text(&s, text, sizeof(text));
	assert_string_equal(text, "abc");
	assert_memory_equal(sql_bytes(&s, &len), "\0\1", 2);
	assert_int_equal(len, 2);
	assert_true(sql_is_null(&s));
	assert_int_equal(sql_unsigned_or(&s, 9, 5), 5);
	sql_text(&s, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(s.error, 0);
	assert_int_equal(sql_step(&s, NULL), 0);
	sql_done(&s);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void a_value_too_large_to_store_fails_the_statement(void **state)
{
	struct sqlite3 *db = open_memory();
	struct error error = { "" };
	struct sql s = { 0 };
	(void)state;

	assert_int_equal(sql_prepare(db, "SELECT ?", &s, NULL), 0);
	sql_bind_unsigned(&s, (uint64_t)INT64_MAX + 1);
	assert_int_equal(sql_step(&s, &error), -ERANGE);
	assert_string_not_equal(error.text, "");
	sql_start(&s);
	sql_bind_unsigned(&s, 1);
	assert_int_equal(sql_step(&s, NULL), 1);
	sql_done(&s);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void columns_of_another_form_are_damage(void **state)
{
	static const char *const texts[] = { "SELECT 'x'", "SELECT NULL", "SELECT 1.5",
		"SELECT x'00'", "SELECT 11", "SELECT -1" };
	struct sqlite3 *db = open_memory();
	char text[4] = "old";
	(void)state;

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
		struct sql s = { 0 };
		assert_int_equal(sql_prepare(db, texts[i], &s, NULL), 0);
		assert_int_equal(sql_step(&s, NULL), 1);
		assert_int_equal(sql_integer(&s, 0, 10), 0);
		assert_int_equal(s.error, -EBADMSG);
		assert_int_equal(sql_step(&s, NULL), -EBADMSG);
		sql_done(&s);
	}
	struct sql s = { 0 };
	assert_int_equal(sql_prepare(db, "SELECT 'abcd'", &s, NULL), 0);
	assert_int_equal(sql_step(&s, NULL), 1);
	sql_text(&s, text, sizeof(text));
	assert_string_equal(text, "");
	assert_int_equal(s.error, -EBADMSG);
	sql_done(&s);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void one_integer_is_one_call(void **state)
{
	struct sqlite3 *db = open_memory();
	struct error error = { "" };
	int64_t value = 77;
	(void)state;

	assert_int_equal(sql_query_integer(db, "PRAGMA foreign_keys", &value, &error), 0);
	assert_int_equal(value, 1);
	assert_int_equal(sql_query_integer(db, "SELECT id FROM t", &value, &error), -EINVAL);
	assert_int_equal(sql_query_integer(db, "SELECT 'x'", &value, &error), -EBADMSG);
	assert_int_equal(value, 1);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(result_codes_become_errno),
		cmocka_unit_test(text_after_the_statement_is_refused),
		cmocka_unit_test(values_come_back_in_order),
		cmocka_unit_test(a_value_too_large_to_store_fails_the_statement),
		cmocka_unit_test(columns_of_another_form_are_damage),
		cmocka_unit_test(one_integer_is_one_call),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
