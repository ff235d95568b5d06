/* SPDX-License-Identifier: Apache-2.0 */
/* A pass-through file system for the tests whose speed and mood are set while it is mounted: each
 * read and write request takes as long as told, O_DIRECT can be refused when a file is opened or
 * when it is read and written, requests can fail, and the kernel may be let cache.
 *
 *   delayfs BACKING-DIRECTORY MOUNT-POINT [FUSE-OPTION…]
 *
 * Lines on standard input set the mood and are answered with "ok" on standard output; the end of
 * input unmounts. "delay USEC", "direct allow|refuse|fail", "cache on|off" (of files opened from
 * then on), "size BYTES" (of the file system, nearly all of it free; 0: as it is), "error NUMBER"
 * (errno of reads and writes, 0: none), "hang getattr|open|fsync|off": requests of this kind are
 * not answered while that is so; "open-delay USEC": each open of a file for writing takes as long
 * (to ask for attributes, the kernel opens files for reading); "squash on|off": each request has
 * the rights of who asks, and root those of nobody, as of a server that exports with root_squash.
 */
#define FUSE_USE_VERSION 35

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fuse.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#define NSEC_PER_SEC 1000000000L
#define REQUEST_MAX (1024 * 1024)
#define NOBODY 65534
#define STATFS_BLOCK_BYTES 4096

enum kind {
	KIND_NONE,
	KIND_GETATTR,
	KIND_OPEN,
	KIND_FSYNC,
};

struct mood {
	atomic_int hanging; /* enum kind */
	atomic_long delay_usec;
	atomic_long open_delay_usec;
	atomic_bool is_direct_refused; /* by open */
	atomic_bool is_direct_failing; /* open takes it, I/O does not */
	atomic_bool is_cached;
	atomic_bool is_squashing;
	atomic_int error;
	atomic_ullong size_bytes; /* 0: that of the backing store */
	int backing_fd;
};

/* Of this thread, for the one request that it serves. */
static void take_rights(const struct fuse_context *context, bool is_squashing)
{
	uid_t uid = context->uid == 0 ? NOBODY : context->uid;
	gid_t gid = context->uid == 0 ? NOBODY : context->gid;

	(void)setfsgid(is_squashing ? gid : 0);
	(void)setfsuid(is_squashing ? uid : 0);
}

/* Every request begins with this. */
static struct mood *mood(void)
{
	struct fuse_context *context = fuse_get_context();
	struct mood *m = context->private_data;

	take_rights(context, atomic_load(&m->is_squashing));
	return m;
}

/* Paths come as "/name"; the backing directory wants "name" or ".". */
static const char *relative(const char *path)
{
	return path[1] == '\0' ? "." : path + 1;
}

static int result(int r)
{
	return r < 0 ? -errno : r;
}

/* Sleeps until so much time has passed, so that what the backing store took is part of it. */
static void sleep_since(const struct timespec *begin, long usec)
{
	struct timespec end = *begin;

	end.tv_nsec += usec % 1000000 * 1000;
	end.tv_sec += usec / 1000000 + end.tv_nsec / NSEC_PER_SEC;
	end.tv_nsec %= NSEC_PER_SEC;
	while (usec > 0 && clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR)
		;
}

static int request_end(const struct timespec *begin, int r)
{
	sleep_since(begin, atomic_load(&mood()->delay_usec));
	int error = atomic_load(&mood()->error);
	return error > 0 ? -error : r;
}

/* Once the request is here, the kernel lets nothing end the process that waits for the answer. */
static void answer_when_allowed(enum kind kind)
{
	static const struct timespec pause = { .tv_nsec = 10000000 };

	while (atomic_load(&mood()->hanging) == (int)kind)
		(void)nanosleep(&pause, NULL);
}

static void *delayfs_init(struct fuse_conn_info *connection, struct fuse_config *config)
{
	connection->max_write = REQUEST_MAX;
	config->kernel_cache = 0;
	config->hard_remove = 1; /* no .fuse_hidden files: gone is gone */
	config->attr_timeout = 0;
	config->entry_timeout = 0;
	config->nullpath_ok = 0;
	return mood();
}

static int delayfs_getattr(const char *path, struct stat *st, struct fuse_file_info *info)
{
	struct mood *m = mood();

	(void)info;
	answer_when_allowed(KIND_GETATTR);
	/* Of the root everybody may ask. */
	if (path[1] == '\0')
		return result(fstat(m->backing_fd, st));
	return result(fstatat(m->backing_fd, relative(path), st, AT_SYMLINK_NOFOLLOW));
}

