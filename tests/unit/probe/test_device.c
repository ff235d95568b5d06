/* SPDX-License-Identifier: Apache-2.0 */
/* device: found from the number of a file system's device in made-up copies of /sys, and in the
 * machine's own. */
#include "probe/device.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "model/device.h"
#include "sysfs_tree.h"
#include "test.h"

static int make_tree(void **state)
{
	struct sysfs_tree *t = calloc(1, sizeof(*t));

	assert_non_null(t);
	sysfs_tree_init(t);
	*state = t;
	return 0;
}

static int remove_tree(void **state)
{
	sysfs_tree_done(*state);
	free(*state);
	return 0;
}

static void add_disk(struct sysfs_tree *t, const char *name, const char *number, const char *model)
{
	sysfs_tree_add(t, name, number);
	sysfs_tree_set(t, name, "device/vendor", "ATA     \n");
	sysfs_tree_set(t, name, "device/model", model);
	sysfs_tree_set(t, name, "queue/rotational", "1\n");
	sysfs_tree_set(t, name, "queue/write_cache", "write back\n");
	sysfs_tree_set(t, name, "queue/fua", "1\n");
	sysfs_tree_set(t, name, "queue/scheduler", "none [mq-deadline] kyber bfq \n");
	sysfs_tree_set(t, name, "queue/logical_block_size", "512\n");
	sysfs_tree_set(t, name, "queue/physical_block_size", "4096\n");
	sysfs_tree_set(t, name, "queue/nr_requests", "256\n");
	sysfs_tree_set(t, name, "queue/max_sectors_kb", "1280\n");
}

static void assert_leaf(const struct device_info *d, size_t i, const char *name, unsigned minor)
{
	assert_true(i < d->leaf_count);
	assert_string_equal(d->leaves[i].name, name);
	assert_int_equal(d->leaves[i].minor, minor);
}

static void a_partition_lies_on_its_disk(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	add_disk(t, "sda", "8:0", "WDC WD40EFRX-68W\n");
	sysfs_tree_add(t, "sda/sda1", "8:1");
	assert_int_equal(device_find(t->root, makedev(8, 1), &d), 0);
	assert_int_equal(d.major, 8);
	assert_int_equal(d.minor, 1);
	assert_string_equal(d.name, "sda1");
	assert_string_equal(d.disk, "sda");
	assert_string_equal(d.model, "WDC WD40EFRX-68W");
	assert_int_equal(d.rotational, DEVICE_ROTATIONAL_YES);
	assert_string_equal(d.write_cache, "write back");
	assert_true(d.has_fua);
	assert_string_equal(d.scheduler, "mq-deadline");
	assert_int_equal(d.logical_block_bytes, 512);
	assert_int_equal(d.physical_block_bytes, 4096);
	assert_int_equal(d.queue_requests, 256);
	assert_int_equal(d.request_max_bytes, 1280 * 1024);
	assert_int_equal(d.write_copies, 1);
	assert_true(d.has_all_leaves);
	assert_int_equal(d.leaf_count, 1);
	assert_leaf(&d, 0, "sda", 0);
	assert_string_equal(d.backing_file, "");
	assert_string_equal(d.mapped_name, "");
	assert_string_equal(d.array_level, "");

	assert_int_equal(device_find(t->root, makedev(8, 0), &d), 0);
	assert_string_equal(d.name, "sda");
	assert_string_equal(d.disk, "sda");
	assert_leaf(&d, 0, "sda", 0);
}

static void a_loop_device_names_its_file_and_is_a_leaf(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	sysfs_tree_add(t, "loop0", "7:0");
	sysfs_tree_set(t, "loop0", "loop/backing_file", "/srv/images/repo one.img\n");
	sysfs_tree_set(t, "loop0", "queue/rotational", "0\n");
	sysfs_tree_set(t, "loop0", "queue/write_cache", "write through\n");
	sysfs_tree_set(t, "loop0", "queue/scheduler", "none\n");
	assert_int_equal(device_find(t->root, makedev(7, 0), &d), 0);
	assert_string_equal(d.backing_file, "/srv/images/repo one.img");
	assert_int_equal(d.rotational, DEVICE_ROTATIONAL_NO);
	assert_string_equal(d.write_cache, "write through");
	assert_false(d.has_fua);
	assert_string_equal(d.scheduler, "none");
	assert_string_equal(d.model, "");
	assert_int_equal(d.leaf_count, 1);
	assert_leaf(&d, 0, "loop0", 0);
}

