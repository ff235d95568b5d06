/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository is made of, as the worker saw it. "" and 0 mean unknown. Never st_dev: it
 * changes at reboot. */
#ifndef REPOPROBE_MODEL_IDENTITY_H
#define REPOPROBE_MODEL_IDENTITY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define IDENTITY_TEXT_MAX 255

struct identity {
	char fs_type[32]; /* "ext4", "nfs4", "fuse.sshfs" */
	char source[IDENTITY_TEXT_MAX + 1]; /* "/dev/sdb1", "nas1:/export" */
	char mount_point[IDENTITY_TEXT_MAX + 1];
	char fs_uuid[64];
	bool is_mount; /* st_dev of the repository differs from its parent's */
	uint32_t sector_bytes; /* logical block size for direct I/O */
	uint64_t size_bytes; /* of the file system */
	uint64_t free_bytes; /* for the worker's user */
};

/* Finds the line of a mountinfo text (proc(5)) with this mount id and fills fs_type, source and
 * mount_point (octal escapes undone, over-long text cut). Returns 0 or -ENOENT. */
int identity_from_mountinfo(const char *mountinfo, uint64_t mount_id, struct identity *ret);

#endif
