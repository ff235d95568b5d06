/* SPDX-License-Identifier: Apache-2.0 */
/* Whole runs that must change nothing, or take no more than they may: the rules are asked for where
 * a run needs them. */
#include "probe/temporary.h"

#include <errno.h>

#include "base/clock.h"
#include "probe/probe.h"

#define MIB (UINT64_C(1) << 20)
#define NAME "0123456789abcdef-1000.dat"
#define FILE_PATH ".repoprobe/" NAME
#define FRESH_PATH FILE_PATH ".fresh"

struct bench {
	struct temporary directory;
	struct clock clock;
	struct job job;
	struct run *run;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->clock = clock_system();
	b->job = (struct job){
		.kind = JOB_BLOCK,
		.file_name = NAME,
		.file_target_bytes = 4 * MIB,
		.deadline_usec = 60 * USEC_PER_SEC,
		.keep_file = true,
	};
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	b->job.workload = workload_preset_default()->workload;
	b->job.workload.engine = WORKLOAD_ENGINE_THREADS;
	b->job.workload.block_size_bytes = 64 << 10;
	b->job.workload.max_ios = 16;
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

static void go(struct bench *b, enum run_status status, const char *says)
{
	memset(b->run, 0, sizeof(*b->run));
	probe_run(&b->job, &b->clock, NULL, b->run);
	if (!strstr(b->run->reason, says))
		fail_msg("\"%s\" is not in \"%s\"", says, b->run->reason);
	assert_int_equal(b->run->status, status);
}

static void assert_same_time(const struct stat *a, const struct stat *b)
{
	assert_int_equal(a->st_mtim.tv_sec, b->st_mtim.tv_sec);
	assert_int_equal(a->st_mtim.tv_nsec, b->st_mtim.tv_nsec);
	assert_int_equal(a->st_size, b->st_size);
}

static void the_floor_of_free_space_is_asked_for_before_each_run(void **state)
{
	struct bench *b = *state;
	struct stat before;
	struct stat after;

	go(b, RUN_OK, "");
	temporary_stat(&b->directory, FILE_PATH, &before);
	b->job.min_free_percent = 100; /* all is laid out: nothing more would be allocated */
	go(b, RUN_NO_SPACE, "must stay free");
	temporary_stat(&b->directory, FILE_PATH, &after);
	assert_same_time(&before, &after);
	assert_int_equal(b->run->own.bytes, 0);
}

static void a_larger_file_is_cut_to_a_size_that_was_chosen(void **state)
{
	struct bench *b = *state;
	struct stat st;

	go(b, RUN_OK, "");
	b->job.file_target_bytes = 0; /* an automatic one may be larger for another probe */
	b->job.first_layout_bytes = MIB;
	go(b, RUN_OK, "");
	assert_int_equal(b->run->file_bytes, 4 * MIB);
	b->job.file_target_bytes = 2 * MIB;
	go(b, RUN_OK, "");
	assert_int_equal(b->run->workload.file_size_bytes, 2 * MIB);
	assert_int_equal(b->run->file_bytes, 2 * MIB);
	temporary_stat(&b->directory, FILE_PATH, &st);
	assert_int_equal(st.st_size, 3 * MIB);
	b->job.file_target_bytes = 3 * MIB;
	b->job.first_layout_bytes = 0;
	go(b, RUN_OK, "");
	assert_int_equal(b->run->layout_bytes, MIB);
	assert_int_equal(b->run->file_bytes, 3 * MIB);
}

static void no_layout_begins_that_would_not_fit(void **state)
{
	struct bench *b = *state;

	b->job.file_target_bytes = UINT64_C(1) << 50;
	go(b, RUN_NO_SPACE, "the probe file needs");
	assert_false(temporary_has(&b->directory, ".repoprobe"));
	assert_int_equal(b->run->layout_bytes, 0);
}

static void a_mount_that_is_missing_leaves_nothing_written(void **state)
{
	struct bench *b = *state;

	b->job.expected.requires_mount = true;
	go(b, RUN_NOT_MOUNTED, "is not mounted: nothing was written");
	assert_false(temporary_has(&b->directory, ".repoprobe"));
	b->job.expected = (struct job_expectation){ .fs_type = "vfat" };
	go(b, RUN_WRONG_TARGET, "expected vfat: nothing was written");
	assert_false(temporary_has(&b->directory, ".repoprobe"));
}

static void a_link_in_place_of_a_fresh_file_is_left_as_it_is(void **state)
{
	struct bench *b = *state;
	struct buf from = BUF_INIT(TEMPORARY_PATH_MAX);
	struct buf to = BUF_INIT(TEMPORARY_PATH_MAX);

	b->job.workload.is_fresh = true;
	go(b, RUN_OK, "");
	/* Empty, so that only its second name tells that it is not a leftover of ours. */
	temporary_write(&b->directory, "foreign", "");
	assert_int_equal(link(temporary_name(&b->directory, "foreign", &from),
				 temporary_name(&b->directory, FRESH_PATH, &to)),
		0);
	go(b, RUN_REFUSED, "left as it is");
	assert_true(temporary_has(&b->directory, FRESH_PATH));
	assert_int_equal(unlink(buf_text(&to)), 0);

	assert_int_equal(symlink("../foreign", buf_text(&to)), 0);
	go(b, RUN_REFUSED, "left as it is");
	assert_true(temporary_has(&b->directory, FRESH_PATH));
	temporary_assert_text(&b->directory, "foreign", "");
	buf_done(&from);
	buf_done(&to);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			the_floor_of_free_space_is_asked_for_before_each_run, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_larger_file_is_cut_to_a_size_that_was_chosen, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			no_layout_begins_that_would_not_fit, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_mount_that_is_missing_leaves_nothing_written, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_link_in_place_of_a_fresh_file_is_left_as_it_is, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
