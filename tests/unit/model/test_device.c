/* SPDX-License-Identifier: Apache-2.0 */
/* device: which devices are the same, and which share a disk. */
#include "model/device.h"

#include <errno.h>
#include <string.h>

#include "base/json.h"
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
	/* In any order. */
	other.leaves[0] = mirror.leaves[1];
	other.leaves[1] = mirror.leaves[0];
	assert_true(device_is_same(&mirror, &other));
	/* A disk was replaced, or removed. */
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

static void a_device_survives_json_but_for_its_numbers(void **state)
{
	struct device_info d = {
		.major = 8,
		.name = "md0",
		.disk = "md0",
		.mapped_name = "v",
		.array_level = "raid1",
		.array_action = "check",
		.backing_file = "/i",
		.write_cache = "write back",
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.request_max_bytes = UINT32_MAX,
		.model = "M",
		.scheduler = "none",
		.queue_requests = 1,
		.leaf_count = 2,
		.leaves = { { .major = 8, .name = "sda" }, { .major = 8, .name = "sdb" } },
	};
	(void)state;

	for (int i = DEVICE_ROTATIONAL_UNKNOWN; i <= DEVICE_ROTATIONAL_YES; i++) {
		struct device_info back;
		d.rotational = (enum device_rotational)i;
		struct json_t *value = device_to_json(&d);
		assert_int_equal(device_from_json(value, &back), 0);
		json_free(value);
		struct device_info expected = d;
		expected.major = 0;
		expected.leaves[0].major = 0;
		expected.leaves[1].major = 0;
		assert_memory_equal(&back, &expected, sizeof(back));
	}
}

static void text_that_does_not_fit_is_cut_and_numbers_are_refused(void **state)
{
	static const struct {
		const char *text;
		int expected;
		const char *scheduler;
	} cases[] = {
		{ "{}", 0, "" },
		{ "{\"scheduler\": null}", 0, "" },
		{ "{\"scheduler\": \"0123456789abcdef\"}", 0, "0123456789abcde" },
		{ "{\"scheduler\": \"0123456789abcd\u00e4\"}", 0, "0123456789abcd" },
		{ "{\"queue_requests\": 4294967296}", -EUCLEAN, NULL },
		{ "{\"queue_requests\": -1}", -EUCLEAN, NULL },
		{ "{\"disks\": [1]}", -EUCLEAN, NULL },
		{ "{\"disks\": [\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\",\"\","
		  "\"\",\"\",\"\",\"\"]}",
			-EUCLEAN, NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct json_t *value = NULL;
		struct device_info back = { .name = "x" };
		assert_int_equal(json_parse(cases[i].text, strlen(cases[i].text), &value, NULL), 0);
		assert_int_equal(device_from_json(value, &back), cases[i].expected);
		json_free(value);
		if (cases[i].scheduler)
			assert_string_equal(back.scheduler, cases[i].scheduler);
		else
			assert_string_equal(back.name, "x");
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_same_device_has_the_same_leaves),
		cmocka_unit_test(only_disks_themselves_cut_and_flush),
		cmocka_unit_test(work_meets_on_a_common_leaf),
		cmocka_unit_test(a_device_survives_json_but_for_its_numbers),
		cmocka_unit_test(text_that_does_not_fit_is_cut_and_numbers_are_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
