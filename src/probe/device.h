/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the block device below a file system, its leaf disks and what they say of themselves.
 * Touches sysfs only: never the repository, never the device. */
#ifndef REPOPROBE_PROBE_DEVICE_H
#define REPOPROBE_PROBE_DEVICE_H

#include <sys/types.h>

struct device_info;

/* sysfs is "/sys", or a test's copy of it; device is st_dev of a file. Returns 0 or -ENODEV: the
 * file system has no device that can be seen (network, btrfs, overlay, zfs, tmpfs: their st_dev is
 * anonymous; or /sys is not there). That is a fact, not a failure. What could not be read of a
 * device that is there stays unknown. */
int device_find(const char *sysfs, dev_t device, struct device_info *ret);

#endif
