/* SPDX-License-Identifier: Apache-2.0 */
/* A daemon that is killed while it commits: what it said was committed is there, and each batch is
 * there whole or not at all. */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/error.h"
#include "fixture.h"
#include "test.h"

#define KILLS 100
#define AHEAD 4 /* batches in the queue at a time */

static struct batch *new_batch(struct fixture *f, int64_t id)
{
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(id, 0);
	struct message message = fixture_message(&event);
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));

	if (!batch || !alarm)
		_exit(2);
	memcpy(alarm->repository, event.repository, sizeof(alarm->repository));
	alarm->incident_id = id;
	alarm->incident_changes = (uint32_t)id;
	alarm->series_count = 1;
	memcpy(alarm->series[0].probe, event.probe, sizeof(event.probe));
	if (batch_add_run(batch, fixture_run(f, id, "nas1", "active-full")) < 0 ||
		batch_add_alarm(batch, alarm) < 0 || batch_add_event(batch, &event) < 0 ||
		batch_add_message(batch, &message) < 0)
		_exit(2);
	batch_set_tag(batch, (uint64_t)id);
	free(alarm);
	return batch;
}

/* The child: commits batch after batch and says each id that is committed, until it is killed. */
static void commit_for_ever(struct fixture *f, int64_t first_id, int say_fd)
{
	int64_t id = first_id;

	fixture_open(f);
	for (int i = 0; i < AHEAD; i++)
		(void)store_writer_submit(f->writer, new_batch(f, id++));
	for (;;) {
		int error = 0;
		struct batch *batch = fixture_take(f, &error);
		int64_t done = (int64_t)batch_tag(batch);
		batch_free(batch);
		if (error < 0 || write(say_fd, &done, sizeof(done)) != sizeof(done))
			_exit(3);
		(void)store_writer_submit(f->writer, new_batch(f, id++));
	}
}

/* Reads ids until the child is dead; kills it after `count` of them and a moment more, so that it
 * dies somewhere in the next ones. Answers the highest. */
static int64_t kill_after(pid_t child, int fd, int count, long more_nsec)
{
	const struct timespec moment = { .tv_nsec = more_nsec };
	int64_t highest = 0;
	int64_t id;
	int status;

	for (int i = 0; read(fd, &id, sizeof(id)) == sizeof(id); i++) {
		highest = id;
		if (i != count)
			continue;
		(void)nanosleep(&moment, NULL);
		assert_int_equal(kill(child, SIGKILL), 0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	return highest;
}

/* Runs a child until it is killed; answers the highest id that it said was committed. */
static int64_t run_and_kill(struct fixture *f, int64_t first_id)
{
	int count = (int)(fixture_random(f) % 12);
	long more_nsec = (long)(fixture_random(f) % 3000000);
	int fds[2];

	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	pid_t child = fork();
	assert_true(child >= 0);
	if (child == 0) {
		close(fds[0]);
		commit_for_ever(f, first_id, fds[1]);
	}
	close(fds[1]);
	int64_t highest = kill_after(child, fds[0], count, more_nsec);
	close(fds[0]);
	return highest;
}

static void assert_sound(struct fixture *f)
{
	char *answer = fixture_sql_text(f, "PRAGMA integrity_check");

	assert_string_equal(answer, "ok");
	free(answer);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM pragma_foreign_key_check"), 0);
}

/* Of each batch: all rows, or none. */
static void assert_batches_are_whole(struct fixture *f)
{
	static const char query[] = "SELECT (SELECT count(*) FROM run) = max(id) AND"
				    " (SELECT count(*) FROM run_operation) = max(id) AND"
				    " (SELECT count(*) FROM incident) = max(id) AND"
				    " (SELECT count(*) FROM incident_event) = max(id) AND"
				    " (SELECT count(*) FROM outbox) = max(id) AND"
				    " (SELECT incident_changes FROM target) = max(id) FROM run";

	assert_int_equal(fixture_sql_integer(f, query), 1);
}

static void a_killed_writer_loses_nothing_it_said_was_committed(void **state)
{
	struct fixture *f = *state;
	int64_t first_id = 1;

	for (int i = 0; i < KILLS; i++) {
		struct store_next_ids ids;
		int64_t said = run_and_kill(f, first_id);

		assert_true(said >= first_id);
		/* As the next daemon would begin. */
		fixture_open(f);
		assert_int_equal(store_read_next_ids(fixture_reader(f), &ids, NULL), 0);
		fixture_close(f);
		/* It may have committed some more, which it had no time to say. */
		assert_in_range(ids.run_id, said + 1, said + AHEAD + 1);
		assert_int_equal(ids.incident_id, ids.run_id);
		assert_sound(f);
		assert_batches_are_whole(f);
		first_id = ids.run_id;
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(a_killed_writer_loses_nothing_it_said_was_committed,
			fixture_set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
