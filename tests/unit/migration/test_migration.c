/* SPDX-License-Identifier: Apache-2.0 */
/* From one version of the schema to the next, by a migration that only this test has. */
#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/fd.h"
#include "store/fixture.h"
#include "store/schema.h"
#include "test.h"

static int try_reader(struct fixture *f, struct error *error)
{
	struct store_reader *reader = NULL;

	error->text[0] = '\0';
	int r = store_reader_open(f->path, &reader, error);
	store_reader_close(reader);
	return r;
}

static void assert_text(const struct fixture *f, const char *query, const char *expected)
{
	char *answer = fixture_sql_text(f, query);

	assert_non_null(answer);
	assert_string_equal(answer, expected);
	free(answer);
}

/* A database of the first version with one run. */
static void make_old(struct fixture *f)
{
	static const char rows[] =
		"INSERT INTO target (id, name) VALUES (1, 'nas1');"
		"INSERT INTO series (id, target, probe, key) VALUES (1, 1, 'active-full', 'k');"
		"INSERT INTO run (id, series, started_usec, status, skip, error_number, reason,"
		" trust, engine, start_delay_usec, duration_nsec, setup_nsec, measured_nsec,"
		" cpu_user_nsec, cpu_system_nsec, outstanding_ios, layout_bytes, file_bytes,"
		" free_bytes) VALUES (1, 1, 1790000000123456, 1, 0, 5, 'x', 0, 0, 0, 1, 0, 0, 0,"
		" 0, 0, 0, 0, 0)";
	struct error error = { "" };
	struct sqlite3 *db = fixture_connect(f);

	assert_int_equal(schema_migrate(db, 0, 1, &error), 0);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	fixture_sql(f, rows);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 1);
}

static int count_run(void *data, const struct run *run)
{
	int *count = data;

	(void)run;
	(*count)++;
	return 0;
}

static int count_runs(struct fixture *f)
{
	const struct store_run_filter filter = { 0 };
	int count = 0;

	assert_int_equal(store_read_runs(fixture_reader(f), &filter, count_run, &count, NULL), 0);
	f->reader = store_reader_close(f->reader);
	return count;
}

/* As the daemon reads the limits that probing begins with. */
static void an_older_database_can_be_read_before_the_migration(void **state)
{
	struct store_reader *reader = NULL;
	struct fixture *f = *state;
	struct store_next_ids ids;
	struct error error;

	make_old(f);
	assert_int_equal(try_reader(f, &error), -EPROTO);
	assert_non_null(strstr(error.text, "made by an older repoprobe (schema 1, "));
	assert_int_equal(store_reader_open_older(f->path, &reader, &error), 0);
	assert_int_equal(store_read_next_ids(reader, &ids, &error), 0);
	assert_int_equal(ids.run_id, 2);
	store_reader_close(reader);
}

static void an_older_database_is_migrated_after_a_copy(void **state)
{
	struct fixture *f = *state;
	char copy[128];
	struct stat st;

	make_old(f);
	fixture_open(f);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 2);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM later"), 0);
	assert_text(f, "SELECT value FROM meta WHERE key = 'migration 2'", PACKAGE_STRING);
	assert_int_equal(count_runs(f), 1);
	fixture_commit_run(f, fixture_run(f, 2, "nas1", "active-full"));
	assert_int_equal(count_runs(f), 2);
	fixture_close(f);
	assert_int_equal(fixture_find(f, "*.part", copy, sizeof(copy)), 0);
	assert_int_equal(fixture_find(f, "history.db.schema-1", copy, sizeof(copy)), 1);
	assert_int_equal(stat(copy, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	/* The copy is whole: it can replace what came of it. */
	assert_int_equal(rename(copy, f->path), 0);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 1);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
	assert_text(f, "PRAGMA integrity_check", "ok");
}

/* A start that was cut short leaves a part of a copy, or a copy that nothing was done after. */
static void a_migration_that_was_cut_short_is_made_again(void **state)
{
	struct fixture *f = *state;
	char path[128];
	char copy[128];

	make_old(f);
	(void)snprintf(path, sizeof(path), "%s.schema-1.part", f->path);
	assert_int_equal(fd_replace_file(path, 0640, "part", 4), 0);
	(void)snprintf(path, sizeof(path), "%s.schema-1", f->path);
	assert_int_equal(fd_replace_file(path, 0640, "earlier", 7), 0);
	fixture_open(f);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 2);
	assert_int_equal(count_runs(f), 1);
	fixture_close(f);
	assert_int_equal(fixture_find(f, "*.part", copy, sizeof(copy)), 0);
	assert_int_equal(rename(path, f->path), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
}

static void a_database_is_migrated_once(void **state)
{
	struct fixture *f = *state;

	make_old(f);
	fixture_open(f);
	fixture_close(f);
	fixture_sql(f, "UPDATE meta SET value = 'by hand'");
	fixture_open(f);
	fixture_close(f);
	assert_text(f, "SELECT group_concat(DISTINCT value) FROM meta", "by hand");
}

static void a_new_database_takes_every_migration_without_a_copy(void **state)
{
	struct fixture *f = *state;
	char copy[128];

	fixture_open(f);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 2);
	assert_int_equal(
		fixture_sql_integer(
			f, "SELECT count(*) FROM meta WHERE key IN ('migration 1', 'migration 2')"),
		2);
	assert_int_equal(fixture_find(f, "history.db.schema-*", copy, sizeof(copy)), 0);
}

static void a_migration_that_fails_leaves_nothing_behind(void **state)
{
	struct fixture *f = *state;
	struct error error = { "" };

	make_old(f);
	/* Its second statement cannot be done. */
	fixture_sql(f, "ALTER TABLE run ADD COLUMN later INTEGER");
	struct sqlite3 *db = fixture_connect(f);
	assert_int_equal(schema_migrate(db, 1, 2, &error), -EINVAL);
	assert_non_null(strstr(error.text, "duplicate column name: later"));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM sqlite_schema WHERE name = 'later'"),
		0);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), 1);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_older_database_can_be_read_before_the_migration),
		TEST(an_older_database_is_migrated_after_a_copy),
		TEST(a_migration_that_was_cut_short_is_made_again),
		TEST(a_database_is_migrated_once),
		TEST(a_new_database_takes_every_migration_without_a_copy),
		TEST(a_migration_that_fails_leaves_nothing_behind),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
