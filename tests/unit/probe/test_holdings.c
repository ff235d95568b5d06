/* SPDX-License-Identifier: Apache-2.0 */
/* Which directories may be the probe directory, by what lies in them. */
#include "probe/temporary.h"

#include <errno.h>

#include "base/clock.h"
#include "probe/header.h"
#include "probe/holdings.h"
#include "probe/place.h"
#include "probe/target.h"

#define NAME "0123456789abcdef-1000.dat"
#define OTHER "fedcba9876543210-65534"
#define REASON_END "CACHEDIR.TAG makes backups skip a directory"

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
	b->job = (struct job){ .kind = JOB_BLOCK, .file_name = NAME };
	b->job.workload = workload_preset_default()->workload;
	memcpy(b->job.repository_path, b->directory.path, sizeof(b->directory.path));
	(void)snprintf(b->job.probe_directory, sizeof(b->job.probe_directory), "%s/probes",
		b->directory.path);
	assert_int_equal(mkdir(b->job.probe_directory, 0700), 0);
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

/* As a run does. */
static int open_and_close(struct bench *b)
{
	struct place place;
	struct target target;

	b->run->status = RUN_OK;
	assert_int_equal(place_open(&b->job, NULL, &place, b->run), 0);
	int r = target_open(&b->job, &place, &b->clock, &target, b->run);
	if (r == 0)
		target_close(&target);
	place_close(&place);
	return r;
}

static void name_directory(struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(
		rename(b->job.probe_directory, temporary_name(&b->directory, name, &path)), 0);
	memcpy(b->job.probe_directory, path.data, path.len + 1);
	buf_done(&path);
}

static void write_header(const struct bench *b, const char *name)
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

static void make_file(const struct bench *b, const char *name)
{
	temporary_write(&b->directory, name, "my only copy");
}

static void make_empty_file(const struct bench *b, const char *name)
{
	temporary_write(&b->directory, name, "");
}

static void make_directory(const struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkdir(temporary_name(&b->directory, name, &path), 0700), 0);
	buf_done(&path);
}

static void make_link(const struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(symlink(".", temporary_name(&b->directory, name, &path)), 0);
	buf_done(&path);
}

static void make_fifo(const struct bench *b, const char *name)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_int_equal(mkfifo(temporary_name(&b->directory, name, &path), 0600), 0);
	buf_done(&path);
}

static void a_directory_with_data_gets_neither_file_nor_tag(void **state)
{
	static const struct {
		const char *name;
		void (*make)(const struct bench *b, const char *name);
	} cases[] = {
		{ "letters.txt", make_file },
		{ ".hidden", make_empty_file },
		{ "letters", make_directory },
		{ "link", make_link },
		{ "fifo", make_fifo },
		{ OTHER ".dat", make_file }, /* no header */
		{ OTHER ".dat", make_directory },
		{ OTHER ".dat.old", make_empty_file },
		{ "CACHEDIR.TAG", make_directory },
	};
	struct bench *b = *state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct buf name = BUF_INIT(256);
		buf_printf(&name, "probes/%s", cases[i].name);
		cases[i].make(b, buf_text(&name));
		write_header(b, "probes/" OTHER "-run.dat"); /* ours beside it change nothing */
		assert_int_equal(open_and_close(b), -EPERM);
		assert_int_equal(b->run->status, RUN_REFUSED);
		if (!strstr(b->run->reason, cases[i].name) || !strstr(b->run->reason, REASON_END))
			fail_msg("%s: %s", cases[i].name, b->run->reason);
		assert_false(temporary_has(&b->directory, "probes/" NAME));
		assert_true(strcmp(cases[i].name, "CACHEDIR.TAG") == 0 ||
			!temporary_has(&b->directory, "probes/CACHEDIR.TAG"));
		struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
		assert_int_equal(remove(temporary_name(&b->directory, buf_text(&name), &path)), 0);
		assert_int_equal(
			remove(temporary_name(&b->directory, "probes/" OTHER "-run.dat", &path)),
			0);
		buf_done(&path);
		buf_done(&name);
	}
	assert_int_equal(open_and_close(b), 0); /* it is empty now */
}

