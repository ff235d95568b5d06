/* SPDX-License-Identifier: Apache-2.0 */
/* Gets a file system's UUID from the kernel, else from udev's links. */
#include "probe/fs_uuid.h"

#include <dirent.h>
#include <linux/btrfs.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "model/identity.h"
#include "probe/place.h"

#define LINKS "/dev/disk/by-uuid"
#define UUID_BYTES 16

/* FS_IOC_GETFSUUID of Linux 6.9. */
struct fs_uuid {
	uint8_t len;
	uint8_t uuid[UUID_BYTES];
};
#define IOCTL_GET_FS_UUID _IOR(0x15, 0, struct fs_uuid)

static bool ask_any(int fd, uint8_t uuid[UUID_BYTES])
{
	struct fs_uuid u = { 0 };

	if (ioctl(fd, IOCTL_GET_FS_UUID, &u) < 0 || u.len != UUID_BYTES)
		return false;
	memcpy(uuid, u.uuid, UUID_BYTES);
	return true;
}

static bool ask_btrfs(int fd, uint8_t uuid[UUID_BYTES])
{
	struct btrfs_ioctl_fs_info_args info = { 0 };

	if (ioctl(fd, BTRFS_IOC_FS_INFO, &info) < 0)
		return false;
	memcpy(uuid, info.fsid, UUID_BYTES);
	return true;
}

static bool ask_file_system(int fd, struct identity *identity)
{
	static const uint8_t none[UUID_BYTES] = { 0 };
	uint8_t uuid[UUID_BYTES];
	struct buf b = BUF_INIT(sizeof(identity->fs_uuid) - 1);

	if ((!ask_any(fd, uuid) && !ask_btrfs(fd, uuid)) || memcmp(uuid, none, sizeof(none)) == 0)
		return false;
	for (size_t i = 0; i < sizeof(uuid); i++)
		buf_printf(&b, i == 4 || i == 6 || i == 8 || i == 10 ? "-%02x" : "%02x", uuid[i]);
	bool is_whole = b.error == 0;
	if (is_whole)
		memcpy(identity->fs_uuid, b.data, b.len + 1);
	buf_done(&b);
	return is_whole;
}

static bool is_device(int directory_fd, const char *name, dev_t device)
{
	struct stat st;

	return fstatat(directory_fd, name, &st, 0) == 0 && S_ISBLK(st.st_mode) &&
		st.st_rdev == device;
}

bool fs_uuid_find(const char *directory, dev_t device, struct identity *identity)
{
	DIR *d = opendir(directory);
	bool is_found = false;

	if (!d)
		return false;
	for (const struct dirent *e = readdir(d); e && !is_found; e = readdir(d)) {
		size_t len = strlen(e->d_name);
		is_found =
			len < sizeof(identity->fs_uuid) && is_device(dirfd(d), e->d_name, device);
		if (is_found)
			memcpy(identity->fs_uuid, e->d_name, len + 1);
	}
	(void)closedir(d); /* was only read */
	return is_found;
}

/* These draw a UUID at each mount, or show that of a lower layer: it cannot identify a repository.
 */
static bool has_no_lasting_uuid(const char *fs_type)
{
	static const char *const types[] = { "tmpfs", "ramfs", "overlay", "rootfs" };

	for (size_t i = 0; i < sizeof(types) / sizeof(types[0]); i++)
		if (strcmp(fs_type, types[i]) == 0)
			return true;
	return false;
}

void fs_uuid_read(int fd, struct identity *identity)
{
	identity->fs_uuid[0] = '\0';
	if (has_no_lasting_uuid(identity->fs_type))
		return;
	if (ask_file_system(fd, identity))
		return;
	/* else it stays unknown */
	(void)fs_uuid_find(LINKS, place_block_device(fd, identity), identity);
}
