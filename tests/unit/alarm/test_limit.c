/* SPDX-License-Identifier: Apache-2.0 */
/* The values of limit = auto, and which repositories are peers. */
#include "test.h"

#include <stdio.h>
#include <string.h>

#include "alarm/limit.h"
#include "alarm/peer.h"
#include "base/buf.h"
#include "base/clock.h"

#define MSEC NSEC_PER_MSEC

static const struct workload workload = {
	.block_size_bytes = 524288, .queue_depth = 2, .threads = 1
};

struct choice {
	const char *name;
	const char *fs_type; /* NULL: not seen */
	enum device_rotational rotational;
	size_t leaves;
	enum limit_storage storage;
	uint64_t best_bytes_per_sec;
	size_t runs;
	uint64_t limit_msec;
	uint64_t critical_msec;
	const char *says;
};

static const struct choice choices[] = {
	{ "nothing known is flash", NULL, 0, 0, LIMIT_AUTO, 0, 0, 15, 30, "flash (not seen yet)" },
	{ "FUSE is flash", "fuse.delayfs", 0, 0, LIMIT_AUTO, 0, 0, 15, 30, "flash" },
	{ "one rotating disk", "ext4", DEVICE_ROTATIONAL_YES, 1, LIMIT_AUTO, 0, 0, 40, 80,
		"a single rotating disk" },
	{ "an array of them", "xfs", DEVICE_ROTATIONAL_YES, 6, LIMIT_AUTO, 0, 0, 15, 30,
		"an array" },
	{ "a network file system", "nfs4", 0, 0, LIMIT_AUTO, 0, 0, 30, 60,
		"a network file system, twice the preset's" },
	{ "the user knows better", "nfs4", 0, 0, LIMIT_DISK, 0, 0, 40, 80,
		"a single rotating disk (storage_class)" },
	{ "no floor before 36 runs", "ext4", DEVICE_ROTATIONAL_NO, 1, LIMIT_AUTO, 40000000, 35, 15,
		30, "flash" },
	/* 1.3 × 2 × 512 KiB / 40 MB/s = 34.08 ms */
	{ "as slow as it must be", "ext4", DEVICE_ROTATIONAL_NO, 1, LIMIT_AUTO, 40000000, 36, 34,
		68, "flash; raised, because 38.1 MiB/s at its best leave each I/O no less" },
	{ "but at most four times the pair", "ext4", DEVICE_ROTATIONAL_NO, 1, LIMIT_AUTO, 1000000,
		36, 60, 120,
		"flash; raised, because 977 KiB/s at its best leave each I/O no less (at most 4 times "
		"the preset's)" },
};

static void each_storage_has_its_limit_and_its_reason(void **unused)
{
	(void)unused;
	for (size_t i = 0; i < sizeof(choices) / sizeof(choices[0]); i++) {
		const struct choice *c = &choices[i];
		struct identity identity = { .has_device = c->leaves > 0 };
		struct buf reason = BUF_INIT(256);

		(void)snprintf(identity.fs_type, sizeof(identity.fs_type), "%s",
			c->fs_type ? c->fs_type : "");
		identity.device.leaf_count = c->leaves;
		identity.device.rotational = c->rotational;
		const struct limit_question question = {
			.preset = { .limit_nsec = 15 * MSEC, .limit_critical_nsec = 30 * MSEC },
			.storage = c->storage,
			.identity = c->fs_type ? &identity : NULL,
			.workload = &workload,
			.best_bytes_per_sec = c->best_bytes_per_sec,
			.runs = c->runs,
		};
		struct rule_limit limit = limit_choose(&question, &reason);
		if (limit.limit_nsec / MSEC != c->limit_msec ||
			limit.limit_critical_nsec / MSEC != c->critical_msec || !limit.is_auto ||
			strcmp(buf_text(&reason), c->says) != 0)
			fail_msg("%s: %llu/%llu, %s", c->name, (unsigned long long)limit.limit_nsec,
				(unsigned long long)limit.limit_critical_nsec, buf_text(&reason));
		buf_done(&reason);
	}
}

