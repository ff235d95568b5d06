/* SPDX-License-Identifier: Apache-2.0 */
/* Threads that read, each with a connection of its own, and the bounded queue of what they are
 * asked. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/error.h"
#include "store/reader.h"

#define CLOSE_NSEC 300000000L

struct pool_question {
	void (*ask)(struct store_reader *reader, void *data);
	void *data;
};

struct pool_thread {
	struct store_pool *pool;
	struct store_reader *reader; /* set under the lock; NULL: none could be opened yet */
	pthread_t thread;
	bool is_running;
};

struct store_pool {
	char *path;
	pthread_mutex_t lock; /* for the queue, is_closing and the threads' readers */
	pthread_cond_t has_work;
	bool is_closing;
	size_t running; /* threads */
	struct pool_question *questions; /* a ring */
	size_t max_questions;
	size_t first;
	size_t length;
	size_t thread_count;
	struct pool_thread threads[];
};

/* False when there is nothing more to answer. */
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

/* False when the pool closes: the reader that was to be set is not. */
static bool set_reader(struct pool_thread *thread, struct store_reader *reader)
{
	pthread_mutex_lock(&thread->pool->lock);
	bool is_set = !thread->pool->is_closing;
	if (is_set)
		thread->reader = reader;
	pthread_mutex_unlock(&thread->pool->lock);
	return is_set;
}

/* Opens what is not open, or not the database any more that stands at the path: a damaged one is
 * kept under another name. Where that fails, what there is must do. */
static void renew_reader(struct pool_thread *thread)
{
	struct store_reader *earlier = thread->reader;
	struct store_reader *reader = NULL;

	if (earlier && reader_is_current(earlier))
		return;
	if (store_reader_open(thread->pool->path, &reader, NULL) < 0)
		return;
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
	pthread_cond_broadcast(&thread->pool->has_work);
	pthread_mutex_unlock(&thread->pool->lock);
	return NULL;
}

/* Signals are for the loop: the thread inherits a mask that blocks them all. */
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

static struct store_pool *new_pool(const char *path, size_t threads, size_t max_queue)
{
	struct store_pool *pool = calloc(1, sizeof(*pool) + threads * sizeof(pool->threads[0]));

	if (!pool)
		return NULL;
	pthread_mutex_init(&pool->lock, NULL); /* cannot fail on Linux */
	pthread_cond_init(&pool->has_work, NULL); /* likewise */
	pool->max_questions = max_queue > 0 ? max_queue : 1;
	pool->questions = calloc(pool->max_questions, sizeof(pool->questions[0]));
	pool->thread_count = threads;
	pool->path = strdup(path);
	return pool->questions && pool->path ? pool : store_pool_close(pool);
}

int store_pool_open(const char *path, size_t threads, size_t max_queue, struct store_pool **ret,
	struct error *reterr)
{
	struct store_pool *pool = new_pool(path, threads, max_queue);
	int r = 0;

	if (!pool)
		return error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));
	for (size_t i = 0; r == 0 && i < threads; i++) {
		struct pool_thread *thread = &pool->threads[i];
		thread->pool = pool;
		(void)store_reader_open(path, &thread->reader, NULL); /* else with a question */
		r = start_thread(thread);
		if (r < 0)
			(void)error_set(reterr, r, "%s: %s", path, errno_text(-r)); /* r goes up */
	}
	if (r < 0) {
		store_pool_close(pool);
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

/* False: one sits in the kernel, on a disk that does not answer. */
static bool wait_for_end(struct store_pool *pool)
{
	struct timespec end;

	(void)clock_gettime(CLOCK_REALTIME, &end); /* what the condition counts by */
	end.tv_nsec += CLOSE_NSEC;
	end.tv_sec += end.tv_nsec / (long)NSEC_PER_SEC;
	end.tv_nsec %= (long)NSEC_PER_SEC;
	while (pool->running > 0)
		if (pthread_cond_timedwait(&pool->has_work, &pool->lock, &end) == ETIMEDOUT)
			return pool->running == 0;
	return true;
}

struct store_pool *store_pool_close(struct store_pool *pool)
{
	if (!pool)
		return NULL;
	pthread_mutex_lock(&pool->lock);
	pool->is_closing = true;
	pthread_cond_broadcast(&pool->has_work);
	for (size_t i = 0; i < pool->thread_count; i++)
		if (pool->threads[i].reader)
			reader_stop(pool->threads[i].reader);
	bool have_ended = wait_for_end(pool);
	pthread_mutex_unlock(&pool->lock);
	if (!have_ended)
		return NULL;
	for (size_t i = 0; i < pool->thread_count; i++) {
		if (pool->threads[i].is_running)
			(void)pthread_join(pool->threads[i].thread, NULL); /* it ends by itself */
		store_reader_close(pool->threads[i].reader);
	}
	for (size_t i = 0; i < pool->length; i++) {
		struct pool_question *q = &pool->questions[(pool->first + i) % pool->max_questions];
		q->ask(NULL, q->data);
	}
	free(pool->questions);
	free(pool->path);
	pthread_cond_destroy(&pool->has_work);
	pthread_mutex_destroy(&pool->lock);
	free(pool);
	return NULL;
}
