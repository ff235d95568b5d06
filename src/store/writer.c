/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's thread and the two lists it stands between: batches that wait, batches that are
 * done. What cannot be written now is tried again until it can; the order is kept. */
#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/fd.h"
#include "store/database.h"
#include "store/queue.h"
#include "store/tend.h"
#include "store/write.h"

#define BACKOFF_MIN_MSEC 100
#define BACKOFF_MAX_MSEC 5000
/* After the time to close is over: for an interrupted statement to end. */
#define INTERRUPT_MSEC 100

struct store_writer {
	char *path;
	size_t max_batches;
	struct database database; /* used by the thread alone once it runs, but for interrupts */
	struct write write; /* likewise */
	pthread_t thread;
	int done_fd; /* readable while there are finished batches */
	int hurry_fd; /* cuts a wait for the next attempt short */
	int ended_fd; /* readable when the thread is about to return */

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t has_work;
	struct batch_queue waiting;
	struct batch_queue finished;
	struct store_batch *current; /* of the thread */
	bool is_closing; /* write what waits, then end */
	bool is_given_up; /* end now */
	struct store_writer_status status;
	bool is_to_tend;
	struct store_retention retention;
	int64_t tend_usec; /* what is now */
};

/* An eventfd that is not used up cannot be short of room for one more. */
static void signal_event(int fd)
{
	(void)eventfd_write(fd, 1);
}

static void clear_event(int fd)
{
	eventfd_t value;

	(void)eventfd_read(fd, &value); /* EAGAIN when it was clear */
}

/* True when fd became readable in time. A signal makes it wait anew: the thread blocks them all,
 * and the daemon takes its own by signalfd. */
static bool wait_for(int fd, uint64_t limit_msec)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int timeout = limit_msec < INT_MAX ? (int)limit_msec : INT_MAX;
	int n;

	do
		n = poll(&pollfd, 1, timeout);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

/* --- The thread --------------------------------------------------------- */

static void finish(struct store_writer *w, struct store_batch *batch, int error)
{
	batch->error = error;
	batch_queue_add(&w->finished, batch);
	signal_event(w->done_fd);
}

static void copy_error(char *dst, size_t size, const struct error *error)
{
	size_t len = strnlen(error->text, size - 1);

	memcpy(dst, error->text, len);
	dst[len] = '\0';
}

/* One piece of it. */
static void tend(struct store_writer *w)
{
	struct error error = { "" };
	bool has_more = false;

	pthread_mutex_lock(&w->lock);
	struct store_retention retention = w->retention;
	int64_t now_usec = w->tend_usec;
	pthread_mutex_unlock(&w->lock);
	int r = tend_step(w->database.db, &retention, now_usec, &has_more, &error);
	pthread_mutex_lock(&w->lock);
	if (r < 0 || !has_more)
		w->is_to_tend = false;
	w->status.tend_error[0] = '\0';
	if (r < 0 && r != -EINTR)
		copy_error(w->status.tend_error, sizeof(w->status.tend_error), &error);
	pthread_mutex_unlock(&w->lock);
}

/* The next batch, or NULL when there is no more to do. Tends the history until one comes. */
static struct store_batch *next_batch(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	while (w->waiting.length == 0 && !w->is_closing) {
		if (!w->is_to_tend) {
			pthread_cond_wait(&w->has_work, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		tend(w);
		pthread_mutex_lock(&w->lock);
	}
	struct store_batch *batch = w->is_given_up ? NULL : batch_queue_take(&w->waiting);
	if (batch)
		w->current = batch;
	pthread_mutex_unlock(&w->lock);
	return batch;
}

/* Notes how an attempt ended. True when the batch needs another one. */
static bool note_attempt(struct store_writer *w, int r, const struct error *error)
{
	uint64_t bytes = database_bytes(w->path);

	pthread_mutex_lock(&w->lock);
	w->status.database_bytes = bytes;
	w->status.error[0] = '\0';
	if (r == 0)
		w->status.committed++;
	else
		w->status.failures++;
	if (r < 0)
		copy_error(w->status.error, sizeof(w->status.error), error);
	/* An interrupt is ours alone: the time to close is over. */
	bool is_to_retry = r < 0 && (sql_is_passing(r) || r == -EINTR);
	if (!is_to_retry) {
		w->status.lost += r < 0;
		finish(w, w->current, r);
		w->current = NULL;
	}
	bool is_given_up = w->is_given_up;
	pthread_mutex_unlock(&w->lock);
	return is_to_retry && !is_given_up;
}

static void write_until_done(struct store_writer *w, const struct store_batch *batch)
{
	uint64_t backoff_msec = BACKOFF_MIN_MSEC;

	for (;;) {
		struct error error = { "" };
		int r = write_batch(&w->write, batch, &error);
		if (r < 0 && error.text[0] == '\0')
			(void)error_set(&error, r, "history: %s", errno_text(-r));
		if (!note_attempt(w, r, &error))
			return;
		if (wait_for(w->hurry_fd, backoff_msec)) {
			clear_event(w->hurry_fd);
			backoff_msec = BACKOFF_MIN_MSEC;
			continue;
		}
		backoff_msec *= 2;
		if (backoff_msec > BACKOFF_MAX_MSEC)
			backoff_msec = BACKOFF_MAX_MSEC;
	}
}

/* Closing checkpoints the log, which can take long: the thread does it, and no one waits for it. */
static void close_database(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	struct database database = w->database;
	w->database.db = NULL; /* no interrupt from here on */
	w->database.lock_fd = -1;
	pthread_mutex_unlock(&w->lock);
	write_done(&w->write);
	database_close(&database);
}

static void *run_thread(void *data)
{
	struct store_writer *w = data;
	struct store_batch *batch;

	while ((batch = next_batch(w)))
		write_until_done(w, batch);
	close_database(w);
	signal_event(w->ended_fd);
	return NULL;
}

/* --- The owner's side --------------------------------------------------- */

static void free_writer(struct store_writer *w)
{
	write_done(&w->write);
	database_close(&w->database);
	w->done_fd = fd_close(w->done_fd);
	w->hurry_fd = fd_close(w->hurry_fd);
	w->ended_fd = fd_close(w->ended_fd);
	batch_queue_done(&w->waiting);
	batch_queue_done(&w->finished);
	store_batch_free(w->current);
	pthread_cond_destroy(&w->has_work);
	pthread_mutex_destroy(&w->lock);
	free(w->path);
	free(w);
}

static int open_events(struct store_writer *w)
{
	int *const fds[] = { &w->done_fd, &w->hurry_fd, &w->ended_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		*fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (*fds[i] < 0)
			return -errno;
	}
	return 0;
}

static struct store_writer *new_writer(const char *path, size_t max_batches)
{
	struct store_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->max_batches = max_batches > 0 ? max_batches : 1;
	w->database.lock_fd = w->done_fd = w->hurry_fd = w->ended_fd = -1;
	pthread_mutex_init(&w->lock, NULL); /* cannot fail on Linux */
	pthread_cond_init(&w->has_work, NULL); /* likewise */
	w->path = strdup(path);
	if (!w->path) {
		free_writer(w);
		return NULL;
	}
	return w;
}

/* Signals are for the loop: the thread inherits a mask that blocks them all. */
static int start_thread(struct store_writer *w)
{
	sigset_t all;
	sigset_t saved;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&w->thread, NULL, run_thread, w);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return r;
}

int store_writer_open(
	const char *path, size_t max_batches, struct store_writer **ret, struct error *reterr)
{
	struct store_writer *w = new_writer(path, max_batches);

	if (!w)
		return error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));
	int r = database_open(path, &w->database, reterr);
	if (r == 0)
		r = write_init(&w->write, w->database.db, reterr);
	if (r < 0)
		goto fail;
	w->status.database_bytes = database_bytes(path);
	r = open_events(w);
	if (r == 0)
		r = start_thread(w);
	if (r < 0) {
		(void)error_set(reterr, r, "%s: %s", path, errno_text(-r)); /* r goes up */
		goto fail;
	}
	*ret = w;
	return 0;
