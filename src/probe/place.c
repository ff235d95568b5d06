/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a repository's directory and its file system. */
#include "probe/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/parse.h"
#include "probe/device.h"
#include "probe/fault.h"
#include "probe/fs_uuid.h"
#include "probe/guard.h"
#include "probe/mount_owner.h"
#include "probe/setup.h"

/* The end of struct statx as in Linux 6.1; the total size never changed. */
#define STATX_MASK_MOUNT_ID 0x1000U
#define STATX_MASK_DIRECT 0x2000U
#define STATX_TAIL_OFFSET 0x90

struct statx_tail {
	uint64_t mount_id;
	uint32_t direct_memory_align;
	uint32_t direct_offset_align;
};

/* Not a directory, or a component of the path is not one. */
static int explain_no_directory(const char *path, struct run *run)
{
	struct stat st;

	if (stat(path, &st) == 0 && S_ISBLK(st.st_mode))
		return fault_refuse(run, path, "is a block device, not a directory");
	if (stat(path, &st) == 0)
		run_fail(run, RUN_ERROR, ENOTDIR, "%.*s is a file, not a directory",
			fault_path_len(path), path);
	else
		run_fail(run, RUN_ERROR, ENOTDIR, "%.*s does not exist: a part of it is a file",
			fault_path_len(path), path);
	return -ENOTDIR;
}

/* A directory that opens with O_PATH may still refuse fstat. */
static int open_to_look(const char *path)
{
	struct stat st;
	int fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	int r = fstat(fd, &st) < 0 ? -errno : 0;
	if (r == 0)
		return fd;
	fd_close(fd);
	return r;
}

/* Whether a missing directory was a mount point or lay on a mount. */
static bool is_mount_missing(const struct job_expectation *expected)
{
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);
	const struct identity_seen *seen = &expected->seen;

	if (expected->requires_mount || (seen->is_set && seen->is_mount))
		return true;
	bool is_missing = seen->is_set && seen->mount_point[0] != '\0' &&
		fd_read_file("/proc/self/mountinfo", &b) == 0 &&
		!identity_has_mount_point(buf_text(&b), seen->mount_point);
	buf_done(&b);
	return is_missing;
}

static int explain_missing(
	const char *path, const struct job_expectation *expected, struct run *run)
{
	if (!is_mount_missing(expected)) {
		run_fail(run, RUN_ERROR, ENOENT, "%.*s does not exist", fault_path_len(path), path);
		return -ENOENT;
	}
	run_fail(run, RUN_NOT_MOUNTED, ENODEV,
		"%.*s is not mounted and does not exist: nothing was written", fault_path_len(path),
		path);
	return -ENODEV;
}

struct place_facts place_facts(int fd)
{
	struct place_facts facts = { 0 };
	struct statx stx;
	struct statx_tail tail;

	if (statx(fd, "", AT_EMPTY_PATH,
		    STATX_BASIC_STATS | STATX_MASK_MOUNT_ID | STATX_MASK_DIRECT, &stx) < 0)
		return facts;
	memcpy(&tail, (const char *)&stx + STATX_TAIL_OFFSET, sizeof(tail));
	if (stx.stx_mask & STATX_MASK_MOUNT_ID)
		facts.mount_id = tail.mount_id;
	if (stx.stx_mask & STATX_MASK_DIRECT) {
		facts.direct_align_bytes = tail.direct_offset_align;
		facts.direct_memory_align_bytes = tail.direct_memory_align;
	}
	facts.is_compressed = (stx.stx_attributes & STATX_ATTR_COMPRESSED) != 0;
	facts.is_immutable = (stx.stx_attributes & (STATX_ATTR_IMMUTABLE | STATX_ATTR_APPEND)) != 0;
	return facts;
}

uint32_t place_inode_flags(int fd)
{
	int flags = 0; /* the kernel writes an int, although the request number says long */

	return ioctl(fd, FS_IOC_GETFLAGS, &flags) < 0 ? 0 : (uint32_t)flags;
}

