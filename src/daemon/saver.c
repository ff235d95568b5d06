/* SPDX-License-Identifier: Apache-2.0 */
/* One thread, one slot for the newest content. */
#include "daemon/saver.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"

#define FILE_MODE 0640
#define PATH_TEXT_MAX 8192

struct saver {
	char *path;
	char *temporary_path;
	pthread_t thread;

	pthread_mutex_t lock; /* for all below */
	pthread_cond_t changed;
	char *data; /* what waits */
	size_t len;
	bool has_work;
	bool is_stopping;
	bool has_ended;
	int error;
};

/* --- The thread --------------------------------------------------------- */

/* Always a new file: what has its name was left by a daemon that was killed, or is no file at all
 * (a FIFO would wait for a reader). */
static int open_new(const char *path)
{
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, FILE_MODE);
	return fd < 0 ? -errno : fd;
}

static int write_file(const struct saver *s, const char *data, size_t len)
{
	int fd = open_new(s->temporary_path);

	if (fd < 0)
		return fd;
	int r = fd_write_all(fd, data, len);
	fd_close(fd);
	if (r == 0 && rename(s->temporary_path, s->path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(s->temporary_path); /* the first error is the one to tell */
	return r;
}

static int save(const struct saver *s, const char *data, size_t len)
{
	if (len > 0)
		return write_file(s, data, len);
	return unlink(s->path) < 0 && errno != ENOENT ? -errno : 0;
}

static void *run_thread(void *data)
{
	struct saver *s = data;

	pthread_mutex_lock(&s->lock);
	for (;;) {
		while (!s->has_work && !s->is_stopping)
			pthread_cond_wait(&s->changed, &s->lock);
		if (!s->has_work)
			break;
		char *content = s->data;
		size_t len = s->len;
		s->data = NULL;
		s->has_work = false;
		pthread_mutex_unlock(&s->lock);
		int r = save(s, content, len);
		free(content);
		pthread_mutex_lock(&s->lock);
		s->error = r;
	}
	s->has_ended = true;
	pthread_cond_broadcast(&s->changed);
	pthread_mutex_unlock(&s->lock);
	return NULL;
}

/* --- The owner's side --------------------------------------------------- */

static void free_saver(struct saver *s)
{
	pthread_cond_destroy(&s->changed);
	pthread_mutex_destroy(&s->lock);
	free(s->data);
	free(s->temporary_path);
	free(s->path);
	free(s);
}

static int name_files(struct saver *s, const char *path)
{
	struct buf b = BUF_INIT(PATH_TEXT_MAX);

	s->path = strdup(path);
	buf_printf(&b, "%s.new", path);
	int r = buf_take(&b, &s->temporary_path, NULL);
	return s->path ? r : -ENOMEM;
}

static void init_waiting(struct saver *s)
{
	pthread_condattr_t attributes;

	pthread_mutex_init(&s->lock, NULL); /* none of these can fail on Linux */
	(void)pthread_condattr_init(&attributes);
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(&s->changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
}

/* Signals are for the loop: the thread inherits a mask that blocks them all. */
static int start_thread(struct saver *s)
{
	sigset_t all;
	sigset_t saved;

	(void)sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&s->thread, NULL, run_thread, s);
	pthread_sigmask(SIG_SETMASK, &saved, NULL);
	return r;
}

int saver_start(const char *path, struct saver **ret)
{
	struct saver *s = calloc(1, sizeof(*s));

	if (!s)
		return -ENOMEM;
	init_waiting(s);
	int r = name_files(s, path);
	if (r == 0)
		r = start_thread(s);
	if (r < 0) {
		free_saver(s);
		return r;
	}
	*ret = s;
	return 0;
}

int saver_submit(struct saver *saver, const void *data, size_t len)
{
	char *copy = malloc(len + 1);

	if (!copy)
		return -ENOMEM;
	if (len > 0)
		memcpy(copy, data, len);
	pthread_mutex_lock(&saver->lock);
	free(saver->data);
	saver->data = copy;
	saver->len = len;
	saver->has_work = true;
	pthread_cond_broadcast(&saver->changed);
	pthread_mutex_unlock(&saver->lock);
	return 0;
}

int saver_error(struct saver *saver)
{
	pthread_mutex_lock(&saver->lock);
	int error = saver->error;
	pthread_mutex_unlock(&saver->lock);
	return error;
}

/* With the lock held. */
static void wait_for_end(struct saver *s, uint64_t limit_nsec)
{
	struct timespec until;

	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	uint64_t nsec = (uint64_t)until.tv_nsec + limit_nsec % NSEC_PER_SEC;
	until.tv_sec += (time_t)(limit_nsec / NSEC_PER_SEC + nsec / NSEC_PER_SEC);
	until.tv_nsec = (long)(nsec % NSEC_PER_SEC);
	while (!s->has_ended && pthread_cond_timedwait(&s->changed, &s->lock, &until) == 0)
		;
}

bool saver_stop(struct saver *saver, uint64_t limit_nsec)
{
	if (!saver)
		return true;
	pthread_mutex_lock(&saver->lock);
	saver->is_stopping = true;
	pthread_cond_broadcast(&saver->changed);
	wait_for_end(saver, limit_nsec);
	bool has_ended = saver->has_ended;
	int error = saver->error;
	pthread_mutex_unlock(&saver->lock);
	if (!has_ended) {
		(void)pthread_detach(saver->thread);
		return false;
	}
	(void)pthread_join(saver->thread, NULL); /* it is returning */
	free_saver(saver);
	return error == 0;
}