/* LVM on LUKS on a mirror of two partitions. */
static void add_stack(struct sysfs_tree *t)
{
	add_disk(t, "sda", "8:0", "FIRST\n");
	add_disk(t, "sdb", "8:16", "SECOND\n");
	sysfs_tree_set(t, "sdb", "queue/max_sectors_kb", "512\n");
	sysfs_tree_add(t, "sda/sda1", "8:1");
	sysfs_tree_add(t, "sdb/sdb1", "8:17");
	sysfs_tree_add(t, "md0", "9:0");
	sysfs_tree_set(t, "md0", "md/level", "raid1\n");
	sysfs_tree_set(t, "md0", "md/raid_disks", "2\n");
	sysfs_tree_set(t, "md0", "md/degraded", "0\n");
	sysfs_tree_set(t, "md0", "md/sync_action", "check\n");
	sysfs_tree_link(t, "md0", "sdb/sdb1");
	sysfs_tree_link(t, "md0", "sda/sda1");
	sysfs_tree_add(t, "dm-0", "253:0");
	sysfs_tree_set(t, "dm-0", "dm/name", "luks-md0\n");
	sysfs_tree_link(t, "dm-0", "md0");
	sysfs_tree_add(t, "dm-1", "253:1");
	sysfs_tree_set(t, "dm-1", "dm/name", "vg0-backup\n");
	sysfs_tree_set(t, "dm-1", "queue/rotational", "1\n");
	sysfs_tree_set(t, "dm-1", "queue/max_sectors_kb", "1024\n");
	sysfs_tree_link(t, "dm-1", "dm-0");
}

static void mapped_devices_and_arrays_lead_to_their_disks(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	add_stack(t);
	assert_int_equal(device_find(t->root, makedev(253, 1), &d), 0);
	assert_string_equal(d.name, "dm-1");
	assert_string_equal(d.disk, "dm-1");
	assert_string_equal(d.mapped_name, "vg0-backup");
	assert_string_equal(d.array_level, "raid1");
	assert_string_equal(d.array_action, "check");
	assert_int_equal(d.write_copies, 2);
	assert_true(d.has_all_leaves);
	assert_int_equal(d.leaf_count, 2);
	assert_leaf(&d, 0, "sda", 0);
	assert_leaf(&d, 1, "sdb", 16);
	assert_string_equal(d.model, "FIRST");
	assert_string_equal(d.scheduler, "mq-deadline");
	assert_int_equal(d.rotational, DEVICE_ROTATIONAL_YES);
	assert_int_equal(d.request_max_bytes, 512 * 1024);
	assert_string_equal(d.write_cache, "");
}

static void two_volumes_on_one_disk_are_one_leaf(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	add_disk(t, "sda", "8:0", "ONE\n");
	sysfs_tree_add(t, "sda/sda1", "8:1");
	sysfs_tree_add(t, "sda/sda2", "8:2");
	sysfs_tree_add(t, "dm-0", "253:0");
	sysfs_tree_link(t, "dm-0", "sda/sda1");
	sysfs_tree_link(t, "dm-0", "sda/sda2");
	assert_int_equal(device_find(t->root, makedev(253, 0), &d), 0);
	assert_int_equal(d.leaf_count, 1);
	assert_int_equal(d.write_copies, 1);
	assert_leaf(&d, 0, "sda", 0);
}

static void copies_follow_the_kind_of_array(void **state)
{
	static const struct {
		const char *level, *disks, *degraded, *layout;
		unsigned copies;
	} cases[] = {
		{ "raid0\n", "2\n", NULL, NULL, 1 },
		{ "linear\n", "2\n", NULL, NULL, 1 },
		{ "raid1\n", "3\n", "1\n", NULL, 2 },
		{ "raid1\n", "1\n", "1\n", NULL, 0 },
		{ "raid10\n", "4\n", "0\n", "258\n", 2 }, /* near 2, far 1 */
		{ "raid10\n", "4\n", "0\n", "515\n", 6 }, /* near 3, far 2 */
		{ "raid10\n", "4\n", "1\n", "258\n", 0 },
		{ "raid10\n", "4\n", "0\n", NULL, 0 },
		{ "raid5\n", "3\n", "0\n", "2\n", 0 },
		{ "raid6\n", "4\n", "0\n", "2\n", 0 },
		{ "new\n", "4\n", "0\n", NULL, 0 },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct sysfs_tree t;
		struct device_info d;
		sysfs_tree_init(&t);
		add_disk(&t, "sda", "8:0", "A\n");
		sysfs_tree_add(&t, "md5", "9:5");
		sysfs_tree_link(&t, "md5", "sda");
		sysfs_tree_set(&t, "md5", "md/level", cases[i].level);
		sysfs_tree_set(&t, "md5", "md/raid_disks", cases[i].disks);
		if (cases[i].degraded)
			sysfs_tree_set(&t, "md5", "md/degraded", cases[i].degraded);
		if (cases[i].layout)
			sysfs_tree_set(&t, "md5", "md/layout", cases[i].layout);
		assert_int_equal(device_find(t.root, makedev(9, 5), &d), 0);
		assert_int_equal(d.write_copies, cases[i].copies);
		sysfs_tree_done(&t);
	}
}

