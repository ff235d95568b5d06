/* SPDX-License-Identifier: Apache-2.0 */
/* Finds who mounted a file system, from the kernel's own lists, without asking the file system. */
#include "probe/mount_owner.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "base/parse.h"
#include "model/identity.h"
#include "model/job.h"
#include "probe/place.h"
#include "probe/privilege.h"

#define FDINFO_MAX 4096
#define FDINFO_KEY "mnt_id:"
#define NUMBER_MAX 20

/* Any user can open the root of a mount with O_PATH, but not what lies below it. */
static int open_nearest(const char *path)
{
	char *copy = strdup(path);
	int fd = -ENOMEM;

	if (!copy)
		return fd;
	for (;;) {
		fd = open(copy[0] == '\0' ? "/" : copy, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			fd = -errno;
		char *slash = strrchr(copy, '/');
		if (fd != -EACCES || !slash)
			break;
		*slash = '\0';
	}
	free(copy);
	return fd;
}

static int parse_number(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
	char digits[NUMBER_MAX + 1];

	if (len >= sizeof(digits))
		return -EINVAL;
	memcpy(digits, text, len);
	digits[len] = '\0';
	return parse_uint(digits, 0, max, ret, NULL);
}

static int read_mount_id(int fd, uint64_t *ret)
{
	struct buf path = BUF_INIT(64);
	struct buf text = BUF_INIT(FDINFO_MAX);

	buf_printf(&path, "/proc/self/fdinfo/%d", fd);
	int r = fd_read_file(buf_text(&path), &text);
	const char *value = r == 0 ? strstr(buf_text(&text), FDINFO_KEY) : NULL;
	if (r == 0 && !value)
		r = -ENOENT;
	if (r == 0) {
		value += strlen(FDINFO_KEY);
		value += strspn(value, " \t");
		r = parse_number(value, strcspn(value, "\n"), UINT64_MAX, ret);
	}
	buf_done(&text);
	buf_done(&path);
	return r;
}

static int read_option(const struct identity_options *options, const char *name, uint64_t *ret)
{
	size_t len = 0;
	const char *value = identity_find_option(options->fs, name, &len);

	return value ? parse_number(value, len, UINT32_MAX - 1, ret) : -ENOENT;
}

static int find_owner(const char *path, uint64_t *ret_uid, uint64_t *ret_gid)
{
	struct buf mountinfo = BUF_INIT(PLACE_MOUNTINFO_MAX);
	struct identity_options options = { "", "" };
	uint64_t mount_id = 0;
	int fd = open_nearest(path);

	if (fd < 0)
		return fd;
	int r = read_mount_id(fd, &mount_id);
	fd_close(fd);
	if (r == 0)
		r = fd_read_file("/proc/self/mountinfo", &mountinfo);
	if (r == 0)
		r = identity_options_from_mountinfo(buf_text(&mountinfo), mount_id, &options);
	if (r == 0)
		r = read_option(&options, "user_id", ret_uid);
	if (r == 0)
		r = read_option(&options, "group_id", ret_gid);
	buf_done(&mountinfo);
	return r;
}

int mount_owner_become(const char *path)
{
	uint64_t uid = 0;
	uint64_t gid = 0;

	if (geteuid() != 0)
		return -EPERM;
	if (find_owner(path, &uid, &gid) < 0 || uid == 0)
		return -ENOENT;
	return privilege_drop((uid_t)uid, (gid_t)gid);
}