static int delayfs_mkdir(const char *path, mode_t mode)
{
	return result(mkdirat(mood()->backing_fd, relative(path), mode));
}

static int delayfs_unlink(const char *path)
{
	return result(unlinkat(mood()->backing_fd, relative(path), 0));
}

static int delayfs_rmdir(const char *path)
{
	return result(unlinkat(mood()->backing_fd, relative(path), AT_REMOVEDIR));
}

static int delayfs_rename(const char *from, const char *to, unsigned flags)
{
	return flags ? -EINVAL
		     : result(renameat(mood()->backing_fd, relative(from), mood()->backing_fd,
			       relative(to)));
}

static int delayfs_chmod(const char *path, mode_t mode, struct fuse_file_info *info)
{
	(void)info;
	return result(fchmodat(mood()->backing_fd, relative(path), mode, 0));
}

static int delayfs_chown(const char *path, uid_t uid, gid_t gid, struct fuse_file_info *info)
{
	(void)info;
	return result(fchownat(mood()->backing_fd, relative(path), uid, gid, AT_SYMLINK_NOFOLLOW));
}

static int delayfs_utimens(
	const char *path, const struct timespec times[2], struct fuse_file_info *info)
{
	(void)info;
	return result(utimensat(mood()->backing_fd, relative(path), times, AT_SYMLINK_NOFOLLOW));
}

