/* SPDX-License-Identifier: Apache-2.0 */
/* Descriptors and small files, in a directory of their own. */
#include "test.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"

static int enter_directory(void **state)
{
	static const char form[] = "/tmp/repoprobe-test-XXXXXX";
	char *path = malloc(sizeof(form));

	if (!path)
		return -1;
	memcpy(path, form, sizeof(form));
	if (!mkdtemp(path) || chdir(path) < 0) {
		free(path);
		return -1;
	}
	*state = path;
	return 0;
}

static int remove_one(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
	(void)st;
	(void)kind;
	(void)ftw;
	return remove(path);
}

static int leave_directory(void **state)
{
	char *path = *state;
	int r = chdir("/");

	r |= nftw(path, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(path);
	return r;
}

static size_t count_entries(void)
{
	DIR *d = opendir(".");
	size_t count = 0;

	assert_non_null(d);
	while (readdir(d))
		count++;
	(void)closedir(d);
	return count - 2; /* . and .. */
}

static void assert_content(const char *path, const char *expected)
{
	struct buf b = BUF_INIT(100000);

	assert_int_equal(fd_read_file(path, &b), 0);
	assert_string_equal(buf_text(&b), expected);
	buf_done(&b);
}

static void close_keeps_errno_and_accepts_none(void **state)
{
	int fd = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)state;
	assert_true(fd >= 0);
	errno = ENOSPC;
	assert_int_equal(fd_close(fd), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(fd_close(-1), -1);
	assert_int_equal(errno, ENOSPC);
	assert_int_equal(fcntl(fd, F_GETFD), -1);
}

static void files_come_back_as_written(void **state)
{
	struct buf big = BUF_INIT(100000);

	(void)state;
	for (int i = 0; i < 10000; i++)
		buf_printf(&big, "%d\n", i);
	assert_int_equal(fd_replace_file("big", 0600, big.data, big.len), 0);
	assert_content("big", buf_text(&big));
	assert_int_equal(fd_replace_file("empty", 0600, "", 0), 0);
	assert_content("empty", "");
	buf_done(&big);
}

static void a_file_above_the_maximum_is_refused(void **state)
{
	struct buf exact = BUF_INIT(5);
	struct buf small = BUF_INIT(4);

	(void)state;
	assert_int_equal(fd_replace_file("five", 0600, "12345", 5), 0);
	assert_int_equal(fd_read_file("five", &exact), 0);
	assert_string_equal(buf_text(&exact), "12345");
	assert_int_equal(fd_read_file("five", &small), -ENOBUFS);
	buf_done(&exact);
	buf_done(&small);
}

static void missing_files_and_directories_say_so(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	assert_int_equal(fd_read_file("missing", &b), -ENOENT);
	assert_int_equal(fd_read_file(".", &b), -EISDIR);
	assert_int_equal(fd_replace_file("missing/file", 0600, "x", 1), -ENOENT);
	buf_done(&b);
}

static void what_is_no_file_is_named_and_not_waited_for(void **state)
{
	static const struct {
		const char *path;
		int error;
		const char *text;
	} cases[] = {
		{ "fifo", -ENXIO, "it is a FIFO, not a regular file" },
		{ "socket", -ENXIO, "it is a socket, not a regular file" },
		{ "link", -ENXIO, "it is a FIFO, not a regular file" },
		{ "/dev/zero", -ENXIO, "it is a character device, not a regular file" },
		{ "/dev/tty", -ENXIO, "it is a character device, not a regular file" },
		{ "/dev/null", 0, "" },
		{ ".", -EISDIR, "it is a directory, not a regular file" },
		{ "missing", -ENOENT, "No such file or directory" },
	};

	(void)state;
	assert_int_equal(mkfifo("fifo", 0600), 0);
	assert_int_equal(mknod("socket", S_IFSOCK | 0600, 0), 0);
	assert_int_equal(symlink("fifo", "link"), 0);
	(void)alarm(60); /* ends a test that would block forever */
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf b = BUF_INIT(100);
		struct error error = { 0 };

		assert_int_equal(fd_read_file_or_say(cases[i].path, &b, &error), cases[i].error);
		assert_string_equal(error.text, cases[i].text);
		assert_int_equal(fd_read_file(cases[i].path, &b), cases[i].error);
		buf_done(&b);
	}
	(void)alarm(0);
}

