/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository is made of, as the worker saw it. "" and 0 mean unknown. Never compared by
 * st_dev, which changes at reboot: the device's numbers hold while the daemon runs. */
#ifndef REPOPROBE_MODEL_IDENTITY_H
#define REPOPROBE_MODEL_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device.h"

#define IDENTITY_TEXT_MAX 255

/* Options of a mount: its own ("rw,noatime") and its file system's ("rw,errors=remount-ro"). */
struct identity_options {
	char mount[IDENTITY_TEXT_MAX + 1];
	char fs[IDENTITY_TEXT_MAX + 1];
};

struct identity {
	char fs_type[32]; /* "ext4", "nfs4", "fuse.sshfs" */
	char source[IDENTITY_TEXT_MAX + 1]; /* "/dev/sdb1", "nas1:/export" */
	char mount_point[IDENTITY_TEXT_MAX + 1];
	char fs_uuid[64];
	bool is_mount; /* st_dev of the repository differs from its parent's */
	uint32_t sector_bytes; /* logical block size for direct I/O */
	uint64_t size_bytes; /* of the file system */
	uint64_t free_bytes; /* for the worker's user */
	uint64_t directory_device; /* these two of the repository's directory itself; 0: unknown */
	uint64_t directory_inode;
	struct identity_options options;
	bool has_device; /* false: none that can be seen from here (network, btrfs, overlay) */
	struct device_info device;
};

/* What of it is remembered, to know a repository again: kept from its first run on. */
struct identity_seen {
	bool is_set;
	bool is_mount;
	char fs_type[32];
	char source[IDENTITY_TEXT_MAX + 1];
	char mount_point[IDENTITY_TEXT_MAX + 1];
	char fs_uuid[64];
};

void identity_remember(const struct identity *identity, struct identity_seen *ret);

/* Learns what was unknown when it was first seen and is known now. True when there was something.
 */
bool identity_learn(const struct identity *identity, struct identity_seen *seen);

/* In what a repository is not the one remembered. What is unknown on either side is not compared;
 * two UUIDs that are known decide alone, because names in /dev move. */
enum identity_difference {
	IDENTITY_SAME,
	IDENTITY_OTHER_UUID,
	IDENTITY_OTHER_TYPE,
	IDENTITY_OTHER_SOURCE,
};
enum identity_difference identity_compare(
	const struct identity *identity, const struct identity_seen *seen);

/* The mount that a path lay on is gone: it lies on one above that now. */
bool identity_lost_mount(const struct identity *identity, const struct identity_seen *seen);

/* "nfs" is nfs4 too, "fuse" any fuse.… */
bool identity_type_matches(const char *fs_type, const char *expected);

/* Is there a mount at that path, by a mountinfo text? */
bool identity_has_mount_point(const char *mountinfo, const char *path);

/* On NFS the kernel counts by mount, not by device. */
bool identity_is_nfs(const struct identity *identity);

/* Whether work on one is work for the other: a disk below both, or one NFS export. */
bool identity_shares_disk(const struct identity *a, const struct identity *b);

/* Whether two paths lead to one directory, by a link or a mount of the same thing twice. */
bool identity_is_same_directory(const struct identity *a, const struct identity *b);

/* Finds the line of a mountinfo text (proc(5)) with this mount id and fills fs_type, source and
 * mount_point (octal escapes undone, over-long text cut). Returns 0 or -ENOENT. */
int identity_from_mountinfo(const char *mountinfo, uint64_t mount_id, struct identity *ret);

/* What the text alone says of a path, symbolic links not followed: the file system whose mount
 * point is its longest beginning. Device, if any, by its numbers, without leaves. Returns 0 or
 * -ENOENT. */
int identity_guess(const char *mountinfo, const char *path, struct identity *ret);

/* Where a path lies on its file system, by the same text: "8:17 /backups/a". Of two names of one
 * directory, by mounts, the same. Nothing when no mount is above it. */
struct buf;
void identity_locate(const char *mountinfo, const char *path, struct buf *b);

/* The options of the same line, octal escapes undone. Too long a list loses whole options at its
 * end. Returns 0 or -ENOENT. */
int identity_options_from_mountinfo(
	const char *mountinfo, uint64_t mount_id, struct identity_options *ret);

/* The value of an option in such a list: "" for one without ("ro"), NULL when it is not there.
 * Lent, *ret_len bytes long (it is followed by the rest of the list). */
const char *identity_find_option(const char *options, const char *name, size_t *ret_len);

#endif
