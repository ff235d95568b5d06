/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a repository's directory and its file system. */
#include "probe/place.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <string.h>
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
#include "probe/mount_owner.h"

/* The end of struct statx as Linux 6.1 has it; the size of the whole never changed. */
#define STATX_MASK_MOUNT_ID 0x1000U
#define STATX_MASK_DIRECT 0x2000U
#define STATX_TAIL_OFFSET 0x90

struct statx_tail {
	uint64_t mount_id;
	uint32_t direct_memory_align;
	uint32_t direct_offset_align;
};

/* File systems of the kernel's own, on which nobody keeps backups. */
static const unsigned long unsafe_types[] = {
	PROC_SUPER_MAGIC,
	SYSFS_MAGIC,
	CGROUP_SUPER_MAGIC,
	CGROUP2_SUPER_MAGIC,
	DEVPTS_SUPER_MAGIC,
	SECURITYFS_MAGIC,
	SELINUX_MAGIC,
	DEBUGFS_MAGIC,
	TRACEFS_MAGIC,
	BPF_FS_MAGIC,
	PSTOREFS_MAGIC,
	EFIVARFS_MAGIC,
	HUGETLBFS_MAGIC,
	BINFMTFS_MAGIC,
	NSFS_MAGIC,
};

static const char *const unsafe_directories[] = { "/dev", "/proc", "/sys" };