void place_read_options(int fd, struct identity_options *ret)
{
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);

	if (fd_read_file("/proc/self/mountinfo", &b) == 0)
		(void)identity_options_from_mountinfo(
			buf_text(&b), place_facts(fd).mount_id, ret); /* else no options */
	buf_done(&b);
}

/* Identifies the file system of the last directory on the path that can be opened, to interpret a
 * refusal. */
static void identify_on_the_way(const char *path, struct identity *ret)
{
	char part[JOB_PATH_MAX + 1];
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);
	int fd = -1;

	memcpy(part, path, strlen(path) + 1);
	for (char *slash = strrchr(part, '/'); slash && slash > part && fd < 0;
		slash = strrchr(part, '/')) {
		*slash = '\0';
		fd = open(part, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd >= 0 && fd_read_file("/proc/self/mountinfo", &b) == 0)
		(void)identity_from_mountinfo(buf_text(&b), place_facts(fd).mount_id, ret);
	fd_close(fd);
	buf_done(&b);
}

/* The run's identity is filled only to explain the failure, and cleared afterwards. */
static int explain_closed(const char *path, int r, struct run *run)
{
	identify_on_the_way(path, &run->identity);
	fault_set(run, r, "open", path);
	run->identity = (struct identity){ .is_mount = false };
	return r;
}

static int open_directory(const struct job *job, int *ret_fd, struct run *run)
{
	const char *path = job->repository_path;

	if (path[0] != '/')
		return fault_refuse(run, path, "is not an absolute path");
	int r = open_to_look(path);
	/* A user-space file system may deny even root. */
	if (r == -EACCES && mount_owner_become(path) == 0)
		r = open_to_look(path);
	if (r >= 0) {
		*ret_fd = r;
		return 0;
	}
	if (r == -ENOTDIR)
		return explain_no_directory(path, run);
	if (r == -ENOENT)
		return explain_missing(path, &job->expected, run);
	return explain_closed(path, r, run);
}

dev_t place_block_device(int fd, const struct identity *identity)
{
	struct stat st;
	struct stat source;

	if (fstat(fd, &st) < 0)
		return 0;
	if (major(st.st_dev) == 0 && identity->source[0] == '/' &&
		stat(identity->source, &source) == 0 && S_ISBLK(source.st_mode))
		return source.st_rdev;
	return st.st_dev;
}

static bool is_memory_type(const struct statfs *fs)
{
	return (unsigned long)fs->f_type == TMPFS_MAGIC || (unsigned long)fs->f_type == RAMFS_MAGIC;
}

/* Copies the value of a mount option from this mount's line in mountinfo. */
static bool find_mount_option(
	const char *mountinfo, uint64_t mount_id, const char *key, char *ret, size_t size)
{
	struct buf id = BUF_INIT(32);
	bool is_found = false;

	buf_printf(&id, "%llu ", (unsigned long long)mount_id);
	for (const char *line = mountinfo; *line != '\0';) {
		const char *end = strchrnul(line, '\n');
		const char *value = memmem(line, (size_t)(end - line), key, strlen(key));
		if (value && strncmp(line, buf_text(&id), id.len) == 0) {
			value += strlen(key);
			size_t len = strcspn(value, ", \n");
			is_found = len < size;
			memcpy(ret, value, is_found ? len : 0);
			ret[is_found ? len : 0] = '\0';
		}
		line = *end == '\n' ? end + 1 : end;
	}
	buf_done(&id);
	return is_found;
}

/* An overlay is as fast as its upper directory. */
static bool is_overlay_in_memory(const char *mountinfo, uint64_t mount_id)
{
	char upper[JOB_PATH_MAX + 1];
	struct statfs fs;

	return find_mount_option(mountinfo, mount_id, ",upperdir=", upper, sizeof(upper)) &&
		statfs(upper, &fs) == 0 && is_memory_type(&fs);
}

