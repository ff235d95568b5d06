/* SPDX-License-Identifier: Apache-2.0 */
/* What direct I/O must be a multiple of. */
#include "probe/temporary.h"

#include <errno.h>

#include "probe/alignment.h"
#include "probe/place.h"

static void the_first_that_knows_is_believed(void **state)
{
	static const struct {
		uint32_t statx_bytes;
		uint32_t device_bytes;
		uint32_t chosen;
	} cases[] = {
		{ 512, 4096, 512 },
		{ 4096, 512, 4096 },
		{ 0, 4096, 4096 }, /* 0 is no answer: field report 26 */
		{ 0, 512, 512 },
		{ 0, 0, 0 },
		{ 1000, 4096, 4096 }, /* nonsense is none either */
		{ 0, 520, 0 },
		{ 16384, 0, 16384 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(alignment_choose(cases[i].statx_bytes, cases[i].device_bytes),
			cases[i].chosen);
}

static void a_trial_finds_what_the_file_system_says(void **state)
{
	struct temporary t;
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	static char data[65536];
	uint32_t tried = 0;

	(void)state;
	temporary_open(&t);
	int fd = open(temporary_name(&t, "file", &path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, sizeof(data)), sizeof(data));
	uint32_t known = place_facts(fd).direct_align_bytes;
	fd_close(fd);
	fd = open(buf_text(&path), O_RDWR | O_DIRECT | O_CLOEXEC);
	buf_done(&path);
	int r = fd < 0 ? -errno : alignment_try(fd, &tried);
	fd_close(fd);
	temporary_close(&t);
	if (r == -EINVAL || known == 0)
		skip(); /* no direct I/O here, or nothing to compare with */
	assert_int_equal(r, 0);
	assert_int_equal(tried, known);
}

static void other_errors_are_told(void **state)
{
	uint32_t tried = 7;
	int fds[2];

	(void)state;
	assert_int_equal(pipe2(fds, O_CLOEXEC), 0);
	assert_int_equal(alignment_try(fds[0], &tried), -ESPIPE);
	fd_close(fds[0]);
	fd_close(fds[1]);
	assert_int_equal(tried, 7);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_first_that_knows_is_believed),
		cmocka_unit_test(a_trial_finds_what_the_file_system_says),
		cmocka_unit_test(other_errors_are_told),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
