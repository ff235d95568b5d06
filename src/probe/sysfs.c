/* SPDX-License-Identifier: Apache-2.0 */
/* Reads attributes under /sys. */
#include "probe/sysfs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/parse.h"
#include "base/utf8.h"

#define PATH_BYTES_MAX 4096

int sysfs_read_text(int fd, const char *path, char *dst, size_t size)
{
	char text[SYSFS_TEXT_MAX + 1];
	int file = openat(fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (file < 0)
		return -errno;
	ssize_t n = read(file, text, sizeof(text) - 1);
	int r = n < 0 ? -errno : 0;
	fd_close(file);
	if (r < 0)
		return r;
	text[n] = '\0';
	utf8_clean_line(text);
	size_t len = utf8_cut(text, size - 1);
	memcpy(dst, text, len);
	dst[len] = '\0';
	return 0;
}

int sysfs_read_uint(int fd, const char *path, uint64_t max, uint64_t *ret)
{
	char text[32];
	int r = sysfs_read_text(fd, path, text, sizeof(text));

	return r < 0 ? r : parse_uint(text, 0, max, ret, NULL);
}

uint32_t sysfs_read_uint32(int fd, const char *path)
{
	uint64_t v = 0;

	return sysfs_read_uint(fd, path, UINT32_MAX, &v) < 0 ? 0 : (uint32_t)v;
}

int sysfs_read_number(int fd, const char *path, struct sysfs_number *ret)
{
	char text[32];
	uint64_t major;
	uint64_t minor;

	int r = sysfs_read_text(fd, path, text, sizeof(text));
	if (r < 0)
		return r;
	char *colon = strchr(text, ':');
	if (!colon)
		return -EINVAL;
	*colon = '\0';
	r = parse_uint(text, 0, UINT32_MAX, &major, NULL);
	if (r == 0)
		r = parse_uint(colon + 1, 0, UINT32_MAX, &minor, NULL);
	if (r == 0)
		*ret = (struct sysfs_number){ .major = (uint32_t)major, .minor = (uint32_t)minor };
	return r;
}

/* The name is the last component of the link's target; the kernel writes '!' for '/' in it. */
static int read_name(const char *path, char *dst, size_t size)
{
	char target[PATH_BYTES_MAX];
	ssize_t n = readlink(path, target, sizeof(target) - 1);

	if (n < 0)
		return -errno;
	target[n] = '\0';
	const char *slash = strrchr(target, '/');
	const char *name = slash ? slash + 1 : target;
	size_t len = strlen(name);
	if (len == 0 || len >= size)
		return -ENAMETOOLONG;
	memcpy(dst, name, len + 1);
	return 0;
}

int sysfs_open_block(const char *root, struct sysfs_number number, struct sysfs_block *ret)
{
	struct sysfs_block b = { .fd = -1, .number = number };
	struct buf path = BUF_INIT(PATH_BYTES_MAX);

	buf_printf(&path, "%s/dev/block/%u:%u", root, number.major, number.minor);
	int r = path.error;
	if (r == 0)
		r = read_name(buf_text(&path), b.name, sizeof(b.name));
	if (r == 0) {
		b.fd = open(buf_text(&path), O_PATH | O_DIRECTORY | O_CLOEXEC);
		r = b.fd < 0 ? -errno : 0;
	}
	buf_done(&path);
	if (r == 0)
		*ret = b;
	return r;
}

/* A partition's directory lies in that of its disk. */
int sysfs_to_disk(const char *root, struct sysfs_block *b)
{
	struct sysfs_number number;
	struct sysfs_block disk;

	if (faccessat(b->fd, "partition", F_OK, 0) < 0)
		return errno == ENOENT ? 0 : -errno;
	int r = sysfs_read_number(b->fd, "../dev", &number);
	if (r == 0)
		r = sysfs_open_block(root, number, &disk);
	if (r < 0)
		return r;
	fd_close(b->fd);
	*b = disk;
	return 0;
}

bool sysfs_is_same(struct sysfs_number a, struct sysfs_number b)
{
	return a.major == b.major && a.minor == b.minor;
}
