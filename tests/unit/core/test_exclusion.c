/* SPDX-License-Identifier: Apache-2.0 */
/* Who may be probed beside whom, and who is next. */
#include "test.h"

#include "core/exclusion.h"
#include "model/identity.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* The worker saw these. */
static const struct identity sda1 = { .fs_type = "ext4",
	.source = "/dev/sda1",
	.mount_point = "/a",
	.has_device = true,
	.device = { .major = 8,
		.minor = 1,
		.leaf_count = 1,
		.leaves = { { .major = 8, .minor = 0, .name = "sda" } } } };
static const struct identity sda2 = { .fs_type = "xfs",
	.source = "/dev/sda2",
	.mount_point = "/b",
	.has_device = true,
	.device = { .major = 8,
		.minor = 2,
		.leaf_count = 1,
		.leaves = { { .major = 8, .minor = 0, .name = "sda" } } } };
static const struct identity sdb = { .fs_type = "xfs",
	.source = "/dev/sdb",
	.mount_point = "/c",
	.has_device = true,
	.device = { .major = 8,
		.minor = 16,
		.leaf_count = 1,
		.leaves = { { .major = 8, .minor = 16, .name = "sdb" } } } };
/* An image on sda1. */
static const struct identity loop = { .fs_type = "ext4",
	.source = "/dev/loop0",
	.mount_point = "/d",
	.has_device = true,
	.device = { .major = 7,
		.minor = 0,
		.leaf_count = 1,
		.leaves = { { .major = 7, .minor = 0, .name = "loop0" } } } };
/* The mount table alone says this. */
static const struct identity guess_sda1 = { .fs_type = "ext4",
	.source = "/dev/sda1",
	.mount_point = "/a",
	.has_device = true,
	.device = { .major = 8, .minor = 1 } };
static const struct identity guess_sdb = { .fs_type = "xfs",
	.source = "/dev/sdb",
	.mount_point = "/c",
	.has_device = true,
	.device = { .major = 8, .minor = 16 } };
static const struct identity nfs = { .fs_type = "nfs4", .source = "nas:/x", .mount_point = "/n" };
static const struct identity nfs_again = {
	.fs_type = "nfs4", .source = "nas:/x", .mount_point = "/m"
};
static const struct identity tmpfs = { .fs_type = "tmpfs", .source = "tmpfs", .mount_point = "/t" };
static const struct identity tmpfs_too = {
	.fs_type = "tmpfs", .source = "tmpfs", .mount_point = "/u"
};
static const struct identity bound = { .fs_type = "tmpfs",
	.source = "tmpfs",
	.mount_point = "/v",
	.directory_device = 33,
	.directory_inode = 2 };
static const struct identity bound_again = { .fs_type = "tmpfs",
	.source = "tmpfs",
	.mount_point = "/w",
	.directory_device = 33,
	.directory_inode = 7 };
static const struct identity nothing; /* the mount table could not be read */

static void what_shares_a_disk_a_file_system_or_a_group_conflicts(void **state)
{
	static const struct {
		struct exclusion_place a;
		struct exclusion_place b;
		bool conflicts;
	} cases[] = {
		{ { "", &sda1 }, { "", &sda2 }, true },
		{ { "", &sda1 }, { "", &sdb }, false },
		{ { "", &sda1 }, { "", &loop }, false },
		{ { "", &sda1 }, { "", &guess_sda1 }, true },
		{ { "", &guess_sda1 }, { "", &guess_sda1 }, true },
		{ { "", &guess_sda1 }, { "", &guess_sdb }, false },
		{ { "", &nfs }, { "", &nfs_again }, true },
		{ { "", &tmpfs }, { "", &tmpfs_too }, false },
		{ { "", &tmpfs }, { "", &tmpfs }, true },
		{ { "", &bound }, { "", &bound_again }, true },
		{ { "", &bound }, { "", &tmpfs }, false },
		{ { "", &nothing }, { "", &nothing }, false },
		{ { "", NULL }, { "", NULL }, false },
		{ { "", NULL }, { "", &sda1 }, false },
		{ { "g", NULL }, { "g", &sdb }, true },
		{ { "g", &sda1 }, { "g", &sdb }, true },
		{ { "g", &sda1 }, { "h", &sdb }, false },
		{ { "g", &sda1 }, { "h", &sda2 }, true },
		{ { NULL, &sda1 }, { NULL, &sdb }, false },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		if (exclusion_conflicts(&cases[i].a, &cases[i].b) != cases[i].conflicts ||
			exclusion_conflicts(&cases[i].b, &cases[i].a) != cases[i].conflicts)
			fail_msg("case %zu", i);
	}
}

