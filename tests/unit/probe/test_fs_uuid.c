/* SPDX-License-Identifier: Apache-2.0 */
/* The way from a device to its entry in a directory of links. */
#include "probe/temporary.h"

#include <dirent.h>
#include <errno.h>
#include <sys/sysmacros.h>

#include "model/identity.h"
#include "probe/fs_uuid.h"

#define UUID "4c3b0d5e-77f1-4f6a-9d0e-0a6b1f2c3d4e"

/* Two block devices of this machine, if there are any. */
static size_t find_devices(char paths[2][300], dev_t devices[2])
{
	DIR *d = opendir("/dev");
	size_t count = 0;

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e && count < 2; e = readdir(d)) {
		struct stat st;
		(void)snprintf(paths[count], 300, "/dev/%s", e->d_name);
		if (stat(paths[count], &st) == 0 && S_ISBLK(st.st_mode))
			devices[count++] = st.st_rdev;
	}
	(void)closedir(d);
	return count;
}

static void add_link(const struct temporary *t, const char *name, const char *leads_to)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(symlink(leads_to, temporary_name(t, name, &path)), 0);
	buf_done(&path);
}

static void the_link_that_leads_to_the_device_is_its_name(void **state)
{
	struct temporary t;
	struct identity identity = { .fs_uuid = "" };
	char paths[2][300];
	dev_t devices[2];

	(void)state;
	if (find_devices(paths, devices) < 2)
		skip();
	temporary_open(&t);
	add_link(&t, "dangling", "/nowhere");
	add_link(&t, "B4FE-5315", paths[1]);
	add_link(&t,
		"much-too-long-to-be-the-identity-of-any-file-system-0123456789abcdef-0123456789",
		paths[0]);
	assert_false(fs_uuid_find(t.path, devices[0], &identity));
	add_link(&t, UUID, paths[0]);
	assert_true(fs_uuid_find(t.path, devices[0], &identity));
	assert_string_equal(identity.fs_uuid, UUID);
	assert_true(fs_uuid_find(t.path, devices[1], &identity));
	assert_string_equal(identity.fs_uuid, "B4FE-5315");
	temporary_close(&t);
}

static void no_device_and_no_links_are_no_uuid(void **state)
{
	struct temporary t;
	struct identity identity = { .fs_uuid = "" };

	(void)state;
	temporary_open(&t);
	add_link(&t, "null", "/dev/null"); /* not a block device, whatever its number */
	struct stat st;
	assert_int_equal(stat("/dev/null", &st), 0);
	assert_false(fs_uuid_find(t.path, st.st_rdev, &identity));
	assert_false(fs_uuid_find(t.path, makedev(0, 41), &identity));
	temporary_close(&t);
	assert_false(fs_uuid_find("/nowhere", makedev(8, 1), &identity));
	assert_string_equal(identity.fs_uuid, "");
}

static void what_does_not_exist_has_none(void **state)
{
	struct identity identity = { .fs_uuid = "old" };

	(void)state;
	fs_uuid_read(-1, &identity);
	assert_string_equal(identity.fs_uuid, "");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_link_that_leads_to_the_device_is_its_name),
		cmocka_unit_test(no_device_and_no_links_are_no_uuid),
		cmocka_unit_test(what_does_not_exist_has_none),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
