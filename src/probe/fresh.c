/* SPDX-License-Identifier: Apache-2.0 */
/* Creates, verifies and removes the file of a fresh run. */
#include "probe/fresh.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/fault.h"
#include "probe/place.h"
#include "probe/setup.h"
#include "probe/target.h"

/* Opens a regular file of the right owner that is either empty, as when just created, or begins
 * with our header. Returns its descriptor, or -errno. */
static int open_old(const struct fresh *f, const struct target *t)
{
	struct guard_facts facts = {
		.directory = { .st_uid = t->directory.owner },
		.user = geteuid(),
	};
	int fd = guard_open(t->directory.fd, f->name, O_PATH);
	int r = fd < 0 ? fd : fstat(fd, &facts.file) < 0 ? -errno : 0;

	fd_close(fd);
	if (r == 0 && guard_find_broken(GUARD_AT_FILE, &facts))
		r = -EPERM;
	if (r < 0)
		return r;
	struct header header;
	facts.known = facts.file;
	fd = guard_open(t->directory.fd, f->name, O_RDONLY);
	r = fd < 0 ? fd : fstat(fd, &facts.file) < 0 ? -errno : 0;
	if (r == 0 && guard_find_broken(GUARD_AT_REOPEN, &facts))
		r = -EPERM;
	if (r == 0 && facts.file.st_size > 0 && guard_read_header(fd, &header) < 0)
		r = -EPERM;
	if (r == 0)
		return fd;
	fd_close(fd);
	return r;
}

static int remove_old(const struct fresh *f, const struct target *t, struct run *run)
{
	struct guard_id id;
	int fd = open_old(f, t);

	if (fd == -ENOENT)
		return 0;
	if (fd == -EPERM) {
		run_fail(run, RUN_REFUSED, EPERM,
			"%s in %.*s is not repoprobe's, and was left as it is", f->name,
			fault_path_len(t->directory.path), t->directory.path);
		return -EPERM;
	}
	int r = fd < 0 ? fd : guard_identify(fd, &id);
	if (r == 0)
		r = guard_remove(t->directory.fd, f->name, &id);
	fd_close(fd);
	return r < 0 ? fault_set(run, r, "remove an old file in", t->directory.path) : 0;
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
	int r = place_check_inodes(t->directory.place, 1, run);

	if (r < 0)
		return r;
	int fd = guard_create(t->directory.fd, f->name, O_RDWR, 0600);
	setup_end_step(t->directory.place->setup, RUN_SETUP_OPEN);
	if (fd < 0)
		return directory_explain(&t->directory, fd, t->directory.fd, run);
	r = guard_identify(fd, &f->id);
	f->is_there = r == 0;
	if (r == 0)
		r = write_header(fd, &t->header);
	fd_close(fd);
	setup_end_step(t->directory.place->setup, RUN_SETUP_HEADER);
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
	setup_end_step(target->directory.place->setup, RUN_SETUP_OPEN);
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
	int fd = guard_open(target->directory.fd, f->name, O_RDWR | (flags & (O_DIRECT | O_DSYNC)));
	setup_end_step(target->directory.place->setup, RUN_SETUP_OPEN);
	if (fd < 0)
		return fd;
	struct guard_id id;
	int r = guard_identify(fd, &id);
	if (r == 0 && (id.inode != f->id.inode || id.device != f->id.device))
		r = -EREMCHG;
	if (r < 0) {
		fd_close(fd);
		return r;
	}
	f->fd = fd;
	return 0;
}

void fresh_remove(struct fresh *f, const struct target *target)
{
	if (f->is_there)
		(void)guard_remove(
			target->directory.fd, f->name, &f->id); /* else the next run removes it */
	f->fd = fd_close(f->fd);
	f->is_there = false;
}
