/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's thread and the two lists it stands between: batches that wait, batches that are
 * done. What cannot be written now is tried again until it can; the order is kept. Nobody waits for
 * the thread: it opens and migrates the database as well. */
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
#include "store/opening.h"
#include "store/queue.h"
#include "store/sql.h"
#include "store/tend.h"

#define OPEN_WAIT_MSEC 3000
#define GROUP_MAX 64 /* batches of one transaction */
#define RENEWALS_MAX 8 /* a disk that damages each new file shall not be filled with them */
#define BACKOFF_MIN_MSEC 100
#define BACKOFF_MAX_MSEC 5000
/* After the time to close is over: for an interrupted statement to end. */
#define INTERRUPT_MSEC 100

struct store_writer {
	char *path;
	size_t max_batches;
	int lock_fd;
	struct opening opening; /* used by the thread alone, but for interrupts */
	unsigned renewals; /* likewise */
	pthread_t thread;
	int done_fd; /* readable while there are finished batches */
	int hurry_fd; /* cuts a wait for the next attempt short */
	int opened_fd; /* readable when it is known whether it can be opened */
	int ended_fd; /* readable when the thread is about to return */

	pthread_mutex_t lock; /* for all below, and for opening.db as seen by others */
	pthread_cond_t has_work;
	struct batch_queue waiting;
	struct batch_queue finished;
	struct batch_queue current; /* of the thread */
	int open_result; /* see store_writer_opened */
	struct error open_error;
	bool is_to_replace; /* a reader found damage, as open_error says */
	bool is_closing; /* write what waits, then end */
	bool is_given_up; /* end now */
	struct store_writer_status status;
	bool is_to_tend;
	struct store_retention retention;
	int64_t tend_usec; /* what is now, for that */
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

/* Cut where it is too long. */
static void copy_text(char *dst, size_t size, const char *src)
{
	size_t len = strnlen(src, size - 1);

	memcpy(dst, src, len);
	dst[len] = '\0';
}

static bool is_given_up(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	bool is = w->is_given_up;
	pthread_mutex_unlock(&w->lock);
	return is;
}

/* Waits before the next attempt, longer each time. */
static void back_off(struct store_writer *w, uint64_t *backoff_msec)
{
	if (wait_for(w->hurry_fd, *backoff_msec)) {
		clear_event(w->hurry_fd);
		*backoff_msec = BACKOFF_MIN_MSEC;
		return;
	}
	*backoff_msec *= 2;
	if (*backoff_msec > BACKOFF_MAX_MSEC)
		*backoff_msec = BACKOFF_MAX_MSEC;
}

/* What an opening had to tell, also one that failed in the end. */
static void note_opening(
	struct store_writer *w, const struct opening *o, int r, const struct error *error)
{
	uint64_t bytes = database_bytes(o->path[0] != '\0' ? o->path : w->path);

