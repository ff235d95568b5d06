/* SPDX-License-Identifier: Apache-2.0 */
/* One line per event on stderr. Allocates nothing, so that it can report an allocation failure. The
 * daemon's lines go through a queue to a thread that writes them, because its standard error may be
 * a pipe or terminal that nobody reads, the journal's socket, or a file on a disk that hangs; only
 * a thread isolates the other threads from all of these. O_NONBLOCK would be a property of the open
 * file description, which is shared with the process that started the daemon; poll(2) guarantees
 * nothing while others write to the same pipe, and always reports a file as ready. */
#include "base/log.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log_queue.h"
#include "base/utf8.h"

#define PREFIX_MAX_BYTES 16
/* At most PIPE_BUF including prefix and line break: a pipe takes that atomically. */
#define TEXT_MAX_BYTES (LOG_LINE_MAX - PREFIX_MAX_BYTES - 1)
#define CHARACTER_MAX_BYTES 4

static const struct {
	enum log_level level;
	const char *name;
} level_names[] = {
	{ LOG_LEVEL_CRITICAL, "critical" },
	{ LOG_LEVEL_ERROR, "error" },
	{ LOG_LEVEL_WARNING, "warning" },
	{ LOG_LEVEL_NOTICE, "notice" },
	{ LOG_LEVEL_INFO, "info" },
	{ LOG_LEVEL_DEBUG, "debug" },
};

enum mode {
	MODE_WAIT, /* each line is written synchronously: a command at a terminal */
	MODE_DROP, /* at once or not at all */
	MODE_QUEUE, /* by the thread */
};

static _Atomic enum log_level current_level = LOG_LEVEL_INFO;
static _Atomic enum mode current_mode = MODE_WAIT;
static _Atomic uint64_t lost_lines;

/* Global, as standard error is. */
static struct {
	pthread_t thread;
	pthread_mutex_t lock; /* protects everything below */
	pthread_cond_t changed;
	struct log_queue queue;
	bool is_stopping;
	bool has_ended;
} writer = { .lock = PTHREAD_MUTEX_INITIALIZER };

void log_set_level(enum log_level level)
{
	atomic_store(&current_level, level);
}

int log_parse_level(const char *text, enum log_level *ret)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		/* Critical is not a level that can be selected. */
		if (level_names[i].level == LOG_LEVEL_CRITICAL)
			continue;
		if (strcmp(text, level_names[i].name) == 0) {
			*ret = level_names[i].level;
			return 0;
		}
	}
	return -EINVAL;
}

const char *log_level_name(enum log_level level)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		if (level_names[i].level == level)
			return level_names[i].name;
	}
	return "unknown";
}

bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	char expected[64];
	struct stat st;

	if (!stream || fstat(STDERR_FILENO, &st) < 0)
		return false;
	(void)snprintf(
		expected, sizeof(expected), "%ju:%ju", (uintmax_t)st.st_dev, (uintmax_t)st.st_ino);
	return strcmp(stream, expected) == 0;
}

static size_t write_prefix(char *line, size_t size, enum log_level level)
{
	line[0] = '\0';
	if (log_is_journal())
		(void)snprintf(line, size, "<%d>", (int)level);
	else if (level <= LOG_LEVEL_WARNING)
		(void)snprintf(line, size, "%s: ", log_level_name(level));
	return strlen(line);
}

/* --- Writing ------------------------------------------------------------ */

static bool is_writable_now(int timeout_msec)
{
	struct pollfd p = { .fd = STDERR_FILENO, .events = POLLOUT };

	return poll(&p, 1, timeout_msec) > 0;
}

/* Writes all of it, however long that takes; another user of the description may have made it
 * nonblocking. */
static int write_waiting(const char *line, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDERR_FILENO, line, len);

		if (n < 0 && errno == EAGAIN)
			(void)is_writable_now(-1);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			continue;
		if (n < 0)
			return -errno;
		line += n;
		len -= (size_t)n;
	}
	return 0;
}

static bool write_now(const char *line, size_t len)
{
	return is_writable_now(0) && write_waiting(line, len) == 0;
}

static bool enqueue(const char *line, size_t len)
{
	(void)pthread_mutex_lock(&writer.lock);
	bool is_kept = log_queue_push(&writer.queue, line, len);
	(void)pthread_cond_broadcast(&writer.changed);
	(void)pthread_mutex_unlock(&writer.lock);
	return is_kept;
}

/* False when the line is lost. */
static bool emit(const char *line, size_t len)
{
	bool is_kept = false;

	switch (atomic_load(&current_mode)) {
	case MODE_WAIT:
		is_kept = write_waiting(line, len) == 0;
		break;
	case MODE_DROP:
		is_kept = write_now(line, len);
		break;
	case MODE_QUEUE:
		is_kept = enqueue(line, len);
		break;
	}
	if (!is_kept)
		atomic_fetch_add(&lost_lines, 1);
	return is_kept;
}