static void copies_that_differ_by_the_way_are_not_known(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	/* A volume over a mirror and a plain disk. */
	add_stack(t);
	add_disk(t, "sdc", "8:32", "THIRD\n");
	sysfs_tree_link(t, "dm-1", "sdc");
	assert_int_equal(device_find(t->root, makedev(253, 1), &d), 0);
	assert_int_equal(d.leaf_count, 3);
	assert_int_equal(d.write_copies, 0);
	assert_leaf(&d, 0, "sdc", 32); /* the nearest first */

	/* One that reaches the disks past the mirror, too. */
	sysfs_tree_add(t, "dm-2", "253:2");
	sysfs_tree_link(t, "dm-2", "md0");
	sysfs_tree_link(t, "dm-2", "sda");
	sysfs_tree_link(t, "dm-2", "sdb");
	assert_int_equal(device_find(t->root, makedev(253, 2), &d), 0);
	assert_int_equal(d.leaf_count, 2);
	assert_int_equal(d.write_copies, 0);
}

static void mirrors_of_lvm_are_not_guessed_at(void **state)
{
	static const char *const parts[] = { "vg0-lv_rimage_0\n", "vg0-lv_rmeta_0\n",
		"vg0-lv_mimage_1\n" };
	struct sysfs_tree *t = *state;
	struct device_info d;

	add_disk(t, "sda", "8:0", "A\n");
	sysfs_tree_add(t, "dm-0", "253:0");
	sysfs_tree_add(t, "dm-1", "253:1");
	sysfs_tree_link(t, "dm-1", "dm-0");
	sysfs_tree_link(t, "dm-0", "sda");
	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		sysfs_tree_set(t, "dm-0", "dm/name", parts[i]);
		assert_int_equal(device_find(t->root, makedev(253, 1), &d), 0);
		assert_int_equal(d.write_copies, 0);
	}
	sysfs_tree_set(t, "dm-0", "dm/name", "vg0-pv\n");
	assert_int_equal(device_find(t->root, makedev(253, 1), &d), 0);
	assert_int_equal(d.write_copies, 1);
}

static void more_leaves_than_fit_are_said_to_be_missing(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	sysfs_tree_add(t, "md0", "9:0");
	for (unsigned i = 0; i <= DEVICE_LEAVES_MAX; i++) {
		char name[16];
		char number[16];
		(void)snprintf(name, sizeof(name), "nvme%un1", i);
		(void)snprintf(number, sizeof(number), "259:%u", i);
		sysfs_tree_add(t, name, number);
		if (i < DEVICE_LEAVES_MAX)
			sysfs_tree_link(t, "md0", name);
	}
	assert_int_equal(device_find(t->root, makedev(9, 0), &d), 0);
	assert_int_equal(d.leaf_count, DEVICE_LEAVES_MAX);
	assert_true(d.has_all_leaves);
	assert_leaf(&d, 2, "nvme2n1", 2);
	assert_leaf(&d, 10, "nvme10n1", 10);
	sysfs_tree_link(t, "md0", "nvme16n1");
	assert_int_equal(device_find(t->root, makedev(9, 0), &d), 0);
	assert_int_equal(d.leaf_count, DEVICE_LEAVES_MAX);
	assert_false(d.has_all_leaves);
}

static void stacks_without_end_come_to_an_end(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	for (unsigned i = 0; i < 12; i++) {
		char name[16];
		char number[16];
		(void)snprintf(name, sizeof(name), "dm-%u", i);
		(void)snprintf(number, sizeof(number), "253:%u", i);
		sysfs_tree_add(t, name, number);
		if (i > 0) {
			char upper[16];
			(void)snprintf(upper, sizeof(upper), "dm-%u", i - 1);
			sysfs_tree_link(t, upper, name);
		}
	}
	assert_int_equal(device_find(t->root, makedev(253, 0), &d), 0);
	assert_int_equal(d.leaf_count, 0);
	assert_false(d.has_all_leaves);
	assert_int_equal(device_find(t->root, makedev(253, 3), &d), 0); /* eight below it */
	assert_int_equal(d.leaf_count, 1);
	assert_true(d.has_all_leaves);
	/* A circle, which the kernel does not make. */
	sysfs_tree_link(t, "dm-11", "dm-9");
	assert_int_equal(device_find(t->root, makedev(253, 9), &d), 0);
	assert_int_equal(d.leaf_count, 0);
}

static void a_leaf_that_cannot_be_read_is_said_to_be_missing(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	add_disk(t, "sda", "8:0", "A\n");
	sysfs_tree_add(t, "md0", "9:0");
	sysfs_tree_link(t, "md0", "sda");
	sysfs_tree_link(t, "md0", "gone");
	assert_int_equal(device_find(t->root, makedev(9, 0), &d), 0);
	assert_int_equal(d.leaf_count, 1);
	assert_false(d.has_all_leaves);
}

