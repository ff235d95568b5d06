/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the block device below a file system, its leaf disks and their attributes. Reads only
 * sysfs, never the repository or the device. */
#ifndef REPOPROBE_PROBE_DEVICE_H
#define REPOPROBE_PROBE_DEVICE_H

#include <sys/types.h>

struct device_info;

/* sysfs is "/sys", or a test's copy of it; device is st_dev of a file. Returns 0, or -ENODEV when
 * the file system has no visible device (network, btrfs, overlay, zfs, tmpfs: their st_dev is
 * anonymous; or /sys is missing). This is not a failure. Attributes that cannot be read stay
 * unknown. */
int device_find(const char *sysfs, dev_t device, struct device_info *ret);

#endif
