/* SPDX-License-Identifier: Apache-2.0 */
/* What is found in directories of all kinds, and that looking leaves no trace. */
#include "probe/examine.h"

#include <errno.h>

#include "probe/header.h"
#include "probe/temporary.h"

#define FILE_NAME "0123456789abcdef-7.dat"
#define RUN_NAME "0123456789abcdef-7-run.dat"
#define TOLD_MAX 16

struct bench {
	struct temporary directory;
	struct job job;
	struct examination e;
	size_t told_count;
	enum examination_step told[TOLD_MAX];
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->job.kind = JOB_EXAMINE;
	b->job.workload = workload_preset_default()->workload;
	b->job.first_layout_bytes = JOB_FIRST_LAYOUT_BYTES;
	memcpy(b->job.file_name, FILE_NAME, sizeof(FILE_NAME));
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	temporary_close(&b->directory);
	free(b);
	return 0;
}

static void note(void *data, const struct examination *e)
{
	struct bench *b = data;

	assert_true(b->told_count < TOLD_MAX);
	b->told[b->told_count++] = e->step;
}

static const struct examination *examine(struct bench *b)
{
	const struct examine_observer observer = { .tell = note, .data = b };

	b->told_count = 0;
	examine_run(&b->job, &observer, &b->e);
	assert_int_equal(b->e.step, EXAMINATION_COMPLETE);
	assert_int_equal(b->told[b->told_count - 1], EXAMINATION_COMPLETE);
	return &b->e;
}

static void make_directory(const struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkdir(temporary_name(&b->directory, name, &path), 0700), 0);
	buf_done(&path);
}

/* A file that begins as ours do. */
static void write_probe_file(const struct bench *b, const char *name, off_t bytes)
{
	struct header header = { .auto_bytes = UINT64_C(64) << 20 };
	uint8_t block[HEADER_BYTES];
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(
		temporary_name(&b->directory, name, &path), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);

	assert_true(fd >= 0);
	header_make_uuid(header.uuid);
	assert_int_equal(header_encode(&header, block), 0);
	assert_int_equal(fd_write_all(fd, block, sizeof(block)), 0);
	assert_int_equal(ftruncate(fd, bytes), 0);
	fd_close(fd);
	buf_done(&path);
}

static void expect_refusal(const struct bench *b, enum examination_subject about,
	enum run_status status, const char *part)
{
	for (size_t i = 0; i < b->e.refusal_count; i++) {
		const struct examination_refusal *refusal = &b->e.refusals[i];
		if (refusal->about == about && refusal->status == status &&
			strstr(refusal->text, part))
			return;
	}
	fail_msg("nothing says \"%s\" but %zu others, the first \"%s\"", part, b->e.refusal_count,
		b->e.refusals[0].text);
}

static void a_new_place_is_described_and_left_empty(void **state)
{
	static const enum examination_step steps[] = { EXAMINATION_PLACE, EXAMINATION_HISTORY,
		EXAMINATION_DIRECTORY, EXAMINATION_DIRECT, EXAMINATION_URING,
		EXAMINATION_COMPLETE };
	struct bench *b = *state;
	struct stat before;
	struct stat after;

	temporary_stat(&b->directory, ".", &before);
	memcpy(b->job.state_directory, b->directory.path, sizeof(b->directory.path));
	memcpy(b->job.state_directory + strlen(b->directory.path), "/not/yet/there", 15);
	const struct examination *e = examine(b);
	assert_int_equal(b->told_count, sizeof(steps) / sizeof(steps[0]));
	assert_memory_equal(b->told, steps, sizeof(steps));
	assert_int_equal(e->refusal_count, 0);
	assert_string_equal(e->real_path, b->directory.path);
	assert_true(e->identity.fs_type[0] != '\0');
	assert_true(e->identity.options.mount[0] != '\0');
	assert_true(e->identity.size_bytes > 0);
	assert_true(e->file_target_bytes > 0);
	assert_int_equal(e->caller_uid, getuid());
	assert_int_equal(e->repository.mode, 0700);
	assert_int_equal(e->repository.uid, getuid());
	assert_false(e->has_directory);
	assert_int_equal(e->write_error_number, 0);
	/* What is not there yet lies where it would be made. */
	assert_true(e->has_history);
	assert_int_equal(e->history.error_number, 0);
	assert_true(e->history.is_same_file_system && e->history.shares_disk);
	assert_string_equal(e->history.identity.fs_type, e->identity.fs_type);

	temporary_stat(&b->directory, ".", &after);
	assert_false(temporary_has(&b->directory, ".repoprobe"));
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_memory_equal(&before.st_ctim, &after.st_ctim, sizeof(before.st_ctim));
	assert_int_equal(before.st_nlink, after.st_nlink);
}

static void a_file_of_ours_is_read_and_not_written(void **state)
{
	struct bench *b = *state;
	struct stat before;
	struct stat after;

	make_directory(b, ".repoprobe");
	write_probe_file(b, ".repoprobe/" FILE_NAME, 2 << 20);
	write_probe_file(b, ".repoprobe/fedcba9876543210-7.dat", 8192);
	temporary_stat(&b->directory, ".repoprobe/" FILE_NAME, &before);
	const struct examination *e = examine(b);
	assert_int_equal(e->refusal_count, 0);
	assert_true(e->has_directory);
	assert_int_equal(e->directory.mode, 0700);
	assert_true(e->file.exists && e->file.is_ours);
	assert_int_equal(e->file.size_bytes, 2 << 20);
	assert_false(e->run_file.exists);
	assert_int_equal(e->other_files, 1);
	assert_int_equal(e->other_bytes, 8192);
	assert_int_equal(e->file_target_bytes, UINT64_C(64) << 20); /* as its header says */
	assert_false(e->direct.is_written);
	assert_int_not_equal(e->direct.trial, EXAMINATION_NOT_TRIED);
	if (e->direct.trial == EXAMINATION_WORKED) {
		assert_in_range(e->direct.read_align_bytes, 512, 4096);
		if (e->direct.offset_align_bytes > 0)
			assert_true(e->direct.read_align_bytes >= e->direct.offset_align_bytes);
	}
	temporary_stat(&b->directory, ".repoprobe/" FILE_NAME, &after);
	assert_memory_equal(&before.st_mtim, &after.st_mtim, sizeof(before.st_mtim));
	assert_memory_equal(&before.st_atim, &after.st_atim, sizeof(before.st_atim));
	assert_false(temporary_has(&b->directory, ".repoprobe/CACHEDIR.TAG"));
}

