/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that delivers messages, its queue, and the return of results. A message is one
 * allocation from submit to take, so nothing can fail in between. */
#include "notify/notify.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "notify/journal.h"

struct item {
	struct item *next;
	struct message message;
	int error;
};

struct list {
	struct item *first;
	struct item **end; /* where the next one is linked */
};

struct notifier {
	pthread_mutex_t lock;
	pthread_cond_t changed; /* new work, or a stop request */
	pthread_t thread;
	int result_fd; /* eventfd, readable while results wait */
	int end_fd; /* eventfd, readable when the thread has ended */
	size_t max_queue;
	size_t count; /* of all items: waiting, in delivery, done and not taken */
	struct list waiting;
	struct list done;
	bool is_stopping; /* the thread ends when the queue is empty */
	bool is_abandoned; /* the thread was left behind: it ends at once and frees everything */
	bool has_ended;
};

/* One channel, one row. */
static const struct channel {
	const char *name;
	int (*deliver)(const struct message *message);
} channels[] = {
	{ "journal", journal_deliver },
};

static int deliver(const struct message *message)
{
	for (size_t i = 0; i < sizeof(channels) / sizeof(channels[0]); i++)
		if (strcmp(channels[i].name, message->channel) == 0)
			return channels[i].deliver(message);
	return -ENOENT;
}

static void list_init(struct list *list)
{
	list->first = NULL;
	list->end = &list->first;
}

static void list_add(struct list *list, struct item *item)
{
	item->next = NULL;
	*list->end = item;
	list->end = &item->next;
}

static struct item *list_take(struct list *list)
{
	struct item *item = list->first;

	if (!item)
		return NULL;
	list->first = item->next;
	if (!list->first)
		list->end = &list->first;
	return item;
}

static void list_done(struct list *list)
{
	for (struct item *item = list_take(list); item; item = list_take(list))
		free(item);
}

static struct notifier *notifier_free(struct notifier *n)
{
	list_done(&n->waiting);
	list_done(&n->done);
	fd_close(n->result_fd);
	fd_close(n->end_fd);
	(void)pthread_cond_destroy(&n->changed); /* cannot fail: no thread waits */
	(void)pthread_mutex_destroy(&n->lock);
	free(n);
	return NULL;
}

/* Waits, holding the lock, for the next message. NULL: the thread should end. */
static struct item *wait_for_item(struct notifier *n)
{
	while (!n->waiting.first && !n->is_stopping)
		(void)pthread_cond_wait(&n->changed, &n->lock); /* fails only by misuse */
	return n->is_abandoned ? NULL : list_take(&n->waiting);
}

static void *run_thread(void *data)
{
	struct notifier *n = data;
	struct item *item;

	(void)pthread_mutex_lock(&n->lock); /* likewise */
	while ((item = wait_for_item(n)) != NULL) {
		(void)pthread_mutex_unlock(&n->lock);
		int r = deliver(&item->message);
		(void)pthread_mutex_lock(&n->lock);
		item->error = r;
		list_add(&n->done, item);
		/* Fails only if the counter nears 2^64, and it counts at most the messages. */
		(void)eventfd_write(n->result_fd, 1);
	}
	n->has_ended = true;
	bool is_abandoned = n->is_abandoned;
	(void)eventfd_write(n->end_fd, 1);
	(void)pthread_mutex_unlock(&n->lock);
	if (is_abandoned)
		notifier_free(n);
	return NULL;
}

/* The thread blocks all signals: the loop handles them. */
static int start_thread(struct notifier *n)
{
	sigset_t all;
	sigset_t before;

	(void)sigfillset(&all); /* cannot fail */
	int r = -pthread_sigmask(SIG_SETMASK, &all, &before);
	if (r < 0)
		return r;
	r = -pthread_create(&n->thread, NULL, run_thread, n);
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL); /* cannot fail */
	if (r == 0)
		(void)pthread_setname_np(n->thread, "notify"); /* only for debugging */
	return r;
}

