/* SPDX-License-Identifier: Apache-2.0 */
/* One line an event on stderr. Allocates nothing, so that it can tell of short memory. */
#include "base/log.h"

#include <errno.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/utf8.h"

#define PREFIX_MAX_BYTES 16
/* With prefix and line break at most PIPE_BUF, which a pipe takes in one piece. */
#define TEXT_MAX_BYTES (4096 - PREFIX_MAX_BYTES - 1)
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

static _Atomic enum log_level current_level = LOG_LEVEL_INFO;

void log_set_level(enum log_level level)
{
	atomic_store(&current_level, level);
}

int log_parse_level(const char *text, enum log_level *ret)
{
	for (size_t i = 0; i < sizeof(level_names) / sizeof(level_names[0]); i++) {
		/* Nobody can ask for critical lines alone. */
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

__attribute__((format(printf, 2, 0))) static void write_line(
	enum log_level level, const char *format, va_list ap)
{
	char line[PREFIX_MAX_BYTES + TEXT_MAX_BYTES + CHARACTER_MAX_BYTES + 1];
	int saved = errno;

	size_t prefix = write_prefix(line, PREFIX_MAX_BYTES, level);
	char *text = line + prefix;
	/* A longer line is cut, where the bytes behind the cut show that no character suffers. */
	(void)vsnprintf(text, TEXT_MAX_BYTES + CHARACTER_MAX_BYTES, format, ap);
	text[utf8_cut(text, TEXT_MAX_BYTES)] = '\0';
	size_t len = prefix + utf8_clean_line(text);
	line[len++] = '\n';
	ssize_t n;
	do
		n = write(STDERR_FILENO, line, len);
	while (n < 0 && errno == EINTR); /* nobody is left to tell of other failures */
	errno = saved;
}

void log_line(enum log_level level, const char *format, ...)
{
	va_list ap;

	if (level > atomic_load(&current_level))
		return;
	va_start(ap, format);
	write_line(level, format, ap);
	va_end(ap);
}

void log_always(enum log_level level, const char *format, ...)
{
	va_list ap;

	va_start(ap, format);
	write_line(level, format, ap);
	va_end(ap);
}