static void no_device_is_a_fact(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d = { .major = 77 };

	add_disk(t, "sda", "8:0", "A\n");
	assert_int_equal(device_find(t->root, makedev(0, 43), &d), -ENODEV); /* btrfs */
	assert_int_equal(device_find(t->root, makedev(8, 9), &d), -ENODEV);
	assert_int_equal(device_find("/nonexistent", makedev(8, 0), &d), -ENODEV);
	assert_int_equal(d.major, 77);
}

static void attributes_may_be_missing_or_strange(void **state)
{
	struct sysfs_tree *t = *state;
	struct device_info d;

	sysfs_tree_add(t, "nvme0n1", "259:0");
	sysfs_tree_set(t, "nvme0n1", "device/model", "SAMSUNG MZVL2\x01\xff   \n");
	sysfs_tree_set(t, "nvme0n1", "queue/rotational", "maybe\n");
	sysfs_tree_set(t, "nvme0n1", "queue/logical_block_size", "-4\n");
	sysfs_tree_set(t, "nvme0n1", "queue/max_sectors_kb", "2147483647\n");
	sysfs_tree_set(t, "nvme0n1", "queue/scheduler", "none [a-name-longer-than-fits] x\n");
	assert_int_equal(device_find(t->root, makedev(259, 0), &d), 0);
	assert_string_equal(d.model, "SAMSUNG MZVL2 ?");
	assert_int_equal(d.rotational, DEVICE_ROTATIONAL_UNKNOWN);
	assert_int_equal(d.logical_block_bytes, 0);
	assert_int_equal(d.physical_block_bytes, 0);
	assert_int_equal(d.request_max_bytes, 0);
	assert_string_equal(d.write_cache, "");
	assert_string_equal(d.scheduler, "a-name-longer-t");
	assert_true(d.has_all_leaves);
}

static void vendors_that_say_something_are_named(void **state)
{
	static const struct {
		const char *vendor, *model, *name;
	} cases[] = {
		{ "NETAPP  \n", "LUN C-Mode      \n", "NETAPP LUN C-Mode" },
		{ "ATA     \n", "ST4000\n", "ST4000" },
		{ "0x1af4\n", "disk\n", "disk" },
		{ "\n", "M\n", "M" },
	};
	struct sysfs_tree *t = *state;
	struct device_info d;

	sysfs_tree_add(t, "sda", "8:0");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		sysfs_tree_set(t, "sda", "device/vendor", cases[i].vendor);
		sysfs_tree_set(t, "sda", "device/model", cases[i].model);
		assert_int_equal(device_find(t->root, makedev(8, 0), &d), 0);
		assert_string_equal(d.model, cases[i].name);
	}
	sysfs_tree_add(t, "mmcblk0", "179:0");
	sysfs_tree_set(t, "mmcblk0", "device/name", "SD64G\n");
	assert_int_equal(device_find(t->root, makedev(179, 0), &d), 0);
	assert_string_equal(d.model, "SD64G");
}

static void the_device_of_this_machine_is_found(void **state)
{
	struct device_info d;
	struct stat st;
	char path[64];
	(void)state;

	assert_int_equal(stat("/", &st), 0);
	(void)snprintf(
		path, sizeof(path), "/sys/dev/block/%u:%u", major(st.st_dev), minor(st.st_dev));
	if (access(path, F_OK) < 0) {
		print_message("/ has no block device that can be seen here\n");
		skip();
	}
	assert_int_equal(device_find("/sys", st.st_dev, &d), 0);
	assert_int_equal(d.minor, minor(st.st_dev));
	assert_string_not_equal(d.name, "");
	assert_true(d.leaf_count > 0 || !d.has_all_leaves);
	assert_true(d.logical_block_bytes >= 512);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_tree, remove_tree)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_partition_lies_on_its_disk),
		TEST(a_loop_device_names_its_file_and_is_a_leaf),
		TEST(mapped_devices_and_arrays_lead_to_their_disks),
		TEST(two_volumes_on_one_disk_are_one_leaf),
		cmocka_unit_test(copies_follow_the_kind_of_array),
		TEST(copies_that_differ_by_the_way_are_not_known),
		TEST(mirrors_of_lvm_are_not_guessed_at),
		TEST(more_leaves_than_fit_are_said_to_be_missing),
		TEST(stacks_without_end_come_to_an_end),
		TEST(a_leaf_that_cannot_be_read_is_said_to_be_missing),
		TEST(no_device_is_a_fact),
		TEST(attributes_may_be_missing_or_strange),
		TEST(vendors_that_say_something_are_named),
		cmocka_unit_test(the_device_of_this_machine_is_found),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
