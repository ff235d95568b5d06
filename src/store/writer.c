/* SPDX-License-Identifier: Apache-2.0 */
/* The owner's side of the writer: the two lists that its thread stands between, batches that wait
 * and batches that are done. Nobody waits for the thread. */
#include "store/writer.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "store/database.h"

#define OPEN_WAIT_MSEC 3000
/* After the time to close is over: for an interrupted statement to end. */
#define INTERRUPT_MSEC 100

/* An eventfd that is not used up cannot be short of room for one more. */
void writer_signal(int fd)
{
	(void)eventfd_write(fd, 1);
}

void writer_clear(int fd)
{
	eventfd_t value;

	(void)eventfd_read(fd, &value); /* EAGAIN when it was clear */
}

/* True when fd became readable in time. A signal makes it wait anew: the thread blocks them all,
 * and the daemon takes its own by signalfd. */
bool writer_wait(int fd, uint64_t limit_msec)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	int timeout = limit_msec < INT_MAX ? (int)limit_msec : INT_MAX;
	int n;

	do
		n = poll(&pollfd, 1, timeout);
	while (n < 0 && errno == EINTR);
	return n > 0;
}

void writer_finish(struct store_writer *w, struct batch *batch, int error)
{
	batch->error = error;
	batch_queue_add(&w->finished, batch);
	writer_signal(w->done_fd);
}

static void free_writer(struct store_writer *w)
{
	w->lock_fd = fd_close(w->lock_fd);
	w->done_fd = fd_close(w->done_fd);
	w->hurry_fd = fd_close(w->hurry_fd);
	w->opened_fd = fd_close(w->opened_fd);
	w->ended_fd = fd_close(w->ended_fd);
	batch_queue_done(&w->waiting);
	batch_queue_done(&w->finished);
	batch_queue_done(&w->current);
	store_bad_rows_free(w->bad_rows);
	pthread_cond_destroy(&w->has_work);
	pthread_mutex_destroy(&w->lock);
	free(w->path);
	free(w);
}

static int open_events(struct store_writer *w)
{
	int *const fds[] = { &w->done_fd, &w->hurry_fd, &w->opened_fd, &w->ended_fd };

	for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++) {
		*fds[i] = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
		if (*fds[i] < 0)
			return -errno;
	}
	return 0;
}