static int delayfs_truncate(const char *path, off_t size, struct fuse_file_info *info)
{
	if (info)
		return result(ftruncate((int)info->fh, size));
	int fd = openat(mood()->backing_fd, relative(path), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return -errno;
	int r = result(ftruncate(fd, size));
	(void)close(fd);
	return r;
}

static int open_backing(const char *path, struct fuse_file_info *info, mode_t mode)
{
	int flags = info->flags;
	struct timespec begin;

	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	if ((flags & O_ACCMODE) != O_RDONLY)
		sleep_since(&begin, atomic_load(&mood()->open_delay_usec));
	answer_when_allowed(KIND_OPEN);
	if ((flags & O_DIRECT) && atomic_load(&mood()->is_direct_refused))
		return -EINVAL;
	/* The delay is the only slowness wanted: the backing file is read and written through the
	 * cache. */
	flags &= ~(O_DIRECT | O_DSYNC | O_SYNC | O_APPEND);
	int fd = openat(mood()->backing_fd, relative(path), flags | O_CLOEXEC | O_NOFOLLOW, mode);
	if (fd < 0)
		return -errno;
	info->fh = (uint64_t)fd;
	info->direct_io = !atomic_load(&mood()->is_cached);
	info->keep_cache = atomic_load(&mood()->is_cached);
	return 0;
}

static int delayfs_open(const char *path, struct fuse_file_info *info)
{
	return open_backing(path, info, 0);
}

static int delayfs_create(const char *path, mode_t mode, struct fuse_file_info *info)
{
	info->flags |= O_CREAT;
	return open_backing(path, info, mode);
}

static bool is_failing(const struct fuse_file_info *info)
{
	return (info->flags & O_DIRECT) && atomic_load(&mood()->is_direct_failing);
}

static int delayfs_read(
	const char *path, char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct timespec begin;

	(void)path;
	if (is_failing(info))
		return -EINVAL;
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	return request_end(&begin, result((int)pread((int)info->fh, data, size, offset)));
}

static int delayfs_write(
	const char *path, const char *data, size_t size, off_t offset, struct fuse_file_info *info)
{
	struct timespec begin;

	(void)path;
	if (is_failing(info))
		return -EINVAL;
	(void)clock_gettime(CLOCK_MONOTONIC, &begin);
	return request_end(&begin, result((int)pwrite((int)info->fh, data, size, offset)));
}

static int delayfs_fsync(const char *path, int is_data_only, struct fuse_file_info *info)
{
	(void)path;
	(void)is_data_only;
	(void)info;
	answer_when_allowed(KIND_FSYNC);
	return 0;
}

static int delayfs_release(const char *path, struct fuse_file_info *info)
{
	(void)path;
	(void)close((int)info->fh);
	return 0;
}

static int delayfs_statfs(const char *path, struct statvfs *st)
{
	const struct mood *m = mood();
	int r = result(fstatvfs(m->backing_fd, st));

	(void)path;
	if (r == 0 && atomic_load(&m->size_bytes) > 0) {
		st->f_bsize = st->f_frsize = STATFS_BLOCK_BYTES;
		st->f_blocks = atomic_load(&m->size_bytes) / STATFS_BLOCK_BYTES + 1;
		st->f_bfree = st->f_bavail = st->f_blocks - 1;
	}
	return r;
}

static int delayfs_readdir(const char *path, void *buffer, fuse_fill_dir_t fill, off_t offset,
	struct fuse_file_info *info, enum fuse_readdir_flags flags)
{
	(void)offset;
	(void)info;
	(void)flags;
	int fd = openat(mood()->backing_fd, relative(path), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd < 0 ? NULL : fdopendir(fd);
	if (!directory) {
		int error = errno;
		if (fd >= 0)
			(void)close(fd);
		return -error;
	}
	for (struct dirent *e = readdir(directory); e; e = readdir(directory))
		(void)fill(buffer, e->d_name, NULL, 0, 0);
	(void)closedir(directory);
	return 0;
}

static const struct fuse_operations operations = {
	.init = delayfs_init,
	.getattr = delayfs_getattr,
	.mkdir = delayfs_mkdir,
	.unlink = delayfs_unlink,
	.rmdir = delayfs_rmdir,
	.rename = delayfs_rename,
	.chmod = delayfs_chmod,
	.chown = delayfs_chown,
	.utimens = delayfs_utimens,
	.truncate = delayfs_truncate,
	.open = delayfs_open,
	.create = delayfs_create,
	.read = delayfs_read,
	.write = delayfs_write,
	.fsync = delayfs_fsync,
	.release = delayfs_release,
	.statfs = delayfs_statfs,
	.readdir = delayfs_readdir,
};

static void set_hanging(struct mood *m, const char *value)
{
	static const char *const names[] = { "off", "getattr", "open", "fsync" };

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (strcmp(value, names[i]) == 0)
			atomic_store(&m->hanging, (int)i);
}

static void set_direct(struct mood *m, const char *value)
{
	atomic_store(&m->is_direct_refused, strcmp(value, "refuse") == 0);
	atomic_store(&m->is_direct_failing, strcmp(value, "fail") == 0);
}

/* One line of the control language. Returns false when it is none. */
static bool obey(struct mood *m, const char *line)
{
	char word[16] = "";
	char value[32] = "";

	if (sscanf(line, "%15s %31s", word, value) != 2)
		return false;
	if (strcmp(word, "delay") == 0)
		atomic_store(&m->delay_usec, strtol(value, NULL, 10));
	else if (strcmp(word, "open-delay") == 0)
		atomic_store(&m->open_delay_usec, strtol(value, NULL, 10));
	else if (strcmp(word, "size") == 0)
		atomic_store(&m->size_bytes, strtoull(value, NULL, 10));
	else if (strcmp(word, "error") == 0)
		atomic_store(&m->error, (int)strtol(value, NULL, 10));
	else if (strcmp(word, "direct") == 0)
		set_direct(m, value);
	else if (strcmp(word, "cache") == 0)
		atomic_store(&m->is_cached, strcmp(value, "on") == 0);
	else if (strcmp(word, "squash") == 0)
		atomic_store(&m->is_squashing, strcmp(value, "on") == 0);
	else if (strcmp(word, "hang") == 0)
		set_hanging(m, value);
	else
		return false;
	return true;
}

static void *listen_to_test(void *data)
{
	char line[128];

	while (fgets(line, sizeof(line), stdin)) {
		(void)puts(obey(data, line) ? "ok" : "not understood");
		(void)fflush(stdout);
	}
	set_hanging(data, "off");
	(void)kill(getpid(), SIGTERM); /* libfuse's handler unmounts */
	return NULL;
}

int main(int argc, char **argv)
{
	struct mood m = { .backing_fd = -1 };
	struct fuse_args arguments = FUSE_ARGS_INIT(0, NULL);
	pthread_t listener;

	if (argc < 3) {
		(void)fprintf(stderr, "usage: delayfs BACKING-DIRECTORY MOUNT-POINT [OPTION…]\n");
		return 2;
	}
	m.backing_fd = open(argv[1], O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (m.backing_fd < 0) {
		perror(argv[1]);
		return 1;
	}
	(void)fuse_opt_add_arg(&arguments, argv[0]);
	(void)fuse_opt_add_arg(&arguments, "-f");
	for (int i = 2; i < argc; i++)
		(void)fuse_opt_add_arg(&arguments, argv[i]);
	if (pthread_create(&listener, NULL, listen_to_test, &m) != 0)
		return 1;
	int r = fuse_main(arguments.argc, arguments.argv, &operations, &m);
	fuse_opt_free_args(&arguments);
	return r;
}