/* Reads the mount's names and number; and whether it keeps its files in memory. */
static int identify(struct place *place, unsigned long *ret_type, struct run *run)
{
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);
	uint64_t mount_id = place_facts(place->fd).mount_id;
	struct statfs fs;

	int r = fstatfs(place->fd, &fs) < 0 ? -errno : 0;
	setup_end_step(place->setup, RUN_SETUP_REPOSITORY);
	if (r < 0)
		return fault_set(run, r, "examine the file system of", place->path);
	*ret_type = (unsigned long)fs.f_type;
	place->is_in_memory = is_memory_type(&fs);
	/* Without /proc the names stay unknown. */
	if (fd_read_file("/proc/self/mountinfo", &b) == 0) {
		(void)identity_from_mountinfo(buf_text(&b), mount_id, &run->identity);
		(void)identity_options_from_mountinfo(
			buf_text(&b), mount_id, &run->identity.options);
	}
	run->identity.has_device = device_find("/sys", place->device, &run->identity.device) == 0;
	if (*ret_type == OVERLAYFS_SUPER_MAGIC)
		place->is_in_memory = is_overlay_in_memory(buf_text(&b), mount_id);
	buf_done(&b);
	return 0;
}

/* The real path of a descriptor, all links resolved. */
int place_read_real_path(int fd, char *ret, size_t size)
{
	struct buf link = BUF_INIT(64);

	buf_printf(&link, "/proc/self/fd/%d", fd);
	ssize_t len = readlink(buf_text(&link), ret, size - 1);
	int r = len < 0 ? -errno : 0;
	buf_done(&link);
	if (r == 0)
		ret[len] = '\0';
	return r;
}

/* The file system is queried by ioctl, which needs a descriptor that is open for reading, where
 * that is permitted. */
