/* SPDX-License-Identifier: Apache-2.0 */
/* Finds, verifies and opens the probe file. */
#include "probe/target.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fd.h"
#include "model/device.h"
#include "model/run.h"
#include "probe/alignment.h"
#include "probe/device.h"
#include "probe/extent.h"
#include "probe/fault.h"
#include "probe/guard.h"
#include "probe/layout.h"
#include "probe/place.h"
#include "probe/setup.h"

#define AUTO_SHARE 100 /* 1/100 of the free space, when no size is configured */
#define MIB (UINT64_C(1) << 20)

/* Checks the rules of a stage on the probe file. */
static int check(const struct target *t, enum guard_stage stage, const struct guard_facts *facts,
	struct run *run)
{
	return guard_check(stage, facts, t->directory.path, t->file_name, run);
}

static void end_step(const struct target *t, enum run_setup_step step)
{
	setup_end_step(t->directory.place->setup, step);
}

/* Checks that need no open file. */
static int check_file(
	const struct target *t, const struct stat *st, bool is_immutable, struct run *run)
{
	struct guard_facts facts = {
		.file = *st,
		.directory = { .st_uid = t->directory.owner },
		.user = geteuid(),
		.is_immutable = is_immutable,
	};

	return check(t, GUARD_AT_FILE, &facts, run);
}

static int create_file(struct target *t, struct run *run)
{
	unsigned names = directory_has_tag(&t->directory) ? 1 : 2;
	int r = place_check_inodes(t->directory.place, names, run);

	if (r < 0)
		return r;
	int fd = guard_create(t->directory.fd, t->file_name, O_RDWR, 0600);
	end_step(t, RUN_SETUP_OPEN);
	if (fd < 0)
		return directory_explain(&t->directory, fd, t->directory.fd, run);
	t->lock_fd = fd;
	t->is_file_new = true;
	return 0;
}

/* Opens the file again for another use, and checks that it is the same one. */
static int reopen_file(const struct target *t, const struct stat *known, int flags, struct run *run)
{
	struct guard_facts facts = { .known = *known };
	int fd = guard_open(t->directory.fd, t->file_name, flags);

	end_step(t, RUN_SETUP_OPEN);
	if (fd < 0)
		return fd;
	int r = fstat(fd, &facts.file) < 0 ? -errno : 0;
	end_step(t, RUN_SETUP_EXAMINE);
	if (r == 0)
		r = check(t, GUARD_AT_REOPEN, &facts, run);
	if (r < 0) {
		fd_close(fd);
		return r;
	}
	return fd;
}

/* Reports a failure that the rules have not reported yet. */
static int explain(const struct target *t, int r, const char *doing, struct run *run)
{
	return run->status == RUN_OK ? fault_set(run, r, doing, t->directory.path) : r;
}

static int open_file(struct target *t, struct run *run)
{
	struct stat st;
	int fd = guard_open(t->directory.fd, t->file_name, O_PATH);

	end_step(t, RUN_SETUP_OPEN);
	if (fd == -ENOENT)
		return create_file(t, run);
	int r = fd < 0 ? fd : (fstat(fd, &st) < 0 ? -errno : 0);
	bool is_immutable = fd >= 0 && place_facts(fd).is_immutable;
	fd_close(fd);
	end_step(t, RUN_SETUP_OPEN);
	if (r < 0)
		return fault_set(run, r, "examine the probe file in", t->directory.path);
	r = check_file(t, &st, is_immutable, run);
	if (r < 0)
		return r;
	fd = reopen_file(t, &st, O_RDWR, run);
	if (fd < 0)
		return explain(t, fd, "open the probe file in", run);
	t->lock_fd = fd;
	return 0;
}

static int lock_file(struct target *t, struct run *run)
{
	struct guard_facts facts = { .lock_error = guard_lock(t->lock_fd) };
	end_step(t, RUN_SETUP_LOCK);
	int r = check(t, GUARD_AT_LOCK, &facts, run);

	if (r < 0)
		return r;
	if (facts.lock_error < 0)
		return fault_set(
			run, facts.lock_error, "lock the probe file in", t->directory.path);
	t->is_locked = true;
	return 0;
}

