/* SPDX-License-Identifier: Apache-2.0 */
/* The past is asked for without taking the reader threads from people: a real store and pool. */
#include "daemon/normal.h"

#include <errno.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "../probe/temporary.h"
#include "base/clock.h"
#include "config/config.h"
#include "daemon/daemon.h"
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
	assert_int_equal(store_pool_open(d->database_path, 1, QUEUE_MAX, &d->pool, &error), 0);
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
	assert_int_equal(config_load(buf_text(&text), true, NULL, &d->config, &errors), 0);
	(void)snprintf(d->database_path, sizeof(d->database_path), "%s",
		temporary_name(&b->directory, "history.db", &text));
	buf_done(&text);
	d->options = &b->options;
	d->revision = 1; /* nothing is rendered here */
	d->clock = clock_system();
	d->live = live_new(
		d->config, NULL, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock));
	assert_non_null(d->live);
	assert_int_equal(sd_event_new(&d->event), 0);
	open_history(d);
	assert_int_equal(sem_init(&b->is_held, 0, 0), 0);
	assert_int_equal(sem_init(&b->is_free, 0, 0), 0);
	assert_int_equal(store_pool_ask(d->pool, hold, b), 0);
	while (sem_wait(&b->is_held) < 0)
		assert_int_equal(errno, EINTR);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;
	struct daemon *d = &b->d;

	store_pool_close(d->pool, UINT64_MAX);
	normal_stop(d);
	assert_int_equal(store_writer_close(d->writer, UINT64_MAX), 0);
	live_free(d->live);
	config_free(d->config);
	sd_event_unref(d->event);
	assert_int_equal(sem_destroy(&b->is_held), 0);
	assert_int_equal(sem_destroy(&b->is_free), 0);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static size_t count_asked(const struct bench *b)
{
	size_t count = 0;

	for (size_t i = 0; i < PROBES; i++)
		count += b->d.live->repositories[i].probes[0].normal.is_asked;
	return count;
}

static void run_until_all_are_asked(struct bench *b)
{
	while (count_asked(b) < PROBES)
		assert_true(sd_event_run(b->d.event, 10 * USEC_PER_SEC) > 0); /* 0: in vain */
}

static void all_are_asked_one_after_the_other(void **state)
{
	struct bench *b = *state;
	struct error error = { "" };

	assert_int_equal(normal_start(&b->d, &error), 0);
	assert_int_equal(count_asked(b), 1);
	normal_ask(&b->d);
	assert_int_equal(count_asked(b), 1);
	/* All other places of the queue are for people. */
	for (int i = 0; i < QUEUE_MAX - 1; i++)
		assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), 0);
	assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), -EAGAIN);
	assert_int_equal(sem_post(&b->is_free), 0);
	run_until_all_are_asked(b);
}

static void a_full_queue_is_tried_again_with_the_next_call(void **state)
{
	struct bench *b = *state;
	struct error error = { "" };

	for (int i = 0; i < QUEUE_MAX; i++)
		assert_int_equal(store_pool_ask(b->d.pool, ask_nothing, NULL), 0);
	assert_int_equal(normal_start(&b->d, &error), 0);
	assert_int_equal(count_asked(b), 0);
	assert_int_equal(sem_post(&b->is_free), 0);
	for (int i = 0; i < 10000 && count_asked(b) == 0; i++) {
		(void)usleep(1000);
		normal_ask(&b->d); /* as the minute's tending does */
	}
	assert_int_equal(count_asked(b), 1);
	run_until_all_are_asked(b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			all_are_asked_one_after_the_other, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_full_queue_is_tried_again_with_the_next_call, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
