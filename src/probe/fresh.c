/* SPDX-License-Identifier: Apache-2.0 */
/* Makes, proves and removes the file of a fresh run. */
#include "probe/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/fault.h"
#include "probe/target.h"

static bool has_header(int fd)
{
	uint8_t block[HEADER_BYTES];
	struct header header;
	ssize_t n = pread(fd, block, sizeof(block), 0);

	return n >= 0 && header_decode(block, (size_t)n, &header) == 0;
}

/* A regular file of the right owner that is empty, as one just made, or begins with our header. */
static bool is_ours(const struct fresh *f, const struct target *t)
{
	struct stat st;
	int fd = directory_open_beneath(t->directory.fd, f->name, O_PATH, 0);
	bool is_plain = fd >= 0 && fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_nlink == 1 &&
		(st.st_uid == geteuid() || st.st_uid == t->directory.owner);

	fd_close(fd);
	if (!is_plain)
		return false;
	fd = directory_open_beneath(t->directory.fd, f->name, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	bool is_proven = fd >= 0 && (st.st_size == 0 || has_header(fd));
	fd_close(fd);
	return is_proven;
}

static int remove_old(const struct fresh *f, const struct target *t, struct run *run)
{
	struct stat st;

	if (fstatat(t->directory.fd, f->name, &st, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT
			? 0
			: fault_set(run, -errno, "examine a file in", t->directory.path);
	if (!is_ours(f, t)) {
		run_fail(run, RUN_REFUSED, EPERM,
			"%s in %.*s is not repoprobe's, and was left as it is", f->name,
			fault_path_len(t->directory.path), t->directory.path);
		return -EPERM;
	}
	return unlinkat(t->directory.fd, f->name, 0) < 0
		? fault_set(run, -errno, "remove an old file in", t->directory.path)
		: 0;
}

static int write_header(int fd, const struct header *header)
{
	uint8_t block[HEADER_BYTES];
	int r = header_encode(header, block);

	if (r < 0)
		return r;
	ssize_t n = pwrite(fd, block, sizeof(block), 0);
	if (n < 0)
		return -errno;
	if (n != (ssize_t)sizeof(block))
		return -ENOSPC;
	return fdatasync(fd) < 0 ? -errno : 0;
}

static int create(struct fresh *f, const struct target *t, struct run *run)
{
	int fd = directory_open_beneath(
		t->directory.fd, f->name, O_RDWR | O_CREAT | O_EXCL | O_NOCTTY, 0600);

	if (fd < 0)
		return directory_explain(&t->directory, fd, t->directory.fd, run);
	f->is_there = true;
	int r = write_header(fd, &t->header);
	fd_close(fd);
	if (r == 0)
		r = fresh_follow(f, t);
	return r < 0 ? fault_set(run, r, "write a new file in", t->directory.path) : 0;
}

int fresh_open(struct fresh *f, const struct target *target, struct run *run)
{
	*f = (struct fresh){ .fd = -1 };
	(void)snprintf(f->name, sizeof(f->name), "%.*s%s", JOB_FILE_NAME_MAX, target->file_name,
		FRESH_SUFFIX);
	int r = remove_old(f, target, run);
	if (r == 0)
		r = create(f, target, run);
	if (r < 0)
		fresh_remove(f, target);
	return r;
}

int fresh_follow(struct fresh *f, const struct target *target)
{
	int flags = fcntl(target->io_fd, F_GETFL);

	if (flags < 0)
		return -errno;
	f->fd = fd_close(f->fd);
	int fd = directory_open_beneath(target->directory.fd, f->name,
		O_RDWR | O_NOCTTY | (flags & (O_DIRECT | O_DSYNC)), 0);
	if (fd < 0)
		return fd;
	f->fd = fd;
	return 0;
}

void fresh_remove(struct fresh *f, const struct target *target)
{
	f->fd = fd_close(f->fd);
	if (f->is_there)
		(void)unlinkat(target->directory.fd, f->name, 0); /* else the next run does */
	f->is_there = false;
}
