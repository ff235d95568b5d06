/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe init --remove`: only what is ours goes, and all of it or nothing. */
#include "probe/temporary.h"

#include <errno.h>

#include "probe/clear.h"
#include "probe/guard.h"
#include "probe/header.h"

#define HOST "0123456789abcdef"
#define NAME HOST "-1000.dat"
#define OTHER "fedcba9876543210-1000.dat"

struct bench {
	struct temporary directory;
	struct job job;
	struct examination e;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->job = (struct job){ .kind = JOB_REMOVE, .file_name = NAME };
	b->job.workload = workload_preset_default()->workload;
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	temporary_write(&b->directory, "letters.txt", "beside it");
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	temporary_assert_text(&b->directory, "letters.txt", "beside it");
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static void ignore(void *data, const struct examination *e)
{
	(void)data;
	assert_true(e->has_removal);
}

static const struct examination_removal *clear(struct bench *b)
{
	const struct examine_observer observer = { .tell = ignore };

	clear_run(&b->job, &observer, &b->e);
	assert_int_equal(b->e.step, EXAMINATION_COMPLETE);
	return &b->e.removal;
}

/* As directory.c writes it. */
static void write_tag(const struct bench *b)
{
	temporary_write(&b->directory, ".repoprobe/CACHEDIR.TAG",
		"Signature: 8a477f597d28d172789f06886806bc55\n"
		"# This directory holds the probe files of repoprobe, which need no backup.\n"
		"# For information about cache directory tags, see "
		"https://bford.info/cachedir/\n");
}

static void make_directory(const struct bench *b)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkdir(temporary_name(&b->directory, ".repoprobe", &path), 0700), 0);
	buf_done(&path);
	write_tag(b);
}

static void write_file(const struct bench *b, const char *name)
{
	const struct header header = { .uuid = { 1 } };
	uint8_t block[HEADER_BYTES];
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(header_encode(&header, block), 0);
	int fd = open(temporary_name(&b->directory, name, &path),
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(fd_write_all(fd, block, sizeof(block)), 0);
	fd_close(fd);
	buf_done(&path);
}

static void all_of_this_host_goes_with_the_directory(void **state)
{
	struct bench *b = *state;

	make_directory(b);
	write_file(b, ".repoprobe/" NAME);
	write_file(b, ".repoprobe/" HOST "-7-run.dat");
	temporary_write(&b->directory, ".repoprobe/" NAME ".fresh", "");
	const struct examination_removal *r = clear(b);
	assert_int_equal(b->e.refusal_count, 0);
	assert_true(r->is_done && r->is_tag_removed && r->is_directory_removed);
	assert_int_equal(r->files, 3);
	assert_int_equal(r->bytes, 2 * HEADER_BYTES);
	assert_false(temporary_has(&b->directory, ".repoprobe"));

	r = clear(b); /* and again */
	assert_true(r->is_done && !r->is_directory_removed);
	assert_int_equal(r->files, 0);
}

static void files_of_other_hosts_keep_directory_and_tag(void **state)
{
	struct bench *b = *state;

	make_directory(b);
	write_file(b, ".repoprobe/" NAME);
	write_file(b, ".repoprobe/" OTHER);
	const struct examination_removal *r = clear(b);
	assert_true(r->is_done && !r->is_tag_removed && !r->is_directory_removed);
	assert_int_equal(r->files, 1);
	assert_int_equal(r->other_files, 1);
	assert_false(temporary_has(&b->directory, ".repoprobe/" NAME));
	assert_true(temporary_has(&b->directory, ".repoprobe/" OTHER));
	assert_true(temporary_has(&b->directory, ".repoprobe/CACHEDIR.TAG"));
}

static void data_of_the_user_stays_and_loses_the_tag(void **state)
{
	struct bench *b = *state;

	make_directory(b);
	write_file(b, ".repoprobe/" NAME);
	temporary_write(&b->directory, ".repoprobe/notes.txt", "mine");
	temporary_write(&b->directory, ".repoprobe/" HOST "-8.dat", "no header");
	const struct examination_removal *r = clear(b);
	assert_true(r->is_done && r->is_tag_removed && !r->is_directory_removed);
	assert_int_equal(r->files, 1);
	assert_int_equal(r->foreign_names, 2);
	temporary_assert_text(&b->directory, ".repoprobe/notes.txt", "mine");
	temporary_assert_text(&b->directory, ".repoprobe/" HOST "-8.dat", "no header");
}

static void a_tag_of_somebody_else_keeps_the_directory(void **state)
{
	struct bench *b = *state;

	make_directory(b);
	temporary_write(&b->directory, ".repoprobe/CACHEDIR.TAG", "of somebody else");
	const struct examination_removal *r = clear(b);
	assert_true(r->is_done && !r->is_tag_removed && !r->is_directory_removed);
	assert_int_equal(r->error_number, ENOTEMPTY);
	temporary_assert_text(&b->directory, ".repoprobe/CACHEDIR.TAG", "of somebody else");
}

static void nothing_goes_while_a_file_is_in_use(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b);
	write_file(b, ".repoprobe/" NAME);
	write_file(b, ".repoprobe/" HOST "-7-run.dat");
	int fd = open(temporary_name(&b->directory, ".repoprobe/" HOST "-7-run.dat", &path),
		O_RDWR | O_CLOEXEC);
	assert_int_equal(guard_lock(fd), 0);
	const struct examination_removal *r = clear(b);
	assert_false(r->is_done);
	assert_int_equal(r->files, 0);
	assert_int_equal(b->e.refusal_count, 1);
	assert_non_null(strstr(b->e.refusals[0].text, "is in use by another run"));
	assert_true(temporary_has(&b->directory, ".repoprobe/" NAME));
	assert_true(temporary_has(&b->directory, ".repoprobe/CACHEDIR.TAG"));
	fd_close(fd);
	buf_done(&path);
}

static void a_file_with_another_name_keeps_all(void **state)
{
	struct bench *b = *state;
	struct buf from = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf to = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b);
	write_file(b, ".repoprobe/" NAME);
	assert_int_equal(link(temporary_name(&b->directory, ".repoprobe/" NAME, &from),
				 temporary_name(&b->directory, "copy", &to)),
		0);
	const struct examination_removal *r = clear(b);
	assert_false(r->is_done);
	assert_non_null(strstr(b->e.refusals[0].text, "hard links"));
	assert_true(temporary_has(&b->directory, ".repoprobe/" NAME));
	buf_done(&from);
	buf_done(&to);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			all_of_this_host_goes_with_the_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			files_of_other_hosts_keep_directory_and_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			data_of_the_user_stays_and_loses_the_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_tag_of_somebody_else_keeps_the_directory, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			nothing_goes_while_a_file_is_in_use, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_with_another_name_keeps_all, set_up, tear_down),
	};

	return cmocka_run_group_tests_name("clear", tests, NULL, NULL);
}