uint64_t target_auto_bytes(const struct identity *identity)
{
	uint64_t bytes = identity->free_bytes / AUTO_SHARE / MIB * MIB;

	if (identity->size_bytes == 0)
		bytes = JOB_FIRST_LAYOUT_BYTES; /* the file system reports no size */
	if (bytes > WORKLOAD_FILE_SIZE_DEFAULT)
		bytes = WORKLOAD_FILE_SIZE_DEFAULT;
	return bytes < WORKLOAD_FILE_SIZE_MIN ? WORKLOAD_FILE_SIZE_MIN : bytes;
}

static int put_header(struct target *t, struct run *run)
{
	uint8_t block[HEADER_BYTES];
	int r = header_encode(&t->header, block);

	if (r == 0) {
		ssize_t n = pwrite(t->lock_fd, block, sizeof(block), 0);
		if (n != (ssize_t)sizeof(block))
			r = n < 0 ? -errno : -ENOSPC;
	}
	end_step(t, RUN_SETUP_HEADER);
	if (r == 0 && fdatasync(t->lock_fd) < 0)
		r = -errno;
	end_step(t, RUN_SETUP_HEADER);
	return r < 0 ? fault_set(run, r, "write the probe file in", t->directory.path) : 0;
}

/* For a file just created, or one whose creator was killed before it wrote the header. */
static int write_header(struct target *t, const struct clock *clock, struct run *run)
{
	t->header = (struct header){
		.created_usec = clock_realtime_usec(clock),
		.auto_bytes = target_auto_bytes(&run->identity),
	};
	if (getrandom(t->header.uuid, sizeof(t->header.uuid), 0) != (ssize_t)sizeof(t->header.uuid))
		return fault_set(run, -EIO, "draw a name for the probe file in", t->directory.path);
	header_make_uuid(t->header.uuid);
	return put_header(t, run);
}

/* The few bytes that change are adjacent: a header that was written partially is still ours. */
int target_keep_growth(struct target *target, const struct growth *growth, struct run *run)
{
	if (growth->began_usec == target->header.growth.began_usec &&
		growth->target_bytes == target->header.growth.target_bytes)
		return 0;
	target->header.growth = *growth;
	return put_header(target, run);
}

/* Checks by the header that the file is ours. */
static int check_header(const struct target *t, int fd, struct header *ret, struct run *run)
{
	struct guard_facts facts = { .header_error = guard_read_header(fd, ret) };
	end_step(t, RUN_SETUP_HEADER);
	int r = check(t, GUARD_AT_CONTENT, &facts, run);

	if (r == 0 && facts.header_error < 0)
		r = fault_set(run, facts.header_error, "read the probe file in", t->directory.path);
	return r;
}

static int read_header(struct target *t, const struct clock *clock, struct run *run)
{
	struct stat st;

	if (fstat(t->lock_fd, &st) < 0)
		return fault_set(run, -errno, "examine the probe file in", t->directory.path);
	t->found_bytes = (uint64_t)st.st_size;
	if (st.st_size == 0)
		return write_header(t, clock, run);
	return check_header(t, t->lock_fd, &t->header, run);
}

/* An empty file is ours to fill, so it has no header to check. */
static int find_opened(const struct target *t, const struct stat *known, bool is_immutable,
	struct target_found *ret, struct run *run)
{
	struct header header = { .auto_bytes = 0 };
	int r = check_file(t, known, is_immutable, run);

	if (r < 0)
		return r;
	if (faccessat(t->directory.fd, t->file_name, R_OK | W_OK, AT_EACCESS) < 0)
		return fault_set(run, -errno, "open the probe file in", t->directory.path);
	/* Only the owner may use O_NOATIME. */
	int fd = reopen_file(t, known, O_RDONLY | O_NOATIME, run);
	if (fd == -EPERM && run->status == RUN_OK)
		fd = reopen_file(t, known, O_RDONLY, run);
	if (fd < 0)
		return explain(t, fd, "open the probe file in", run);
	r = known->st_size > 0 ? check_header(t, fd, &header, run) : 0;
	if (r < 0) {
		fd_close(fd);
		return r;
	}
	*ret = (struct target_found){
		.fd = fd,
		.size_bytes = (uint64_t)known->st_size,
		.auto_bytes = header.auto_bytes,
		.growth = header.growth,
	};
	return 0;
}

