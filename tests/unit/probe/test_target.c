/* SPDX-License-Identifier: Apache-2.0 */
/* Which repositories and probe files are opened, and which are refused and left alone. */
#include "probe/temporary.h"

#include <errno.h>
#include <sys/statfs.h>

#include "base/clock.h"
#include "probe/place.h"
#include "probe/target.h"

#define NOBODY 65534

#define NAME "0123456789abcdef-1000.dat"
#define FILE_PATH ".repoprobe/" NAME
#define TAG_PATH ".repoprobe/CACHEDIR.TAG"

struct bench {
	struct temporary directory;
	struct clock clock;
	struct job job;
	struct place place;
	struct target target;
	struct run *run;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock = clock_system();
	b->job = (struct job){ .kind = JOB_BLOCK, .file_name = NAME };
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	b->job.workload = workload_preset_default()->workload;
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
	int r = place_open(&b->job, NULL, &b->place, b->run);

	return r < 0 ? r : place_check_space(&b->place, 0, b->run);
}

/* Opens all of it, as a run does. */
static int open_target(struct bench *b)
{
	assert_int_equal(open_place(b), 0);
	int r = target_open(&b->job, &b->place, &b->clock, &b->target, b->run);
	if (r < 0)
		place_close(&b->place);
	return r;
}

static void close_target(struct bench *b)
{
	target_close(&b->target);
	place_close(&b->place);
}

static void assert_reason_has(const struct bench *b, const char *part)
{
	if (!strstr(b->run->reason, part))
		fail_msg("\"%s\" is not in \"%s\"", part, b->run->reason);
}

static void make_directory(const struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkdir(temporary_name(&b->directory, name, &path), 0700), 0);
	buf_done(&path);
}

static void what_is_missing_is_made(void **state)
{
	struct bench *b = *state;
	struct stat st;

	assert_int_equal(open_target(b), 0);
	temporary_stat(&b->directory, ".repoprobe", &st);
	assert_int_equal(st.st_mode, S_IFDIR | 0700);
	temporary_stat(&b->directory, FILE_PATH, &st);
	assert_int_equal(st.st_mode, S_IFREG | 0600);
	assert_int_equal(st.st_size, HEADER_BYTES);
	assert_true(temporary_has(&b->directory, TAG_PATH));
	assert_true(b->target.is_file_new);
	assert_true(b->target.header.auto_bytes >= WORKLOAD_FILE_SIZE_MIN);
	assert_true(b->target.header.auto_bytes <= WORKLOAD_FILE_SIZE_DEFAULT);
	assert_int_equal(b->run->status, RUN_OK);
	close_target(b);
}

static void the_tag_is_what_the_specification_wants(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf text = BUF_INIT(4096);

	assert_int_equal(open_target(b), 0);
	assert_int_equal(fd_read_file(temporary_name(&b->directory, TAG_PATH, &path), &text), 0);
	assert_int_equal(
		strncmp(buf_text(&text), "Signature: 8a477f597d28d172789f06886806bc55", 43), 0);
	buf_done(&text);
	buf_done(&path);
	close_target(b);
}

static void it_is_found_again(void **state)
{
	struct bench *b = *state;
	struct header first;

	assert_int_equal(open_target(b), 0);
	first = b->target.header;
	close_target(b);
	assert_int_equal(open_target(b), 0);
	assert_false(b->target.is_file_new);
	assert_memory_equal(b->target.header.uuid, first.uuid, sizeof(first.uuid));
	assert_int_equal(b->target.header.auto_bytes, first.auto_bytes);
	assert_int_equal(b->target.header.created_usec, first.created_usec);
	assert_int_equal(b->target.found_bytes, HEADER_BYTES);
	close_target(b);
}

static void a_file_in_use_is_skipped(void **state)
{
	struct bench *b = *state;
	struct target second;

	assert_int_equal(open_target(b), 0);
	assert_int_equal(target_open(&b->job, &b->place, &b->clock, &second, b->run), -EBUSY);
	assert_int_equal(b->run->status, RUN_SKIPPED);
	assert_int_equal(b->run->skip, RUN_SKIP_IN_USE);
	assert_true(temporary_has(&b->directory, FILE_PATH));
	close_target(b);
}

