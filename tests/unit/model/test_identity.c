/* SPDX-License-Identifier: Apache-2.0 */
/* Captured mountinfo lines, and malformed ones. */
#include "model/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "test.h"

static const char mountinfo[] =
	"24 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw,errors=remount-ro\n"
	"31 24 0:27 / /srv/backup\\040one rw,nosuid - nfs4 nas1:/export/a\\134b rw,vers=4.2\n"
	"310 24 0:28 /sub /mnt/tab\\011and\\012line rw shared:7 master:3 propagate_from:2 - "
	"fuse.sshfs user@host: rw\n"
	"33 24 0:29 / /empty rw -  none rw\n"
	"34 24 0:30 / /dash rw shared:9 - tmpfs - rw,size=10k\n"
	"36 24 0:31 / /broken rw shared:1 ext4 /dev/sdb rw\n"
	"37 24 0:32 / /\\9\\04 rw - xfs /dev/x\\777 rw\n"
	"38 24 0:33 / /last rw - btrfs /dev/sdc rw";

static void the_line_of_the_mount_is_found_and_unescaped(void **state)
{
	static const struct {
		uint64_t mount_id;
		const char *fs_type, *source, *mount_point;
	} cases[] = {
		{ 24, "ext4", "/dev/sda1", "/" },
		{ 31, "nfs4", "nas1:/export/a\\b", "/srv/backup one" },
		{ 310, "fuse.sshfs", "user@host:", "/mnt/tab\tand\nline" },
		{ 33, "", "none", "/empty" },
		{ 34, "tmpfs", "-", "/dash" },
		{ 37, "xfs", "/dev/x\\777", "/\\9\\04" },
		{ 38, "btrfs", "/dev/sdc", "/last" },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity identity = { .sector_bytes = 512 };
		assert_int_equal(
			identity_from_mountinfo(mountinfo, cases[i].mount_id, &identity), 0);
		assert_string_equal(identity.fs_type, cases[i].fs_type);
		assert_string_equal(identity.source, cases[i].source);
		assert_string_equal(identity.mount_point, cases[i].mount_point);
		assert_int_equal(identity.sector_bytes, 512);
	}
}

static void the_mount_of_a_path_is_guessed_by_its_longest_beginning(void **state)
{
	static const char text[] = "24 1 8:1 / / rw - ext4 /dev/sda1 rw\n"
				   "25 24 8:17 / /srv rw - xfs /dev/sdb1 rw\n"
				   "26 25 0:40 / /srv/back\\040up rw - nfs4 nas:/x rw\n"
				   "27 25 8:33 / /srv/over rw - ext4 /dev/sdc1 rw\n"
				   "28 27 0:41 / /srv/over rw - tmpfs tmpfs rw\n"
				   "29 24 x:y / /odd rw - ext4 /dev/sdd rw\n"
				   "30 24 8:99999999999 / /large rw - ext4 /dev/sde rw\n";
	static const struct {
		const char *path, *source;
		uint32_t major, minor;
	} cases[] = {
		{ "/", "/dev/sda1", 8, 1 },
		{ "/srvice", "/dev/sda1", 8, 1 },
		{ "/srv", "/dev/sdb1", 8, 17 },
		{ "/srv/a/b", "/dev/sdb1", 8, 17 },
		{ "/srv/back up/deep", "nas:/x", 0, 0 },
		{ "/srv/over/a", "tmpfs", 0, 0 },
		{ "/odd/a", "/dev/sdd", 0, 0 },
		{ "/large/a", "/dev/sde", 0, 0 },
	};
	struct identity identity = { .fs_type = "kept" };
	(void)state;

	assert_int_equal(identity_guess("", "/srv", &identity), -ENOENT);
	assert_int_equal(
		identity_guess("25 24 8:17 / /srv rw - xfs /dev/sdb1 rw\n", "/sr", &identity),
		-ENOENT);
	assert_string_equal(identity.fs_type, "kept");
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		assert_int_equal(identity_guess(text, cases[i].path, &identity), 0);
		assert_string_equal(identity.source, cases[i].source);
		assert_int_equal(identity.has_device, cases[i].major != 0);
		assert_int_equal(identity.device.major, cases[i].major);
		assert_int_equal(identity.device.minor, cases[i].minor);
	}
}

