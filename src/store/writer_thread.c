/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that opens, migrates, writes and tends the database. What cannot be written now is
 * tried again until it can; the order is kept. */
#include "store/writer.h"

#include <errno.h>
#include <sqlite3.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/fd.h"
#include "store/database.h"
#include "store/sql.h"
#include "store/tend.h"

#define LOOK_NSEC (5 * NSEC_PER_SEC) /* between looks at the files */
#define LOOK_AGAIN_NSEC (60 * NSEC_PER_SEC) /* after a copy failed: it may be large */
#define GROUP_MAX 64 /* batches of one transaction */
#define RENEWALS_MAX 8 /* a disk that damages each new file shall not be filled with them */
#define BACKOFF_MIN_MSEC 100
#define BACKOFF_MAX_MSEC 5000

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
	if (writer_wait(w->hurry_fd, *backoff_msec)) {
		writer_clear(w->hurry_fd);
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
		w->status.begun_anew += o->is_new;
		writer_signal(w->done_fd);
	}
	pthread_mutex_unlock(&w->lock);
}

static void set_open_result(struct store_writer *w, int r, const struct error *error)
{
	pthread_mutex_lock(&w->lock);
	w->open_result = r;
	if (r < 0)
		w->open_error = *error;
	writer_signal(w->done_fd);
	pthread_mutex_unlock(&w->lock);
	writer_signal(w->opened_fd);
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

/* --- Files that were removed or replaced ---------------------------------- */

static uint64_t now_nsec(void)
{
	struct timespec t;

	(void)clock_gettime(CLOCK_MONOTONIC, &t); /* cannot fail */
	return (uint64_t)t.tv_sec * NSEC_PER_SEC + (uint64_t)t.tv_nsec;
}

static void note_look(struct store_writer *w, const char *error)
{
	pthread_mutex_lock(&w->lock);
	copy_text(w->status.files_error, sizeof(w->status.files_error), error);
	writer_signal(w->done_fd);
	pthread_mutex_unlock(&w->lock);
}

static void put_back(struct store_writer *w, const struct opening_rescue *rescue)
{
	struct opening opening = w->opening;
	struct error error = { "" };

	pthread_mutex_lock(&w->lock);
	w->opening.db = NULL; /* no interrupt from here on */
	w->status.rescues++;
	pthread_mutex_unlock(&w->lock);
	w->renewals++;
	int r = opening_put_back(w->path, &opening, rescue, &error);
	note_opening(w, &opening, r, &error);
	if (r < 0)
		(void)open_until_done(w); /* what cannot be is in the status */
}

/* What is open must be what is at the path: else it is written for nobody, and lost at the end. */
static void look_at_files(struct store_writer *w)
{
	struct opening_rescue rescue;
	struct error error = { "" };
	uint64_t now = now_nsec();

	if (!w->opening.db || now < w->look_nsec)
		return;
	int r = opening_look(&w->opening, &rescue, &error);
	w->look_nsec = now_nsec() + (r < 0 ? LOOK_AGAIN_NSEC : LOOK_NSEC);
	if (r > 0)
		put_back(w, &rescue);
	if (r < 0 || w->status.files_error[0] != '\0')
		note_look(w, r < 0 ? error.text : "");
}

/* --- Batches -------------------------------------------------------------- */

/* Tends the history, a piece of it. */
static void tend(struct store_writer *w)
{
	struct error error = { "" };
	bool has_more = false;

	pthread_mutex_lock(&w->lock);
	struct store_retention retention = w->retention;
	const struct tending tending = {
		.retention = &retention,
		.now_usec = w->tend_usec,
		.bad_rows = w->bad_rows,
	};
	pthread_mutex_unlock(&w->lock);
	int r = tend_step(w->opening.db, &tending, &has_more, &error);
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
	return w->waiting.length > 0 || w->is_closing || w->is_to_replace || w->is_to_look;
}

static struct timespec next_look(const struct store_writer *w)
{
	uint64_t nsec = w->look_nsec;

	return (struct timespec){
		.tv_sec = (time_t)(nsec / NSEC_PER_SEC),
		.tv_nsec = (long)(nsec % NSEC_PER_SEC),
	};
}

/* Until there is something better to do. The lock is held before and after. */
static void wait_for_work(struct store_writer *w)
{
	while (!has_work(w)) {
		if (!w->is_to_tend || !w->opening.db) {
			const struct timespec until = next_look(w);
			w->is_to_look = pthread_cond_timedwait(&w->has_work, &w->lock, &until) != 0;
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
	if (w->is_to_replace || w->is_to_look) {
		w->is_to_look = false;
		pthread_mutex_unlock(&w->lock);
		return true; /* with none, for the moment */
	}
	struct batch *batch;
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
	if (r < 0)
		writer_signal(w->done_fd);
	for (size_t i = 0; !is_to_retry && i < count; i++) {
		struct batch *batch = batch_queue_take(&w->current);
		if (!batch)
			break; /* there are never more than current holds */
		w->status.committed += r == 0;
		w->status.lost += r < 0;
		writer_finish(w, batch, r);
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
		look_at_files(w);
		if (!w->opening.db)
			return; /* given up while there was none */
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

void *writer_run_thread(void *data)
{
	struct store_writer *w = data;

	if (open_until_done(w)) {
		while (!is_given_up(w) && take_group(w)) {
			replace(w);
			look_at_files(w);
			write_current(w);
		}
	}
	close_database(w);
	writer_signal(w->ended_fd);
	return NULL;
}
