/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's thread: order, retries while the database is locked, the bounded queue, the end. */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "fixture.h"
#include "test.h"

static struct batch *batch_of(struct fixture *f, int64_t id)
{
	struct batch *batch = batch_new();

	assert_int_equal(batch_add_run(batch, fixture_run(f, id, "nas1", "active-full")), 0);
	batch_set_tag(batch, (uint64_t)id);
	return batch;
}

static struct store_writer_status status_of(struct fixture *f)
{
	struct store_writer_status status;

	store_writer_status(f->writer, &status);
	return status;
}

static bool is_readable(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };

	return poll(&pollfd, 1, 0) == 1;
}

static struct sqlite3 *lock_database(struct fixture *f)
{
	struct sqlite3 *db = fixture_connect(f);

	assert_int_equal(sqlite3_exec(db, "BEGIN EXCLUSIVE", NULL, NULL, NULL), SQLITE_OK);
	return db;
}

static void unlock_database(struct sqlite3 *db)
{
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

/* The back-off is real time: this looks until so many attempts have failed. */
static void wait_for_failures(struct fixture *f, uint64_t failures)
{
	for (int i = 0; status_of(f).failures < failures; i++) {
		assert_in_range(i, 0, 2000);
		(void)poll(NULL, 0, 10);
	}
}

static void take(struct fixture *f, uint64_t tag, int expected)
{
	int error = 1;
	struct batch *batch = fixture_take(f, &error);

	assert_int_equal(batch_tag(batch), tag);
	assert_int_equal(error, expected);
	batch_free(batch);
}

static void batches_come_back_in_order_and_the_event_tells_when(void **state)
{
	struct fixture *f = *state;
	int error;

	fixture_open(f);
	assert_false(is_readable(store_writer_fd(f->writer)));
	assert_null(store_writer_take(f->writer, &error));
	for (int64_t id = 1; id <= 20; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	for (uint64_t id = 1; id <= 20; id++)
		take(f, id, 0);
	assert_false(is_readable(store_writer_fd(f->writer)));
	assert_null(store_writer_take(f->writer, &error));
	struct store_writer_status status = status_of(f);
	assert_int_equal(status.committed, 20);
	assert_int_equal(status.queue_length, 0);
	assert_int_equal(status.failures, 0);
	assert_int_equal(status.lost, 0);
	assert_string_equal(status.error, "");
}

static void the_size_counts_the_log(void **state)
{
	struct fixture *f = *state;
	struct stat st;
	struct stat log_st;
	char log_path[128];

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	(void)snprintf(log_path, sizeof(log_path), "%s-wal", f->path);
	assert_int_equal(stat(f->path, &st), 0);
	assert_int_equal(stat(log_path, &log_st), 0);
	assert_true(log_st.st_size > 0);
	assert_int_equal(status_of(f).database_bytes, st.st_size + log_st.st_size);
}

/* --- The log ------------------------------------------------------------ */

#define LARGE_LOG_BYTES (INT64_C(9) << 20)

static int64_t log_bytes(const struct fixture *f)
{
	struct stat st;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s-wal", f->path);
	assert_int_equal(stat(path, &st), 0);
	return st.st_size;
}

static void tend(struct fixture *f)
{
	static const struct store_retention keep_all = { 0 };
	struct store_writer_status status;

	store_writer_tend(f->writer, &keep_all, FIXTURE_START_USEC);
	do
		status = status_of(f);
	while (status.is_tending);
	assert_string_equal(status.tend_error, "");
}

static void a_log_that_grew_while_somebody_read_is_emptied_when_he_is_done(void **state)
{
	struct fixture *f = *state;
	int64_t id = 1;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, id++, "nas1", "active-full"));
	struct sqlite3 *db = fixture_connect(f);
	assert_int_equal(
		sqlite3_exec(db, "BEGIN; SELECT count(*) FROM run", NULL, NULL, NULL), SQLITE_OK);
	while (log_bytes(f) < LARGE_LOG_BYTES)
		fixture_commit_run(f, fixture_run(f, id++, "nas1", "active-full"));
	tend(f);
	assert_true(log_bytes(f) >= LARGE_LOG_BYTES);
	/* Nor is a run kept from being written. */
	fixture_commit_run(f, fixture_run(f, id++, "nas1", "active-full"));
	assert_int_equal(sqlite3_exec(db, "COMMIT", NULL, NULL, NULL), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	tend(f);
	assert_int_equal(log_bytes(f), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), id - 1);
}