int target_find(const struct directory *directory, const char *file_name, struct target_found *ret,
	struct run *run)
{
	struct target t = { .directory = *directory, .file_name = file_name };
	struct stat st;
	int fd = guard_open(directory->fd, file_name, O_PATH);

	if (fd == -ENOENT) {
		*ret = (struct target_found){ .fd = -1 };
		return 0;
	}
	int r = fd < 0 ? fd : (fstat(fd, &st) < 0 ? -errno : 0);
	bool is_immutable = fd >= 0 && place_facts(fd).is_immutable;
	fd_close(fd);
	if (r < 0)
		return fault_set(run, r, "examine the probe file in", directory->path);
	return find_opened(&t, &st, is_immutable, ret, run);
}

int target_open(const struct job *job, const struct place *place, const struct clock *clock,
	struct target *ret, struct run *run)
{
	struct target *t = ret;

	*t = (struct target){
		.file_name = job->file_name,
		.lock_fd = -1,
		.layout_fd = -1,
		.io_fd = -1,
	};
	int r = directory_open(&t->directory, job, place, run);
	if (r == 0)
		r = open_file(t, run);
	if (r == 0)
		r = lock_file(t, run);
	if (r == 0)
		r = read_header(t, clock, run);
	if (r == 0)
		r = directory_write_tag(&t->directory, run);
	if (r < 0) {
		target_undo(t);
		target_close(t);
		return r;
	}
	return 0;
}

int target_shrink(struct target *target, uint64_t data_bytes)
{
	uint64_t bytes = HEADER_DATA_OFFSET + data_bytes;

	if (target->found_bytes <= bytes)
		return 0;
	int r = target->is_locked ? guard_cut(target->lock_fd, bytes) : -ENOLCK;
	if (r == 0)
		target->found_bytes = bytes;
	return r;
}

int target_measure(struct target *target, uint64_t *ret_data_bytes)
{
	struct extent_report report;
	int r = extent_measure(target->lock_fd, HEADER_DATA_OFFSET, &report);

	end_step(target, RUN_SETUP_EXAMINE);
	if (r < 0)
		return r;
	target->is_compressed = report.is_compressed;
	target->written_bytes = report.end_bytes > HEADER_DATA_OFFSET ? report.end_bytes : 0;
	*ret_data_bytes =
		(report.end_bytes - HEADER_DATA_OFFSET) / LAYOUT_UNIT_BYTES * LAYOUT_UNIT_BYTES;
	return 0;
}

/* The file measured and laid out is the one whose header was read: the same device and inode and,
 * because a file system may reuse inode numbers, the same UUID in its header. */
static int open_again(const struct target *t, int flags, struct run *run)
{
	struct guard_facts facts = { .known_header = t->header };

	if (fstat(t->lock_fd, &facts.known) < 0)
		return -errno;
	int fd = reopen_file(t, &facts.known, flags, run);
	if (fd < 0)
		return fd;
	facts.file = facts.known; /* as reopen_file found it */
	int r = guard_read_header(fd, &facts.header);
	end_step(t, RUN_SETUP_HEADER);
	if (r == 0 || r == -EBADMSG || r == -EPROTO)
		r = check(t, GUARD_AT_REOPEN, &facts, run);
	if (r < 0) {
		fd_close(fd);
		return r;
	}
	return fd;
}

int target_open_layout(struct target *target, struct run *run, bool *ret_is_direct)
{
	int fd = open_again(target, O_RDWR | O_DIRECT, run);
	bool is_direct = fd >= 0;

	if (fd == -EINVAL || fd == -EOPNOTSUPP)
		fd = open_again(target, O_RDWR, run);
	if (fd < 0)
		return fd;
	target->layout_fd = fd;
	*ret_is_direct = is_direct;
	return 0;
}

static int flags_of(enum workload_cache cache)
{
	switch (cache) {
	case WORKLOAD_DIRECT:
		return O_DIRECT;
	case WORKLOAD_DIRECT_DSYNC:
		return O_DIRECT | O_DSYNC;
	case WORKLOAD_DSYNC:
		return O_DSYNC;
	case WORKLOAD_BUFFERED:
		break;
	}
	return 0;
}