static void init_condition(pthread_cond_t *condition)
{
	pthread_condattr_t attributes;

	(void)pthread_condattr_init(&attributes); /* none of these can fail on Linux */
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(condition, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

static struct store_writer *new_writer(const char *path, size_t max_batches)
{
	struct store_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->max_batches = max_batches > 0 ? max_batches : 1;
	w->lock_fd = w->done_fd = w->hurry_fd = w->opened_fd = w->ended_fd = -1;
	w->open_result = -EINPROGRESS;
	pthread_mutex_init(&w->lock, NULL); /* cannot fail on Linux */
	init_condition(&w->has_work);
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
	int r = -pthread_create(&w->thread, NULL, writer_run_thread, w);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return r;
}

int store_writer_open(
	const char *path, size_t max_batches, struct store_writer **ret, struct error *reterr)
{
	struct store_writer *w = new_writer(path, max_batches);

	if (!w)
		return error_set(reterr, -ENOMEM, "%s: %s", path, errno_text(ENOMEM));
	int r = database_lock(path, &w->lock_fd, reterr);
	if (r < 0)
		goto fail;
	r = open_events(w);
	if (r == 0)
		r = start_thread(w);
	if (r < 0) {
		(void)error_set(reterr, r, "%s: %s", path, errno_text(-r)); /* r goes up */
		goto fail;
	}
	(void)writer_wait(w->opened_fd, OPEN_WAIT_MSEC); /* else it is asked for later */
	r = store_writer_opened(w, reterr);
	if (r < 0 && r != -EINPROGRESS) {
		(void)store_writer_close(w, UINT64_MAX); /* it has nothing to write */
		return r;
	}
	if (r == 0)
		writer_clear(w->done_fd); /* nothing is finished, and that it is open is known */
	*ret = w;
	return 0;
fail:
	free_writer(w);
	return r;
}

int store_writer_opened(struct store_writer *writer, struct error *reterr)
{
	pthread_mutex_lock(&writer->lock);
	int r = writer->open_result;
	if (r == -EINPROGRESS)
		(void)error_set(reterr, r, "%s", writer->status.error); /* r goes up */
	else if (r < 0)
		(void)error_set(reterr, r, "%s", writer->open_error.text); /* likewise */
	pthread_mutex_unlock(&writer->lock);
	return r;
}

void store_writer_replace(struct store_writer *writer, const char *why)
{
	pthread_mutex_lock(&writer->lock);
	writer->open_result = -EINPROGRESS;
	(void)error_set(&writer->open_error, 0, "%s", why); /* an output */
	writer->is_to_replace = true;
	pthread_cond_signal(&writer->has_work);
	pthread_mutex_unlock(&writer->lock);
}

static bool tell_batch(struct batch *batch, uint64_t tag,
	void (*each)(void *data, const struct message *message), void *data)
{
	const struct message *message = batch_message(batch, 0);

	if (!message || batch->is_told)
		return false;
	if (batch->tag > tag)
		return true;
	batch->is_told = true;
	for (size_t i = 0; message; message = batch_message(batch, ++i))
		each(data, message);
	return false;
}

bool store_writer_tell(struct store_writer *writer, uint64_t tag,
	void (*each)(void *data, const struct message *message), void *data)
{
	bool are_more = false;

	pthread_mutex_lock(&writer->lock);
	for (struct batch *b = writer->current.first; b; b = b->next)
		are_more |= tell_batch(b, tag, each, data);
	for (struct batch *b = writer->waiting.first; b; b = b->next)
		are_more |= tell_batch(b, tag, each, data);
	pthread_mutex_unlock(&writer->lock);
	return are_more;
}

int store_writer_submit(struct store_writer *writer, struct batch *batch)
{
	int r = 0;

	pthread_mutex_lock(&writer->lock);
	struct batch *oldest = writer->waiting.length >= writer->max_batches
		? batch_queue_take(&writer->waiting)
		: NULL;
	if (oldest) {
		writer->status.lost++;
		writer_finish(writer, oldest, -ENOBUFS);
		r = -ENOBUFS;
	}
	batch_queue_add(&writer->waiting, batch);
	pthread_cond_signal(&writer->has_work);
	pthread_mutex_unlock(&writer->lock);
	return r;
}

void store_writer_report(struct store_writer *writer, struct store_bad_rows *bad_rows)
{
	pthread_mutex_lock(&writer->lock);
	store_bad_rows_free(writer->bad_rows);
	writer->bad_rows = store_bad_rows_share(bad_rows);
	pthread_mutex_unlock(&writer->lock);
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

struct batch *store_writer_take(struct store_writer *writer, int *ret_error)
{
	pthread_mutex_lock(&writer->lock);
	struct batch *batch = batch_queue_take(&writer->finished);
	if (writer->finished.length == 0)
		writer_clear(writer->done_fd);
	pthread_mutex_unlock(&writer->lock);
	if (batch)
		*ret_error = batch->error;
	return batch;
}

void store_writer_status(struct store_writer *writer, struct store_writer_status *ret)
{
	pthread_mutex_lock(&writer->lock);
	*ret = writer->status;
	ret->is_tending = writer->is_to_tend;
	ret->queue_length = writer->waiting.length + writer->current.length;
	pthread_mutex_unlock(&writer->lock);
}

static void ask_to_end(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_closing = true;
	pthread_cond_signal(&w->has_work);
	pthread_mutex_unlock(&w->lock);
	writer_signal(w->hurry_fd);
}

static void give_up(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_given_up = true;
	if (w->opening.db)
		sqlite3_interrupt(w->opening.db);
	pthread_mutex_unlock(&w->lock);
	writer_signal(w->hurry_fd);
}

static size_t count_runs(const struct batch_queue *q)
{
	size_t count = 0;

	for (const struct batch *b = q->first; b; b = b->next)
		count += batch_run(b) != NULL;
	return count;
}

size_t store_writer_close(struct store_writer *writer, uint64_t limit_nsec)
{
	if (!writer)
		return 0;
	ask_to_end(writer);
	bool has_ended = writer_wait(
		writer->ended_fd, limit_nsec / NSEC_PER_MSEC + (limit_nsec % NSEC_PER_MSEC > 0));
	if (!has_ended) {
		give_up(writer);
		has_ended = writer_wait(writer->ended_fd, INTERRUPT_MSEC);
	}
	pthread_mutex_lock(&writer->lock);
	size_t unwritten = count_runs(&writer->waiting) + count_runs(&writer->current);
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