static void the_longest_overdue_whose_place_is_free_is_next(void **state)
{
	const struct exclusion_place occupied[] = { { "", &sda1 } };
	struct exclusion_waiting waiting[] = {
		{ { "", &sdb }, 30, 0 },
		{ { "", &sda2 }, 10, 1 },
		{ { "", &loop }, 20, 2 },
	};

	(void)state;
	assert_int_equal(exclusion_choose(occupied, 1, waiting, 3)->index, 2);
	assert_int_equal(exclusion_choose(NULL, 0, waiting, 3)->index, 1);
	assert_null(exclusion_choose(occupied, 1, waiting, 0));
	/* As long overdue: in the order of the configuration. */
	waiting[0] = (struct exclusion_waiting){ { "", &loop }, 10, 7 };
	waiting[1] = (struct exclusion_waiting){ { "", &sdb }, 10, 3 };
	assert_int_equal(exclusion_choose(NULL, 0, waiting, 2)->index, 3);
}

static void nobody_younger_takes_the_place_that_an_older_one_waits_for(void **state)
{
	/* The oldest needs the disk and the group; others take turns on one of them each. */
	const struct exclusion_place on_disk[] = { { "", &sdb } };
	struct exclusion_waiting waiting[] = {
		{ { "g", &loop }, 20, 1 },
		{ { "g", &sdb }, 10, 0 },
		{ { "", &sda1 }, 30, 2 },
	};

	(void)state;
	assert_int_equal(exclusion_choose(on_disk, 1, waiting, 3)->index, 2);
	assert_null(exclusion_choose(on_disk, 1, waiting, 2));
	assert_int_equal(exclusion_choose(NULL, 0, waiting, 3)->index, 0);
}

/* Runs of one tick each, two at once, always due again at once: everyone has his turn. */
static void nobody_starves(void **state)
{
	static const struct exclusion_place places[] = {
		{ "g", &sdb },
		{ "", &sdb },
		{ "g", &loop },
		{ "", &sdb },
		{ "g", &sda1 },
	};
	uint64_t due[COUNT(places)] = { 0 };
	unsigned turns[COUNT(places)] = { 0 };

	(void)state;
	size_t running[2] = { SIZE_MAX, SIZE_MAX };
	for (uint64_t now = 1; now <= 1000; now++) {
		size_t slot = now % 2; /* one ends at each tick, so that they overlap */
		struct exclusion_place occupied[2];
		size_t occupied_count = 0;
		struct exclusion_waiting waiting[COUNT(places)];
		size_t count = 0;
		if (running[slot] != SIZE_MAX)
			due[running[slot]] = now;
		running[slot] = SIZE_MAX;
		if (running[1 - slot] != SIZE_MAX)
			occupied[occupied_count++] = places[running[1 - slot]];
		for (size_t i = 0; i < COUNT(places); i++)
			if (i != running[1 - slot])
				waiting[count++] =
					(struct exclusion_waiting){ places[i], due[i], i };
		const struct exclusion_waiting *next =
			exclusion_choose(occupied, occupied_count, waiting, count);
		if (!next)
			continue;
		running[slot] = next->index;
		turns[next->index]++;
	}
	for (size_t i = 0; i < COUNT(places); i++)
		if (turns[i] < 100)
			fail_msg("%zu had %u turns", i, turns[i]);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_shares_a_disk_a_file_system_or_a_group_conflicts),
		cmocka_unit_test(the_longest_overdue_whose_place_is_free_is_next),
		cmocka_unit_test(nobody_younger_takes_the_place_that_an_older_one_waits_for),
		cmocka_unit_test(nobody_starves),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