static void read_uuid(const struct place *place, struct identity *identity)
{
	int fd = openat(place->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	fs_uuid_read(fd >= 0 ? fd : place->fd, identity);
	fd_close(fd);
	setup_end_step(place->setup, RUN_SETUP_REPOSITORY);
}

/* Two names of one block device, such as those in /dev/mapper and /dev/disk. */
static bool is_same_device(const char *a, const char *b)
{
	struct stat first;
	struct stat second;

	return a[0] == '/' && b[0] == '/' && stat(a, &first) == 0 && stat(b, &second) == 0 &&
		S_ISBLK(first.st_mode) && S_ISBLK(second.st_mode) &&
		first.st_rdev == second.st_rdev;
}

static int check_rules(const struct place *place, const char *real_path,
	const struct job_expectation *expected, unsigned long type, struct run *run)
{
	struct guard_facts facts = {
		.real_path = real_path,
		.fs_magic = type,
		.identity = &run->identity,
		.expected = expected,
	};
	int r = guard_check(GUARD_AT_PLACE, &facts, place->path, NULL, run);

	if (r < 0)
		return r;
	read_uuid(place, &run->identity);
	facts.is_expected_source = is_same_device(expected->source, run->identity.source);
	return guard_check(GUARD_AT_MOUNT, &facts, place->path, NULL, run);
}

/* For a directory that only its owner may enter, the parent is found by its path. */
static int stat_parent(const struct place *place, char *real_path, struct stat *ret)
{
	if (fstatat(place->fd, "..", ret, 0) == 0)
		return 0;
	char *slash = strrchr(real_path, '/');
	if (errno != EACCES || !slash || slash[1] == '\0')
		return -errno;
	char first = slash[1];
	slash[1] = '\0';
	int r = stat(real_path, ret) < 0 ? -errno : 0;
	slash[1] = first;
	return r;
}

static int examine(struct place *place, const struct job_expectation *expected, struct run *run)
{
	char real_path[JOB_PATH_MAX + 1];
	struct stat st = { .st_dev = 0 };
	struct stat parent = { .st_dev = 0 };
	unsigned long type = 0;

	int r = place_read_real_path(place->fd, real_path, sizeof(real_path));
	if (r < 0)
		return fault_set(run, r, "find the real path of", place->path);
	r = fstat(place->fd, &st) < 0 ? -errno : stat_parent(place, real_path, &parent);
	setup_end_step(place->setup, RUN_SETUP_REPOSITORY);
	if (r < 0)
		return fault_set(run, r, "examine", place->path);
	place->device = st.st_dev;
	place->inode = st.st_ino;
	run->identity.directory_device = st.st_dev;
	run->identity.directory_inode = st.st_ino;
	place->owner = st.st_uid;
	place->owner_group = st.st_gid;
	run->identity.is_mount = st.st_dev != parent.st_dev;

	r = identify(place, &type, run);
	return r < 0 ? r : check_rules(place, real_path, expected, type, run);
}

int place_open(const struct job *job, struct setup *setup, struct place *ret, struct run *run)
{
	struct place place = {
		.path = job->repository_path,
		.fd = -1,
		.min_free_bytes = job->min_free_bytes,
		.min_free_percent = job->min_free_percent,
		.setup = setup,
	};
	int r = open_directory(job, &place.fd, run);

	setup_end_step(setup, RUN_SETUP_REPOSITORY);
	if (r < 0)
		return r;
	r = examine(&place, &job->expected, run);
	if (r < 0) {
		place_close(&place);
		return r;
	}
	*ret = place;
	return 0;
}

void place_close(struct place *place)
{
	place->fd = fd_close(place->fd);
}

/* A file system may report any number: an implausible size is capped. */
static uint64_t space_bytes(uint64_t blocks, uint64_t block_bytes)
{
	uint64_t bytes;

	return __builtin_mul_overflow(blocks, block_bytes, &bytes) || bytes > RUN_SIZE_MAX
		? RUN_SIZE_MAX
		: bytes;
}

static int read_space(const struct place *place, struct guard_space *ret)
{
	struct statvfs fs;
	int r = fstatvfs(place->fd, &fs) < 0 ? -errno : 0;

	setup_end_step(place->setup, RUN_SETUP_REPOSITORY);
	if (r < 0)
		return r;
	*ret = (struct guard_space){
		.size_bytes = space_bytes(fs.f_blocks, fs.f_frsize),
		.free_bytes = space_bytes(fs.f_bavail, fs.f_frsize),
		.inodes = fs.f_files,
		.free_inodes = fs.f_favail,
	};
	ret->floor_bytes = ret->size_bytes / 100 * place->min_free_percent;
	if (ret->floor_bytes < place->min_free_bytes)
		ret->floor_bytes = place->min_free_bytes;
	return 0;
}

bool place_has_space(const struct place *place, uint64_t more_bytes)
{
	struct guard_facts facts = { 0 };

	if (read_space(place, &facts.space) < 0)
		return false;
	facts.space.more_bytes = more_bytes;
	return !guard_find_broken(GUARD_AT_SPACE, &facts);
}

int place_check_space(const struct place *place, uint64_t more_bytes, struct run *run)
{
	struct guard_facts facts = { 0 };
	int r = read_space(place, &facts.space);

	if (r < 0)
		return fault_set(run, r, "examine the file system of", place->path);
	run->identity.size_bytes = facts.space.size_bytes;
	run->identity.free_bytes = facts.space.free_bytes;
	facts.space.more_bytes = more_bytes;
	return guard_check(GUARD_AT_SPACE, &facts, place->path, NULL, run);
}

int place_check_inodes(const struct place *place, unsigned more, struct run *run)
{
	struct guard_facts facts = { 0 };
	int r = read_space(place, &facts.space);

	if (r < 0)
		return fault_set(run, r, "examine the file system of", place->path);
	facts.space.size_bytes = 0; /* checks inodes only */
	facts.space.more_inodes = more;
	return guard_check(GUARD_AT_SPACE, &facts, place->path, NULL, run);
}
