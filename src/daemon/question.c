/* SPDX-License-Identifier: Apache-2.0 */
/* The list of answers between the reader threads and the loop, and the time of the next attempt. */
#include "daemon/question.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "core/normal.h"
#include "daemon/daemon.h"
#include "daemon/normal_query.h"
#include "daemon/record.h"
#include "store/store.h"

#define PAUSE_MIN_NSEC NSEC_PER_SEC
#define PAUSE_MAX_NSEC (300 * NSEC_PER_SEC)

struct questions {
	int fd; /* eventfd */
	sd_event_source *source;
	sd_event_source *timer;
	size_t out; /* questions that were not taken yet; the loop's */
	pthread_mutex_t lock; /* for the list */
	struct question *answers;
};

/* On a reader thread; reader NULL: there is none, or the pool closes. The lock is held until the
 * end: who frees the rest takes it before. */
static void answer(struct store_reader *reader, void *data)
{
	struct question *q = data;
	struct questions *home = q->home;

	q->error = reader
		? q->read(reader, q, &q->sentence)
		: error_set(&q->sentence, -EAGAIN, "the history cannot be opened at present");
	pthread_mutex_lock(&home->lock);
	q->next = home->answers;
	home->answers = q;
	(void)eventfd_write(home->fd, 1); /* full: then the loop is about to look anyway */
	pthread_mutex_unlock(&home->lock);
}

static struct question *take_answers(struct questions *home)
{
	pthread_mutex_lock(&home->lock);
	struct question *answers = home->answers;
	home->answers = NULL;
	pthread_mutex_unlock(&home->lock);
	return answers;
}

static int on_answers(sd_event_source *source, int fd, uint32_t revents, void *data)
{
	struct daemon *d = data;
	eventfd_t count;

	(void)source;
	(void)revents;
	(void)eventfd_read(fd, &count); /* nothing to read: nothing in the list */
	for (struct question *q = take_answers(d->questions); q;) {
		struct question *next = q->next;
		d->questions->out--;
		q->take(d, q);
		q->free(q);
		q = next;
	}
	return 0;
}

static int on_time(sd_event_source *source, uint64_t usec, void *data)
{
	(void)source;
	(void)usec;
	record_follow(data);
	normal_query_ask(data);
	record_release(data);
	return 0;
}

static int add_sources(struct daemon *d, struct questions *home)
{
	home->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (home->fd < 0)
		return -errno;
	int r = sd_event_add_io(d->event, &home->source, home->fd, EPOLLIN, on_answers, d);
	if (r >= 0)
		r = sd_event_add_time_relative(
			d->event, &home->timer, CLOCK_MONOTONIC, 0, USEC_PER_MSEC, on_time, d);
	return r < 0 ? r : sd_event_source_set_enabled(home->timer, SD_EVENT_OFF);
}

int questions_start(struct daemon *d, struct error *reterr)
{
	struct questions *home = calloc(1, sizeof(*home));

	if (!home)
		return error_set(reterr, -ENOMEM, "no memory");
	pthread_mutex_init(&home->lock, NULL); /* cannot fail on Linux */
	d->questions = home;
	int r = add_sources(d, home);
	return r < 0 ? error_set(reterr, r, "event loop: %s", errno_text(-r)) : 0;
}

void questions_stop(struct daemon *d)
{
	struct questions *home = d->questions;

	if (!home)
		return;
	d->questions = NULL;
	(void)sd_event_source_disable_unref(home->source);
	(void)sd_event_source_disable_unref(home->timer);
	for (struct question *q = take_answers(home); q;) {
		struct question *next = q->next;
		home->out--;
		q->free(q);
		q = next;
	}
	/* A thread that hangs on a dead disk still has one, and answers when it wakes: all it may
	 * touch then stays until the process ends, soon. */
	if (home->out > 0)
		return;
	fd_close(home->fd);
	pthread_mutex_destroy(&home->lock);
	free(home);
}

int question_ask(struct daemon *d, struct question *q)
{
	q->home = d->questions;
	int r = store_pool_ask(d->pool, answer, q);
	if (r == 0)
		d->questions->out++;
	return r;
}

uint64_t question_pause_nsec(unsigned failures)
{
	uint64_t nsec = PAUSE_MIN_NSEC;

	for (unsigned i = 1; i < failures && nsec < PAUSE_MAX_NSEC; i++)
		nsec *= 2;
	return nsec < PAUSE_MAX_NSEC ? nsec : PAUSE_MAX_NSEC;
}

void question_look_later(struct daemon *d, uint64_t pause_nsec)
{
	(void)sd_event_source_set_time_relative(d->questions->timer, pause_nsec / NSEC_PER_USEC);
	(void)sd_event_source_set_enabled(d->questions->timer, SD_EVENT_ONESHOT);
}