static void a_directory_has_one_location_whatever_its_mounts(void **state)
{
	static const char text[] = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
				   "2 1 8:17 / /mnt/vault rw - xfs /dev/sdb1 rw\n"
				   "3 1 8:17 /a\\040b /srv/a rw - xfs /dev/sdb1 rw\n"
				   "4 1 8:1 /data /srv/data rw - ext4 /dev/sda1 rw\n";
	static const struct {
		const char *path;
		const char *location;
	} cases[] = {
		{ "/mnt/vault/a b/c", "8:17 /a b/c" },
		{ "/srv/a/c", "8:17 /a b/c" },
		{ "/srv/a", "8:17 /a b" },
		{ "/mnt/vault", "8:17 /" },
		{ "/srv/data", "8:1 /data" },
		{ "/data", "8:1 /data" },
		{ "/", "8:1 /" },
		{ "/srv/ab", "8:1 /srv/ab" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(256);
		identity_locate(text, cases[i].path, &b);
		assert_string_equal(buf_text(&b), cases[i].location);
		buf_done(&b);
	}
	struct buf b = BUF_INIT(256);
	identity_locate("", "/srv", &b);
	assert_int_equal(b.len, 0);
	buf_done(&b);
}

static void one_directory_is_known_by_device_and_inode(void **state)
{
	struct identity a = { .directory_device = 33, .directory_inode = 2 };
	struct identity b = a;

	(void)state;
	assert_true(identity_is_same_directory(&a, &b));
	b.directory_inode++;
	assert_false(identity_is_same_directory(&a, &b));
	b = a;
	b.directory_device++;
	assert_false(identity_is_same_directory(&a, &b));
	assert_false(identity_is_same_directory(
		&(struct identity){ .is_mount = true }, &(struct identity){ .is_mount = true }));
}

static void a_mount_that_is_not_listed_or_not_readable_is_not_found(void **state)
{
	struct identity identity = { .fs_type = "kept" };
	(void)state;

	assert_int_equal(identity_from_mountinfo(mountinfo, 3, &identity), -ENOENT);
	assert_int_equal(identity_from_mountinfo(mountinfo, 36, &identity), -ENOENT);
	assert_int_equal(identity_from_mountinfo("", 24, &identity), -ENOENT);
	assert_int_equal(identity_from_mountinfo("\n\n24\n24 1 8:1", 24, &identity), -ENOENT);
	assert_int_equal(identity_from_mountinfo("24 1 8:1 / / rw - ext4", 24, &identity), -ENOENT);
	assert_int_equal(identity_from_mountinfo(
				 "111111111111111111111111111 1 8:1 / / rw - a b c", 1, &identity),
		-ENOENT);
	assert_string_equal(identity.fs_type, "kept");
}

static void over_long_text_is_cut(void **state)
{
	char line[1024] = "5 1 8:1 / /";
	struct identity identity = { 0 };
	(void)state;

	memset(line + strlen(line), 'x', 600);
	memcpy(line + strlen(line), " rw - ext4 /dev/sda1 rw", 24);
	assert_int_equal(identity_from_mountinfo(line, 5, &identity), 0);
	assert_int_equal(strlen(identity.mount_point), IDENTITY_TEXT_MAX);
	assert_string_equal(identity.source, "/dev/sda1");
}

static void options_of_the_mount_and_of_the_file_system_are_told_apart(void **state)
{
	static const char text[] =
		"27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard,errors=remount-ro\n"
		"31 24 0:27 / /srv ro,nosuid shared:5 - nfs4 nas1:/a rw,vers=4.2,wsize=1048576,hard\n"
		"32 24 0:28 / /o rw - overlay o rw,lowerdir=/a\\040b:/c,upperdir=/d\n"
		"33 24 0:29 / /none rw - tmpfs none";
	struct identity_options options;
	(void)state;

	assert_int_equal(identity_options_from_mountinfo(text, 27, &options), 0);
	assert_string_equal(options.mount, "rw,relatime");
	assert_string_equal(options.fs, "rw,discard,errors=remount-ro");
	assert_int_equal(identity_options_from_mountinfo(text, 31, &options), 0);
	assert_string_equal(options.mount, "ro,nosuid");
	assert_string_equal(options.fs, "rw,vers=4.2,wsize=1048576,hard");
	assert_int_equal(identity_options_from_mountinfo(text, 32, &options), 0);
	assert_string_equal(options.fs, "rw,lowerdir=/a b:/c,upperdir=/d");
	assert_int_equal(identity_options_from_mountinfo(text, 33, &options), 0);
	assert_string_equal(options.mount, "rw");
	assert_string_equal(options.fs, "");
	assert_int_equal(identity_options_from_mountinfo(text, 34, &options), -ENOENT);
	assert_string_equal(options.mount, "rw");
}

static void too_many_options_lose_the_last_ones_whole(void **state)
{
	char text[1024] = "5 1 8:1 / / rw - overlay o rw,lowerdir=";
	struct identity_options options;
	(void)state;

	memset(text + strlen(text), 'l', 240);
	memcpy(text + strlen(text), ",upperdir=/upper,index=off", 27);
	assert_int_equal(identity_options_from_mountinfo(text, 5, &options), 0);
	assert_int_equal(strlen(options.fs), strlen("rw,lowerdir=") + 240);
	/* An option that does not fit on its own is dropped, too. */
	memset(text + strlen("5 1 8:1 / / rw - overlay o rw,lowerdir="), 'l', 300);
	assert_int_equal(identity_options_from_mountinfo(text, 5, &options), 0);
	assert_string_equal(options.fs, "rw");
}

static void an_option_is_found_by_its_whole_name(void **state)
{
	static const char list[] = "rw,compress=zstd:3,compress-force,noatime,=x,last=";
	static const struct {
		const char *name;
		const char *value; /* NULL: not there */
	} cases[] = {
		{ "rw", "" },
		{ "compress", "zstd:3" },
		{ "compress-force", "" },
		{ "noatime", "" },
		{ "last", "" },
		{ "r", NULL },
		{ "atime", NULL },
		{ "zstd:3", NULL },
		{ "ro", NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		size_t len = 99;
		const char *value = identity_find_option(list, cases[i].name, &len);
		if (!cases[i].value) {
			assert_null(value);
			assert_int_equal(len, 99);
			continue;
		}
		assert_non_null(value);
		assert_int_equal(len, strlen(cases[i].value));
		assert_memory_equal(value, cases[i].value, len);
	}
	size_t len;
	assert_null(identity_find_option("", "rw", &len));
}

static void work_meets_on_a_disk_or_an_nfs_export(void **state)
{
	static const struct identity one = { .fs_type = "ext4",
		.has_device = true,
		.device = { .leaf_count = 1, .leaves = { { .major = 8 } } } };
	static const struct identity two = { .fs_type = "xfs",
		.has_device = true,
		.device = { .leaf_count = 1, .leaves = { { .major = 8 } } } };
	static const struct identity other = { .fs_type = "ext4",
		.has_device = true,
		.device = { .leaf_count = 1, .leaves = { { .major = 8, .minor = 16 } } } };
	static const struct identity nas = { .fs_type = "nfs4", .source = "nas1:/export" };
	static const struct identity old = { .fs_type = "nfs", .source = "nas1:/export" };
	static const struct identity else_where = { .fs_type = "nfs", .source = "nas2:/export" };
	static const struct identity fuse = { .fs_type = "fuse.x", .source = "nas1:/export" };
	static const struct identity unknown = { .fs_type = "nfs4" };
	(void)state;

	assert_true(identity_shares_disk(&one, &two));
	assert_false(identity_shares_disk(&one, &other));
	assert_true(identity_shares_disk(&nas, &old));
	assert_false(identity_shares_disk(&nas, &else_where));
	assert_false(identity_shares_disk(&nas, &fuse));
	assert_false(identity_shares_disk(&nas, &one));
	assert_false(identity_shares_disk(&unknown, &unknown));
	assert_true(identity_is_nfs(&nas));
	assert_true(identity_is_nfs(&old));
	assert_false(identity_is_nfs(&fuse));
	assert_false(identity_is_nfs(&one));
}

static const struct identity vault = {
	.fs_type = "ext4",
	.source = "/dev/sdb1",
	.mount_point = "/mnt/vault1",
	.fs_uuid = "1111-1111",
	.is_mount = true,
};

static void what_is_remembered_is_known_again(void **state)
{
	struct identity_seen seen;
	(void)state;

	identity_remember(&vault, &seen);
	assert_true(seen.is_set && seen.is_mount);
	assert_string_equal(seen.mount_point, "/mnt/vault1");
	assert_int_equal(identity_compare(&vault, &seen), IDENTITY_SAME);
	assert_false(identity_learn(&vault, &seen));
	assert_int_equal(identity_compare(&vault, &(struct identity_seen){ 0 }), IDENTITY_SAME);
}

static void what_tells_a_repository_from_another(void **state)
{
	static const struct {
		const char *fs_type, *source, *fs_uuid;
		enum identity_difference difference;
	} cases[] = {
		{ "ext4", "/dev/sdb1", "1111-1111", IDENTITY_SAME },
		{ "ext4", "/dev/sdz1", "1111-1111", IDENTITY_SAME }, /* names in /dev can change */
		{ "ext4", "/dev/sdb1", "2222-2222", IDENTITY_OTHER_UUID },
		{ "ext3", "/dev/sdb1", "1111-1111", IDENTITY_SAME },
		{ "xfs", "/dev/sdb1", "", IDENTITY_OTHER_TYPE },
		{ "ext4", "/dev/sdz1", "", IDENTITY_OTHER_SOURCE },
		{ "ext4", "/dev/sdb1", "", IDENTITY_SAME }, /* what is unknown is not compared */
		{ "", "", "", IDENTITY_SAME },
		{ "", "", "2222-2222", IDENTITY_OTHER_UUID },
	};
	struct identity_seen seen;
	(void)state;

	const struct identity nfs4 = { .fs_type = "nfs4", .source = "nas1:/e" };
	const struct identity nfs3 = { .fs_type = "nfs", .source = "nas1:/e" };
	const struct identity cifs = { .fs_type = "cifs", .source = "nas1:/e" };
	identity_remember(&nfs4, &seen);
	assert_int_equal(identity_compare(&nfs3, &seen), IDENTITY_SAME);
	assert_int_equal(identity_compare(&cifs, &seen), IDENTITY_OTHER_TYPE);

	identity_remember(&vault, &seen);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity now = { .is_mount = true };
		memcpy(now.fs_type, cases[i].fs_type, strlen(cases[i].fs_type));
		memcpy(now.source, cases[i].source, strlen(cases[i].source));
		memcpy(now.fs_uuid, cases[i].fs_uuid, strlen(cases[i].fs_uuid));
		if (identity_compare(&now, &seen) != cases[i].difference)
			fail_msg("case %zu: %d", i, (int)identity_compare(&now, &seen));
	}
}

static void what_was_unknown_is_learned(void **state)
{
	struct identity first = vault;
	struct identity other = vault;
	struct identity_seen seen;
	(void)state;

	first.fs_uuid[0] = '\0';
	identity_remember(&first, &seen);
	assert_true(identity_learn(&vault, &seen));
	assert_string_equal(seen.fs_uuid, "1111-1111");
	other.fs_uuid[0] = '2';
	assert_false(identity_learn(&other, &seen)); /* what is known stays */
	assert_int_equal(identity_compare(&other, &seen), IDENTITY_OTHER_UUID);
}

static void a_mount_is_lost_when_the_path_lies_on_one_above(void **state)
{
	static const struct {
		const char *then, *now;
		bool is_lost;
	} cases[] = {
		{ "/mnt/vault1", "/", true },
		{ "/mnt/vault1", "/mnt", true },
		{ "/mnt/vault1", "/mnt/vault1", false },
		{ "/mnt/vault1", "/mnt/vault", false },
		{ "/mnt/vault1", "/mnt/vault1/below", false },
		{ "/mnt/vault1", "", false },
		{ "", "/", false },
		{ "/", "/mnt", false },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct identity_seen seen = { .is_set = true };
		struct identity now = { .fs_type = "ext4" };
		memcpy(seen.mount_point, cases[i].then, strlen(cases[i].then));
		memcpy(now.mount_point, cases[i].now, strlen(cases[i].now));
		if (identity_lost_mount(&now, &seen) != cases[i].is_lost)
			fail_msg("case %zu", i);
	}
}

static void a_type_may_be_expected_by_its_family(void **state)
{
	(void)state;
	assert_true(identity_type_matches("ext4", "ext4"));
	assert_true(identity_type_matches("nfs4", "nfs"));
	assert_true(identity_type_matches("fuse.sshfs", "fuse"));
	assert_false(identity_type_matches("nfs", "nfs4"));
	assert_false(identity_type_matches("ext4", "ext3"));
	assert_false(identity_type_matches("fuseblk", "fuse"));
	assert_false(identity_type_matches("", "ext4"));
}

static void a_mount_point_is_found_by_its_path(void **state)
{
	(void)state;
	assert_true(identity_has_mount_point(mountinfo, "/"));
	assert_true(identity_has_mount_point(mountinfo, "/srv/backup one"));
	assert_true(identity_has_mount_point(mountinfo, "/last"));
	assert_false(identity_has_mount_point(mountinfo, "/srv"));
	assert_false(identity_has_mount_point(mountinfo, "/srv/backup"));
	assert_false(identity_has_mount_point("", "/"));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_of_the_mount_is_found_and_unescaped),
		cmocka_unit_test(the_mount_of_a_path_is_guessed_by_its_longest_beginning),
		cmocka_unit_test(a_directory_has_one_location_whatever_its_mounts),
		cmocka_unit_test(one_directory_is_known_by_device_and_inode),
		cmocka_unit_test(a_mount_that_is_not_listed_or_not_readable_is_not_found),
		cmocka_unit_test(over_long_text_is_cut),
		cmocka_unit_test(options_of_the_mount_and_of_the_file_system_are_told_apart),
		cmocka_unit_test(too_many_options_lose_the_last_ones_whole),
		cmocka_unit_test(an_option_is_found_by_its_whole_name),
		cmocka_unit_test(work_meets_on_a_disk_or_an_nfs_export),
		cmocka_unit_test(what_is_remembered_is_known_again),
		cmocka_unit_test(what_tells_a_repository_from_another),
		cmocka_unit_test(what_was_unknown_is_learned),
		cmocka_unit_test(a_mount_is_lost_when_the_path_lies_on_one_above),
		cmocka_unit_test(a_type_may_be_expected_by_its_family),
		cmocka_unit_test(a_mount_point_is_found_by_its_path),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