static void the_file_of_a_run_serves_as_well(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	write_probe_file(b, ".repoprobe/" RUN_NAME, 1 << 20);
	const struct examination *e = examine(b);
	assert_int_equal(e->refusal_count, 0);
	assert_true(e->run_file.is_ours);
	assert_false(e->file.exists);
	assert_false(e->direct.is_written);
	assert_int_not_equal(e->direct.trial, EXAMINATION_NOT_TRIED);
}

static void what_is_not_ours_is_refused_and_direct_io_not_tried(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, ".repoprobe/" FILE_NAME, "mine\n");
	const struct examination *e = examine(b);
	expect_refusal(b, SUBJECT_FILE, RUN_REFUSED, "is not a probe file of repoprobe's");
	assert_true(e->file.exists);
	assert_false(e->file.is_ours);
	assert_int_equal(e->direct.trial, EXAMINATION_NOT_TRIED);
	temporary_assert_text(&b->directory, ".repoprobe/" FILE_NAME, "mine\n");
}

static void a_link_in_place_of_the_file_is_refused(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	make_directory(b, ".repoprobe");
	write_probe_file(b, "elsewhere", 1 << 20);
	assert_int_equal(symlink("../elsewhere",
				 temporary_name(&b->directory, ".repoprobe/" RUN_NAME, &path)),
		0);
	buf_done(&path);
	(void)examine(b); /* its refusals are looked at */
	expect_refusal(b, SUBJECT_FILE, RUN_REFUSED, "is a symbolic link");
}

static void a_file_in_place_of_the_directory_is_refused(void **state)
{
	struct bench *b = *state;

	temporary_write(&b->directory, ".repoprobe", "mine\n");
	const struct examination *e = examine(b);
	expect_refusal(b, SUBJECT_DIRECTORY, RUN_REFUSED, "is not a directory");
	assert_int_equal(e->direct.trial, EXAMINATION_NOT_TRIED);
	assert_true(e->uring.buffer_bytes > 0); /* what does not depend on it is known */
}

static void an_empty_file_of_a_killed_run_is_ours(void **state)
{
	struct bench *b = *state;

	make_directory(b, ".repoprobe");
	temporary_write(&b->directory, ".repoprobe/" FILE_NAME, "");
	const struct examination *e = examine(b);
	assert_int_equal(e->refusal_count, 0);
	assert_true(e->file.is_ours);
}

static void a_floor_above_the_free_space_is_refused(void **state)
{
	struct bench *b = *state;

	b->job.min_free_bytes = UINT64_MAX / 2;
	const struct examination *e = examine(b);
	expect_refusal(b, SUBJECT_SPACE, RUN_NO_SPACE, "must stay free");
	assert_int_equal(e->refusal_count, 1);
	assert_false(e->has_room);
	assert_int_equal(e->direct.trial, EXAMINATION_NOT_TRIED);
}

static void a_first_layout_that_does_not_fit_is_refused(void **state)
{
	struct bench *b = *state;

	b->job.file_target_bytes = UINT64_C(1) << 60;
	b->job.first_layout_bytes = 0; /* all of it */
	(void)examine(b); /* its refusals are looked at */
	expect_refusal(b, SUBJECT_SPACE, RUN_NO_SPACE, "the probe file needs");
	b->job.first_layout_bytes = 1 << 20;
	const struct examination *e = examine(b);
	assert_int_equal(e->refusal_count, 0);
	assert_false(e->has_room);
}

static void a_place_that_cannot_be_ends_the_examination(void **state)
{
	static const struct {
		const char *path;
		enum run_status status;
		const char *part;
	} cases[] = {
		{ "/proc", RUN_REFUSED, "unsafe path" },
		{ "/not/there", RUN_ERROR, "does not exist" },
		{ "/etc/passwd", RUN_ERROR, "is a file, not a directory" },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		memcpy(b->job.repository_path, cases[i].path, strlen(cases[i].path) + 1);
		const struct examination *e = examine(b);
		expect_refusal(b, SUBJECT_PATH, cases[i].status, cases[i].part);
		assert_int_equal(b->told_count, 2);
		assert_string_equal(e->real_path, "");
		assert_false(e->identity.has_device);
	}
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		CASE(a_new_place_is_described_and_left_empty),
		CASE(a_file_of_ours_is_read_and_not_written),
		CASE(the_file_of_a_run_serves_as_well),
		CASE(what_is_not_ours_is_refused_and_direct_io_not_tried),
		CASE(a_link_in_place_of_the_file_is_refused),
		CASE(a_file_in_place_of_the_directory_is_refused),
		CASE(an_empty_file_of_a_killed_run_is_ours),
		CASE(a_floor_above_the_free_space_is_refused),
		CASE(a_first_layout_that_does_not_fit_is_refused),
		CASE(a_place_that_cannot_be_ends_the_examination),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