int notifier_start(size_t max_queue, struct notifier **ret, struct error *reterr)
{
	struct notifier *n = calloc(1, sizeof(*n));
	int r = 0;

	if (!n)
		return error_set(reterr, -ENOMEM, "no memory for the notifier");
	/* Neither can fail in glibc without attributes. */
	(void)pthread_mutex_init(&n->lock, NULL);
	(void)pthread_cond_init(&n->changed, NULL);
	n->max_queue = max_queue;
	list_init(&n->waiting);
	list_init(&n->done);
	n->result_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	n->end_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (n->result_fd < 0 || n->end_fd < 0)
		r = -errno;
	else
		r = start_thread(n);
	if (r < 0) {
		notifier_free(n);
		return error_set(reterr, r, "notifier: %s", errno_text(-r));
	}
	*ret = n;
	return 0;
}

int notifier_submit(struct notifier *notifier, const struct message *message)
{
	struct item *item = malloc(sizeof(*item));

	if (!item)
		return -ENOMEM;
	item->message = *message;
	item->error = 0;
	(void)pthread_mutex_lock(&notifier->lock); /* fails only by misuse */
	bool has_room = notifier->count < notifier->max_queue;
	if (has_room) {
		notifier->count++;
		list_add(&notifier->waiting, item);
		(void)pthread_cond_signal(&notifier->changed);
	}
	(void)pthread_mutex_unlock(&notifier->lock);
	if (!has_room)
		free(item);
	return has_room ? 0 : -ENOBUFS;
}

int notifier_fd(const struct notifier *notifier)
{
	return notifier->result_fd;
}

int notifier_take(struct notifier *notifier, struct notify_result *ret)
{
	eventfd_t unused;

	(void)pthread_mutex_lock(&notifier->lock); /* fails only by misuse */
	struct item *item = list_take(&notifier->done);
	if (item)
		notifier->count--;
	if (!notifier->done.first)
		(void)eventfd_read(notifier->result_fd, &unused); /* fails when it is 0 already */
	(void)pthread_mutex_unlock(&notifier->lock);
	if (!item)
		return -EAGAIN;
	memcpy(ret->key, item->message.key, sizeof(ret->key));
	ret->error = item->error;
	free(item);
	return 0;
}

/* False: the time limit came first. Signals do not shorten the wait. */
static bool wait_for_end(const struct notifier *n, uint64_t limit_nsec)
{
	struct pollfd end = { .fd = n->end_fd, .events = POLLIN };
	const struct timespec limit = {
		.tv_sec = (time_t)(limit_nsec / NSEC_PER_SEC),
		.tv_nsec = (long)(limit_nsec % NSEC_PER_SEC),
	};
	sigset_t all;

	(void)sigfillset(&all); /* cannot fail */
	return ppoll(&end, 1, &limit, &all) > 0;
}

/* A delivery that hangs must not delay the stop: its thread is left behind and frees its data when
 * it returns. Undelivered messages are still in the outbox. */
struct notifier *notifier_stop(struct notifier *notifier, uint64_t limit_nsec)
{
	if (!notifier)
		return NULL;
	pthread_t thread = notifier->thread;

	(void)pthread_mutex_lock(&notifier->lock); /* fails only by misuse */
	notifier->is_stopping = true;
	(void)pthread_cond_signal(&notifier->changed);
	(void)pthread_mutex_unlock(&notifier->lock);
	(void)wait_for_end(notifier, limit_nsec); /* has_ended, under the lock, decides */

	(void)pthread_mutex_lock(&notifier->lock);
	bool has_ended = notifier->has_ended;
	notifier->is_abandoned = !has_ended;
	(void)pthread_mutex_unlock(&notifier->lock);
	if (!has_ended) {
		(void)pthread_detach(thread); /* the thread exists */
		return NULL;
	}
	(void)pthread_join(thread, NULL); /* likewise, and it has ended */
	return notifier_free(notifier);
}