static void a_locked_database_is_waited_for_and_nothing_is_lost(void **state)
{
	struct fixture *f = *state;
	int error;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	struct sqlite3 *db = lock_database(f);
	for (int64_t id = 2; id <= 6; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	wait_for_failures(f, 2);
	struct store_writer_status status = status_of(f);
	assert_int_equal(status.committed, 1);
	assert_int_equal(status.queue_length, 5);
	assert_string_equal(status.error, "history: database is locked");
	assert_true(is_readable(store_writer_fd(f->writer))); /* of the failure */
	assert_null(store_writer_take(f->writer, &error));
	/* Reading goes on. */
	assert_non_null(fixture_reader(f));
	unlock_database(db);
	for (uint64_t id = 2; id <= 6; id++)
		take(f, id, 0);
	status = status_of(f);
	assert_int_equal(status.committed, 6);
	assert_int_equal(status.queue_length, 0);
	assert_int_equal(status.lost, 0);
	assert_string_equal(status.error, "");
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 6);
}

static void a_full_queue_gives_up_the_oldest(void **state)
{
	struct fixture *f = *state;
	struct error error = { "" };

	assert_int_equal(store_writer_open(f->path, 3, &f->writer, &error), 0);
	struct sqlite3 *db = lock_database(f);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 1)), 0);
	wait_for_failures(f, 1);
	/* The first is in the thread's hands now: the queue is empty again. */
	for (int64_t id = 2; id <= 4; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 5)), -ENOBUFS);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 6)), -ENOBUFS);
	take(f, 2, -ENOBUFS);
	take(f, 3, -ENOBUFS);
	assert_int_equal(status_of(f).lost, 2);
	assert_int_equal(status_of(f).queue_length, 4);
	unlock_database(db);
	take(f, 1, 0);
	for (uint64_t id = 4; id <= 6; id++)
		take(f, id, 0);
	assert_int_equal(status_of(f).committed, 4);
}

static void a_batch_that_can_never_be_does_not_stop_those_behind_it(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int i = 0; i < 2; i++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, 1)), 0);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 2)), 0);
	take(f, 1, 0);
	take(f, 1, -EEXIST);
	take(f, 2, 0);
	struct store_writer_status status = status_of(f);
	assert_int_equal(status.committed, 2);
	assert_int_equal(status.failures, 1);
	assert_int_equal(status.lost, 1);
}

/* Two are poison: each other is committed, and told of in its turn. */
static void one_poisoned_batch_does_not_take_its_group_down(void **state)
{
	static const int64_t ids[] = { 2, 1, 3, 1, 4, 5 };
	static const int ends[] = { 0, -EEXIST, 0, -EEXIST, 0, 0 };
	struct fixture *f = *state;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	struct sqlite3 *db = lock_database(f);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, ids[i])), 0);
	wait_for_failures(f, 1);
	unlock_database(db);
	for (size_t i = 0; i < sizeof(ids) / sizeof(ids[0]); i++)
		take(f, (uint64_t)ids[i], ends[i]);
	assert_int_equal(status_of(f).committed, 5);
	assert_int_equal(status_of(f).lost, 2);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 5);
}

/* The last frame of a commit has the size of the database in its header; others have 0. */
static int64_t count_commits(const struct fixture *f)
{
	struct buf log = BUF_INIT(64 << 20);
	char path[128];
	int64_t commits = 0;

	(void)snprintf(path, sizeof(path), "%s-wal", f->path);
	assert_int_equal(fd_read_file(path, &log), 0);
	for (size_t at = 32; at + 24 + 4096 <= log.len; at += 24 + 4096)
		commits += memcmp(log.data + at + 4, "\0\0\0", 4) != 0;
	buf_done(&log);
	return commits;
}

