/* SPDX-License-Identifier: Apache-2.0 */
/* The UUID of a file system, which identifies a repository across reboots. */
#ifndef REPOPROBE_PROBE_FS_UUID_H
#define REPOPROBE_PROBE_FS_UUID_H

#include <stdbool.h>
#include <sys/types.h>

struct identity;

/* Fills identity->fs_uuid: from the file system itself (FS_IOC_GETFSUUID of Linux 6.9, or btrfs'
 * own call; fd must not be O_PATH), else from /dev/disk/by-uuid by the file's device or, where that
 * is no block device (btrfs), by identity->source. "" when neither has it. */
void fs_uuid_read(int fd, struct identity *identity);

/* Finds the entry of a directory such as /dev/disk/by-uuid that refers to this block device. True
 * when there is one that fits into identity->fs_uuid. */
bool fs_uuid_find(const char *directory, dev_t device, struct identity *identity);

#endif