	pthread_mutex_lock(&w->lock);
	w->opening = *o;
	w->status.database_bytes = bytes;
	w->status.failures += r < 0;
	copy_text(w->status.error, sizeof(w->status.error), r < 0 ? error->text : "");
	if (o->notice.text[0] != '\0') {
		copy_text(w->status.notice, sizeof(w->status.notice), o->notice.text);
		w->status.notices++;
		signal_event(w->done_fd);
	}
	pthread_mutex_unlock(&w->lock);
}

static void set_open_result(struct store_writer *w, int r, const struct error *error)
{
	pthread_mutex_lock(&w->lock);
	w->open_result = r;
	if (r < 0)
		w->open_error = *error;
	signal_event(w->done_fd);
	pthread_mutex_unlock(&w->lock);
	signal_event(w->opened_fd);
}

/* A file that may not be read today will not be tomorrow; but once it was open, all is tried. */
static bool is_worth_a_retry(const struct store_writer *w, int r)
{
	return w->renewals > 0 || (sql_is_passing(r) && r != -EACCES && r != -EROFS);
}

/* False when it is not to be. */
static bool open_until_done(struct store_writer *w)
{
	uint64_t backoff_msec = BACKOFF_MIN_MSEC;

	for (;;) {
		struct opening opening;
		struct error error = { "" };
		int r = opening_open(w->path, &opening, &error);
		note_opening(w, &opening, r, &error);
		if (r == 0 || !is_worth_a_retry(w, r)) {
			set_open_result(w, r, &error);
			return r == 0;
		}
		if (is_given_up(w))
			return false;
		back_off(w, &backoff_msec);
	}
}

/* Moves to a new database from one that was found damaged. False when that is not to be. */
static bool renew(struct store_writer *w, struct error *error)
{
	struct opening opening = w->opening;

	if (w->renewals == RENEWALS_MAX)
		return false;
	pthread_mutex_lock(&w->lock);
	w->opening.db = NULL; /* no interrupt from here on */
	pthread_mutex_unlock(&w->lock);
	w->renewals++;
	int r = opening_renew(w->path, &opening, error);
	note_opening(w, &opening, r, error);
	return r == 0 || open_until_done(w);
}

static void replace(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	bool is_to_replace = w->is_to_replace;
	struct error error = w->open_error;
	w->is_to_replace = false;
	pthread_mutex_unlock(&w->lock);
	if (is_to_replace)
		set_open_result(w, renew(w, &error) ? 0 : -EUCLEAN, &error);
}

/* Tends the history, a piece of it. */
static void tend(struct store_writer *w)
{
	struct error error = { "" };
	bool has_more = false;

	pthread_mutex_lock(&w->lock);
	struct store_retention retention = w->retention;
	int64_t now_usec = w->tend_usec;
	pthread_mutex_unlock(&w->lock);
	int r = tend_step(w->opening.db, &retention, now_usec, &has_more, &error);
	pthread_mutex_lock(&w->lock);
	if (r < 0 || !has_more)
		w->is_to_tend = false;
	/* An interrupt is ours alone: the time to close is over. */
	copy_text(w->status.tend_error, sizeof(w->status.tend_error),
		r < 0 && r != -EINTR ? error.text : "");
	pthread_mutex_unlock(&w->lock);
}

static bool has_work(const struct store_writer *w)
{
	return w->waiting.length > 0 || w->is_closing || w->is_to_replace;
}

/* Until there is something better to do. The lock is held before and after. */
static void wait_for_work(struct store_writer *w)
{
	while (!has_work(w)) {
		if (!w->is_to_tend || !w->opening.db) {
			pthread_cond_wait(&w->has_work, &w->lock);
			continue;
		}
		pthread_mutex_unlock(&w->lock);
		tend(w);
		pthread_mutex_lock(&w->lock);
	}
}

/* The next batches, or false when there is no more to do. */
static bool take_group(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	wait_for_work(w);
	if (w->is_to_replace) {
		pthread_mutex_unlock(&w->lock);
		return true; /* with none, for the moment */
	}
	struct store_batch *batch;
	while (!w->is_given_up && w->current.length < GROUP_MAX &&
		(batch = batch_queue_take(&w->waiting)))
		batch_queue_add(&w->current, batch);
	bool has_any = w->current.length > 0;
	pthread_mutex_unlock(&w->lock);
	return has_any;
}

/* Notes how an attempt with the first `count` batches ended. True when they need another one. */
static bool note_attempt(struct store_writer *w, int r, size_t count, const struct error *error)
{
	uint64_t bytes = database_bytes(w->opening.path);
	/* An interrupt is ours alone: the time to close is over. */
	bool is_to_retry = r < 0 && (sql_is_passing(r) || r == -EINTR);

	pthread_mutex_lock(&w->lock);
	w->status.database_bytes = bytes;
	w->status.failures += r < 0;
	copy_text(w->status.error, sizeof(w->status.error), r < 0 ? error->text : "");
	for (size_t i = 0; !is_to_retry && i < count; i++) {
		struct store_batch *batch = batch_queue_take(&w->current);
		if (!batch)
			break; /* there are never more than current holds */
		w->status.committed += r == 0;
		w->status.lost += r < 0;
		finish(w, batch, r);
	}
	pthread_mutex_unlock(&w->lock);
	return is_to_retry;
}

/* One transaction; where that fails for good, one for each batch, for only one may be to blame. */
static void write_current(struct store_writer *w)
{
	uint64_t backoff_msec = BACKOFF_MIN_MSEC;
	size_t count = w->current.length;

	while (w->current.length > 0) {
		struct error error = { "" };
		int r = write_batches(&w->opening.write, w->current.first, count, &error);
		if (r == -EUCLEAN && renew(w, &error))
			continue;
		if (!w->opening.db)
			return; /* given up while there was none */
		if (r < 0 && error.text[0] == '\0')
			(void)error_set(&error, r, "history: %s", errno_text(-r));
		if (r < 0 && count > 1 && !sql_is_passing(r) && r != -EINTR) {
			count = 1;
			continue;
		}
		if (!note_attempt(w, r, count, &error))
			continue;
		if (is_given_up(w))
			return;
		back_off(w, &backoff_msec);
	}
}

/* Closing checkpoints the log, which can take long: the thread does it, and no one waits for it. */
static void close_database(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	struct opening opening = w->opening;
	w->opening.db = NULL; /* no interrupt from here on */
	int lock_fd = w->lock_fd;
	w->lock_fd = -1;
	pthread_mutex_unlock(&w->lock);
	opening_done(&opening);
	fd_close(lock_fd);
}

static void *run_thread(void *data)
{
	struct store_writer *w = data;

	if (open_until_done(w)) {
		while (!is_given_up(w) && take_group(w)) {
			replace(w);
			write_current(w);
		}
	}
	close_database(w);
	signal_event(w->ended_fd);
	return NULL;
}

/* --- The owner's side --------------------------------------------------- */

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

static struct store_writer *new_writer(const char *path, size_t max_batches)
{
	struct store_writer *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->max_batches = max_batches > 0 ? max_batches : 1;
	w->lock_fd = w->done_fd = w->hurry_fd = w->opened_fd = w->ended_fd = -1;
	w->open_result = -EINPROGRESS;
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
	(void)wait_for(w->opened_fd, OPEN_WAIT_MSEC); /* else it is asked for later */
	r = store_writer_opened(w, reterr);
	if (r < 0 && r != -EINPROGRESS) {
		(void)store_writer_close(w, UINT64_MAX); /* it has nothing to write */
		return r;
	}
	if (r == 0)
		clear_event(w->done_fd); /* nothing is finished, and that it is open is known */
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

static bool tell_batch(struct store_batch *batch, uint64_t tag,
	void (*each)(void *data, const struct message *message), void *data)
{
	const struct message *message = store_batch_message(batch, 0);

	if (!message || batch->is_told)
		return false;
	if (batch->tag > tag)
		return true;
	batch->is_told = true;
	for (size_t i = 0; message; message = store_batch_message(batch, ++i))
		each(data, message);
	return false;
}

bool store_writer_tell(struct store_writer *writer, uint64_t tag,
	void (*each)(void *data, const struct message *message), void *data)
{
	bool are_more = false;

	pthread_mutex_lock(&writer->lock);
	for (struct store_batch *b = writer->current.first; b; b = b->next)
		are_more |= tell_batch(b, tag, each, data);
	for (struct store_batch *b = writer->waiting.first; b; b = b->next)
		are_more |= tell_batch(b, tag, each, data);
	pthread_mutex_unlock(&writer->lock);
	return are_more;
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
	signal_event(w->hurry_fd);
}

static void give_up(struct store_writer *w)
{
	pthread_mutex_lock(&w->lock);
	w->is_given_up = true;
	if (w->opening.db)
		sqlite3_interrupt(w->opening.db);
	pthread_mutex_unlock(&w->lock);
	signal_event(w->hurry_fd);
}

static size_t count_runs(const struct batch_queue *q)
{
	size_t count = 0;

	for (const struct store_batch *b = q->first; b; b = b->next)
		count += store_batch_run(b) != NULL;
	return count;
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
