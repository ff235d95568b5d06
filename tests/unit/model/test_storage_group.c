/* SPDX-License-Identifier: Apache-2.0 */
/* The storage that repositories share, from their mounts and devices. */
#include "model/storage_group.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "test.h"

#define CASES(list) (sizeof(list) / sizeof((list)[0]))

static void a_repository_without_a_device_belongs_to_its_server_or_mount(void **unused)
{
	static const struct {
		const char *fs_type, *source, *mount_point;
		enum storage_group_kind kind;
		const char *key, *name;
	} cases[] = {
		{ "nfs4", "nas1:/export/a", "/a", STORAGE_GROUP_SERVER, "nas1", "nas1" },
		{ "nfs", "NAS1:/b", "/b", STORAGE_GROUP_SERVER, "nas1", "NAS1" },
		{ "nfs4", "nas1.lan:/", "/b", STORAGE_GROUP_SERVER, "nas1.lan", "nas1.lan" },
		{ "nfs4", "[fd00::1]:/x", "/c", STORAGE_GROUP_SERVER, "[fd00::1]", "[fd00::1]" },
		{ "nfs4", "[fd00::2]:/x", "/c", STORAGE_GROUP_SERVER, "[fd00::2]", "[fd00::2]" },
		{ "cifs", "//nas1/share", "/d", STORAGE_GROUP_SERVER, "nas1", "nas1" },
		{ "cifs", "//nas1", "/d", STORAGE_GROUP_SERVER, "nas1", "nas1" },
		{ "fuse.sshfs", "me@nas1:", "/e", STORAGE_GROUP_SERVER, "nas1", "nas1" },
		{ "ceph", "10.0.0.1:6789,10.0.0.2:6789:/", "/f", STORAGE_GROUP_SERVER, "10.0.0.1",
			"10.0.0.1" },
		{ "zfs", "tank/backup/a", "/g", STORAGE_GROUP_POOL, "tank", "tank" },
		{ "zfs", "tank", "/h", STORAGE_GROUP_POOL, "tank", "tank" },
		{ "btrfs", "/dev/sdc", "/i", STORAGE_GROUP_SOURCE, "/dev/sdc", "/dev/sdc" },
		{ "fuse.delayfs", "delayfs", "/j", STORAGE_GROUP_MOUNT, "/j", "/j" },
		{ "fuse.x", ":/j", "/j", STORAGE_GROUP_MOUNT, "/j", "/j" },
		{ "fuse.x", "a/b:c", "/j", STORAGE_GROUP_MOUNT, "/j", "/j" },
		{ "cifs", "//", "/k", STORAGE_GROUP_MOUNT, "/k", "/k" },
		{ "nfs4", "[fd00::1", "/l", STORAGE_GROUP_MOUNT, "/l", "/l" },
		{ "", "", "", STORAGE_GROUP_NONE, "", "" },
	};

	(void)unused;
	for (size_t i = 0; i < CASES(cases); i++) {
		struct identity identity = { .has_device = false };
		struct storage_group group;
		(void)snprintf(identity.fs_type, sizeof(identity.fs_type), "%s", cases[i].fs_type);
		(void)snprintf(identity.source, sizeof(identity.source), "%s", cases[i].source);
		(void)snprintf(identity.mount_point, sizeof(identity.mount_point), "%s",
			cases[i].mount_point);
		storage_group_from(&identity, &group);
		if (group.kind != cases[i].kind || strcmp(group.key, cases[i].key) != 0 ||
			strcmp(group.name, cases[i].name) != 0)
			fail_msg("%s: %d \"%s\" \"%s\"", cases[i].source, (int)group.kind,
				group.key, group.name);
	}
}

static struct storage_group of_device(
	const char *name, const char *disk, const char *level, const char *leaf, const char *other)
{
	struct identity identity = { .has_device = true, .source = "/dev/x" };
	struct device_info *device = &identity.device;
	struct storage_group group;

	(void)snprintf(device->name, sizeof(device->name), "%s", name);
	(void)snprintf(device->disk, sizeof(device->disk), "%s", disk);
	(void)snprintf(device->array_level, sizeof(device->array_level), "%s", level);
	device->leaf_count = (leaf[0] != '\0') + (other[0] != '\0');
	(void)snprintf(device->leaves[0].name, sizeof(device->leaves[0].name), "%s", leaf);
	(void)snprintf(device->leaves[1].name, sizeof(device->leaves[1].name), "%s", other);
	storage_group_from(&identity, &group);
	return group;
}

static void what_shares_a_disk_or_array_is_one_group(void **unused)
{
	const struct storage_group partition = of_device("sda1", "sda", "", "sda", "");
	const struct storage_group volume = of_device("dm-0", "dm-0", "", "sda", "");
	const struct storage_group array = of_device("md0", "md0", "raid1", "sdc", "sdb");
	const struct storage_group on_array = of_device("dm-1", "dm-1", "", "sdb", "sdc");
	const struct storage_group unknown = of_device("", "", "", "", "");
	const struct storage_group bare = of_device("sda1", "sda", "", "", "");

	(void)unused;
	assert_string_equal(partition.name, "sda");
	assert_true(storage_group_is_same(&partition, &volume));
	assert_true(storage_group_is_same(&partition, &bare));
	assert_string_equal(array.name, "md0");
	assert_string_equal(on_array.name, "sdb and others");
	assert_true(storage_group_is_same(&array, &on_array));
	assert_false(storage_group_is_same(&array, &partition));
	assert_int_equal(unknown.kind, STORAGE_GROUP_NONE);
	assert_false(storage_group_is_same(&unknown, &unknown));
}

static void a_server_and_a_pool_of_one_name_are_not_the_same(void **unused)
{
	struct identity pool = { .fs_type = "zfs", .source = "nas1/x" };
	struct identity server = { .fs_type = "nfs", .source = "nas1:/x" };
	struct storage_group a;
	struct storage_group b;

	(void)unused;
	storage_group_from(&pool, &a);
	storage_group_from(&server, &b);
	assert_false(storage_group_is_same(&a, &b));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_repository_without_a_device_belongs_to_its_server_or_mount),
		cmocka_unit_test(what_shares_a_disk_or_array_is_one_group),
		cmocka_unit_test(a_server_and_a_pool_of_one_name_are_not_the_same),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