static void write_all_passes_the_errors_of_write_on(void **state)
{
	int pair[2];
	char byte = 'x';

	(void)state;
	assert_int_equal(pipe2(pair, O_CLOEXEC | O_NONBLOCK), 0);
	while (write(pair[1], &byte, 1) == 1)
		continue;
	assert_int_equal(fd_write_all(pair[1], "y", 1), -EAGAIN);
	fd_close(pair[0]);
	fd_close(pair[1]);
	assert_int_equal(fd_write_all(-1, "y", 1), -EBADF);
	assert_int_equal(fd_write_all(-1, "", 0), 0);
}

static void replace_sets_content_and_mode_in_one_step(void **state)
{
	struct stat before;
	struct stat after;
	mode_t old = umask(077);

	(void)state;
	assert_int_equal(fd_replace_file("file", 0640, "old", 3), 0);
	assert_int_equal(stat("file", &before), 0);
	int held = open("file", O_RDONLY | O_CLOEXEC);
	assert_true(held >= 0);
	assert_int_equal(fd_replace_file("file", 0644, "newer", 5), 0);
	(void)umask(old);
	assert_int_equal(stat("file", &after), 0);
	assert_int_equal(before.st_mode & 07777, 0640);
	assert_int_equal(after.st_mode & 07777, 0644);
	assert_true(before.st_ino != after.st_ino);
	assert_content("file", "newer");
	/* A reader that had it open still reads the old text. */
	char text[4] = "";
	assert_int_equal(read(held, text, 3), 3);
	assert_string_equal(text, "old");
	fd_close(held);
	assert_int_equal(count_entries(), 1);
}

static void a_failed_replace_leaves_no_trace(void **state)
{
	(void)state;
	assert_int_equal(mkdir("taken", 0700), 0);
	assert_int_equal(fd_replace_file("taken", 0600, "x", 1), -EISDIR);
	assert_int_equal(count_entries(), 1);
	char path[5000];
	memset(path, 'x', sizeof(path) - 1);
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(fd_replace_file(path, 0600, "x", 1), -ENAMETOOLONG);
	assert_int_equal(count_entries(), 1);
}

static void a_failed_write_removes_the_temporary_file(void **state)
{
	struct rlimit before;

	(void)state;
	assert_int_equal(fd_replace_file("file", 0600, "old", 3), 0);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	struct rlimit none = { .rlim_cur = 0, .rlim_max = before.rlim_max };
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &none), 0);
	int r = fd_replace_file("file", 0600, "new", 3);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(r, -EFBIG);
	assert_content("file", "old");
	assert_int_equal(count_entries(), 1);
}

static void directories_are_made_with_their_parents(void **state)
{
	static const char *const paths[] = { "a/b/c", "a/b/c", "a//d///e/", "./f/../g", "a" };
	static const char *const made[] = { "a/b/c", "a/d/e", "f", "g" };
	const char *root = *state;

	for (size_t i = 0; i < sizeof(paths) / sizeof(paths[0]); i++)
		assert_int_equal(fd_make_directories(paths[i], 0750), 0);
	for (size_t i = 0; i < sizeof(made) / sizeof(made[0]); i++) {
		struct stat st;

		assert_int_equal(stat(made[i], &st), 0);
		assert_true(S_ISDIR(st.st_mode));
		assert_int_equal(st.st_mode & 07777, 0750);
	}
	char absolute[100];
	(void)snprintf(absolute, sizeof(absolute), "%s/h/i", root);
	assert_int_equal(fd_make_directories(absolute, 0700), 0);
	assert_int_equal(access("h/i", F_OK), 0);
	assert_int_equal(fd_make_directories("/", 0700), 0);
}

static void a_file_in_the_way_is_said(void **state)
{
	(void)state;
	assert_int_equal(fd_replace_file("file", 0600, "", 0), 0);
	assert_int_equal(fd_make_directories("file", 0700), -ENOTDIR);
	assert_int_equal(fd_make_directories("file/a/b", 0700), -ENOTDIR);
	assert_int_equal(fd_make_directories("", 0700), -ENOENT);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(close_keeps_errno_and_accepts_none),
		cmocka_unit_test_setup_teardown(
			files_come_back_as_written, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(
			a_file_above_the_maximum_is_refused, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(
			missing_files_and_directories_say_so, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_named_and_not_waited_for,
			enter_directory, leave_directory),
		cmocka_unit_test(write_all_passes_the_errors_of_write_on),
		cmocka_unit_test_setup_teardown(replace_sets_content_and_mode_in_one_step,
			enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(
			a_failed_replace_leaves_no_trace, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(a_failed_write_removes_the_temporary_file,
			enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(
			directories_are_made_with_their_parents, enter_directory, leave_directory),
		cmocka_unit_test_setup_teardown(
			a_file_in_the_way_is_said, enter_directory, leave_directory),
	};

	return cmocka_run_group_tests_name("fd", tests, NULL, NULL);
}
