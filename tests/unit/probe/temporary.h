/* SPDX-License-Identifier: Apache-2.0 */
/* A directory for one test, on a real file system, and what tests do in it. */
#ifndef REPOPROBE_TESTS_UNIT_PROBE_TEMPORARY_H
#define REPOPROBE_TESTS_UNIT_PROBE_TEMPORARY_H

#include "test.h"

#include <fcntl.h>
#include <ftw.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"

#define TEMPORARY_PATH_MAX 1024

struct temporary {
	char path[TEMPORARY_PATH_MAX];
};

static inline void temporary_open(struct temporary *t)
{
	const char *base = getenv("TMPDIR");
	struct buf b = BUF_INIT(TEMPORARY_PATH_MAX - 1);

	buf_printf(&b, "%s/repoprobe-unit-XXXXXX", base && base[0] == '/' ? base : "/var/tmp");
	assert_int_equal(b.error, 0);
	memcpy(t->path, b.data, b.len + 1);
	buf_done(&b);
	assert_non_null(mkdtemp(t->path));
}

static inline int temporary_remove_one(
	const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static inline void temporary_close(struct temporary *t)
{
	assert_int_equal(nftw(t->path, temporary_remove_one, 8, FTW_DEPTH | FTW_PHYS), 0);
}

/* The path of a name in it; lent until the next call with the same buffer. */
static inline const char *temporary_name(const struct temporary *t, const char *name, struct buf *b)
{
	buf_clear(b);
	buf_printf(b, "%s/%s", t->path, name);
	assert_int_equal(b->error, 0);
	return buf_text(b);
}

static inline void temporary_write(const struct temporary *t, const char *name, const char *text)
{
	struct buf b = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(t, name, &b), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(fd_write_all(fd, text, strlen(text)), 0);
	fd_close(fd);
	buf_done(&b);
}

static inline void temporary_assert_text(
	const struct temporary *t, const char *name, const char *text)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf b = BUF_INIT(65536);

	assert_int_equal(fd_read_file(temporary_name(t, name, &path), &b), 0);
	assert_string_equal(buf_text(&b), text);
	buf_done(&b);
	buf_done(&path);
}

static inline bool temporary_has(const struct temporary *t, const char *name)
{
	struct buf b = BUF_INIT(TEMPORARY_PATH_MAX);
	struct stat st;
	bool has = lstat(temporary_name(t, name, &b), &st) == 0;

	buf_done(&b);
	return has;
}

static inline void temporary_stat(const struct temporary *t, const char *name, struct stat *ret)
{
	struct buf b = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(lstat(temporary_name(t, name, &b), ret), 0);
	buf_done(&b);
}

#endif
