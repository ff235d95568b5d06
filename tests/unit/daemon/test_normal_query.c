/* SPDX-License-Identifier: Apache-2.0 */
/* The past is asked for without taking the reader threads from people, and what cannot be read now
 * is asked for again: a real store and pool. */
#include "core/normal.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "../probe/temporary.h"
#include "alarm/alarm.h"
#include "base/clock.h"
#include "config/config.h"
#include "daemon/daemon.h"
#include "daemon/normal_query.h"
#include "daemon/question.h"
#include "daemon/record.h"
#include "store/store.h"
#include "test.h"

#define QUEUE_MAX 4
#define PROBES 9 /* more than the queue holds */

struct bench {
	struct daemon d;
	struct daemon_options options;
	struct temporary directory;
	sem_t is_held; /* the one reader thread has begun to wait for … */
	sem_t is_free;
};

static void hold(struct store_reader *reader, void *data)
{
	struct bench *b = data;
	(void)reader;

	assert_int_equal(sem_post(&b->is_held), 0);
	while (sem_wait(&b->is_free) < 0)
		assert_int_equal(errno, EINTR);
}

static void ask_nothing(struct store_reader *reader, void *data)
{
	(void)reader;
	(void)data;
}

static void open_history(struct daemon *d)
{
	struct error error = { "" };

	int r = store_writer_open(d->database_path, QUEUE_MAX, &d->writer, &error);
	while (r == 0 && (r = store_writer_opened(d->writer, &error)) == -EINPROGRESS)
		(void)usleep(1000);
	if (r < 0)
		fail_msg("%s", error.text);
	assert_int_equal(
		store_pool_open(d->database_path, 1, QUEUE_MAX, NULL, &d->pool, &error), 0);
	assert_int_equal(questions_start(d, &error), 0);
}

/* The one reader thread is busy until b->is_free. */
static void hold_thread(struct bench *b)
{
	assert_int_equal(store_pool_ask(b->d.pool, hold, b), 0);
	while (sem_wait(&b->is_held) < 0)
		assert_int_equal(errno, EINTR);
}

static int set_up(void **state)
{
	struct config_errors errors = { 0 };
	struct bench *b = calloc(1, sizeof(*b));
	struct buf text = BUF_INIT(4096);
	struct daemon *d = &b->d;

	assert_non_null(b);
	temporary_open(&b->directory);
	for (int i = 0; i < PROBES; i++)
		buf_printf(&text, "[repository r%d]\npath = /r%d\nprobes = heartbeat\n", i, i);
	temporary_write(&b->directory, "a.conf", buf_text(&text));
	temporary_name(&b->directory, "a.conf", &text);
	assert_int_equal(config_load(buf_text(&text), true, NULL, &d->core.config, &errors), 0);
	(void)snprintf(d->database_path, sizeof(d->database_path), "%s",
		temporary_name(&b->directory, "history.db", &text));
	buf_done(&text);
	d->options = &b->options;
	d->revision = 1; /* nothing is rendered here … */
	d->is_stopping = true; /* … and no run started */
	d->record.is_open = true;
	d->clock = clock_system();
	d->core.present = present_new(d->core.config, NULL, clock_monotonic_nsec(&d->clock),
		clock_realtime_usec(&d->clock));
	assert_non_null(d->core.present);
	assert_int_equal(sd_event_new(&d->event), 0);
	open_history(d);
	assert_int_equal(sem_init(&b->is_held, 0, 0), 0);
	assert_int_equal(sem_init(&b->is_free, 0, 0), 0);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;
	struct daemon *d = &b->d;

	store_pool_close(d->pool, UINT64_MAX);
	questions_stop(d);
	assert_int_equal(store_writer_close(d->writer, UINT64_MAX), 0);
	ledger_done(&d->core.ledger);
	present_free(d->core.present);
	config_free(d->core.config);
	sd_event_unref(d->event);
	assert_int_equal(sem_destroy(&b->is_held), 0);
	assert_int_equal(sem_destroy(&b->is_free), 0);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static struct normal *normal_of(struct bench *b, size_t i)
{
	return &b->d.core.present->repositories[i].probes[0].normal;
}

static size_t count_read(struct bench *b)
{
	size_t count = 0;

	for (size_t i = 0; i < PROBES; i++)
		count += normal_of(b, i)->is_read;
	return count;
}

static void run_loop_once(struct bench *b)
{
	assert_true(sd_event_run(b->d.event, 10 * USEC_PER_SEC) > 0); /* 0: in vain */
}

static void run_until_all_are_read(struct bench *b)
{
	while (count_read(b) < PROBES)
		run_loop_once(b);
}

static void all_are_asked_one_after_the_other(void **state)
{
	struct bench *b = *state;

	hold_thread(b);
	normal_query_ask(&b->d);
	assert_true(b->d.is_normal_asked);
	normal_query_ask(&b->d);
	/* All other places of the queue are for people. */
	for (int i = 0; i < QUEUE_MAX - 1; i++)
		assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), 0);
	assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), -EAGAIN);
	assert_int_equal(count_read(b), 0);
	assert_int_equal(sem_post(&b->is_free), 0);
	run_until_all_are_read(b);
}