static void a_long_queue_is_committed_in_few_transactions(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	fixture_sql(f, "PRAGMA wal_checkpoint(TRUNCATE)");
	struct sqlite3 *db = lock_database(f);
	for (int64_t id = 1; id <= 60; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	wait_for_failures(f, 1);
	unlock_database(db);
	for (uint64_t id = 1; id <= 60; id++)
		take(f, id, 0);
	assert_in_range(count_commits(f), 1, 4);
	assert_int_equal(status_of(f).committed, 60);
}

static void append_key(void *data, const struct message *message)
{
	struct buf *keys = data;

	buf_printf(keys, "%s ", message->key);
}

static void messages_of_what_waits_can_be_told_early_and_once(void **state)
{
	struct fixture *f = *state;
	struct buf keys = BUF_INIT(1024);

	fixture_open(f);
	struct sqlite3 *db = lock_database(f);
	for (uint64_t i = 1; i <= 3; i++) {
		struct batch *batch = batch_new();
		struct incident_event event = fixture_event(1, (uint32_t)i);
		struct message message = fixture_message(&event);
		assert_int_equal(batch_add_message(batch, &message), 0);
		batch_set_tag(batch, i);
		assert_int_equal(store_writer_submit(f->writer, batch), 0);
	}
	wait_for_failures(f, 1);
	assert_true(store_writer_tell(f->writer, 2, append_key, &keys));
	assert_string_equal(buf_text(&keys), "journal/1/1 journal/1/2 ");
	buf_clear(&keys);
	assert_true(store_writer_tell(f->writer, 2, append_key, &keys));
	assert_string_equal(buf_text(&keys), "");
	assert_false(store_writer_tell(f->writer, 3, append_key, &keys));
	assert_string_equal(buf_text(&keys), "journal/1/3 ");
	/* The mark of the delivery waits behind what it marks. */
	struct batch *mark = batch_new();
	assert_int_equal(batch_add_delivery(mark, "journal/1/2", 77), 0);
	assert_int_equal(store_writer_submit(f->writer, mark), 0);
	unlock_database(db);
	for (uint64_t i = 1; i <= 3; i++) {
		int error;
		struct batch *batch = fixture_take(f, &error);
		assert_int_equal(error, 0);
		assert_true(batch_is_told(batch));
		batch_free(batch);
	}
	take(f, 0, 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT sum(delivered_usec) FROM outbox"), 77);
	buf_done(&keys);
}

/* Overwrites all but the first pages, as a disk that lost its mind would, behind SQLite's back. */
static void damage(const struct fixture *f)
{
	char bytes[4096];
	struct stat st;
	int fd = open(f->path, O_WRONLY | O_CLOEXEC);

	memset(bytes, 0xa5, sizeof(bytes));
	assert_int_equal(fstat(fd, &st), 0);
	for (off_t at = 8192; at < st.st_size; at += (off_t)sizeof(bytes))
		assert_int_equal(pwrite(fd, bytes, sizeof(bytes), at), sizeof(bytes));
	fd_close(fd);
}

static void damage_found_while_running_is_kept_aside_and_the_batch_is_written(void **state)
{
	struct fixture *f = *state;
	struct store_writer_status status;
	char kept[128];

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	fixture_close(f);
	damage(f); /* of what is read only when it is needed */
	fixture_open(f);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 2)), 0);
	take(f, 2, 0);
	status = status_of(f);
	assert_int_equal(status.lost, 0);
	assert_int_equal(status.notices, 1);
	assert_int_equal(
		fixture_find(f, "history.db.corrupt-????????T??????Z", kept, sizeof(kept)), 1);
	assert_non_null(strstr(status.notice, kept));
	assert_string_equal(status.error, "");
	assert_int_equal(fixture_find(f, "history.db.corrupt-*-wal", kept, sizeof(kept)), 1);
	assert_int_equal(fixture_sql_integer(f, "SELECT group_concat(id) FROM run"), 2);
}

static void a_database_that_is_locked_at_the_start_is_opened_when_it_can_be(void **state)
{
	struct fixture *f = *state;
	struct error error = { "" };

	fixture_open(f);
	fixture_close(f);
	fixture_sql(f, "PRAGMA journal_mode = DELETE");
	struct sqlite3 *db = lock_database(f);
	assert_int_equal(store_writer_open(f->path, 4, &f->writer, &error), 0);
	assert_int_equal(store_writer_opened(f->writer, &error), -EINPROGRESS);
	assert_non_null(strstr(error.text, "locked"));
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 1)), 0);
	unlock_database(db);
	struct pollfd changed = { .fd = store_writer_fd(f->writer), .events = POLLIN };
	assert_int_equal(poll(&changed, 1, 20000), 1);
	for (int i = 0; store_writer_opened(f->writer, &error) < 0; i++) {
		assert_in_range(i, 0, 2000);
		(void)poll(NULL, 0, 10);
	}
	for (int i = 0; status_of(f).committed < 1; i++) {
		assert_in_range(i, 0, 2000);
		(void)poll(NULL, 0, 10);
	}
	take(f, 1, 0);
}

