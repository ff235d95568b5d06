/* SPDX-License-Identifier: Apache-2.0 */
/* The program's log: one line per event on stderr, with the "<N>" priority prefix of systemd when
 * stderr is the journal, else with the word "warning: ", "error: " or "critical: " before lines of
 * these levels. Thread-safe; a line is one write(2), its inner line breaks become blanks. Initially
 * a call returns once its line is written; a daemon calls log_start. */
#ifndef REPOPROBE_BASE_LOG_H
#define REPOPROBE_BASE_LOG_H

#include <stdbool.h>
#include <stdint.h>

/* syslog's numbers. */
enum log_level {
	LOG_LEVEL_CRITICAL = 2,
	LOG_LEVEL_ERROR = 3,
	LOG_LEVEL_WARNING = 4,
	LOG_LEVEL_NOTICE = 5,
	LOG_LEVEL_INFO = 6,
	LOG_LEVEL_DEBUG = 7,
};

/* The one mutable global of the program. Lines less urgent than level are dropped. */
void log_set_level(enum log_level level);

/* Reads "error", "warning", "notice", "info" or "debug". Returns 0 or -EINVAL. */
int log_parse_level(const char *text, enum log_level *ret);
const char *log_level_name(enum log_level level);

/* True when stderr is connected to the journal (JOURNAL_STREAM names its device and inode). */
bool log_is_journal(void);

void log_line(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* For messages that must not be filtered (incidents): written whatever the level is. -ENOBUFS: it
 * was lost. */
int log_always(enum log_level level, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* From here on lines go through a queue of bounded size to a thread that writes them, and callers
 * never wait for it. Lines that do not fit are lost; a line reports how many as soon as lines can
 * be written again. Returns 0 or -errno. */
int log_start(void);

/* Waits at most this long for the remaining lines. False: standard error accepts none; the thread
 * is abandoned and ends with the process. */
bool log_stop(uint64_t limit_nsec);

/* For a process too short-lived for a thread: a line that would block is lost. */
void log_never_wait(void);

/* Since the start of the process, for any reason. */
uint64_t log_lost_lines(void);

#define log_critical(...) log_line(LOG_LEVEL_CRITICAL, __VA_ARGS__)
#define log_error(...) log_line(LOG_LEVEL_ERROR, __VA_ARGS__)
#define log_warning(...) log_line(LOG_LEVEL_WARNING, __VA_ARGS__)
#define log_notice(...) log_line(LOG_LEVEL_NOTICE, __VA_ARGS__)
#define log_info(...) log_line(LOG_LEVEL_INFO, __VA_ARGS__)
#define log_debug(...) log_line(LOG_LEVEL_DEBUG, __VA_ARGS__)

#endif