static void an_empty_file_of_a_killed_run_is_adopted(void **state)
{
	struct bench *b = *state;
	struct stat st;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, FILE_PATH, "");
	assert_int_equal(open_target(b), 0);
	temporary_stat(&b->directory, FILE_PATH, &st);
	assert_int_equal(st.st_size, HEADER_BYTES);
	close_target(b);
}

static void refuse(struct bench *b, const char *why)
{
	assert_true(open_target(b) < 0);
	assert_int_equal(b->run->status, RUN_REFUSED);
	assert_reason_has(b, why);
}

static void a_foreign_file_is_left_alone(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, FILE_PATH, "my only copy");
	refuse(b, "not a probe file");
	temporary_assert_text(&b->directory, FILE_PATH, "my only copy");
	assert_false(temporary_has(&b->directory, TAG_PATH));
}

static void a_magic_alone_is_not_enough(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, FILE_PATH, "repoprobe");
	refuse(b, "not a probe file");
	temporary_assert_text(&b->directory, FILE_PATH, "repoprobe");
}

static void a_symbolic_link_is_not_followed(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, "victim", "");
	assert_int_equal(symlink("../victim", temporary_name(&b->directory, FILE_PATH, &path)), 0);
	buf_done(&path);
	refuse(b, "symbolic link");
	temporary_assert_text(&b->directory, "victim", "");
}

static void a_file_with_two_names_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf from = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf to = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, "victim", "");
	assert_int_equal(link(temporary_name(&b->directory, "victim", &from),
				 temporary_name(&b->directory, FILE_PATH, &to)),
		0);
	buf_done(&from);
	buf_done(&to);
	refuse(b, "hard link");
	temporary_assert_text(&b->directory, "victim", "");
}

static void what_is_no_file_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b, ".repoprobe");
	assert_int_equal(mkfifo(temporary_name(&b->directory, FILE_PATH, &path), 0600), 0);
	refuse(b, "regular file"); /* and does not wait for a writer */
	assert_int_equal(unlink(buf_text(&path)), 0);
	buf_done(&path);
	make_directory(b, FILE_PATH);
	refuse(b, "regular file");
}

static void another_users_file_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	if (geteuid() != 0)
		skip(); /* only root can give files away */
	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, FILE_PATH, "");
	assert_int_equal(chown(temporary_name(&b->directory, FILE_PATH, &path), 4711, 4711), 0);
	buf_done(&path);
	refuse(b, "another user");
}

static void a_linked_directory_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b, "elsewhere");
	assert_int_equal(
		symlink("elsewhere", temporary_name(&b->directory, ".repoprobe", &path)), 0);
	buf_done(&path);
	refuse(b, "not a directory");
	assert_false(temporary_has(&b->directory, "elsewhere/" NAME));
}

static void a_file_of_a_newer_version_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	uint8_t version = 2;

	assert_int_equal(open_target(b), 0);
	close_target(b);
	int fd = open(temporary_name(&b->directory, FILE_PATH, &path), O_WRONLY | O_CLOEXEC);
	assert_int_equal(pwrite(fd, &version, 1, 16), 1);
	fd_close(fd);
	buf_done(&path);
	refuse(b, "newer version");
}

static void undo_takes_back_what_was_made(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_target(b), 0);
	target_undo(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void undo_keeps_what_was_there(void **state)
{
	struct bench *b = *state;
	bool is_direct;
	struct stat st;

	assert_int_equal(open_target(b), 0);
	close_target(b);
	assert_int_equal(open_target(b), 0);
	assert_int_equal(target_open_layout(&b->target, b->run, &is_direct), 0);
	assert_int_equal(ftruncate(b->target.lock_fd, 1 << 20), 0); /* what a layout had added */
	target_undo(&b->target);
	close_target(b);
	temporary_stat(&b->directory, FILE_PATH, &st);
	assert_int_equal(st.st_size, HEADER_BYTES);
	assert_true(temporary_has(&b->directory, TAG_PATH));
}

static void remove_leaves_nothing(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_target(b), 0);
	close_target(b);
	assert_int_equal(open_target(b), 0);
	target_remove(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void remove_leaves_the_files_of_others(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_target(b), 0);
	temporary_write(&b->directory, ".repoprobe/other.dat", "daemon's");
	target_remove(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, FILE_PATH));
	assert_true(temporary_has(&b->directory, TAG_PATH));
	temporary_assert_text(&b->directory, ".repoprobe/other.dat", "daemon's");
}