__attribute__((format(printf, 2, 0))) static int write_line(
	enum log_level level, const char *format, va_list ap)
{
	char line[LOG_LINE_MAX + CHARACTER_MAX_BYTES];
	int saved = errno;

	size_t prefix = write_prefix(line, PREFIX_MAX_BYTES, level);
	char *text = line + prefix;
	/* A longer line is cut, leaving room after the cut so that no character is split. */
	(void)vsnprintf(text, TEXT_MAX_BYTES + CHARACTER_MAX_BYTES, format, ap);
	text[utf8_cut(text, TEXT_MAX_BYTES)] = '\0';
	size_t len = prefix + utf8_clean_line(text);
	line[len++] = '\n';
	bool is_kept = emit(line, len);
	errno = saved;
	return is_kept ? 0 : -ENOBUFS;
}

void log_line(enum log_level level, const char *format, ...)
{
	va_list ap;

	if (level > atomic_load(&current_level))
		return;
	va_start(ap, format);
	(void)write_line(level, format, ap); /* counted, and reported by the thread */
	va_end(ap);
}

int log_always(enum log_level level, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	int r = write_line(level, format, ap);
	va_end(ap);
	return r;
}

uint64_t log_lost_lines(void)
{
	return atomic_load(&lost_lines);
}

void log_never_wait(void)
{
	atomic_store(&current_mode, MODE_DROP);
}

/* --- The thread --------------------------------------------------------- */

/* The note itself is not counted as a lost line. */
static int write_lost(uint32_t count)
{
	char line[LOG_LINE_MAX];

	size_t len = write_prefix(line, PREFIX_MAX_BYTES, LOG_LEVEL_WARNING);
	int n = snprintf(line + len, sizeof(line) - len,
		"%u %s lost here, because standard error could not be written\n", count,
		count == 1 ? "line of the log is" : "lines of the log are");
	return write_waiting(line, len + (size_t)n);
}

/* Waits, with the lock held, for a line or for lost lines. 0 and nothing lost: the end. */
static size_t next_line(char *line, uint32_t *ret_lost)
{
	for (;;) {
		size_t len = log_queue_pop(&writer.queue, line, ret_lost);
		if (len > 0 || *ret_lost > 0 || writer.is_stopping)
			return len;
		(void)pthread_cond_wait(&writer.changed, &writer.lock);
	}
}

static void *run_thread(void *data)
{
	char line[LOG_LINE_MAX];
	uint32_t untold = 0; /* lost lines not yet reported */
	uint32_t lost;

	(void)data;
	(void)pthread_mutex_lock(&writer.lock);
	for (;;) {
		size_t len = next_line(line, &lost);
		if (len == 0 && lost == 0)
			break;
		(void)pthread_mutex_unlock(&writer.lock);
		untold += lost;
		if (untold > 0 && write_lost(untold) == 0)
			untold = 0;
		if (len > 0 && write_waiting(line, len) < 0) {
			untold++; /* a full disk, or a closed reader */
			atomic_fetch_add(&lost_lines, 1);
		}
		(void)pthread_mutex_lock(&writer.lock);
	}
	writer.has_ended = true;
	(void)pthread_cond_broadcast(&writer.changed);
	(void)pthread_mutex_unlock(&writer.lock);
	return NULL;
}

int log_start(void)
{
	pthread_condattr_t attributes;
	sigset_t all;
	sigset_t saved;

	(void)pthread_condattr_init(&attributes); /* none of these can fail on Linux */
	(void)pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	(void)pthread_cond_init(&writer.changed, &attributes);
	(void)pthread_condattr_destroy(&attributes);
	writer.is_stopping = false;
	writer.has_ended = false;
	/* Signals are for the loop: the thread inherits a mask that blocks them all. */
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &saved);
	int r = -pthread_create(&writer.thread, NULL, run_thread, NULL);
	(void)pthread_sigmask(SIG_SETMASK, &saved, NULL);
	if (r == 0)
		atomic_store(&current_mode, MODE_QUEUE);
	return r;
}

bool log_stop(uint64_t limit_nsec)
{
	struct timespec until;

	if (atomic_load(&current_mode) != MODE_QUEUE)
		return true;
	(void)clock_gettime(CLOCK_MONOTONIC, &until);
	uint64_t nsec = (uint64_t)until.tv_nsec + limit_nsec;
	until.tv_sec += (time_t)(nsec / NSEC_PER_SEC);
	until.tv_nsec = (long)(nsec % NSEC_PER_SEC);
	(void)pthread_mutex_lock(&writer.lock);
	writer.is_stopping = true;
	(void)pthread_cond_broadcast(&writer.changed);
	int r = 0;
	while (!writer.has_ended && r == 0)
		r = pthread_cond_timedwait(&writer.changed, &writer.lock, &until);
	bool has_ended = writer.has_ended;
	(void)pthread_mutex_unlock(&writer.lock);
	if (!has_ended) {
		(void)pthread_detach(writer.thread); /* it ends with the process */
		return false;
	}
	(void)pthread_join(writer.thread, NULL);
	atomic_store(&current_mode, MODE_WAIT);
	return true;
}
