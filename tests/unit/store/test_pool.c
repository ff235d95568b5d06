/* SPDX-License-Identifier: Apache-2.0 */
/* Questions are answered on other threads, in a bounded number, and end when the pool does. */
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "fixture.h"
#include "test.h"

/* What the questions of a test share. */
struct desk {
	pthread_mutex_t lock;
	pthread_cond_t changed;
	bool is_open; /* questions that wait may go on */
	int begun;
	int answered;
	int refused; /* called without a reader */
	int result;
	size_t runs;
	pthread_t asker;
};

static uint64_t monotonic_nsec(void)
{
	struct clock clock = clock_system();

	return clock_monotonic_nsec(&clock);
}

static void desk_init(struct desk *d)
{
	memset(d, 0, sizeof(*d));
	pthread_mutex_init(&d->lock, NULL);
	pthread_cond_init(&d->changed, NULL);
	d->asker = pthread_self();
}

static void desk_done(struct desk *d)
{
	pthread_cond_destroy(&d->changed);
	pthread_mutex_destroy(&d->lock);
}

static void wait_until(struct desk *d, const int *counter, int value)
{
	pthread_mutex_lock(&d->lock);
	while (*counter < value)
		pthread_cond_wait(&d->changed, &d->lock);
	pthread_mutex_unlock(&d->lock);
}

static int count_run(void *data, const struct run *run)
{
	struct desk *d = data;

	(void)run;
	pthread_mutex_lock(&d->lock);
	d->runs++;
	pthread_mutex_unlock(&d->lock);
	return 0;
}