fail:
	free_writer(w);
	return r;
}

int store_writer_submit(struct store_writer *writer, struct store_batch *batch)
{
	int r = 0;

	pthread_mutex_lock(&writer->lock);
	struct store_batch *oldest = writer->waiting.length >= writer->max_batches
		? batch_queue_take(&writer->waiting)
		: NULL;
	if (oldest) {
		writer->status.lost++;
		finish(writer, oldest, -ENOBUFS);
		r = -ENOBUFS;
	}
	batch_queue_add(&writer->waiting, batch);
	pthread_cond_signal(&writer->has_work);
	pthread_mutex_unlock(&writer->lock);
	return r;
}

void store_writer_tend(
	struct store_writer *writer, const struct store_retention *retention, int64_t now_usec)
{
	pthread_mutex_lock(&writer->lock);
	writer->retention = *retention;
	writer->tend_usec = now_usec;
	writer->is_to_tend = true;
	pthread_cond_signal(&writer->has_work);
	pthread_mutex_unlock(&writer->lock);
}

int store_writer_fd(const struct store_writer *writer)
{
	return writer->done_fd;
}

struct store_batch *store_writer_take(struct store_writer *writer, int *ret_error)
{
	pthread_mutex_lock(&writer->lock);
	struct store_batch *batch = batch_queue_take(&writer->finished);
	if (writer->finished.length == 0)
		clear_event(writer->done_fd);
	pthread_mutex_unlock(&writer->lock);
	if (batch)
		*ret_error = batch->error;
	return batch;
}

void store_writer_status(struct store_writer *writer, struct store_writer_status *ret)
{
	pthread_mutex_lock(&writer->lock);
	*ret = writer->status;
	ret->queue_length = writer->waiting.length + (writer->current != NULL);
	pthread_mutex_unlock(&writer->lock);
}

static void ask_to_end(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_closing = true;
	pthread_cond_signal(&w->has_work);
	pthread_mutex_unlock(&w->lock);
	signal_event(w->hurry_fd);
}

static void give_up(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_given_up = true;
	if (w->database.db)
		sqlite3_interrupt(w->database.db);
	pthread_mutex_unlock(&w->lock);
	signal_event(w->hurry_fd);
}

size_t store_writer_close(struct store_writer *writer, uint64_t limit_nsec)
{
	if (!writer)
		return 0;
	ask_to_end(writer);
	bool has_ended = wait_for(
		writer->ended_fd, limit_nsec / NSEC_PER_MSEC + (limit_nsec % NSEC_PER_MSEC > 0));
	if (!has_ended) {
		give_up(writer);
		has_ended = wait_for(writer->ended_fd, INTERRUPT_MSEC);
	}
	pthread_mutex_lock(&writer->lock);
	size_t unwritten = writer->waiting.length + (writer->current != NULL);
	pthread_mutex_unlock(&writer->lock);
	if (!has_ended) {
		/* It sits in the kernel, on a disk that does not answer. All it may still touch
		 * stays where it is until the process ends, soon. */
		(void)pthread_detach(writer->thread);
		return unwritten;
	}
	(void)pthread_join(writer->thread, NULL); /* it is returning */
	free_writer(writer);
	return unwritten;
}
