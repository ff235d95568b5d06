/* SPDX-License-Identifier: Apache-2.0 */
/* The storage that repositories share and that can slow them all down at once: a server, a disk or
 * array, a pool, a mount. */
#ifndef REPOPROBE_MODEL_STORAGE_GROUP_H
#define REPOPROBE_MODEL_STORAGE_GROUP_H

#include <stdbool.h>

#include "model/identity.h"

enum storage_group_kind {
	STORAGE_GROUP_NONE, /* not known: shares nothing */
	STORAGE_GROUP_SERVER, /* of NFS, SMB, sshfs …: any of its exports */
	STORAGE_GROUP_DISK, /* the first of the leaves */
	STORAGE_GROUP_POOL, /* of ZFS */
	STORAGE_GROUP_SOURCE, /* a device that may span several disks: btrfs */
	STORAGE_GROUP_MOUNT, /* only the mount itself is known: FUSE, tmpfs, overlay */
};

struct storage_group {
	enum storage_group_kind kind;
	char key[IDENTITY_TEXT_MAX + 1];
	char name[IDENTITY_TEXT_MAX +
		1]; /* for display; may differ between repositories of one key */
};

void storage_group_from(const struct identity *identity, struct storage_group *ret);

bool storage_group_is_same(const struct storage_group *a, const struct storage_group *b);

#endif