static void a_table_that_is_gone_fails_the_batch_with_a_sentence(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	fixture_sql(f, "DROP VIEW runs_v; DROP TABLE run_operation");
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 1)), 0);
	take(f, 1, -EINVAL);
	assert_string_equal(status_of(f).error, "history: no such table: run_operation");
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 0);
}

static void closing_writes_what_waits(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t id = 1; id <= 30; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	assert_int_equal(store_writer_close(f->writer, UINT64_MAX), 0);
	f->writer = NULL;
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 30);
}

static void closing_keeps_the_log_file(void **state)
{
	struct fixture *f = *state;
	char path[128];

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	fixture_close(f);
	(void)snprintf(path, sizeof(path), "%s-wal", f->path);
	assert_int_equal(access(path, F_OK), 0);
	(void)snprintf(path, sizeof(path), "%s-shm", f->path);
	assert_int_equal(access(path, F_OK), 0);
}

static void closing_a_locked_database_ends_in_time_and_tells_how_many(void **state)
{
	struct fixture *f = *state;
	struct clock clock = clock_system();

	fixture_open(f);
	struct sqlite3 *db = lock_database(f);
	for (int64_t id = 1; id <= 3; id++)
		assert_int_equal(store_writer_submit(f->writer, batch_of(f, id)), 0);
	wait_for_failures(f, 3); /* by now it waits 800 ms */
	uint64_t began = clock_monotonic_nsec(&clock);
	assert_int_equal(store_writer_close(f->writer, 200 * NSEC_PER_MSEC), 3);
	f->writer = NULL;
	assert_in_range(
		clock_monotonic_nsec(&clock) - began, 100 * NSEC_PER_MSEC, 2 * NSEC_PER_SEC);
	unlock_database(db);
	/* It is really gone: another may write. */
	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 9, "nas1", "active-full"));
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
}

static void closing_hurries_an_attempt_that_can_succeed_now(void **state)
{
	struct fixture *f = *state;
	struct clock clock = clock_system();

	fixture_open(f);
	struct sqlite3 *db = lock_database(f);
	assert_int_equal(store_writer_submit(f->writer, batch_of(f, 1)), 0);
	wait_for_failures(f, 5); /* by now it waits 1.6 s */
	unlock_database(db);
	uint64_t began = clock_monotonic_nsec(&clock);
	assert_int_equal(store_writer_close(f->writer, 20 * NSEC_PER_SEC), 0);
	f->writer = NULL;
	assert_true(clock_monotonic_nsec(&clock) - began < 1400 * NSEC_PER_MSEC);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM run"), 1);
}

static void closing_nothing_is_nothing(void **state)
{
	(void)state;
	assert_int_equal(store_writer_close(NULL, 0), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(batches_come_back_in_order_and_the_event_tells_when),
		TEST(the_size_counts_the_log),
		TEST(a_log_that_grew_while_somebody_read_is_emptied_when_he_is_done),
		TEST(a_locked_database_is_waited_for_and_nothing_is_lost),
		TEST(a_full_queue_gives_up_the_oldest),
		TEST(a_batch_that_can_never_be_does_not_stop_those_behind_it),
		TEST(one_poisoned_batch_does_not_take_its_group_down),
		TEST(a_long_queue_is_committed_in_few_transactions),
		TEST(messages_of_what_waits_can_be_told_early_and_once),
		TEST(damage_found_while_running_is_kept_aside_and_the_batch_is_written),
		TEST(a_database_that_is_locked_at_the_start_is_opened_when_it_can_be),
		TEST(a_table_that_is_gone_fails_the_batch_with_a_sentence),
		TEST(closing_writes_what_waits),
		TEST(closing_keeps_the_log_file),
		TEST(closing_a_locked_database_ends_in_time_and_tells_how_many),
		TEST(closing_hurries_an_attempt_that_can_succeed_now),
		cmocka_unit_test(closing_nothing_is_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
