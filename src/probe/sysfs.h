/* SPDX-License-Identifier: Apache-2.0 */
/* Block devices as directories of attributes under /sys, or under a test's copy of it. */
#ifndef REPOPROBE_PROBE_SYSFS_H
#define REPOPROBE_PROBE_SYSFS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device.h"

#define SYSFS_TEXT_MAX 255 /* of an attribute; the rest is not read */

struct sysfs_number {
	uint32_t major;
	uint32_t minor;
};

struct sysfs_block {
	int fd; /* O_PATH, for the functions below; the owner closes it */
	struct sysfs_number number;
	char name[DEVICE_NAME_MAX + 1];
};

bool sysfs_is_same(struct sysfs_number a, struct sysfs_number b);

/* Opens ROOT/dev/block/MAJOR:MINOR. Returns 0 or -errno. */
int sysfs_open_block(const char *root, struct sysfs_number number, struct sysfs_block *ret);

/* Replaces a partition by its disk; a disk is unchanged. Returns 0, or -errno with *b unchanged. */
int sysfs_to_disk(const char *root, struct sysfs_block *b);

/* Reads one attribute, truncated to the buffer, as printable text without its line break. Returns 0
 * or -errno with dst unchanged. */
int sysfs_read_text(int fd, const char *path, char *dst, size_t size);
int sysfs_read_uint(int fd, const char *path, uint64_t max, uint64_t *ret);
uint32_t sysfs_read_uint32(int fd, const char *path); /* 0 when it is missing or not a number */
int sysfs_read_number(int fd, const char *path, struct sysfs_number *ret); /* "8:16" */

#endif
