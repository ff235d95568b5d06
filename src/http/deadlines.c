/* SPDX-License-Identifier: Apache-2.0 */
/* A list under one lock, scanned once a second by a thread that sleeps while it is empty. A socket
 * is shut down under the lock, so its descriptor cannot have been reused. */
#include "http/deadlines.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <time.h>

#include "base/clock.h"

#define TICK_SEC 1

struct deadline {
	struct deadlines *all;
	struct deadline *previous;
	struct deadline *next;
	int fd;
	uint64_t due_nsec; /* monotonic */
};

struct deadlines {
	const struct clock *clock;
	pthread_t thread;
	pthread_mutex_t lock;
	pthread_cond_t changed; /* the first deadline was added, or the thread should stop */
	struct deadline *first;
	bool is_stopping;
};

static void sweep(struct deadlines *d)
{
	uint64_t now_nsec = clock_monotonic_nsec(d->clock);

	for (struct deadline *i = d->first; i; i = i->next)
		if (i->due_nsec <= now_nsec) {
			(void)shutdown(i->fd, SHUT_RDWR); /* the client may have closed it */
			i->due_nsec = UINT64_MAX;
		}
}

static void *run(void *data)
{
	struct deadlines *d = data;
	struct timespec until;

	(void)pthread_mutex_lock(&d->lock);
	while (!d->is_stopping) {
		if (!d->first) {
			(void)pthread_cond_wait(&d->changed, &d->lock);
			continue;
		}
		(void)clock_gettime(CLOCK_MONOTONIC, &until);
		until.tv_sec += TICK_SEC;
		(void)pthread_cond_timedwait(&d->changed, &d->lock, &until);
		sweep(d);
	}
	(void)pthread_mutex_unlock(&d->lock);
	return NULL;
}

static void init_lock(struct deadlines *d)
{
	pthread_condattr_t attributes;

	/* None of these can fail with glibc. */
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&d->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	(void)pthread_mutex_init(&d->lock, NULL);
}

static void done(struct deadlines *d)
{
	(void)pthread_cond_destroy(&d->changed);
	(void)pthread_mutex_destroy(&d->lock);
	free(d);
}

struct deadlines *deadlines_new(const struct clock *clock)
{
	struct deadlines *d = calloc(1, sizeof(*d));

	if (!d)
		return NULL;
	d->clock = clock;
	init_lock(d);
	if (pthread_create(&d->thread, NULL, run, d) == 0)
		return d;
	done(d);
	return NULL;
}

struct deadlines *deadlines_free(struct deadlines *d)
{
	if (!d)
		return NULL;
	(void)pthread_mutex_lock(&d->lock);
	d->is_stopping = true;
	(void)pthread_cond_signal(&d->changed);
	(void)pthread_mutex_unlock(&d->lock);
	(void)pthread_join(d->thread, NULL);
	done(d);
	return NULL;
}

struct deadline *deadline_new(struct deadlines *d, int fd, uint64_t limit_nsec)
{
	struct deadline *deadline = calloc(1, sizeof(*deadline));

	if (!deadline)
		return NULL;
	deadline->all = d;
	deadline->fd = fd;
	deadline->due_nsec = clock_monotonic_nsec(d->clock) + limit_nsec;
	(void)pthread_mutex_lock(&d->lock);
	deadline->next = d->first;
	if (d->first)
		d->first->previous = deadline;
	else
		(void)pthread_cond_signal(&d->changed);
	d->first = deadline;
	(void)pthread_mutex_unlock(&d->lock);
	return deadline;
}

void deadline_set(struct deadline *deadline, uint64_t limit_nsec)
{
	if (!deadline)
		return;
	uint64_t due_nsec = clock_monotonic_nsec(deadline->all->clock) + limit_nsec;
	(void)pthread_mutex_lock(&deadline->all->lock);
	deadline->due_nsec = due_nsec;
	(void)pthread_mutex_unlock(&deadline->all->lock);
}

struct deadline *deadline_free(struct deadline *deadline)
{
	if (!deadline)
		return NULL;
	struct deadlines *d = deadline->all;
	(void)pthread_mutex_lock(&d->lock);
	if (deadline->previous)
		deadline->previous->next = deadline->next;
	else
		d->first = deadline->next;
	if (deadline->next)
		deadline->next->previous = deadline->previous;
	(void)pthread_mutex_unlock(&d->lock);
	free(deadline);
	return NULL;
}