static void remove_spares_a_file_that_took_the_name(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(open_target(b), 0);
	assert_int_equal(unlink(temporary_name(&b->directory, FILE_PATH, &path)), 0);
	buf_done(&path);
	temporary_write(&b->directory, FILE_PATH, "new");
	target_remove(&b->target);
	close_target(b);
	temporary_assert_text(&b->directory, FILE_PATH, "new");
}

static void remove_spares_a_file_that_is_not_locked(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_target(b), 0);
	b->target.is_locked = false;
	target_remove(&b->target);
	close_target(b);
	assert_true(temporary_has(&b->directory, FILE_PATH));
}

static void remove_spares_a_tag_of_others(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, TAG_PATH, "of somebody else");
	assert_int_equal(open_target(b), 0);
	target_remove(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, FILE_PATH));
	temporary_assert_text(&b->directory, TAG_PATH, "of somebody else");
}

static void copy_file(const struct bench *b, const char *from, const char *to)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf data = BUF_INIT(1 << 20);

	assert_int_equal(fd_read_file(temporary_name(&b->directory, from, &path), &data), 0);
	int fd = open(temporary_name(&b->directory, to, &path),
		O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	assert_int_equal(fd_write_all(fd, data.data, data.len), 0);
	fd_close(fd);
	buf_done(&data);
	buf_done(&path);
}

static void a_file_that_took_the_name_is_neither_laid_out_nor_measured(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	bool is_direct;

	assert_int_equal(open_target(b), 0);
	copy_file(b, FILE_PATH, "copy");
	copy_file(b, "copy", "new");
	int fd = open(temporary_name(&b->directory, ".repoprobe", &path), O_PATH | O_CLOEXEC);
	assert_int_equal(
		renameat(AT_FDCWD, temporary_name(&b->directory, "new", &path), fd, NAME), 0);
	fd_close(fd);
	assert_int_equal(target_open_layout(&b->target, b->run, &is_direct), -EPERM);
	assert_int_equal(b->run->status, RUN_REFUSED);
	assert_reason_has(b, "was replaced");
	b->run->status = RUN_OK;
	assert_int_equal(target_open_io(&b->target, &b->job.workload, b->run), -EPERM);
	assert_reason_has(b, "was replaced");
	close_target(b);
	buf_done(&path);
}

static void a_file_with_another_uuid_is_neither_laid_out_nor_measured(void **state)
{
	struct bench *b = *state;
	bool is_direct;
	uint8_t other;

	assert_int_equal(open_target(b), 0);
	other = (uint8_t)~b->target.header.uuid[0];
	assert_int_equal(pwrite(b->target.lock_fd, &other, 1, 24), 1);
	assert_int_equal(target_open_layout(&b->target, b->run, &is_direct), -EPERM);
	assert_int_equal(b->run->status, RUN_REFUSED);
	assert_reason_has(b, "another probe file");
	b->run->status = RUN_OK;
	assert_int_equal(target_open_io(&b->target, &b->job.workload, b->run), -EPERM);
	assert_reason_has(b, "another probe file");
	close_target(b);
}

static void name_directory(struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	(void)temporary_name(&b->directory, name, &path);
	memcpy(b->job.probe_directory, path.data, path.len + 1);
	buf_done(&path);
}

static void a_named_directory_is_made_and_stays_when_it_was_there(void **state)
{
	struct bench *b = *state;

	name_directory(b, "probes/"); /* a slash more does no harm */
	assert_int_equal(open_target(b), 0);
	assert_true(temporary_has(&b->directory, "probes/" NAME));
	target_remove(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, "probes"));

	make_directory(b, "probes");
	assert_int_equal(open_target(b), 0);
	target_remove(&b->target);
	close_target(b);
	assert_false(temporary_has(&b->directory, "probes/" NAME));
	assert_true(temporary_has(&b->directory, "probes"));
}

static void a_directory_on_another_file_system_is_refused(void **state)
{
	static const char other[] = "/dev/shm";
	struct bench *b = *state;
	struct stat here;
	struct stat there;

	assert_int_equal(stat(b->directory.path, &here), 0);
	if (stat(other, &there) < 0 || here.st_dev == there.st_dev)
		skip();
	memcpy(b->job.probe_directory, other, sizeof(other));
	refuse(b, "another file system");
}

