/* SPDX-License-Identifier: Apache-2.0 */
/* Whether direct I/O works, and with which alignment: by trial, because statx(2) does not report it
 * everywhere. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/alignment.h"
#include "probe/bypass.h"
#include "probe/examiner.h"
#include "probe/guard.h"

#define TRIAL_BYTES 4096

static void note_failure(struct examination_direct *d, int r)
{
	d->trial = r == -EINVAL || r == -EOPNOTSUPP ? EXAMINATION_DECLINED : EXAMINATION_FAILED;
	d->error_number = -r;
}

/* Writes one block, so that the file has content to read. */
static int write_block(int fd)
{
	uint8_t *memory = aligned_alloc(TRIAL_BYTES, TRIAL_BYTES);

	if (!memory)
		return -ENOMEM;
	memset(memory, 0, TRIAL_BYTES);
	ssize_t n = pwrite(fd, memory, TRIAL_BYTES, 0);
	int r = n < 0 ? -errno : n < TRIAL_BYTES ? -ENOSPC : 0;
	free(memory);
	return r;
}

static void try_file(const struct examiner *x, int fd, bool is_new)
{
	struct place_facts facts = place_facts(fd);
	struct examination_direct *d = &x->e->direct;

	d->offset_align_bytes = facts.direct_align_bytes;
	d->memory_align_bytes = facts.direct_memory_align_bytes;
	d->is_written = is_new;
	int r = is_new ? write_block(fd) : 0;
	if (r == 0)
		r = alignment_try(fd, &d->read_align_bytes);
	if (r < 0) {
		note_failure(d, r);
		return;
	}
	d->trial = EXAMINATION_WORKED;
	d->are_writes_cached =
		!x->place.is_in_memory && bypass_is_missing(fd, 0, is_new ? TRIAL_BYTES : 0);
}

static bool is_same_file(int a, int b)
{
	struct stat x;
	struct stat y;

	return fstat(a, &x) == 0 && fstat(b, &y) == 0 && x.st_ino == y.st_ino &&
		x.st_dev == y.st_dev;
}

/* Opens the probe file again, with O_DIRECT. */
static void try_existing(const struct examiner *x, const char *name, const struct target_found *f)
{
	struct examination_direct *d = &x->e->direct;
	int flags = O_RDONLY | O_DIRECT;
	int fd = guard_open(x->directory.fd, name, flags | O_NOATIME);

	if (fd == -EPERM) /* O_NOATIME is for the owner only */
		fd = guard_open(x->directory.fd, name, flags);
	if (fd < 0)
		note_failure(d, fd);
	else if (is_same_file(fd, f->fd))
		try_file(x, fd, false);
	fd_close(fd);
}

/* Uses a file without a name, where a run would make its own. */
static void try_nameless(const struct examiner *x)
{
	struct examination_direct *d = &x->e->direct;
	struct stat st;
	int directory_fd = x->e->has_directory ? x->directory.fd : x->directory.parent_fd;

	if (x->e->refusal_count > 0 || x->e->write_error_number != 0)
		return; /* do not write where a run would not */
	if (fstat(directory_fd, &st) < 0 || st.st_dev != x->place.device)
		return;
	int fd = guard_create_nameless(directory_fd, O_DIRECT);
	if (fd == -EINVAL)
		note_failure(d, fd);
	else if (fd < 0)
		d->error_number = -fd; /* the file system does not support O_TMPFILE */
	else
		try_file(x, fd, true);
	fd_close(fd);
}

void examiner_try_direct(struct examiner *x)
{
	char run_name[JOB_FILE_NAME_MAX + 1];

	if (x->file.size_bytes >= TRIAL_BYTES && x->file.fd >= 0) {
		try_existing(x, x->job->file_name, &x->file);
	} else if (x->run_file.size_bytes >= TRIAL_BYTES && x->run_file.fd >= 0) {
		examiner_name_run_file(x->job, run_name, sizeof(run_name));
		try_existing(x, run_name, &x->run_file);
	} else {
		try_nameless(x);
	}
}
