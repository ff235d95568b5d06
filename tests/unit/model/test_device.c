/* SPDX-License-Identifier: Apache-2.0 */
/* device: which devices are the same, and which share a disk. */
#include "model/device.h"

#include <string.h>

#include "test.h"

static const struct device_info partition = {
	.major = 8,
	.minor = 1,
	.write_copies = 1,
	.has_all_leaves = true,
	.leaf_count = 1,
	.leaves = { { .major = 8, .minor = 0 } },
};
static const struct device_info mirror = {
	.major = 9,
	.minor = 0,
	.write_copies = 2,
	.has_all_leaves = true,
	.leaf_count = 2,
	.leaves = { { .major = 8, .minor = 0 }, { .major = 8, .minor = 16 } },
};

static void the_same_device_has_the_same_leaves(void **state)
{
	struct device_info other = mirror;
	(void)state;

	assert_true(device_is_same(&mirror, &other));
	assert_false(device_is_same(&mirror, &partition));
	/* In whatever order. */
	other.leaves[0] = mirror.leaves[1];
	other.leaves[1] = mirror.leaves[0];
	assert_true(device_is_same(&mirror, &other));
	/* A disk was replaced, or left out. */
	other.leaves[0].minor = 32;
	assert_false(device_is_same(&mirror, &other));
	other = mirror;
	other.leaf_count = 1;
	assert_false(device_is_same(&mirror, &other));
	other = mirror;
	other.write_copies = 0;
	assert_false(device_is_same(&mirror, &other));
	other = mirror;
	other.minor = 1;
	assert_false(device_is_same(&mirror, &other));
}

static void work_meets_on_a_common_leaf(void **state)
{
	struct device_info other = mirror;
	struct device_info none = { .major = 8 };
	(void)state;

	assert_true(device_shares_leaf(&partition, &mirror));
	assert_true(device_shares_leaf(&mirror, &partition));
	other.leaves[0].minor = 48;
	assert_false(device_shares_leaf(&partition, &other));
	assert_true(device_shares_leaf(&mirror, &other));
	assert_false(device_shares_leaf(&mirror, &none));
}

static void only_disks_themselves_cut_and_flush(void **state)
{
	struct device_info disk = {
		.name = "sda1",
		.disk = "sda",
		.write_cache = "write back",
		.leaf_count = 1,
		.leaves = { { .name = "sda" } },
	};
	(void)state;

	assert_false(device_is_stacked(&disk));
	assert_true(device_counts_synced_twice(&disk));
	disk.has_fua = true;
	assert_false(device_counts_synced_twice(&disk));
	disk.has_fua = false;
	memcpy(disk.write_cache, "write through", 14);
	assert_false(device_counts_synced_twice(&disk));
	/* A volume on the disk. */
	memcpy(disk.write_cache, "write back", 11);
	memcpy(disk.disk, "dm-0", 5);
	assert_true(device_is_stacked(&disk));
	assert_false(device_counts_synced_twice(&disk));
	assert_true(device_is_stacked(&mirror));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_device_has_the_same_leaves),
		cmocka_unit_test(only_disks_themselves_cut_and_flush),
		cmocka_unit_test(work_meets_on_a_common_leaf),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
