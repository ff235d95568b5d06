/* SPDX-License-Identifier: Apache-2.0 */
/* Who may read and when, how reading is stopped, and which ids are free. */
#include <errno.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "fixture.h"
#include "store/reader.h"
#include "test.h"

static int count_run(void *data, const struct run *run)
{
	size_t *count = data;

	(void)run;
	(*count)++;
	return 0;
}

static int interrupt(void *data, const struct run *run)
{
	(void)run;
	store_reader_interrupt(data);
	return 0;
}

static int stop(void *data, const struct run *run)
{
	(void)run;
	reader_stop(data);
	return 0;
}

static void write_runs(struct fixture *f, int64_t count)
{
	fixture_open(f);
	for (int64_t id = 1; id <= count; id++)
		fixture_commit_run(f, fixture_run(f, id, "nas1", "active-full"));
}

static void an_interrupt_ends_what_runs_and_no_more(void **state)
{
	static const struct store_run_filter all = { 0 };
	struct fixture *f = *state;
	struct error error = { "" };
	size_t count = 0;

	write_runs(f, 3);
	struct store_reader *reader = fixture_reader(f);
	assert_int_equal(store_read_runs(reader, &all, interrupt, reader, &error), -EINTR);
	assert_non_null(strstr(error.text, "interrupted"));
	assert_int_equal(store_read_runs(reader, &all, count_run, &count, NULL), 0);
	assert_int_equal(count, 3);
}

static void a_stop_ends_all_that_is_asked_later(void **state)
{
	static const struct store_run_filter all = { 0 };
	struct fixture *f = *state;
	size_t count = 0;

	write_runs(f, 3);
	struct store_reader *reader = fixture_reader(f);
	assert_int_equal(store_read_runs(reader, &all, stop, reader, NULL), -EINTR);
	assert_int_equal(store_read_runs(reader, &all, count_run, &count, NULL), -EINTR);
	assert_int_equal(count, 0);
}

static void free_ids_follow_the_highest(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct store_next_ids ids;
	struct error error = { "" };
	struct incident_event event = fixture_event(70, 0);

	fixture_open(f);
	assert_int_equal(store_read_next_ids(fixture_reader(f), &ids, NULL), 0);
	assert_int_equal(ids.run_id, 1);
	assert_int_equal(ids.incident_id, 1);
	fixture_commit_run(f, fixture_run(f, 500, "nas1", "active-full"));
	fixture_commit_run(f, fixture_run(f, 400, "nas1", "active-full"));
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(store_read_next_ids(fixture_reader(f), &ids, NULL), 0);
	assert_int_equal(ids.run_id, 501);
	assert_int_equal(ids.incident_id, 71);
	fixture_sql(f,
		"UPDATE incident_event SET incident = 9223372036854775807;"
		"UPDATE incident SET id = 9223372036854775807");
	/* One that no number of ours can follow is none of ours. */
	assert_int_equal(store_read_next_ids(fixture_reader(f), &ids, &error), 0);
	assert_int_equal(ids.run_id, 501);
	assert_int_equal(ids.incident_id, 1);
}

#define MEMBER_UID 12345
#define MEMBER_GID 12346

/* Exit code 0 when run 1 can be read by one who is in the group and nothing else. */
static int read_as_member(const struct fixture *f)
{
	const struct store_run_filter filter = { .id = 1 };
	struct store_reader *reader = NULL;
	size_t count = 0;
	struct error error = { "" };

	if (setgroups(0, NULL) < 0 || setgid(MEMBER_GID) < 0 || setuid(MEMBER_UID) < 0)
		return 2;
	int r = store_reader_open(f->path, &reader, &error);
	if (r == 0)
		r = store_read_runs(reader, &filter, count_run, &count, &error);
	if (r < 0)
		(void)fprintf(stderr, "%d: %s\n", r, error.text);
	store_reader_close(reader);
	return r == 0 && count == 1 ? 0 : 1;
}

static void give_to_group(const struct fixture *f)
{
	static const char *const names[] = { "", "-wal", "-shm", ".lock" };
	char path[128];

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", f->path, names[i]);
		assert_int_equal(chown(path, 0, MEMBER_GID), 0);
	}
	assert_int_equal(chown(f->directory, 0, MEMBER_GID), 0);
	assert_int_equal(chmod(f->directory, 0750), 0);
}

static void assert_member_can_read(const struct fixture *f)
{
	int status;
	pid_t child = fork();

	if (child == 0)
		_exit(read_as_member(f));
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_int_equal(status, 0);
}

static void a_member_of_the_group_reads_with_and_without_the_daemon(void **state)
{
	struct fixture *f = *state;

	if (geteuid() != 0)
		skip();
	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	give_to_group(f);
	assert_member_can_read(f);
	fixture_close(f);
	assert_member_can_read(f);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_interrupt_ends_what_runs_and_no_more),
		TEST(a_stop_ends_all_that_is_asked_later),
		TEST(free_ids_follow_the_highest),
		TEST(a_member_of_the_group_reads_with_and_without_the_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
