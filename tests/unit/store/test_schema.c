/* SPDX-License-Identifier: Apache-2.0 */
/* What is opened and what is refused, and what a new database looks like. */
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "fixture.h"
#include "test.h"

static int try_writer(struct fixture *f, struct error *error)
{
	struct store_writer *writer = NULL;

	error->text[0] = '\0';
	int r = store_writer_open(f->path, 4, &writer, error);
	if (r == 0)
		assert_int_equal(store_writer_close(writer, UINT64_MAX), 0);
	return r;
}

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

static void a_new_database_is_ours_and_for_the_group_to_read(void **state)
{
	struct fixture *f = *state;
	struct stat st;

	mode_t mask = umask(0);
	fixture_open(f);
	umask(mask);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(st.st_mode & 07777, 0640);
	assert_text(f, "PRAGMA journal_mode", "wal");
	assert_int_equal(fixture_sql_integer(f, "PRAGMA application_id"), SCHEMA_APPLICATION_ID);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA user_version"), schema_migrations.newest);
	assert_int_equal(fixture_sql_integer(f, "PRAGMA auto_vacuum"), 2);
	assert_text(f, "SELECT value FROM meta WHERE key = 'migration 1'", PACKAGE_STRING);
	assert_int_equal(fixture_sql_integer(f,
				 "SELECT count(*) FROM pragma_table_list WHERE type = 'table'"
				 " AND name NOT LIKE 'sqlite%' AND NOT strict"),
		0);
	assert_text(f,
		"SELECT group_concat(name, ' ') FROM (SELECT name FROM sqlite_schema"
		" WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite%' ORDER BY name)",
		"baseline budget day day_due day_operation days_v first_identity hour "
		"hour_due hour_operation hours_v identity incident incident_event incidents_v meta mute "
		"outbox run run_operation runs_v series series_v target workload");
}

static void a_database_is_migrated_once(void **state)
{
	struct fixture *f = *state;
	struct error error;

	assert_int_equal(try_writer(f, &error), 0);
	fixture_sql(f, "UPDATE meta SET value = 'by hand'");
	assert_int_equal(try_writer(f, &error), 0);
	assert_text(f, "SELECT group_concat(DISTINCT value) FROM meta", "by hand");
}

static void an_empty_file_becomes_a_database(void **state)
{
	struct fixture *f = *state;
	struct error error;

	fd_close(open(f->path, O_CREAT | O_WRONLY | O_CLOEXEC, 0600));
	assert_int_equal(try_reader(f, &error), -ENOENT);
	assert_non_null(strstr(error.text, "there is no history yet"));
	assert_int_equal(try_writer(f, &error), 0);
	assert_int_equal(try_reader(f, &error), 0);
}

static void a_reader_finds_nothing_where_nothing_is(void **state)
{
	struct fixture *f = *state;
	struct error error;

	assert_int_equal(try_reader(f, &error), -ENOENT);
	assert_non_null(strstr(error.text, f->path));
	assert_non_null(strstr(error.text, "there is no history yet"));
	assert_int_equal(access(f->path, F_OK), -1);
}

static void a_directory_that_is_not_there_is_named(void **state)
{
	struct store_writer *writer = NULL;
	struct error error = { "" };
	(void)state;

	assert_int_equal(store_writer_open("/nonexistent/history.db", 4, &writer, &error), -ENOENT);
	assert_string_equal(error.text, "/nonexistent/history.db.lock: No such file or directory");
}

static void two_writers_at_a_time_are_one_too_many(void **state)
{
	struct fixture *f = *state;
	char expected[256];
	struct error error;

	fixture_open(f);
	assert_int_equal(try_writer(f, &error), -EBUSY);
	(void)snprintf(expected, sizeof(expected), "another repoprobed is using %s", f->path);
	assert_string_equal(error.text, expected);
	fixture_close(f);
	assert_int_equal(try_writer(f, &error), 0);
}

static void read_bytes(const char *path, struct buf *b)
{
	buf_clear(b);
	assert_int_equal(fd_read_file(path, b), 0);
}

