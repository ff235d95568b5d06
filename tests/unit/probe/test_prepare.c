/* SPDX-License-Identifier: Apache-2.0 */
/* The probe directory of `repoprobe init`, made where it may be made. Other users: the integration
 * tests. */
#include "probe/prepare.h"

#include "probe/temporary.h"

struct bench {
	struct temporary directory;
	struct job job;
	struct examination e;
	size_t told_count;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));

	assert_non_null(b);
	temporary_open(&b->directory);
	b->job.kind = JOB_INIT;
	b->job.is_for_owner = true;
	b->job.is_daemon_root = true;
	b->job.workload = workload_preset_default()->workload;
	memcpy(b->job.file_name, "init.dat", 9);
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

	assert_true(e->has_preparation);
	b->told_count++;
}

static const struct examination *prepare(struct bench *b)
{
	const struct examine_observer observer = { .tell = note, .data = b };

	b->told_count = 0;
	prepare_run(&b->job, &observer, &b->e);
	assert_int_equal(b->e.step, EXAMINATION_COMPLETE);
	assert_int_equal(b->told_count, 3);
	return &b->e;
}

static void it_is_made_once_with_its_tag(void **state)
{
	struct bench *b = *state;
	struct stat before;
	struct stat after;
	const struct examination *e = prepare(b);

	assert_int_equal(e->refusal_count, 0);
	assert_true(e->preparation.is_ready && e->preparation.is_new);
	assert_false(e->preparation.is_beside);
	assert_non_null(strstr(e->preparation.path, "/.repoprobe"));
	assert_int_equal(e->directory.mode & 0777, 0700);
	assert_int_equal(e->directory.uid, geteuid());
	temporary_stat(&b->directory, ".repoprobe/CACHEDIR.TAG", &before);
	assert_true(before.st_size > 0);

	e = prepare(b);
	assert_true(e->preparation.is_ready && !e->preparation.is_new);
	temporary_stat(&b->directory, ".repoprobe/CACHEDIR.TAG", &after);
	assert_int_equal(before.st_ino, after.st_ino);
}

static void what_is_no_directory_is_refused_and_left(void **state)
{
	struct bench *b = *state;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(&b->directory, ".repoprobe", &path),
		O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	struct stat st;

	assert_true(fd >= 0);
	fd_close(fd);
	const struct examination *e = prepare(b);
	assert_false(e->preparation.is_ready);
	assert_int_equal(e->refusal_count, 1);
	assert_int_equal(e->refusals[0].status, RUN_REFUSED);
	temporary_stat(&b->directory, ".repoprobe", &st);
	assert_true(S_ISREG(st.st_mode));
	buf_done(&path);
}

static void one_on_another_file_system_is_refused_and_not_made(void **state)
{
	static const char shared_memory[] = "/dev/shm";
	struct bench *b = *state;
	struct stat here;
	struct stat there;

	if (stat(shared_memory, &there) < 0)
		skip();
	temporary_stat(&b->directory, ".", &here);
	if (here.st_dev == there.st_dev)
		skip();
	(void)snprintf(b->job.probe_directory, sizeof(b->job.probe_directory), "%s/%s",
		shared_memory, "repoprobe-test-prepare");
	const struct examination *e = prepare(b);
	assert_false(e->preparation.is_ready);
	assert_non_null(strstr(e->refusals[0].text, "another file system"));
	assert_int_equal(stat(b->job.probe_directory, &there), -1);
}

static void a_daemon_that_may_enter_has_it_inside(void **state)
{
	struct bench *b = *state;

	b->job.is_daemon_root = false;
	const struct examination *e = prepare(b);
	assert_true(e->preparation.is_ready && !e->preparation.is_beside);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(it_is_made_once_with_its_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_no_directory_is_refused_and_left, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			one_on_another_file_system_is_refused_and_not_made, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_daemon_that_may_enter_has_it_inside, set_up, tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