static void measuring_is_direct_or_says_that_it_is_not(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_target(b), 0);
	assert_int_equal(target_open_io(&b->target, &b->job.workload, b->run), 0);
	int flags = fcntl(b->target.io_fd, F_GETFL);
	if (b->target.is_direct) {
		assert_int_equal(flags & (O_DIRECT | O_DSYNC), O_DIRECT | O_DSYNC);
		assert_int_equal(flags & O_NONBLOCK, 0);
		assert_true(b->run->trust & RUN_TRUST_DIRECT);
		assert_false(b->run->trust & (RUN_TRUST_BUFFERED | RUN_TRUST_FALLBACK));
		assert_true(b->run->identity.sector_bytes >= 512);
	}
	/* The second chance is what a file system that refuses O_DIRECT gets at once. */
	assert_int_equal(target_fall_back(&b->target, b->run), 0);
	assert_int_equal(fcntl(b->target.io_fd, F_GETFL) & O_DIRECT, 0);
	assert_false(b->run->trust & RUN_TRUST_DIRECT);
	assert_true(b->run->trust & RUN_TRUST_BUFFERED);
	assert_true(b->run->trust & RUN_TRUST_FALLBACK);
	assert_true(b->target.is_fallback);
	close_target(b);
}

static void modes_through_the_page_cache_are_labelled(void **state)
{
	static const enum workload_cache modes[] = { WORKLOAD_DSYNC, WORKLOAD_BUFFERED };
	struct bench *b = *state;

	for (size_t i = 0; i < 2; i++) {
		b->job.workload.cache = modes[i];
		b->run->trust = 0;
		assert_int_equal(open_target(b), 0);
		assert_int_equal(target_open_io(&b->target, &b->job.workload, b->run), 0);
		int flags = fcntl(b->target.io_fd, F_GETFL);
		assert_int_equal(flags & O_DIRECT, 0);
		assert_int_equal((flags & O_DSYNC) != 0, modes[i] == WORKLOAD_DSYNC);
		assert_true(b->run->trust & RUN_TRUST_BUFFERED);
		assert_false(b->run->trust & (RUN_TRUST_DIRECT | RUN_TRUST_FALLBACK));
		close_target(b);
	}
}

static void an_unwritable_repository_is_an_error_in_words(void **state)
{
	struct bench *b = *state;
	bool is_root = geteuid() == 0; /* who may write everywhere */

	assert_int_equal(chmod(b->directory.path, 0555), 0);
	if (is_root)
		assert_int_equal(seteuid(NOBODY), 0);
	assert_int_equal(open_target(b), -EACCES);
	if (is_root)
		assert_int_equal(seteuid(0), 0);
	assert_int_equal(chmod(b->directory.path, 0700), 0);
	assert_int_equal(b->run->status, RUN_ERROR);
	assert_reason_has(b, "permission denied");
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(what_is_missing_is_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_tag_is_what_the_specification_wants, set_up, tear_down),
		cmocka_unit_test_setup_teardown(it_is_found_again, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_file_in_use_is_skipped, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_empty_file_of_a_killed_run_is_adopted, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_foreign_file_is_left_alone, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_magic_alone_is_not_enough, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_symbolic_link_is_not_followed, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_with_two_names_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(what_is_no_file_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(another_users_file_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(a_linked_directory_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_of_a_newer_version_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(undo_takes_back_what_was_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(undo_keeps_what_was_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(remove_leaves_nothing, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			remove_leaves_the_files_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			remove_spares_a_file_that_took_the_name, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			remove_spares_a_file_that_is_not_locked, set_up, tear_down),
		cmocka_unit_test_setup_teardown(remove_spares_a_tag_of_others, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_that_took_the_name_is_neither_laid_out_nor_measured, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_file_with_another_uuid_is_neither_laid_out_nor_measured, set_up,
			tear_down),
		cmocka_unit_test_setup_teardown(
			a_named_directory_is_made_and_stays_when_it_was_there, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_directory_on_another_file_system_is_refused, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			measuring_is_direct_or_says_that_it_is_not, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			modes_through_the_page_cache_are_labelled, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			an_unwritable_repository_is_an_error_in_words, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