static void a_full_queue_is_tried_again_with_the_next_call(void **state)
{
	struct bench *b = *state;

	hold_thread(b);
	for (int i = 0; i < QUEUE_MAX; i++)
		assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), 0);
	normal_query_ask(&b->d);
	assert_false(b->d.is_normal_asked);
	assert_int_equal(sem_post(&b->is_free), 0);
	for (int i = 0; i < 10000 && !b->d.is_normal_asked; i++) {
		(void)usleep(1000);
		normal_query_ask(&b->d); /* as the minute's tending does */
	}
	run_until_all_are_read(b);
}

static void nothing_is_asked_before_the_history_is_open(void **state)
{
	struct bench *b = *state;

	b->d.record.is_open = false;
	normal_query_ask(&b->d);
	assert_false(b->d.is_normal_asked);
}

/* --- What cannot be read now ------------------------------------------------- */

#define ANCHOR 9999

static void hide_history(struct bench *b, bool is_hidden)
{
	char away[DAEMON_PATH_MAX + 8];
	const char *path = b->d.database_path;

	(void)snprintf(away, sizeof(away), "%s.away", path);
	assert_int_equal(rename(is_hidden ? path : away, is_hidden ? away : path), 0);
}

/* The batch, and all before it. */
static void commit(struct bench *b, struct batch *batch)
{
	struct pollfd finished = { .fd = store_writer_fd(b->d.writer), .events = POLLIN };
	struct batch *done = NULL;
	int error = -1;

	assert_int_equal(store_writer_submit(b->d.writer, batch), 0);
	while (done != batch) {
		assert_int_equal(poll(&finished, 1, 10000), 1);
		while ((done = store_writer_take(b->d.writer, &error)) && done != batch)
			batch_free(done);
	}
	assert_int_equal(error, 0);
	batch_free(batch);
}

static void name_baseline(struct bench *b, struct saved_baseline *ret)
{
	struct present_repository *repository = &b->d.core.present->repositories[0];
	struct buf key = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&repository->probes[0].config->workload, &key);
	*ret = (struct saved_baseline){ .operation = RUN_WRITE };
	(void)strncat(ret->repository, repository->config->name, RUN_NAME_MAX);
	(void)strncat(ret->probe, repository->probes[0].config->name, RUN_NAME_MAX);
	(void)strncat(ret->key, buf_text(&key), WORKLOAD_SERIES_KEY_MAX);
	buf_done(&key);
}

static void store_anchor(struct bench *b)
{
	struct batch *batch = batch_new();
	struct saved_baseline baseline;

	name_baseline(b, &baseline);
	baseline.built_usec = 1;
	baseline.anchor = ANCHOR;
	baseline.anchor_usec = 1;
	assert_int_equal(batch_add_baseline(batch, &baseline), 0);
	commit(b, batch);
}

static struct saved_baseline stored_baseline(struct bench *b)
{
	struct saved_baseline found[RUN_OPERATIONS];
	struct store_reader *reader = NULL;
	struct saved_baseline name;
	struct error error = { "" };

	name_baseline(b, &name);
	const struct store_sample_query query = {
		.repository = name.repository, .probe = name.probe, .key = name.key
	};
	assert_int_equal(store_reader_open(b->d.database_path, &reader, &error), 0);
	assert_int_equal(store_read_baselines(reader, &query, found, &error), 0);
	store_reader_close(reader);
	return found[RUN_WRITE];
}

