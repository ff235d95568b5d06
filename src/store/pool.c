/* SPDX-License-Identifier: Apache-2.0 */
/* Reader threads, each with its own connection, and the bounded queue of their questions. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/reader.h"

struct pool_question {
	void (*ask)(struct store_reader *reader, void *data);
	void *data;
};

struct pool_thread {
	struct store_pool *pool;
	struct store_reader *reader; /* set under the lock; NULL: none was opened yet */
	pthread_t thread;
	bool is_running;
};

struct store_pool {
	char *path;
	struct store_bad_rows *bad_rows;
	pthread_mutex_t lock; /* for the queue, is_closing, running and the threads' readers */
	pthread_cond_t has_work;
	pthread_cond_t has_ended;
	bool is_closing;
	size_t running; /* threads that have not returned */
	struct pool_question *questions; /* a ring */
	size_t max_questions;
	size_t first;
	size_t length;
	size_t thread_count;
	struct pool_thread threads[];
};

/* False when the pool closes and no question is left. */
static bool next_question(struct store_pool *pool, struct pool_question *ret)
{
	pthread_mutex_lock(&pool->lock);
	while (pool->length == 0 && !pool->is_closing)
		pthread_cond_wait(&pool->has_work, &pool->lock);
	bool has_question = !pool->is_closing;
	if (has_question) {
		*ret = pool->questions[pool->first];
		pool->first = (pool->first + 1) % pool->max_questions;
		pool->length--;
	}
	pthread_mutex_unlock(&pool->lock);
	return has_question;
}

/* False when the pool closes; the reader is then not set. */
static bool set_reader(struct pool_thread *thread, struct store_reader *reader)
{
	pthread_mutex_lock(&thread->pool->lock);
	bool is_set = !thread->pool->is_closing;
	if (is_set)
		thread->reader = reader;
	pthread_mutex_unlock(&thread->pool->lock);
	return is_set;
}

/* Opens the database if it is not open, or again if the file at the path is another one now (a
 * damaged one was renamed). If that fails, the old connection stays in use. */
static void renew_reader(struct pool_thread *thread)
{
	struct store_reader *earlier = thread->reader;
	struct store_reader *reader = NULL;

	if (earlier && reader_is_current(earlier))
		return;
	if (store_reader_open(thread->pool->path, &reader, NULL) < 0)
		return;
	store_reader_report(reader, thread->pool->bad_rows);
	store_reader_close(set_reader(thread, reader) ? earlier : reader);
}

static void *run_thread(void *data)
{
	struct pool_thread *thread = data;
	struct pool_question question;

	while (next_question(thread->pool, &question)) {
		renew_reader(thread);
		question.ask(thread->reader, question.data);
	}
	pthread_mutex_lock(&thread->pool->lock);
	thread->pool->running--;
	pthread_cond_signal(&thread->pool->has_ended);
	pthread_mutex_unlock(&thread->pool->lock);
	return NULL;
}

/* Signals are handled by the event loop: the thread inherits a mask that blocks them all. */
static int start_thread(struct pool_thread *thread)
{
	sigset_t all;
	sigset_t saved;

	pthread_mutex_lock(&thread->pool->lock);
	thread->pool->running++;
	pthread_mutex_unlock(&thread->pool->lock);
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&thread->thread, NULL, run_thread, thread);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	thread->is_running = r == 0;
	if (r < 0) {
		pthread_mutex_lock(&thread->pool->lock);
		thread->pool->running--;
		pthread_mutex_unlock(&thread->pool->lock);
	}
	return r;
}

static void init_locks(struct store_pool *pool)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&pool->lock, NULL); /* none of these can fail on Linux */
	pthread_cond_init(&pool->has_work, NULL);
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&pool->has_ended, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

static struct store_pool *free_pool(struct store_pool *pool)
{
	store_bad_rows_free(pool->bad_rows);
	free(pool->questions);
	free(pool->path);
	pthread_cond_destroy(&pool->has_ended);
	pthread_cond_destroy(&pool->has_work);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return NULL;
}

