/* SPDX-License-Identifier: Apache-2.0 */
/* When requests are said to have been cut. */
#include "probe/split.h"

#include <stdlib.h>
#include <unistd.h>

#include "model/device.h"
#include "sysfs_tree.h"
#include "test.h"

#define KIB 1024U
#define MIB (UINT64_C(1) << 20)

#define READS(count, bytes)                                                                        \
	{                                                                                          \
		.reads = (count), .read_bytes = (bytes)                                            \
	}
#define WRITES(count, bytes)                                                                       \
	{                                                                                          \
		.writes = (count), .write_bytes = (bytes)                                          \
	}

static const struct {
	const char *what;
	struct split_facts facts;
	bool is_found;
} cases[] = {
	{ "one request for each block",
		{ 512 * KIB, 1280 * KIB, 512 * KIB, false, 64 * MIB, true, READS(128, 64 * MIB) },
		false },
	{ "eight for each, and the queue allows only 64K",
		{ 512 * KIB, 64 * KIB, 512 * KIB, false, 64 * MIB, true, READS(1024, 64 * MIB) },
		true },
	{ "the same, with nothing counted",
		{ 512 * KIB, 64 * KIB, 512 * KIB, false, 64 * MIB, false, READS(0, 0) }, true },
	{ "the queue allows it just so",
		{ 512 * KIB, 512 * KIB, 512 * KIB, false, 64 * MIB, true, READS(128, 64 * MIB) },
		false },
	{ "the counters say that nothing was cut",
		{ 512 * KIB, 64 * KIB, 512 * KIB, false, 64 * MIB, true, READS(128, 64 * MIB) },
		false },
	{ "nothing reached the device",
		{ 512 * KIB, 64 * KIB, 512 * KIB, false, 64 * MIB, true, READS(80, 5 * MIB) },
		false },
	{ "nothing was measured",
		{ 512 * KIB, 64 * KIB, 512 * KIB, false, 0, true, READS(1024, 64 * MIB) }, false },
	{ "nothing is known of the queue",
		{ 512 * KIB, 0, 0, false, 64 * MIB, true, READS(1024, 64 * MIB) }, false },
	{ "pages that are no neighbours",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, false, 64 * MIB, true, READS(128, 64 * MIB) },
		true },
	{ "pages that were neighbours",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, false, 64 * MIB, true, READS(64, 64 * MIB) },
		false },
	{ "nothing counted, so they may have been",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, false, 64 * MIB, false, READS(0, 0) }, false },
	{ "the short requests are somebody else's",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, false, 64 * MIB, true,
			READS(64 + 8192, 96 * MIB) },
		false },
	{ "each write counted twice",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, true, 64 * MIB, true, WRITES(128, 64 * MIB) },
		false },
	{ "each half of a write counted twice",
		{ 1024 * KIB, 1280 * KIB, 512 * KIB, true, 64 * MIB, true, WRITES(256, 64 * MIB) },
		true },
};

static void requests_are_compared_with_blocks(void **state)
{
	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (split_is_found(&cases[i].facts) != cases[i].is_found)
			fail_msg("%s", cases[i].what);
}

static void the_leaf_with_the_fewest_segments_decides(void **state)
{
	struct sysfs_tree t;
	struct device_info device = { .leaf_count = 3,
		.leaves = { { 8, 0, "sda" }, { 8, 16, "sdb" }, { 8, 32, "sdc" } } };
	uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);

	(void)state;
	sysfs_tree_init(&t);
	assert_int_equal(split_scattered_max_bytes(t.root, &device), 0);
	sysfs_tree_add(&t, "sda", "8:0");
	sysfs_tree_set(&t, "sda", "queue/max_segments", "168\n");
	sysfs_tree_add(&t, "sdb", "8:16");
	sysfs_tree_set(&t, "sdb", "queue/max_segments", "64\n");
	sysfs_tree_add(&t, "sdc", "8:32"); /* which does not say */
	assert_int_equal(split_scattered_max_bytes(t.root, &device), 64 * page);
	sysfs_tree_done(&t);
}

static void the_leaves_are_summed_up(void **state)
{
	static const char text[] = "   8       0 sda 10 0 80 1 20 0 800 2 0 3 4\n"
				   "   8      16 sdb 1 0 8 1 2 0 8 2 0 3 4\n";
	struct device_info device = { .leaf_count = 2,
		.leaves = { { 8, 0, "sda" }, { 8, 16, "sdb" } } };
	struct disk_counters sum = { .reads = 77 };

	(void)state;
	assert_true(split_read_counters(text, &device, &sum));
	assert_int_equal(sum.reads, 11);
	assert_int_equal(sum.writes, 22);
	assert_int_equal(sum.read_bytes, 88 * 512);
	device.leaves[1].minor = 17;
	assert_false(split_read_counters(text, &device, &sum));
	device.leaf_count = 0;
	assert_false(split_read_counters(text, &device, &sum));
	assert_int_equal(sum.reads, 11);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(requests_are_compared_with_blocks),
		cmocka_unit_test(the_leaf_with_the_fewest_segments_decides),
		cmocka_unit_test(the_leaves_are_summed_up),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