/* Opening does not change a byte of the file or its log. r is what a writer and a reader answer. */
static void assert_untouched(struct fixture *f, int r, const char *words)
{
	struct buf before = BUF_INIT(1 << 20);
	struct buf log_before = BUF_INIT(1 << 20);
	struct buf after = BUF_INIT(1 << 20);
	struct error error;
	char log_path[128];
	bool has_log;

	(void)snprintf(log_path, sizeof(log_path), "%s-wal", f->path);
	read_bytes(f->path, &before);
	has_log = fd_read_file(log_path, &log_before) == 0;
	assert_int_equal(try_reader(f, &error), r);
	assert_non_null(strstr(error.text, words));
	assert_non_null(strstr(error.text, f->path));
	int writer_r = r == -EPROTO ? 0 : r; /* records beside it */
	assert_int_equal(try_writer(f, &error), writer_r);
	if (writer_r < 0) {
		assert_non_null(strstr(error.text, words));
		assert_non_null(strstr(error.text, f->path));
		assert_int_equal(try_reader(f, &error), r);
	}
	read_bytes(f->path, &after);
	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.data, before.data, before.len);
	if (has_log && log_before.len > 0) {
		read_bytes(log_path, &after);
		assert_int_equal(after.len, log_before.len);
		assert_memory_equal(after.data, log_before.data, log_before.len);
	}
	buf_done(&before);
	buf_done(&log_before);
	buf_done(&after);
}

static void set_version(struct fixture *f, int version)
{
	char text[64];

	(void)snprintf(text, sizeof(text), "PRAGMA user_version = %d", version);
	fixture_sql(f, text);
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

static void a_newer_database_is_not_touched_and_recorded_beside(void **state)
{
	struct store_writer_status status;
	struct fixture *f = *state;
	struct error error;
	char older[128];

	assert_int_equal(try_writer(f, &error), 0);
	set_version(f, schema_migrations.newest + 1);
	assert_untouched(f, -EPROTO, "made by a newer repoprobe (schema ");
	(void)snprintf(
		older, sizeof(older), "%s/history-%d.db", f->directory, schema_migrations.newest);
	assert_int_equal(access(older, F_OK), 0);
	for (int i = 1; i <= 2; i++) { /* the second time it is there already */
		fixture_open(f);
		store_writer_status(f->writer, &status);
		assert_int_equal(status.notices, 1);
		assert_non_null(strstr(status.notice, "made by a newer repoprobe"));
		assert_non_null(strstr(status.notice, older));
		fixture_commit_run(f, fixture_run(f, i, "nas1", "active-full"));
		assert_int_equal(count_runs(f), i);
		fixture_close(f);
	}
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 0);
}