static void storage_classes_have_names(void **unused)
{
	enum limit_storage storage;

	(void)unused;
	for (int i = 0; i < LIMIT_STORAGES; i++) {
		assert_int_equal(
			limit_storage_parse(limit_storage_name((enum limit_storage)i), &storage),
			0);
		assert_int_equal(storage, i);
	}
	assert_true(limit_storage_parse("tape", &storage) < 0);
}

static void peers_are_on_the_same_server_or_disk(void **unused)
{
	static const struct {
		const char *a;
		const char *b;
		bool is_near;
		const char *fs_type;
		const char *mount_point; /* of both */
	} cases[] = {
		{ "[fd00::1]:/a", "[fd00::1]:/b", true, "", "" },
		{ "[fd00::1]:/a", "[fd00::2]:/a", false, "", "" },
		{ "me@nas1:", "you@nas1:", true, "", "" },
		{ "tank/a", "tank/b", true, "zfs", "" },
		{ "tank/a", "dozer/a", false, "zfs", "" },
		{ "/dev/sdc", "/dev/sdc", true, "btrfs", "" },
		{ "x", "x", true, "fuse.x", "/backup" },
		{ "nas1:/a", "nas1:/b", true, "", "" },
		{ "nas1:/a", "nas2:/a", false, "", "" },
		{ "nas1:/a", "nas11:/a", false, "", "" },
		{ "//nas1/a", "//nas1/b", true, "", "" },
		{ "//nas1/a", "nas1:/b", true, "", "" },
		{ "/dev/sda1", "/dev/sdb1", false, "", "" },
		{ "", "", false, "", "" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity a = { .has_device = false };
		struct identity b = { .has_device = false };
		(void)snprintf(a.source, sizeof(a.source), "%s", cases[i].a);
		(void)snprintf(b.source, sizeof(b.source), "%s", cases[i].b);
		(void)snprintf(a.fs_type, sizeof(a.fs_type), "%s", cases[i].fs_type);
		(void)snprintf(b.fs_type, sizeof(b.fs_type), "%s", cases[i].fs_type);
		(void)snprintf(a.mount_point, sizeof(a.mount_point), "%s", cases[i].mount_point);
		(void)snprintf(b.mount_point, sizeof(b.mount_point), "%s", cases[i].mount_point);
		if (peer_is_near(&a, &b) != cases[i].is_near)
			fail_msg("%s and %s", cases[i].a, cases[i].b);
	}
}

static void the_median_is_that_of_the_others_at_the_same_time(void **unused)
{
	struct identity nas1 = { .has_device = false };
	struct identity nas2 = { .has_device = false };

	(void)unused;
	(void)snprintf(nas1.source, sizeof(nas1.source), "nas1:/x");
	(void)snprintf(nas2.source, sizeof(nas2.source), "nas2:/x");
	const struct peer peers[] = {
		{ &nas1, "k", 1000, 90 * MSEC },
		{ &nas1, "k", 1000, 4 * MSEC },
		{ &nas1, "k", 990, 5 * MSEC },
		{ &nas1, "k", 1000, 6 * MSEC },
		{ &nas1, "other", 1000, 1 * MSEC },
		{ &nas2, "k", 1000, 1 * MSEC },
		{ &nas1, "k", 1, 1 * MSEC }, /* long ago */
		{ NULL, "k", 1000, 1 * MSEC },
		{ &nas1, "k", 1000, 0 },
	};
	size_t count = sizeof(peers) / sizeof(peers[0]);
	uint64_t median = peer_median_nsec(peers, count, 0, 1000, 100);

	assert_in_range(median, 5 * MSEC - 10000, 5 * MSEC + 10000);
	assert_int_equal(peer_median_nsec(peers, count, 5, 1000, 100), 0);
	assert_int_equal(peer_median_nsec(peers, count, 7, 1000, 100), 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_storage_has_its_limit_and_its_reason),
		cmocka_unit_test(storage_classes_have_names),
		cmocka_unit_test(peers_are_on_the_same_server_or_disk),
		cmocka_unit_test(the_median_is_that_of_the_others_at_the_same_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
