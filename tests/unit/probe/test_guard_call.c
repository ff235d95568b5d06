/* SPDX-License-Identifier: Apache-2.0 */
/* The calls that may change a repository, against what a name in it may lead to. */
#include "probe/temporary.h"

#include <errno.h>

#include "probe/guard.h"

static int open_directory(const struct temporary *t, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(t, name, &path), O_PATH | O_DIRECTORY | O_CLOEXEC);

	buf_done(&path);
	assert_true(fd >= 0);
	return fd;
}

static void make_tree(struct temporary *t)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	temporary_open(t);
	assert_int_equal(mkdir(temporary_name(t, "inside", &path), 0700), 0);
	assert_int_equal(mkdir(temporary_name(t, "inside/below", &path), 0700), 0);
	temporary_write(t, "outside", "foreign");
	temporary_write(t, "inside/file", "0123456789");
	temporary_write(t, "inside/below/file", "x");
	assert_int_equal(symlink("../outside", temporary_name(t, "inside/link", &path)), 0);
	assert_int_equal(symlink("below", temporary_name(t, "inside/short", &path)), 0);
	buf_done(&path);
}

static void nothing_outside_the_directory_is_opened_or_made(void **state)
{
	struct buf absolute = BUF_INIT(TEMPORARY_PATH_MAX);
	struct temporary t;

	(void)state;
	make_tree(&t);
	const char *const names[] = { "../outside", "..", "link", "short/file", "/proc/self/status",
		temporary_name(&t, "outside", &absolute) };
	int fd = open_directory(&t, "inside");

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		int flags = strcmp(names[i], "..") == 0 ? O_RDONLY : O_RDWR;
		int r = guard_open(fd, names[i], flags);
		if (r != -EXDEV && r != -ELOOP)
			fail_msg("%s: %d", names[i], r);
		assert_true(guard_create(fd, names[i], O_WRONLY, 0600) < 0);
	}
	assert_int_equal(guard_create(fd, "../new", O_WRONLY, 0600), -EXDEV);
	assert_false(temporary_has(&t, "new"));
	int inner = guard_open(fd, "below/file", O_RDONLY);
	assert_true(inner >= 0);
	assert_int_equal(fcntl(inner, F_GETFL) & O_NONBLOCK, 0);
	fd_close(inner);
	fd_close(fd);
	temporary_assert_text(&t, "outside", "foreign");
	buf_done(&absolute);
	temporary_close(&t);
}

static void opening_never_makes_or_empties(void **state)
{
	struct temporary t;

	(void)state;
	make_tree(&t);
	int directory = open_directory(&t, "inside");
	assert_int_equal(guard_open(directory, "none", O_RDWR | O_CREAT), -ENOENT);
	int fd = guard_open(directory, "file", O_RDWR | O_TRUNC);
	assert_true(fd >= 0);
	fd_close(fd);
	fd_close(directory);
	assert_false(temporary_has(&t, "inside/none"));
	temporary_assert_text(&t, "inside/file", "0123456789");
	temporary_close(&t);
}

static void only_what_is_new_is_created(void **state)
{
	struct temporary t;

	(void)state;
	make_tree(&t);
	int directory = open_directory(&t, "inside");
	assert_int_equal(guard_create(directory, "file", O_RDWR, 0600), -EEXIST);
	assert_int_equal(guard_make_directory(directory, "below", 0700), -EEXIST);
	int fd = guard_create(directory, "new", O_RDWR, 0600);
	assert_true(fd >= 0);
	fd_close(fd);
	fd_close(directory);
	assert_true(temporary_has(&t, "inside/new"));
	temporary_assert_text(&t, "inside/file", "0123456789");
	temporary_close(&t);
}

static void a_file_is_only_cut_shorter(void **state)
{
	struct temporary t;

	(void)state;
	make_tree(&t);
	int directory = open_directory(&t, "inside");
	int fd = guard_open(directory, "file", O_RDWR);
	assert_int_equal(guard_cut(fd, 11), -EINVAL);
	temporary_assert_text(&t, "inside/file", "0123456789");
	assert_int_equal(guard_cut(fd, 4), 0);
	temporary_assert_text(&t, "inside/file", "0123");
	fd_close(fd);
	fd_close(directory);
	temporary_close(&t);
}

static void only_the_file_that_was_meant_is_removed(void **state)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct temporary t;
	struct guard_id id;

	(void)state;
	make_tree(&t);
	int directory = open_directory(&t, "inside");
	int fd = guard_open(directory, "file", O_RDONLY);
	assert_int_equal(guard_identify(fd, &id), 0);
	assert_int_equal(guard_remove(directory, "none", &id), -ENOENT);
	assert_int_equal(unlink(temporary_name(&t, "inside/file", &path)), 0);
	temporary_write(&t, "inside/file", "another");
	assert_int_equal(guard_remove(directory, "file", &id), -EREMCHG);
	temporary_assert_text(&t, "inside/file", "another");
	fd_close(fd);

	fd = guard_open(directory, "file", O_RDONLY);
	assert_int_equal(guard_identify(fd, &id), 0);
	assert_int_equal(guard_remove(directory, "file", &id), 0);
	assert_false(temporary_has(&t, "inside/file"));
	assert_int_equal(guard_remove_directory(directory, "below"), -ENOTEMPTY);
	fd_close(fd);
	fd_close(directory);
	buf_done(&path);
	temporary_close(&t);
}

static void a_lock_is_held_once(void **state)
{
	struct temporary t;

	(void)state;
	make_tree(&t);
	int directory = open_directory(&t, "inside");
	int first = guard_open(directory, "file", O_RDWR);
	int second = guard_open(directory, "file", O_RDWR);
	assert_int_equal(guard_lock(first), 0);
	assert_int_equal(guard_lock(second), -EAGAIN);
	fd_close(first);
	assert_int_equal(guard_lock(second), 0);
	fd_close(second);
	fd_close(directory);
	temporary_close(&t);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_outside_the_directory_is_opened_or_made),
		cmocka_unit_test(opening_never_makes_or_empties),
		cmocka_unit_test(only_what_is_new_is_created),
		cmocka_unit_test(a_file_is_only_cut_shorter),
		cmocka_unit_test(only_the_file_that_was_meant_is_removed),
		cmocka_unit_test(a_lock_is_held_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