static void files_of_other_hosts_and_leftovers_are_ours(void **state)
{
	struct bench *b = *state;

	write_header(b, "probes/" OTHER ".dat");
	write_header(b, "probes/" OTHER ".dat.fresh");
	write_header(b, "probes/.nfs0001"); /* removed, and open somewhere */
	make_empty_file(b, "probes/" OTHER "-run.dat"); /* killed before its header */
	make_empty_file(b, "probes/" OTHER "-run.dat.fresh");
	make_file(b, "probes/CACHEDIR.TAG");
	assert_int_equal(open_and_close(b), 0);
	assert_int_equal(open_and_close(b), 0);
}

static void data_that_came_later_is_told_of_with_the_tag(void **state)
{
	struct bench *b = *state;

	assert_int_equal(open_and_close(b), 0);
	make_file(b, "probes/letters.txt");
	assert_int_equal(open_and_close(b), -EPERM);
	assert_non_null(strstr(b->run->reason, "remove its CACHEDIR.TAG"));
}

static void a_directory_of_our_name_with_our_tag_may_hold_more(void **state)
{
	static const char *const names[] = { ".repoprobe", ".repoprobe-nas" };

	for (size_t i = 0; i < 2; i++) {
		struct bench *b = *state;
		struct buf file = BUF_INIT(256);

		name_directory(b, names[i]);
		buf_printf(&file, "%s/.DS_Store", names[i]);
		make_file(b, buf_text(&file));
		assert_int_equal(open_and_close(b), -EPERM); /* somebody else made it */
		struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
		assert_int_equal(remove(temporary_name(&b->directory, buf_text(&file), &path)), 0);
		assert_int_equal(open_and_close(b), 0);
		make_file(b, buf_text(&file));
		assert_int_equal(open_and_close(b), 0);
		buf_done(&path);
		buf_done(&file);
		tear_down(state);
		set_up(state);
	}
}

static void the_repository_itself_is_refused_though_it_is_empty(void **state)
{
	struct bench *b = *state;

	memcpy(b->job.repository_path, b->job.probe_directory, sizeof(b->job.repository_path));
	assert_int_equal(open_and_close(b), -EPERM);
	assert_non_null(strstr(b->run->reason, "is the repository itself"));
	assert_false(temporary_has(&b->directory, "probes/CACHEDIR.TAG"));
}

static void names_of_ours_have_one_form(void **state)
{
	static const struct {
		const char *name;
		bool is_ours;
	} cases[] = {
		{ "0123456789abcdef-0.dat", true },
		{ "0123456789abcdef-65534-run.dat", true },
		{ "0123456789abcdef-65534.dat.fresh", true },
		{ "0123456789abcdef-65534-run.dat.fresh", true },
		{ "0123456789abcde-0.dat", false },
		{ "0123456789abcdef0-0.dat", false },
		{ "0123456789ABCDEF-0.dat", false },
		{ "0123456789abcdef-.dat", false },
		{ "0123456789abcdef-0.dat.old", false },
		{ "0123456789abcdef-0", false },
		{ "", false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (holding_is_our_name(cases[i].name) != cases[i].is_ours)
			fail_msg("%s", cases[i].name);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_directory_with_data_gets_neither_file_nor_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			files_of_other_hosts_and_leftovers_are_ours, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			data_that_came_later_is_told_of_with_the_tag, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_directory_of_our_name_with_our_tag_may_hold_more, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			the_repository_itself_is_refused_though_it_is_empty, set_up, tear_down),
		cmocka_unit_test(names_of_ours_have_one_form),
	};

	return cmocka_run_group_tests_name("holdings", tests, NULL, NULL);
}