static struct store_pool *new_pool(const char *path, size_t threads, size_t max_queue)
{
	struct store_pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->threads[0]));

	if (!pool)
		return NULL;
	init_locks(pool);
	pool->max_questions = max_queue > 0 ? max_queue : 1;
	pool->questions = calloc(pool->max_questions, sizeof(pool->questions[0]));
	pool->thread_count = threads;
	pool->path = strdup(path);
	return pool->questions && pool->path ? pool : free_pool(pool);
}

int store_pool_open(const char *path, size_t threads, size_t max_queue,
	struct store_bad_rows *bad_rows, struct store_pool **ret, struct error *reterr)
{
	struct store_pool *pool = new_pool(path, threads, max_queue);
	int r = 0;

	if (!pool)
		return error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));
	pool->bad_rows = store_bad_rows_share(bad_rows);
	for (size_t i = 0; r == 0 && i < threads; i++) {
		struct pool_thread *thread = &pool->threads[i];
		thread->pool = pool;
		r = start_thread(thread);
		if (r < 0)
			(void)error_set(reterr, r, "%s: %s", path, errno_text(-r)); /* r goes up */
	}
	if (r < 0) {
		store_pool_close(pool, UINT64_MAX);
		return r;
	}
	*ret = pool;
	return 0;
}

int store_pool_ask(struct store_pool *pool,
	void (*question)(struct store_reader *reader, void *data), void *data)
{
	int r = -EAGAIN;

	pthread_mutex_lock(&pool->lock);
	if (!pool->is_closing && pool->length < pool->max_questions) {
		size_t last = (pool->first + pool->length) % pool->max_questions;
		pool->questions[last] = (struct pool_question){ .ask = question, .data = data };
		pool->length++;
		pthread_cond_signal(&pool->has_work);
		r = 0;
	}
	pthread_mutex_unlock(&pool->lock);
	return r;
}

static struct timespec after(uint64_t nsec)
{
	const uint64_t max_sec = 3600; /* long enough, and does not overflow */
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t);
	uint64_t sum_nsec = (uint64_t)t.tv_nsec + nsec % NSEC_PER_SEC;
	uint64_t sec = nsec / NSEC_PER_SEC < max_sec ? nsec / NSEC_PER_SEC : max_sec;
	t.tv_sec += (time_t)(sec + sum_nsec / NSEC_PER_SEC);
	t.tv_nsec = (long)(sum_nsec % NSEC_PER_SEC);
	return t;
}

/* Returns the number of threads that have not returned. */
static size_t wait_for_threads(struct store_pool *pool, uint64_t limit_nsec)
{
	const struct timespec until = after(limit_nsec);
	int r = 0;

	pthread_mutex_lock(&pool->lock);
	pool->is_closing = true;
	pthread_cond_broadcast(&pool->has_work);
	for (size_t i = 0; i < pool->thread_count; i++)
		if (pool->threads[i].reader)
			reader_stop(pool->threads[i].reader);
	while (pool->running > 0 && r == 0)
		r = pthread_cond_timedwait(&pool->has_ended, &pool->lock, &until);
	size_t running = pool->running;
	pthread_mutex_unlock(&pool->lock);
	return running;
}

struct store_pool *store_pool_close(struct store_pool *pool, uint64_t limit_nsec)
{
	if (!pool)
		return NULL;
	bool has_ended = wait_for_threads(pool, limit_nsec) == 0;
	for (size_t i = 0; i < pool->thread_count; i++) {
		if (!pool->threads[i].is_running)
			continue;
		if (has_ended)
			(void)pthread_join(pool->threads[i].thread, NULL); /* it is returning */
		else
			(void)pthread_detach(pool->threads[i].thread);
	}
	for (size_t i = 0; i < pool->length; i++) {
		struct pool_question *q = &pool->questions[(pool->first + i) % pool->max_questions];
		q->ask(NULL, q->data);
	}
	if (!has_ended)
		return NULL;
	for (size_t i = 0; i < pool->thread_count; i++)
		store_reader_close(pool->threads[i].reader);
	return free_pool(pool);
}
