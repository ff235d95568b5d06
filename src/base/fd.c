/* SPDX-License-Identifier: Apache-2.0 */
/* File descriptors and small files. */
#include "base/fd.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"

#define CHUNK_BYTES 8192
#define PATH_BYTES_MAX 4096
#define GROUP_BYTES_MAX 8192 /* a group may have hundreds of members */

int fd_close(int fd)
{
	int saved = errno;

	if (fd >= 0)
		(void)close(fd); /* data that must persist was synchronised before */
	errno = saved;
	return -1;
}

static int read_all(int fd, struct buf *b)
{
	char chunk[CHUNK_BYTES];

	for (;;) {
		ssize_t n = read(fd, chunk, sizeof(chunk));

		if (n == 0)
			return b->error;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		buf_add(b, chunk, (size_t)n);
		if (b->error < 0)
			return b->error;
	}
}

static const struct {
	mode_t type;
	int error;
	const char *name;
} other_kinds[] = {
	{ S_IFDIR, -EISDIR, "a directory" },
	{ S_IFIFO, -ENXIO, "a FIFO" },
	{ S_IFSOCK, -ENXIO, "a socket" },
	{ S_IFCHR, -ENXIO, "a character device" },
	{ S_IFBLK, -ENXIO, "a block device" },
};

/* The null device counts as an empty file by convention: --config=/dev/null. */
static bool is_null_device(const struct stat *st)
{
	return S_ISCHR(st->st_mode) && st->st_rdev == makedev(1, 3);
}

static int check_regular(const struct stat *st, struct error *reterr)
{
	if (is_null_device(st))
		return 0;
	for (size_t i = 0; i < sizeof(other_kinds) / sizeof(other_kinds[0]); i++)
		if ((st->st_mode & S_IFMT) == other_kinds[i].type)
			return error_set(reterr, other_kinds[i].error,
				"it is %s, not a regular file", other_kinds[i].name);
	return 0;
}

int fd_check_file(const char *path, struct error *reterr)
{
	struct stat st;

	if (stat(path, &st) == 0)
		return check_regular(&st, reterr);
	return errno == ENOENT ? 0 : error_set(reterr, -errno, "%s", errno_text(errno));
}

/* Checked before open, because open can have an effect on a device, and after it, because the name
 * may have been replaced meanwhile; O_NONBLOCK keeps open from waiting for the writer of a FIFO. */
static int open_regular(const char *path, int *ret, struct error *reterr)
{
	struct stat st;
	int fd = -1;

	if (stat(path, &st) < 0)
		return error_set(reterr, -errno, "%s", errno_text(errno));
	int r = check_regular(&st, reterr);
	if (r < 0)
		return r;
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &st) < 0)
		r = error_set(reterr, -errno, "%s", errno_text(errno));
	else
		r = check_regular(&st, reterr);
	if (r < 0) {
		fd_close(fd);
		return r;
	}
	*ret = fd;
	return 0;
}

int fd_read_file_or_say(const char *path, struct buf *b, struct error *reterr)
{
	int fd = -1;
	int r = open_regular(path, &fd, reterr);

	if (r < 0)
		return r;
	r = read_all(fd, b);
	fd_close(fd);
	return r < 0 ? error_set(reterr, r, "%s", errno_text(-r)) : 0;
}

int fd_read_file(const char *path, struct buf *b)
{
	return fd_read_file_or_say(path, b, NULL);
}

int fd_write_all(int fd, const void *data, size_t len)
{
	const char *at = data;

	while (len > 0) {
		ssize_t n = write(fd, at, len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		if (n == 0)
			return -EIO;
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Makes the rename itself durable. */
static int sync_directory_of(const char *path)
{
	struct buf b = BUF_INIT(PATH_BYTES_MAX);
	const char *slash = strrchr(path, '/');
	int r = 0;

	if (slash)
		buf_add(&b, path, (size_t)(slash - path) + 1);
	else
		buf_add_char(&b, '.');
	if (b.error < 0)
		return b.error;
	int fd = open(buf_text(&b), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	/* Some file systems cannot synchronise a directory. */
	if (fd < 0 || (fsync(fd) < 0 && errno != EINVAL))
		r = -errno;
	fd_close(fd);
	buf_done(&b);
	return r;
}

static int fill_and_sync(int fd, mode_t mode, const void *data, size_t len)
{
	int r = fd_write_all(fd, data, len);

	if (r < 0)
		return r;
	if (fchmod(fd, mode) < 0 || fsync(fd) < 0)
		return -errno;
	return 0;
}

int fd_replace_file(const char *path, mode_t mode, const void *data, size_t len)
{
	struct buf b = BUF_INIT(PATH_BYTES_MAX);
	char *temporary = NULL;

	buf_printf(&b, "%s.XXXXXX", path);
	int r = buf_take(&b, &temporary, NULL);
	if (r < 0)
		return r == -ENOBUFS ? -ENAMETOOLONG : r;
	int fd = mkostemp(temporary, O_CLOEXEC);
	if (fd < 0) {
		r = -errno;
		free(temporary);
		return r;
	}
	r = fill_and_sync(fd, mode, data, len);
	fd_close(fd);
	if (r == 0 && rename(temporary, path) < 0)
		r = -errno;
	if (r < 0)
		(void)unlink(temporary); /* the first error is the one to report */
	free(temporary);
	return r < 0 ? r : sync_directory_of(path);
}

static bool is_directory(const char *path)
{
	struct stat st;

	return stat(path, &st) == 0 && S_ISDIR(st.st_mode);
}

static int make_directory(const char *path, mode_t mode)
{
	if (mkdir(path, mode) == 0)
		return 0;
	int r = -errno;
	/* Creating an existing directory can fail with EACCES or EROFS as well as EEXIST. */
	if (is_directory(path))
		return 0;
	return r == -EEXIST ? -ENOTDIR : r;
}

int fd_make_directories(const char *path, mode_t mode)
{
	struct buf b = BUF_INIT(PATH_BYTES_MAX);
	char *prefix = NULL;
	int r = 0;

	buf_add_text(&b, path);
	r = buf_take(&b, &prefix, NULL);
	if (r < 0)
		return r == -ENOBUFS ? -ENAMETOOLONG : r;
	for (char *slash = strchr(prefix, '/'); slash && r == 0; slash = strchr(slash + 1, '/')) {
		if (slash == prefix || slash[-1] == '/' || slash[1] == '\0')
			continue;
		*slash = '\0';
		r = make_directory(prefix, mode);
		*slash = '/';
	}
	if (r == 0)
		r = make_directory(prefix, mode);
	free(prefix);
	return r;
}

int fd_set_group(int fd, const char *group)
{
	char buffer[GROUP_BYTES_MAX];
	struct group entry;
	struct group *found = NULL;

	int r = getgrnam_r(group, &entry, buffer, sizeof(buffer), &found);
	if (r != 0 || !found)
		return r == ERANGE ? -ERANGE : 0;
	if (fchown(fd, (uid_t)-1, found->gr_gid) < 0 && errno != EPERM)
		return -errno;
	return 0;
}
