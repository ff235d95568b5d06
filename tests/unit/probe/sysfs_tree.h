/* SPDX-License-Identifier: Apache-2.0 */
/* A made-up /sys in a temporary directory, with the links that the kernel's has: block devices lie
 * in devices/block/DISK[/PARTITION], dev/block/MAJOR:MINOR leads to them, slaves/NAME as well. */
#ifndef REPOPROBE_TESTS_UNIT_PROBE_SYSFS_TREE_H
#define REPOPROBE_TESTS_UNIT_PROBE_SYSFS_TREE_H

struct sysfs_tree {
	char root[64];
};

void sysfs_tree_init(struct sysfs_tree *t);
void sysfs_tree_done(struct sysfs_tree *t); /* removes it */

/* name is "sda" or "sda/sda1"; number "8:1". */
void sysfs_tree_add(struct sysfs_tree *t, const char *name, const char *number);
/* Writes an attribute, its line break included: "sda", "queue/rotational", "1\n". */
void sysfs_tree_set(
	struct sysfs_tree *t, const char *name, const char *attribute, const char *text);
/* The first is made of the second, among others. */
void sysfs_tree_link(struct sysfs_tree *t, const char *upper, const char *lower);

#endif