/* As a newer daemon that was killed would leave it: what it wrote last is in the log alone. */
static void the_log_of_a_newer_database_is_not_touched(void **state)
{
	struct fixture *f = *state;
	struct error error;
	struct stat st;
	char log_path[128];
	int status;

	assert_int_equal(try_writer(f, &error), 0);
	int64_t rows = fixture_sql_integer(f, "SELECT count(*) FROM meta");
	pid_t child = fork();
	if (child == 0) {
		set_version(f, schema_migrations.newest + 1);
		struct sqlite3 *db = fixture_connect(f);
		int code = sqlite3_exec(db, "INSERT INTO meta VALUES ('a', 'b')", NULL, NULL, NULL);
		_exit(code);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
	(void)snprintf(log_path, sizeof(log_path), "%s-wal", f->path);
	assert_int_equal(stat(log_path, &st), 0);
	assert_true(st.st_size > 0);
	assert_untouched(f, -EPROTO, "made by a newer repoprobe");
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM meta"), rows + 1);
}

static void a_database_of_another_program_is_not_touched(void **state)
{
	struct fixture *f = *state;

	fixture_sql(f, "CREATE TABLE theirs (x)");
	assert_untouched(f, -EINVAL, "it is not a repoprobe database");
	fixture_sql(f, "PRAGMA application_id = 77; PRAGMA user_version = 1");
	assert_untouched(f, -EINVAL, "it is not a repoprobe database");
}

/* What was at the path is kept to the byte as history.db.KIND-TIME, and a new database records. */
static void assert_kept_aside(struct fixture *f, const char *kind)
{
	struct buf before = BUF_INIT(1 << 20);
	struct buf after = BUF_INIT(1 << 20);
	struct store_writer_status status;
	char pattern[64];
	char kept[128];

	read_bytes(f->path, &before);
	fixture_open(f);
	(void)snprintf(pattern, sizeof(pattern), "history.db.%s-????????T??????Z", kind);
	assert_int_equal(fixture_find(f, pattern, kept, sizeof(kept)), 1);
	store_writer_status(f->writer, &status);
	assert_int_equal(status.notices, 1);
	assert_non_null(strstr(status.notice, kept));
	read_bytes(kept, &after);
	assert_int_equal(after.len, before.len);
	assert_memory_equal(after.data, before.data, before.len);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	assert_int_equal(count_runs(f), 1);
	fixture_close(f);
	assert_int_equal(unlink(kept), 0);
	buf_done(&before);
	buf_done(&after);
}

static void what_is_no_database_is_kept_aside(void **state)
{
	struct fixture *f = *state;
	struct error error;
	char bytes[8192];

	memset(bytes, 'x', sizeof(bytes));
	assert_int_equal(fd_replace_file(f->path, 0640, bytes, sizeof(bytes)), 0);
	assert_int_equal(try_reader(f, &error), -EUCLEAN);
	assert_non_null(strstr(error.text, "file is not a database"));
	assert_kept_aside(f, "corrupt");
	assert_int_equal(fd_replace_file(f->path, 0640, "hello\n", 6), 0);
	assert_kept_aside(f, "corrupt");
}

static void remove_database(const struct fixture *f)
{
	static const char *const suffixes[] = { "", "-wal", "-shm" };
	char path[128];

	for (size_t i = 0; i < sizeof(suffixes) / sizeof(suffixes[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", f->path, suffixes[i]);
		assert_int_equal(unlink(path), 0);
	}
}

static void a_trial_database_is_kept_aside_whatever_its_version(void **state)
{
	static const int versions[] = { 1, 7, 8 };
	struct store_writer_status status;
	struct fixture *f = *state;
	struct error error;
	char text[128];

	for (size_t i = 0; i < sizeof(versions) / sizeof(versions[0]); i++) {
		(void)snprintf(text, sizeof(text),
			"CREATE TABLE trial (x); PRAGMA application_id = %d; PRAGMA user_version = %d",
			SCHEMA_TRIAL_APPLICATION_ID, versions[i]);
		fixture_sql(f, text);
		assert_int_equal(try_reader(f, &error), -EPROTONOSUPPORT);
		assert_non_null(
			strstr(error.text, "a development version before the first release"));
		assert_kept_aside(f, "trial");
		fixture_open(f); /* the new one is ours, and nothing is said any more */
		store_writer_status(f->writer, &status);
		assert_int_equal(status.notices, 0);
		fixture_close(f);
		remove_database(f);
	}
}

/* As a killed daemon leaves it: what was written last is in the log alone. */
static void the_log_of_a_trial_database_is_kept_with_it(void **state)
{
	struct store_writer_status status;
	struct fixture *f = *state;
	struct fixture kept = { 0 };
	int child_status;

	pid_t child = fork();
	if (child == 0) {
		struct sqlite3 *db = fixture_connect(f);
		_exit(sqlite3_exec(db,
			"PRAGMA journal_mode = WAL; CREATE TABLE trial (x);"
			"INSERT INTO trial VALUES (77); PRAGMA user_version = 7;"
			"PRAGMA application_id = 1919971938",
			NULL, NULL, NULL));
	}
	assert_int_equal(waitpid(child, &child_status, 0), child);
	assert_int_equal(child_status, 0);
	fixture_open(f);
	store_writer_status(f->writer, &status);
	assert_non_null(strstr(status.notice, "a development version before the first release"));
	fixture_close(f);
	assert_int_equal(
		fixture_find(f, "*.trial-????????T??????Z-wal", kept.path, sizeof(kept.path)), 1);
	assert_int_equal(
		fixture_find(f, "*.trial-????????T??????Z", kept.path, sizeof(kept.path)), 1);
	assert_int_equal(fixture_sql_integer(&kept, "SELECT x FROM trial"), 77);
}

static void a_database_without_our_tables_is_left_alone(void **state)
{
	struct fixture *f = *state;
	struct error error;
	char kept[128];

	assert_int_equal(try_writer(f, &error), 0);
	fixture_sql(f, "DROP VIEW runs_v; DROP TABLE run_operation; PRAGMA wal_checkpoint");
	assert_int_equal(try_writer(f, &error), -EINVAL);
	assert_non_null(strstr(error.text, "it lacks a table or column that repoprobe needs"));
	assert_int_equal(fixture_find(f, "*corrupt*", kept, sizeof(kept)), 0);
}

/* --- The views --- */

static void assert_run_column(
	struct fixture *f, int64_t id, const char *column, const char *expected)
{
	char query[128];

	(void)snprintf(query, sizeof(query), "SELECT %s FROM runs_v WHERE id = %lld", column,
		(long long)id);
	assert_text(f, query, expected);
}

static void runs_v_calls_every_status_by_its_name(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int i = 0; i < RUN_STATUSES; i++) {
		struct run *run = fixture_run(f, i + 1, "nas1", "active-full");
		run->status = (enum run_status)i;
		fixture_commit_run(f, run);
		assert_run_column(f, i + 1, "status", run_status_name((enum run_status)i));
	}
}

static void runs_v_calls_every_skip_reason_and_engine_by_its_name(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int i = 0; i < RUN_SKIPS; i++) {
		struct run *run = fixture_run(f, i + 1, "nas1", "active-full");
		run->skip = (enum run_skip)i;
		run->engine = (enum workload_engine)(i % (WORKLOAD_ENGINE_THREADS + 1));
		fixture_commit_run(f, run);
		assert_run_column(f, i + 1, "skip_reason", run_skip_name((enum run_skip)i));
		assert_run_column(f, i + 1, "engine",
			run_engine_name((enum workload_engine)(i % (WORKLOAD_ENGINE_THREADS + 1))));
	}
}

static void runs_v_spells_out_every_trust_flag(void **state)
{
	struct fixture *f = *state;
	struct buf all = BUF_INIT(256);

	fixture_open(f);
	for (unsigned i = 0; i < RUN_TRUST_FLAGS; i++) {
		struct run *run = fixture_run(f, i + 1, "nas1", "active-full");
		run->trust = 1U << i;
		fixture_commit_run(f, run);
		assert_run_column(f, i + 1, "trust", run_trust_name(i));
		buf_printf(&all, "%s%s", i > 0 ? "," : "", run_trust_name(i));
	}
	struct run *run = fixture_run(f, 100, "nas1", "active-full");
	run->trust = (1U << RUN_TRUST_FLAGS) - 1;
	fixture_commit_run(f, run);
	assert_run_column(f, 100, "trust", buf_text(&all));
	run = fixture_run(f, 101, "nas1", "active-full");
	run->trust = 0;
	fixture_commit_run(f, run);
	assert_run_column(f, 101, "trust", "");
	buf_done(&all);
}

static void runs_v_shows_numbers_in_units_for_people(void **state)
{
	struct fixture *f = *state;
	struct run *run = fixture_run(f, 1, "nas1", "probe");

	memset(run->operations, 0, sizeof(run->operations));
	run->started_usec = FIXTURE_START_USEC;
	run->start_delay_usec = 1500;
	run->duration_nsec = 2123456789;
	run->measured_nsec = 2000000000;
	run->operations[RUN_READ].ios = 4;
	run->operations[RUN_READ].bytes = 4 << 20;
	for (uint64_t i = 1; i <= 4; i++)
		histogram_add(&run->operations[RUN_READ].latency, i * 1000000);
	fixture_open(f);
	fixture_commit_run(f, run);
	assert_run_column(f, 1, "started", "2026-09-21T14:13:20.123456Z");
	assert_run_column(f, 1, "repository", "nas1");
	assert_run_column(f, 1, "probe", "probe");
	assert_run_column(f, 1, "start_delay_ms", "1.5");
	assert_run_column(f, 1, "duration_ms", "2123.457");
	assert_run_column(f, 1, "read_ios", "4");
	assert_run_column(f, 1, "read_mib_per_s", "2.0");
	assert_run_column(f, 1, "read_iops", "2.0");
	assert_run_column(f, 1, "read_avg_ms", "2.5");
	assert_run_column(f, 1, "read_min_ms", "1.0");
	assert_run_column(f, 1, "read_max_ms", "4.0");
	assert_run_column(f, 1, "fs_type", "ext4");
	assert_run_column(f, 1, "fs_size_bytes", "8001563222016");
	assert_run_column(f, 1, "file_size_bytes", "1073741824");
	assert_run_column(f, 1, "write_ios IS NULL AND write_avg_ms IS NULL", "1");
	assert_run_column(f, 1, "workload ->> 'block_size'", "512K");
}

static void incidents_v_tells_of_the_newest_event_by_names(void **state)
{
	static const char *const changes[] = { "opened", "worse", "cleared" };
	static const char query[] =
		"SELECT id || ' ' || repository || ' ' || state || ' ' || level || ' ' || opened"
		" || ' ' || coalesce(closed, '-') || ' ' || coalesce(duration_seconds, '-')"
		" || ' ' || events || ' ' || last_change || ' ' || reason || ' ' || probe || ' '"
		" || operation || ' ' || value_ms || ' ' || limit_ms || ' ' || hits || '/'"
		" || window_runs FROM incidents_v";
	struct fixture *f = *state;

	fixture_open(f);
	for (uint32_t i = 0; i < 3; i++) {
		struct batch *batch = batch_new();
		struct incident_event event = fixture_event(5, i);
		char expected[256];

		event.change = (enum incident_change)i;
		assert_string_equal(incident_change_name(event.change), changes[i]);
		assert_int_equal(batch_add_event(batch, &event), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
		(void)snprintf(expected, sizeof(expected),
			"5 nas1 %s %s 2026-09-21T14:13:20.123456Z %s %s %u %s %s active-full %s "
			"23.9 15.0 2/3",
			i < 2 ? "open" : "closed",
			alarm_level_name(i == 0 ? ALARM_WARNING : ALARM_CRITICAL),
			i < 2 ? "-" : "2026-09-21T14:13:22.123456Z", i < 2 ? "-" : "2.0", i + 1,
			changes[i], alarm_reason_name(ALARM_REASON_LIMIT),
			run_operation_name(RUN_WRITE));
		assert_text(f, query, expected);
	}
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_new_database_is_ours_and_for_the_group_to_read),
		TEST(a_database_is_migrated_once),
		TEST(an_empty_file_becomes_a_database),
		TEST(a_reader_finds_nothing_where_nothing_is),
		TEST(a_directory_that_is_not_there_is_named),
		TEST(two_writers_at_a_time_are_one_too_many),
		TEST(a_newer_database_is_not_touched_and_recorded_beside),
		TEST(the_log_of_a_newer_database_is_not_touched),
		TEST(a_database_of_another_program_is_not_touched),
		TEST(what_is_no_database_is_kept_aside),
		TEST(a_database_without_our_tables_is_left_alone),
		TEST(a_trial_database_is_kept_aside_whatever_its_version),
		TEST(the_log_of_a_trial_database_is_kept_with_it),
		TEST(runs_v_calls_every_status_by_its_name),
		TEST(runs_v_calls_every_skip_reason_and_engine_by_its_name),
		TEST(runs_v_spells_out_every_trust_flag),
		TEST(runs_v_shows_numbers_in_units_for_people),
		TEST(incidents_v_tells_of_the_newest_event_by_names),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