/* Runs of minutes 1, 2, 3, … of today, as many as make a baseline. */
static void learn(struct bench *b)
{
	struct present_repository *repository = &b->d.core.present->repositories[0];
	uint32_t minute = (uint32_t)(clock_realtime_usec(&b->d.clock) / 60000000) - 1000;
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	struct batch *batch = batch_new();
	struct run *run = run_new(repository->config->name, repository->probes[0].config->name);

	assert_true(outcome && batch && run);
	run->id = 1;
	outcome->has_sample[RUN_WRITE] = true;
	for (uint32_t i = 0; i < BASELINE_RUNS_MIN; i++) {
		outcome->samples[RUN_WRITE] =
			(struct baseline_sample){ .minute = minute + i, .is_learned = true };
		assert_int_equal(normal_learn(repository, &repository->probes[0], run, outcome,
					 clock_realtime_usec(&b->d.clock), batch),
			0);
	}
	commit(b, batch);
	free(run);
	free(outcome);
}

/* The first probe's question fails. */
static void ask_in_vain(struct bench *b)
{
	hide_history(b, true);
	normal_query_ask(&b->d);
	while (b->d.core.present->repositories[0].probes[0].normal.failures == 0)
		run_loop_once(b);
	while (b->d.is_normal_asked) /* the others' too */
		run_loop_once(b);
	hide_history(b, false);
	assert_int_equal(count_read(b), 0);
}

static void what_was_read_in_vain_is_asked_for_again(void **state)
{
	struct bench *b = *state;
	uint64_t now_nsec = clock_monotonic_nsec(&b->d.clock);

	ask_in_vain(b);
	assert_true(normal_of(b, 0)->retry_nsec > now_nsec);
	run_until_all_are_read(b); /* by the timer alone */
	assert_int_equal(normal_of(b, 0)->failures, 0);
}

static void attempts_become_rarer(void **state)
{
	(void)state;
	assert_int_equal(question_pause_nsec(1), NSEC_PER_SEC);
	assert_int_equal(question_pause_nsec(2), 2 * NSEC_PER_SEC);
	assert_int_equal(question_pause_nsec(9), 256 * NSEC_PER_SEC);
	assert_int_equal(question_pause_nsec(10), 300 * NSEC_PER_SEC);
	assert_int_equal(question_pause_nsec(UINT_MAX), 300 * NSEC_PER_SEC);
}

static void what_is_stored_stays_until_it_was_read(void **state)
{
	struct bench *b = *state;

	store_anchor(b);
	ask_in_vain(b);
	learn(b);
	assert_non_null(normal_baseline(normal_of(b, 0), RUN_WRITE));
	assert_int_equal(stored_baseline(b).built_usec, 1);
	run_until_all_are_read(b);
	assert_int_equal(normal_baseline(normal_of(b, 0), RUN_WRITE)->anchor, ANCHOR);
	assert_int_equal(normal_of(b, 0)->samples[RUN_WRITE]->count, BASELINE_RUNS_MIN);
	commit(b, batch_new()); /* behind what was learned meanwhile */
	assert_true(stored_baseline(b).built_usec > 1);
	assert_int_equal(stored_baseline(b).anchor, ANCHOR);
}

static void a_rebaseline_before_it_was_read_forgets_it(void **state)
{
	struct bench *b = *state;
	struct present_repository *repository = &b->d.core.present->repositories[0];
	struct batch *batch = batch_new();

	store_anchor(b);
	ask_in_vain(b);
	int64_t now_usec = clock_realtime_usec(&b->d.clock);
	assert_int_equal(normal_restart(repository, &repository->probes[0], now_usec, batch), 0);
	run_until_all_are_read(b); /* before the batch is written */
	assert_null(normal_of(b, 0)->samples[RUN_WRITE]);
	assert_int_equal(normal_of(b, 0)->since_usec[RUN_WRITE], now_usec);
	commit(b, batch);
	assert_int_equal(stored_baseline(b).anchor, 0);
	assert_int_equal(stored_baseline(b).since_usec, now_usec);
}

/* --- The rest of the history, opened late -------------------------------------- */

static void the_loop_does_not_read_what_was_opened_late(void **state)
{
	struct bench *b = *state;

	hold_thread(b);
	b->d.record.is_open = false;
	record_follow(&b->d);
	record_follow(&b->d); /* once is enough */
	assert_false(b->d.record.is_open);
	assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), 0);
	assert_int_equal(sem_post(&b->is_free), 0);
	run_until_all_are_read(b);
	assert_true(b->d.record.is_open);
	assert_int_equal(b->d.core.next_run_id, 1);
}

static void what_was_held_is_judged_when_it_is_known_what_was_normal(void **state)
{
	struct bench *b = *state;

	b->d.record.is_open = false;
	b->d.core.next_run_id = 1;
	struct run *run = run_new("of before", "p");
	assert_non_null(run);
	assert_true(record_hold(&b->d, run));
	record_follow(&b->d);
	while (b->d.record.held > 0)
		run_loop_once(b);
	assert_int_equal(count_read(b), PROBES);
	assert_false(record_hold(&b->d, NULL));
}

