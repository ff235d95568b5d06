/* SPDX-License-Identifier: Apache-2.0 */
/* Where a repository may be, and what is known of its file system. */
#include "probe/temporary.h"

#include <errno.h>

#include "probe/place.h"

struct bench {
	struct temporary directory;
	struct job job;
	struct place place;
	struct run *run;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	b->run = run_new("", "");
	assert_non_null(b->run);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	temporary_close(&b->directory);
	free(b->run);
	free(b);
	return 0;
}

static int open_place(struct bench *b)
{
	return place_open(&b->job, NULL, &b->place, b->run);
}

static void assert_reason_has(const struct bench *b, const char *part)
{
	if (!strstr(b->run->reason, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b->run->reason);
}

static void fail_place(struct bench *b, const char *path, enum run_status status, const char *why)
{
	memcpy(b->job.repository_path, path, strlen(path) + 1);
	assert_true(open_place(b) < 0);
	assert_int_equal(b->run->status, status);
	assert_reason_has(b, why);
}

static void kernel_file_systems_are_unsafe(void **state)
{
	static const char *const paths[] = { "/dev", "/dev/shm", "/dev/pts", "/proc", "/proc/self",
		"/proc/sys/kernel", "/sys", "/sys/kernel", "/../dev/./shm/" };
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		if (access(paths[i], F_OK) == 0)
			fail_place(b, paths[i], RUN_REFUSED, "unsafe path");
	assert_int_equal(symlink("/proc/self", temporary_name(&b->directory, "link", &path)), 0);
	fail_place(b, buf_text(&path), RUN_REFUSED, "unsafe path");
	buf_done(&path);
}

static void a_place_that_only_looks_unsafe_is_fine(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkdir(temporary_name(&b->directory, "dev", &path), 0700), 0);
	assert_int_equal(mkdir(temporary_name(&b->directory, "dev/proc", &path), 0700), 0);
	memcpy(b->job.repository_path, path.data, path.len + 1);
	buf_done(&path);
	assert_int_equal(open_place(b), 0);
	place_close(&b->place);
}

static void what_is_no_directory_is_said_plainly(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	temporary_write(&b->directory, "file", "x");
	fail_place(b, temporary_name(&b->directory, "none", &path), RUN_ERROR, "does not exist");
	assert_int_equal(b->run->error_number, ENOENT);
	fail_place(b, temporary_name(&b->directory, "file", &path), RUN_ERROR,
		"is a file, not a directory");
	fail_place(
		b, temporary_name(&b->directory, "file/below", &path), RUN_ERROR, "does not exist");
	fail_place(b, "not/absolute", RUN_REFUSED, "is not an absolute path");
	buf_done(&path);
	temporary_assert_text(&b->directory, "file", "x");
}

static void the_file_system_is_named(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_place(b), 0);
	assert_int_equal(place_check_space(&b->place, 0, b->run), 0);
	assert_true(b->run->identity.fs_type[0] != '\0');
	assert_int_equal(b->run->identity.mount_point[0], '/');
	assert_true(b->run->identity.size_bytes > 0);
	assert_true(b->run->identity.free_bytes <= b->run->identity.size_bytes);
	assert_false(b->run->identity.is_mount);
	place_close(&b->place);
}

static void the_floor_of_free_space_is_respected_in_words(void **state)
{
	struct bench *b = *state;

	b->job.min_free_percent = 100;
	assert_int_equal(open_place(b), 0);
	assert_int_equal(place_check_space(&b->place, 0, b->run), -ENOSPC);
	assert_int_equal(b->run->status, RUN_NO_SPACE);
	assert_reason_has(b, "must stay free");
	assert_false(place_has_space(&b->place, 0));
	place_close(&b->place);

	b->job.min_free_percent = 0;
	assert_int_equal(open_place(b), 0);
	assert_int_equal(place_check_space(&b->place, 0, b->run), 0);
	assert_int_equal(place_check_space(&b->place, UINT64_C(1) << 60, b->run), -ENOSPC);
	assert_reason_has(b, "needs 1024 PiB more");
	place_close(&b->place);
}

static void a_mount_that_is_asked_for_must_be_there(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	b->job.expected.requires_mount = true;
	fail_place(b, b->directory.path, RUN_NOT_MOUNTED, "is not mounted: nothing was written");
	fail_place(b, temporary_name(&b->directory, "none", &path), RUN_NOT_MOUNTED,
		"is not mounted and does not exist");
	b->job.expected = (struct job_expectation){ .seen = { .is_set = true, .is_mount = true } };
	fail_place(b, buf_text(&path), RUN_NOT_MOUNTED, "does not exist");
	b->job.expected.seen =
		(struct identity_seen){ .is_set = true, .mount_point = "/mnt/of-the-unit-test" };
	fail_place(b, buf_text(&path), RUN_NOT_MOUNTED, "does not exist");
	b->job.expected.seen = (struct identity_seen){ .is_set = true, .mount_point = "/" };
	fail_place(b, buf_text(&path), RUN_ERROR, "does not exist");
	buf_done(&path);
}

static void another_file_system_than_expected_is_the_wrong_target(void **state)
{
	struct bench *b = *state;
	struct identity here;

	assert_int_equal(open_place(b), 0);
	here = b->run->identity;
	place_close(&b->place);

	memcpy(b->job.expected.fs_type, "vfat", 5);
	fail_place(b, b->directory.path, RUN_WRONG_TARGET, "expected vfat: nothing was written");
	memcpy(b->job.expected.fs_type, here.fs_type, sizeof(here.fs_type));
	memcpy(b->job.expected.source, "nas1:/export", 13);
	fail_place(b, b->directory.path, RUN_WRONG_TARGET, "expected nas1:/export");
	b->job.expected = (struct job_expectation){ .seen = { .is_set = true } };
	memcpy(b->job.expected.seen.fs_type, "vfat", 5);
	fail_place(b, b->directory.path, RUN_WRONG_TARGET, "then vfat: nothing was written");

	identity_remember(&here, &b->job.expected.seen);
	memcpy(b->job.expected.source, here.source, sizeof(here.source));
	assert_int_equal(open_place(b), 0);
	place_close(&b->place);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(kernel_file_systems_are_unsafe, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_place_that_only_looks_unsafe_is_fine, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_no_directory_is_said_plainly, set_up, tear_down),
		cmocka_unit_test_setup_teardown(the_file_system_is_named, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_floor_of_free_space_is_respected_in_words, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mount_that_is_asked_for_must_be_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			another_file_system_than_expected_is_the_wrong_target, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
