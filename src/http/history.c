/* SPDX-License-Identifier: Apache-2.0 */
/* A list of the outstanding questions, under one lock. Lock order: ours, then libmicrohttpd's or
 * the pool's, never the reverse. */
#include "http/history.h"

#include <errno.h>
#include <microhttpd.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>

#include "base/clock.h"
#include "store/store.h"

#define LOG_PAUSE_NSEC (60 * NSEC_PER_SEC)

struct history {
	pthread_mutex_t lock;
	struct store_pool *pool;
	struct history_question *first;
	bool is_stopping;
	bool has_logged;
	uint64_t last_log_nsec;
};

struct history *history_new(struct store_pool *pool)
{
	struct history *h = calloc(1, sizeof(*h));

	if (!h)
		return NULL;
	h->pool = pool;
	(void)pthread_mutex_init(&h->lock, NULL); /* cannot fail with glibc */
	return h;
}

struct history *history_free(struct history *h)
{
	if (!h)
		return NULL;
	(void)pthread_mutex_destroy(&h->lock);
	free(h);
	return NULL;
}

static void link_question(struct history *h, struct history_question *q)
{
	q->previous = NULL;
	q->next = h->first;
	if (h->first)
		h->first->previous = q;
	h->first = q;
}

static void unlink_question(struct history *h, struct history_question *q)
{
	if (q->previous)
		q->previous->next = q->next;
	else
		h->first = q->next;
	if (q->next)
		q->next->previous = q->previous;
}

/* Runs on a reader thread. */
static void work(struct store_reader *reader, void *data)
{
	struct history_question *q = data;
	struct history *h = q->history;

	(void)pthread_mutex_lock(&h->lock);
	q->reader = h->is_stopping ? NULL : reader;
	(void)pthread_mutex_unlock(&h->lock);

	q->work(q->reader, q->data);

	(void)pthread_mutex_lock(&h->lock);
	unlink_question(h, q);
	/* From here on the connection's thread may free the question. */
	MHD_resume_connection(q->connection);
	(void)pthread_mutex_unlock(&h->lock);
}

int history_ask(struct history *h, struct history_question *q)
{
	int r = -ESHUTDOWN;

	q->history = h;
	q->reader = NULL;
	(void)pthread_mutex_lock(&h->lock);
	if (h->pool && !h->is_stopping) {
		/* Suspended first: the answer may come before store_pool_ask() returns. */
		MHD_suspend_connection(q->connection);
		link_question(h, q);
		r = store_pool_ask(h->pool, work, q);
		if (r < 0) {
			unlink_question(h, q);
			MHD_resume_connection(q->connection);
		}
	}
	(void)pthread_mutex_unlock(&h->lock);
	return r;
}

/* Repeated: an interrupt just before a statement begins has no effect. */
#define INTERRUPT_PAUSE_NSEC 2000000
static const struct timespec interrupt_pause = { .tv_nsec = INTERRUPT_PAUSE_NSEC };

bool history_stop(struct history *h, uint64_t limit_nsec)
{
	uint64_t waited_nsec = 0;

	(void)pthread_mutex_lock(&h->lock);
	h->is_stopping = true;
	while (h->first && waited_nsec <= limit_nsec) {
		for (struct history_question *q = h->first; q; q = q->next)
			if (q->reader)
				store_reader_interrupt(q->reader);
		(void)pthread_mutex_unlock(&h->lock);
		(void)nanosleep(&interrupt_pause, NULL); /* an early return is harmless */
		waited_nsec += INTERRUPT_PAUSE_NSEC;
		(void)pthread_mutex_lock(&h->lock);
	}
	bool are_home = !h->first;
	(void)pthread_mutex_unlock(&h->lock);
	return are_home;
}

bool history_may_log(struct history *h, uint64_t now_monotonic_nsec)
{
	(void)pthread_mutex_lock(&h->lock);
	bool may = !h->has_logged || now_monotonic_nsec - h->last_log_nsec >= LOG_PAUSE_NSEC;
	if (may) {
		h->has_logged = true;
		h->last_log_nsec = now_monotonic_nsec;
	}
	(void)pthread_mutex_unlock(&h->lock);
	return may;
}