static void ask_runs(struct store_reader *reader, void *data)
{
	static const struct store_run_filter all = { 0 };
	struct desk *d = data;
	int r = reader ? store_read_runs(reader, &all, count_run, d, NULL) : 0;

	pthread_mutex_lock(&d->lock);
	if (!reader)
		d->refused++;
	else if (!pthread_equal(pthread_self(), d->asker))
		d->answered++;
	if (r < 0)
		d->result = r;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

/* Waits for the desk to open before it asks. */
static void ask_later(struct store_reader *reader, void *data)
{
	struct desk *d = data;

	if (reader) {
		pthread_mutex_lock(&d->lock);
		d->begun++;
		pthread_cond_broadcast(&d->changed);
		while (!d->is_open)
			pthread_cond_wait(&d->changed, &d->lock);
		pthread_mutex_unlock(&d->lock);
	}
	ask_runs(reader, data);
}

static void open_desk(struct desk *d)
{
	pthread_mutex_lock(&d->lock);
	d->is_open = true;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
}

static struct store_pool *open_pool(struct fixture *f, size_t threads, size_t max_queue)
{
	struct store_pool *pool = NULL;
	struct error error = { "" };

	fixture_open(f);
	for (int64_t id = 1; id <= 5; id++)
		fixture_commit_run(f, fixture_run(f, id, "nas1", "active-full"));
	if (store_pool_open(f->path, threads, max_queue, NULL, &pool, &error) < 0)
		fail_msg("%s", error.text);
	return pool;
}

static void questions_are_answered_on_other_threads(void **state)
{
	struct desk d;

	desk_init(&d);
	struct store_pool *pool = open_pool(*state, 2, 50);
	for (int i = 0; i < 50; i++)
		assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
	wait_until(&d, &d.answered, 50);
	assert_int_equal(d.runs, 250);
	assert_int_equal(d.result, 0);
	assert_null(store_pool_close(pool, UINT64_MAX));
	assert_int_equal(d.refused, 0);
	desk_done(&d);
}

static void each_thread_has_a_reader_of_its_own(void **state)
{
	struct desk d;

	desk_init(&d);
	struct store_pool *pool = open_pool(*state, 2, 2);
	assert_int_equal(store_pool_ask(pool, ask_later, &d), 0);
	assert_int_equal(store_pool_ask(pool, ask_later, &d), 0);
	wait_until(&d, &d.begun, 2); /* both at a time, or this hangs */
	open_desk(&d);
	wait_until(&d, &d.answered, 2);
	assert_int_equal(d.runs, 10);
	store_pool_close(pool, UINT64_MAX);
	desk_done(&d);
}

static void a_full_queue_refuses_and_does_not_call(void **state)
{
	struct desk d;

	desk_init(&d);
	struct store_pool *pool = open_pool(*state, 1, 2);
	assert_int_equal(store_pool_ask(pool, ask_later, &d), 0);
	wait_until(&d, &d.begun, 1);
	assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
	assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
	assert_int_equal(store_pool_ask(pool, ask_runs, &d), -EAGAIN);
	open_desk(&d);
	wait_until(&d, &d.answered, 3);
	/* There is room again, also past the end of the ring. */
	for (int i = 4; i <= 8; i++) {
		assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
		wait_until(&d, &d.answered, i);
	}
	store_pool_close(pool, UINT64_MAX);
	assert_int_equal(d.refused, 0);
	desk_done(&d);
}

/* Begins, tells so, and counts for far longer than the test may take, unless it is interrupted. */
static int count_for_ever(void *data, const struct run *run)
{
	struct desk *d = data;

	(void)run;
	pthread_mutex_lock(&d->lock);
	d->begun++;
	pthread_cond_broadcast(&d->changed);
	pthread_mutex_unlock(&d->lock);
	return 0;
}

static void ask_for_ever(struct store_reader *reader, void *data)
{
	static const struct store_run_filter all = { 0 };
	struct desk *d = data;
	int r = 0;

	while (reader && r == 0)
		r = store_read_runs(reader, &all, count_for_ever, d, NULL);
	d->result = r;
}

static void closing_stops_what_runs_and_refuses_what_waits(void **state)
{
	struct desk forever;
	struct desk d;

	desk_init(&forever);
	desk_init(&d);
	struct store_pool *pool = open_pool(*state, 1, 3);
	assert_int_equal(store_pool_ask(pool, ask_for_ever, &forever), 0);
	wait_until(&forever, &forever.begun, 1);
	for (int i = 0; i < 3; i++)
		assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
	assert_null(store_pool_close(pool, UINT64_MAX));
	assert_int_equal(forever.result, -EINTR);
	assert_int_equal(d.answered, 0);
	assert_int_equal(d.refused, 3);
	desk_done(&forever);
	desk_done(&d);
}

static void a_thread_that_sits_in_the_kernel_is_left_behind(void **state)
{
	/* The threads that are left behind use both after the test. */
	static struct desk left_desk;
	static struct store_pool *volatile left_pool; /* read by nobody but the leak check */
	struct desk *hung = &left_desk;
	struct desk d;

	desk_init(hung);
	desk_init(&d);
	struct store_pool *pool = left_pool = open_pool(*state, 2, 3);
	assert_int_equal(store_pool_ask(pool, ask_later, hung), 0);
	assert_int_equal(store_pool_ask(pool, ask_later, hung), 0);
	wait_until(hung, &hung->begun, 2);
	assert_int_equal(store_pool_ask(pool, ask_runs, &d), 0);
	uint64_t begin_nsec = monotonic_nsec();
	assert_null(store_pool_close(pool, 50 * NSEC_PER_MSEC));
	assert_true(monotonic_nsec() - begin_nsec >= 50 * NSEC_PER_MSEC);
	assert_int_equal(d.refused, 1);
	assert_int_equal(hung->answered, 0);
	open_desk(hung); /* else they would not end before the program does */
	wait_until(hung, &hung->answered, 2);
	assert_int_equal(hung->result, -EINTR);
	desk_done(&d);
}

/* Runs found by one question more; -1 when it had no reader. */
static int64_t ask_once(struct store_pool *pool, struct desk *d)
{
	int asked = d->answered + d->refused;
	size_t runs = d->runs;
	int refused = d->refused;

	assert_int_equal(store_pool_ask(pool, ask_runs, d), 0);
	pthread_mutex_lock(&d->lock);
	while (d->answered + d->refused == asked)
		pthread_cond_wait(&d->changed, &d->lock);
	pthread_mutex_unlock(&d->lock);
	return d->refused > refused ? -1 : (int64_t)(d->runs - runs);
}

static void a_database_that_comes_later_or_is_replaced_is_opened_with_the_next_question(
	void **state)
{
	struct fixture *f = *state;
	struct store_pool *pool = NULL;
	struct error error = { "" };
	struct desk d;
	char kept[128];

	desk_init(&d);
	assert_int_equal(store_pool_open(f->path, 1, 2, NULL, &pool, &error), 0);
	assert_int_equal(ask_once(pool, &d), -1);
	fixture_open(f);
	assert_int_equal(ask_once(pool, &d), 0);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	assert_int_equal(ask_once(pool, &d), 1);
	fixture_close(f);
	(void)snprintf(kept, sizeof(kept), "%s.kept", f->path);
	assert_int_equal(rename(f->path, kept), 0);
	assert_int_equal(ask_once(pool, &d), 1); /* what there is must do */
	fixture_open(f);
	assert_int_equal(ask_once(pool, &d), 0);
	store_pool_close(pool, UINT64_MAX);
	desk_done(&d);
	assert_null(store_pool_close(NULL, 0));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(questions_are_answered_on_other_threads),
		TEST(each_thread_has_a_reader_of_its_own),
		TEST(a_full_queue_refuses_and_does_not_call),
		TEST(closing_stops_what_runs_and_refuses_what_waits),
		TEST(a_thread_that_sits_in_the_kernel_is_left_behind),
		TEST(a_database_that_comes_later_or_is_replaced_is_opened_with_the_next_question),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