static int count_run(void *data, const struct run *run)
{
	size_t *count = data;

	(void)run;
	(*count)++;
	return 0;
}

static void what_is_held_at_the_stop_is_kept_when_the_history_is_open(void **state)
{
	struct bench *b = *state;
	const struct store_run_filter all = { .limit = SIZE_MAX };
	struct store_reader *reader = NULL;
	size_t count = 0;

	b->d.record.is_open = false;
	b->d.core.next_run_id = 1;
	assert_true(record_hold(&b->d, run_new("of before", "p")));
	b->d.record.is_open = true;
	record_done(&b->d);
	commit(b, batch_new()); /* behind it */
	assert_int_equal(store_reader_open(b->d.database_path, &reader, NULL), 0);
	assert_int_equal(store_read_runs(reader, &all, count_run, &count, NULL), 0);
	assert_int_equal(count, 1);
	store_reader_close(reader);
}

static void a_history_that_cannot_be_read_when_it_opens_is_tried_again(void **state)
{
	struct bench *b = *state;

	while (b->d.record.failures == 0) { /* the writer may put the file back meanwhile */
		hide_history(b, true);
		b->d.record.is_open = false;
		record_follow(&b->d);
		while (b->d.record.failures == 0 && !b->d.record.is_open)
			run_loop_once(b);
		hide_history(b, false);
	}
	run_until_all_are_read(b);
	assert_true(b->d.record.is_open);
}

/* --- A thread that hangs when the daemon stops ----------------------------------- */

struct slow_question {
	struct question question;
	struct bench *bench;
};

static int read_slowly(struct store_reader *reader, struct question *q, struct error *reterr)
{
	struct slow_question *slow = (struct slow_question *)q;

	(void)reterr;
	hold(reader, slow->bench);
	return 0;
}

static void take_nothing(struct daemon *d, struct question *q)
{
	(void)d;
	(void)q;
}

static void free_nothing(struct question *q)
{
	(void)q;
}

static size_t count_threads(void)
{
	DIR *tasks = opendir("/proc/self/task");
	size_t count = 0;

	assert_non_null(tasks);
	while (readdir(tasks))
		count++;
	assert_int_equal(closedir(tasks), 0);
	return count;
}

static void a_thread_that_hangs_at_the_stop_touches_nothing_that_is_gone(void **state)
{
	struct bench *b = *state;
	/* The thread has these longer than this function. */
	static struct slow_question slow;
	static struct store_pool *volatile left_pool; /* read by nobody but the leak check */

	slow = (struct slow_question){
		.question = { .read = read_slowly, .take = take_nothing, .free = free_nothing },
		.bench = b,
	};
	assert_int_equal(question_ask(&b->d, &slow.question), 0);
	while (sem_wait(&b->is_held) < 0)
		assert_int_equal(errno, EINTR);
	struct store_pool *pool = left_pool = b->d.pool;
	b->d.pool = store_pool_close(pool, NSEC_PER_MSEC);
	size_t threads = count_threads();
	questions_stop(&b->d);
	/* Were its descriptor closed, one of these would have the number. */
	int fds[8];
	for (size_t i = 0; i < 8; i++)
		fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	assert_int_equal(sem_post(&b->is_free), 0);
	for (int i = 0; i < 10000 && count_threads() == threads; i++)
		(void)usleep(1000);
	assert_int_equal(count_threads(), threads - 1);
	for (size_t i = 0; i < 8; i++) {
		eventfd_t value;
		assert_int_equal(eventfd_read(fds[i], &value), -1);
		(void)close(fds[i]);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			all_are_asked_one_after_the_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_full_queue_is_tried_again_with_the_next_call, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_is_asked_before_the_history_is_open, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_read_in_vain_is_asked_for_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_stored_stays_until_it_was_read, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_rebaseline_before_it_was_read_forgets_it, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_loop_does_not_read_what_was_opened_late, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_was_held_is_judged_when_it_is_known_what_was_normal, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_held_at_the_stop_is_kept_when_the_history_is_open, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_history_that_cannot_be_read_when_it_opens_is_tried_again, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_thread_that_hangs_at_the_stop_touches_nothing_that_is_gone, set_up,
			tear_down),
		cmocka_unit_test(attempts_become_rarer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