static bool is_within(const char *path, const char *directory)
{
	size_t len = strlen(directory);

	return strncmp(path, directory, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

/* path: without symbolic links. */
static bool is_unsafe(const char *path, unsigned long type, const char *type_name)
{
	for (size_t i = 0; i < sizeof(unsafe_directories) / sizeof(unsafe_directories[0]); i++)
		if (is_within(path, unsafe_directories[i]))
			return true;
	for (size_t i = 0; i < sizeof(unsafe_types) / sizeof(unsafe_types[0]); i++)
		if (type == unsafe_types[i])
			return true;
	return strcmp(type_name, "devtmpfs") == 0; /* its number is that of tmpfs */
}

/* Not a directory, or a path through something that is none. */
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

/* What can be opened by its name may still not be looked at. */
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

static int open_directory(const char *path, int *ret_fd, struct run *run)
{
	if (path[0] != '/')
		return fault_refuse(run, path, "is no absolute path");
	int r = open_to_look(path);
	/* A file system in user space may keep root out, too. */
	if (r == -EACCES && mount_owner_become(path) == 0)
		r = open_to_look(path);
	if (r >= 0) {
		*ret_fd = r;
		return 0;
	}
	if (r == -ENOTDIR)
		return explain_no_directory(path, run);
	if (r == -ENOENT)
		run_fail(run, RUN_ERROR, ENOENT, "%.*s does not exist", fault_path_len(path), path);
	else
		fault_set(run, r, "open", path);
	return r;
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

/* Copies the value of an option of this mount from its line in mountinfo. */
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

/* An overlay is as fast as the directory that takes its writes. */
static bool is_overlay_in_memory(const char *mountinfo, uint64_t mount_id)
{
	char upper[JOB_PATH_MAX + 1];
	struct statfs fs;

	return find_mount_option(mountinfo, mount_id, ",upperdir=", upper, sizeof(upper)) &&
		statfs(upper, &fs) == 0 && is_memory_type(&fs);
}

/* The mount, by name and number; and whether it keeps its files in memory. */
static int identify(struct place *place, unsigned long *ret_type, struct run *run)
{
	struct buf b = BUF_INIT(PLACE_MOUNTINFO_MAX);
	uint64_t mount_id = place_facts(place->fd).mount_id;
	struct statfs fs;

	if (fstatfs(place->fd, &fs) < 0)
		return fault_set(run, -errno, "examine the file system of", place->path);
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

/* Where a descriptor really leads, all links resolved. */
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

/* Of what nobody but its owner may enter, by the name of what lies above it. */
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

static int examine(struct place *place, struct run *run)
{
	char real_path[JOB_PATH_MAX + 1];
	struct stat st = { .st_dev = 0 };
	struct stat parent = { .st_dev = 0 };
	unsigned long type = 0;

	int r = place_read_real_path(place->fd, real_path, sizeof(real_path));
	if (r < 0)
		return fault_set(run, r, "find the real path of", place->path);
	r = fstat(place->fd, &st) < 0 ? -errno : stat_parent(place, real_path, &parent);
	if (r < 0)
		return fault_set(run, r, "examine", place->path);
	place->device = st.st_dev;
	place->owner = st.st_uid;
	place->owner_group = st.st_gid;
	run->identity.is_mount = st.st_dev != parent.st_dev;

	r = identify(place, &type, run);
	if (r < 0)
		return r;
	if (is_unsafe(real_path, type, run->identity.fs_type))
		return fault_refuse(run, place->path,
			"is an unsafe path: /dev, /proc, /sys and the kernel's own file systems hold no "
			"repository");
	return 0;
}

int place_open(const struct job *job, struct place *ret, struct run *run)
{
	struct place place = {
		.path = job->repository_path,
		.fd = -1,
		.min_free_bytes = job->min_free_bytes,
		.min_free_percent = job->min_free_percent,
	};
	int r = open_directory(job->repository_path, &place.fd, run);

	if (r < 0)
		return r;
	r = examine(&place, run);
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

struct space {
	uint64_t size_bytes; /* 0: the file system does not say */
	uint64_t free_bytes;
	uint64_t floor_bytes;
};

static int read_space(const struct place *place, struct space *ret)
{
	struct statvfs fs;

	if (fstatvfs(place->fd, &fs) < 0)
		return -errno;
	*ret = (struct space){
		.size_bytes = fs.f_blocks * fs.f_frsize,
		.free_bytes = fs.f_bavail * fs.f_frsize,
	};
	ret->floor_bytes = ret->size_bytes / 100 * place->min_free_percent;
	if (ret->floor_bytes < place->min_free_bytes)
		ret->floor_bytes = place->min_free_bytes;
	return 0;
}

static bool fits(const struct space *space, uint64_t more_bytes)
{
	return space->size_bytes == 0 ||
		(space->free_bytes >= more_bytes &&
			space->free_bytes - more_bytes >= space->floor_bytes);
}

bool place_has_space(const struct place *place, uint64_t more_bytes)
{
	struct space space = { 0 };

	return read_space(place, &space) == 0 && fits(&space, more_bytes);
}

int place_check_space(const struct place *place, uint64_t more_bytes, struct run *run)
{
	struct buf b = BUF_INIT(RUN_REASON_MAX);
	struct space space = { 0 };
	int r = read_space(place, &space);

	if (r < 0)
		return fault_set(run, r, "examine the file system of", place->path);
	run->identity.size_bytes = space.size_bytes;
	run->identity.free_bytes = space.free_bytes;
	if (fits(&space, more_bytes))
		return 0;
	format_size_rounded(&b, space.free_bytes);
	buf_add_text(&b, " of ");
	format_size_rounded(&b, space.size_bytes);
	buf_add_text(&b, " free");
	if (more_bytes > 0) {
		buf_add_text(&b, ", the probe file needs ");
		format_size_rounded(&b, more_bytes);
		buf_add_text(&b, " more");
	}
	buf_add_text(&b, " and ");
	format_size_rounded(&b, space.floor_bytes);
	buf_add_text(&b, " must stay free");
	run_fail(run, RUN_NO_SPACE, ENOSPC, "not enough space on %.*s: %s",
		fault_path_len(place->path), place->path, buf_text(&b));
	buf_done(&b);
	return -ENOSPC;
}

bool place_lacks_inodes(const struct place *place)
{
	struct statvfs fs;

	return fstatvfs(place->fd, &fs) == 0 && fs.f_files > 0 && fs.f_favail == 0;
}
