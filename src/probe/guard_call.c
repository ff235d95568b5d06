/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that may change a repository's file system: there are no others in src/probe and
 * src/worker, except writes to a descriptor that came from here. */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/fd.h"
#include "probe/guard.h"

static int open_beneath(int directory_fd, const char *name, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(flags | O_NOFOLLOW | O_CLOEXEC),
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS,
	};
	long fd = syscall(SYS_openat2, directory_fd, name, &how, sizeof(how));

	return fd < 0 ? -errno : (int)fd;
}

/* O_NONBLOCK is for opening a FIFO or device, which could block. io_uring would honour it, too. */
static int make_blocking(int fd)
{
	int flags = fcntl(fd, F_GETFL);

	return flags < 0 || fcntl(fd, F_SETFL, flags & ~O_NONBLOCK) < 0 ? -errno : 0;
}

int guard_open(int directory_fd, const char *name, int flags)
{
	/* openat2 rejects flags that have no effect with O_PATH. */
	if (flags & O_PATH)
		return open_beneath(directory_fd, name, flags & (O_PATH | O_DIRECTORY), 0);
	int fd = open_beneath(directory_fd, name,
		(flags & ~(O_CREAT | O_TRUNC | O_APPEND)) | O_NONBLOCK | O_NOCTTY, 0);
	int r = fd < 0 ? fd : make_blocking(fd);

	if (r < 0) {
		fd_close(fd);
		return r;
	}
	return fd;
}

int guard_open_to_look(int directory_fd, const char *name)
{
	int fd = guard_open(directory_fd, name, O_RDONLY | O_NOATIME);

	/* O_NOATIME is for the owner only. */
	return fd == -EPERM ? guard_open(directory_fd, name, O_RDONLY) : fd;
}

int guard_create(int directory_fd, const char *name, int flags, mode_t mode)
{
	return open_beneath(directory_fd, name, flags | O_CREAT | O_EXCL | O_NOCTTY, mode);
}

int guard_create_nameless(int directory_fd, int flags)
{
	return open_beneath(directory_fd, ".", flags | O_TMPFILE | O_RDWR, 0600);
}

int guard_make_directory(int directory_fd, const char *name, mode_t mode)
{
	return mkdirat(directory_fd, name, mode) < 0 ? -errno : 0;
}

int guard_identify(int fd, struct guard_id *ret)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	*ret = (struct guard_id){ .device = st.st_dev, .inode = st.st_ino };
	return 0;
}

int guard_remove(int directory_fd, const char *name, const struct guard_id *id)
{
	struct stat named;

	if (fstatat(directory_fd, name, &named, AT_SYMLINK_NOFOLLOW) < 0)
		return -errno;
	if (named.st_ino != id->inode || named.st_dev != id->device)
		return -EREMCHG;
	return unlinkat(directory_fd, name, 0) < 0 ? -errno : 0;
}

int guard_remove_directory(int directory_fd, const char *name)
{
	return unlinkat(directory_fd, name, AT_REMOVEDIR) < 0 ? -errno : 0;
}

int guard_cut(int fd, uint64_t bytes)
{
	struct stat st;

	if (fstat(fd, &st) < 0)
		return -errno;
	if ((uint64_t)st.st_size < bytes)
		return -EINVAL;
	return ftruncate(fd, (off_t)bytes) < 0 ? -errno : 0;
}

int guard_lock(int fd)
{
	struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_OFD_SETLK, &lock) < 0 ? -errno : 0;
}

/* Direct I/O needs an aligned buffer, and some file systems accept O_DIRECT but refuse the I/O: the
 * header is read without it. */
int guard_read_header(int fd, struct header *ret)
{
	uint8_t block[HEADER_BYTES];
	int flags = fcntl(fd, F_GETFL);

	if (flags < 0 || ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags & ~O_DIRECT) < 0))
		return -errno;
	ssize_t n = pread(fd, block, sizeof(block), 0);
	int r = n < 0 ? -errno : header_decode(block, (size_t)n, ret);
	if ((flags & O_DIRECT) && fcntl(fd, F_SETFL, flags) < 0 && r == 0)
		r = -errno;
	return r;
}
