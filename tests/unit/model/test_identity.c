/* SPDX-License-Identifier: Apache-2.0 */
/* Captured mountinfo lines, and broken ones. */
#include "model/identity.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_line_of_the_mount_is_found_and_unescaped),
		cmocka_unit_test(a_mount_that_is_not_listed_or_not_readable_is_not_found),
		cmocka_unit_test(over_long_text_is_cut),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
