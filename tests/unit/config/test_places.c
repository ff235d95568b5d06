/* SPDX-License-Identifier: Apache-2.0 */
/* Repositories and probe directories at impossible places, by text and mount table. */
#include "config_test.h"

static const char mountinfo[] = "1 0 8:1 / / rw - ext4 /dev/sda1 rw\n"
				"2 1 8:17 / /mnt/vault rw - xfs /dev/sdb1 rw\n"
				"3 1 0:5 / /srv/cgroup rw - cgroup2 none rw\n"
				"4 1 0:6 / /srv/jail/proc rw - proc proc rw\n";

static void assert_places(
	const char *text, const char *const *found, const char *const *expected, size_t count)
{
	struct config *config = load_text(text);
	struct config_errors errors;

	assert_int_equal(
		config_check_places(config, mountinfo, found, &errors), count > 0 ? -EINVAL : 0);
	assert_lines(&errors, expected, count);
	config_errors_done(&errors);
	config_free(config);
}

static void a_path_of_the_kernels_is_refused(void **state)
{
	static const char text[] = "[repository a]\n"
				   "path = /dev\n"
				   "[repository b]\n"
				   "path = /dev/sdb1\n"
				   "[repository c]\n"
				   "path = /proc/\n"
				   "[repository d]\n"
				   "path = /sys/kernel\n"
				   "[repository e]\n"
				   "path = /srv/cgroup/x\n"
				   "[repository f]\n"
				   "path = /srv/jail/proc\n"
				   "[repository g]\n"
				   "path = /device\n"
				   "[repository h]\n"
				   "path = /mnt/vault\n";
	static const char *const expected[] = {
		"a.conf:2: path: /dev is the kernel's own: /dev, /proc and /sys hold no repository; "
		"expected the directory that backups are written to",
		"a.conf:4: path: /dev/sdb1 is a device or a directory of devices, which cannot be a "
		"repository; expected the directory on which its file system is mounted",
		"a.conf:6: path: /proc is the kernel's own",
		"a.conf:8: path: /sys/kernel is the kernel's own",
		"a.conf:10: path: /srv/cgroup/x lies on a file system of the kernel's own (cgroup2)",
		"a.conf:12: path: /srv/jail/proc lies on a file system of the kernel's own (proc)",
	};

	(void)state;
	assert_places(text, NULL, expected, sizeof(expected) / sizeof(expected[0]));
}

static void a_probe_directory_that_would_hold_the_repository_is_refused(void **state)
{
	static const char text[] = "[repository a]\n"
				   "path = /mnt/vault\n"
				   "probe_directory = /mnt/vault/\n"
				   "[repository b]\n"
				   "path = /mnt/vault/b\n"
				   "probe_directory = /mnt\n"
				   "[repository c]\n"
				   "path = /mnt/vault/c\n"
				   "probe_directory = /\n"
				   "[repository d]\n"
				   "path = /mnt/vault/d\n"
				   "probe_directory = /mnt/vault/d/probe\n"
				   "[repository e]\n"
				   "path = /mnt/vault/ee\n"
				   "probe_directory = /mnt/vault/e\n";
	static const char *const expected[] = {
		"a.conf:3: probe_directory: /mnt/vault is the repository itself, and CACHEDIR.TAG "
		"in it would make backups skip that; expected a directory of its own, such as "
		"/mnt/vault/.repoprobe",
		"a.conf:6: probe_directory: /mnt holds the repository",
		"a.conf:9: probe_directory: / holds the repository",
	};

	(void)state;
	assert_places(text, NULL, expected, 3);
}

static void what_a_worker_found_is_told_at_the_line_of_the_key(void **state)
{
	static const char text[] = "[defaults]\n"
				   "probe_directory = /mnt/vault/all\n"
				   "[repository a]\n"
				   "path = /mnt/vault/a\n"
				   "probe_directory = /mnt/vault/letters\n"
				   "[repository b]\n"
				   "path = /mnt/vault/b\n";
	static const char *const found[] = { "/mnt/vault/letters holds a.txt", NULL };
	static const char *const all[] = { NULL, "/mnt/vault/all holds b.txt" };
	static const char *const expected[] = {
		"a.conf:5: probe_directory: /mnt/vault/letters holds a.txt"
	};
	static const char *const expected_all[] = {
		"a.conf:2: probe_directory: /mnt/vault/all holds b.txt"
	};

	(void)state;
	assert_places(text, found, expected, 1);
	assert_places(text, all, expected_all, 1);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_path_of_the_kernels_is_refused),
		cmocka_unit_test(a_probe_directory_that_would_hold_the_repository_is_refused),
		cmocka_unit_test(what_a_worker_found_is_told_at_the_line_of_the_key),
	};

	return cmocka_run_group_tests_name("places", tests, NULL, NULL);
}
