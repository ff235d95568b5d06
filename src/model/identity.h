/* SPDX-License-Identifier: Apache-2.0 */
/* The identity of a repository as seen by the worker. "" and 0 mean unknown. Never compared by
 * st_dev, which changes at reboot: device numbers are valid only while the daemon runs. */
#ifndef REPOPROBE_MODEL_IDENTITY_H
#define REPOPROBE_MODEL_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device.h"

#define IDENTITY_TEXT_MAX 255

/* Options of the mount itself ("rw,noatime") and of its file system ("rw,errors=remount-ro"). */
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
	uint64_t directory_device; /* these two: of the repository's directory itself; 0: unknown */
	uint64_t directory_inode;
	struct identity_options options;
	bool has_device; /* false: none visible from here (network, btrfs, overlay) */
	struct device_info device;
};

/* The stored part, used to recognise a repository: kept from its first run on. */
struct identity_seen {
	bool is_set;
	bool is_mount;
	char fs_type[32];
	char source[IDENTITY_TEXT_MAX + 1];
	char mount_point[IDENTITY_TEXT_MAX + 1];
	char fs_uuid[64];
};

void identity_remember(const struct identity *identity, struct identity_seen *ret);

/* Fills in what was unknown at first sight and is known now. True if anything was added. */
bool identity_learn(const struct identity *identity, struct identity_seen *seen);

/* How a repository differs from the stored one. Values unknown on either side are not compared; if
 * both UUIDs are known, they alone decide, because names in /dev can change. */
enum identity_difference {
	IDENTITY_SAME,
	IDENTITY_OTHER_UUID,
	IDENTITY_OTHER_TYPE,
	IDENTITY_OTHER_SOURCE,
};
enum identity_difference identity_compare(
	const struct identity *identity, const struct identity_seen *seen);

/* Whether the mount that a path was on is gone, so that the path is on a mount above it now. */
bool identity_lost_mount(const struct identity *identity, const struct identity_seen *seen);

/* "nfs" also matches nfs4, "fuse" any fuse.… */
bool identity_type_matches(const char *fs_type, const char *expected);

/* Whether a mountinfo text has a mount at that path. */
bool identity_has_mount_point(const char *mountinfo, const char *path);

/* On NFS the kernel counts per mount, not per device. */
bool identity_is_nfs(const struct identity *identity);

/* Whether I/O on one is I/O on the other: a common disk, or one NFS export. */
bool identity_shares_disk(const struct identity *a, const struct identity *b);

/* Whether two paths are the same directory, by a link or by mounting the same thing twice. */
bool identity_is_same_directory(const struct identity *a, const struct identity *b);

/* Finds the line of a mountinfo text (proc(5)) with this mount id and fills fs_type, source and
 * mount_point (octal escapes decoded, overlong text cut). Returns 0 or -ENOENT. */
int identity_from_mountinfo(const char *mountinfo, uint64_t mount_id, struct identity *ret);

/* What the text says about a path, without following symbolic links: the file system whose mount
 * point is its longest prefix. The device, if any, has its numbers but no leaves. Returns 0 or
 * -ENOENT. */
int identity_guess(const char *mountinfo, const char *path, struct identity *ret);

/* The location of a path on its file system, from the same text: "8:17 /backups/a". Equal for two
 * names of one directory that differ by mounts. Nothing is appended when no mount is above it. */
struct buf;
void identity_locate(const char *mountinfo, const char *path, struct buf *b);

/* The options of the same line, octal escapes decoded. A list that is too long loses whole options
 * at its end. Returns 0 or -ENOENT. */
int identity_options_from_mountinfo(
	const char *mountinfo, uint64_t mount_id, struct identity_options *ret);

/* The value of an option in such a list: "" for an option without value ("ro"), NULL when it is
 * absent. Lent, *ret_len bytes long (the rest of the list follows). */
const char *identity_find_option(const char *options, const char *name, size_t *ret_len);

#endif