/* Through the page cache, with fdatasync after each write: the closest to direct I/O. */
int target_fall_back(struct target *target, struct run *run)
{
	target->io_fd = fd_close(target->io_fd);
	int fd = open_again(target, O_RDWR, run);
	if (fd < 0)
		return explain(target, fd, "open the probe file in", run);
	target->io_fd = fd;
	target->is_direct = false;
	target->is_fallback = true;
	run->trust &= ~(uint32_t)RUN_TRUST_DIRECT;
	run->trust |= RUN_TRUST_BUFFERED | RUN_TRUST_FALLBACK;
	return 0;
}

/* Refuses a block that direct I/O cannot do here, with a sentence in place of EINVAL. */
static int check_alignment(
	const struct target *t, const struct workload *workload, uint32_t sector, struct run *run)
{
	uint32_t align =
		workload->align_bytes > 0 ? workload->align_bytes : workload->block_size_bytes;

	if (workload->block_size_bytes % sector == 0 && align % sector == 0)
		return 0;
	run_fail(run, RUN_REFUSED, EINVAL,
		"direct I/O on %.*s is aligned to %u bytes: block size %u and alignment %u must be multiples",
		fault_path_len(t->directory.place->path), t->directory.place->path, sector,
		workload->block_size_bytes, align);
	return -EINVAL;
}

static bool is_refusal(int r)
{
	return r == -EINVAL || r == -EOPNOTSUPP;
}

/* The alignment as far as it is known without direct I/O; 0: not known. */
static uint32_t look_up_alignment(const struct target *t, const struct run *run)
{
	struct device_info device = { 0 };

	(void)device_find("/sys", place_block_device(t->lock_fd, &run->identity),
		&device); /* there may be no device */
	return alignment_choose(
		place_facts(t->lock_fd).direct_align_bytes, device.logical_block_bytes);
}

static int open_direct(struct target *t, const struct workload *workload, struct run *run)
{
	uint32_t *sector = &run->identity.sector_bytes;

	if (*sector == 0) {
		int r = alignment_try(t->io_fd, sector);
		end_step(t, RUN_SETUP_EXAMINE);
		if (is_refusal(r))
			return target_fall_back(t, run);
		if (r < 0)
			return fault_set(run, r, "read the probe file in", t->directory.path);
	}
	t->is_direct = true;
	run->trust |= RUN_TRUST_DIRECT;
	return check_alignment(t, workload, *sector, run);
}

int target_open_io(struct target *target, const struct workload *workload, struct run *run)
{
	int flags = flags_of(workload->cache);

	run->identity.sector_bytes = look_up_alignment(target, run);
	end_step(target, RUN_SETUP_EXAMINE);
	if (target->directory.place->is_in_memory)
		run->trust |= RUN_TRUST_CACHED;
	int fd = open_again(target, O_RDWR | flags, run);
	if (is_refusal(fd) && (flags & O_DIRECT))
		return target_fall_back(target, run);
	if (fd < 0)
		return explain(target, fd, "open the probe file in", run);
	target->io_fd = fd;
	if (flags & O_DIRECT)
		return open_direct(target, workload, run);
	run->trust |= RUN_TRUST_BUFFERED;
	return 0;
}

/* Only while we hold its lock, and only the locked file. */
static int remove_file(const struct target *t)
{
	struct guard_id id;
	int r = t->is_locked ? guard_identify(t->lock_fd, &id) : -ENOLCK;

	return r < 0 ? r : guard_remove(t->directory.fd, t->file_name, &id);
}

void target_undo(struct target *target)
{
	struct target *t = target;

	/* The original failure is the one to report. */
	if (t->is_file_new)
		(void)remove_file(t);
	else if (t->layout_fd >= 0)
		(void)guard_cut(t->lock_fd, t->found_bytes);
	directory_undo(&t->directory);
}

void target_remove(struct target *target)
{
	if (remove_file(target) < 0)
		return;
	/* NFS renames a file that is removed while open, and so keeps the directory in use. */
	target->io_fd = fd_close(target->io_fd);
	target->layout_fd = fd_close(target->layout_fd);
	target->lock_fd = fd_close(target->lock_fd);
	directory_remove(&target->directory);
}

void target_close(struct target *target)
{
	target->io_fd = fd_close(target->io_fd);
	target->layout_fd = fd_close(target->layout_fd);
	target->lock_fd = fd_close(target->lock_fd);
	directory_close(&target->directory);
}
