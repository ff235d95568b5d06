/* SPDX-License-Identifier: Apache-2.0 */
/* What counts as written: of made-up extents, and of files on a real file system. */
#include "probe/temporary.h"

#include <errno.h>
#include <linux/fiemap.h>

#include "probe/extent.h"

#define MIB (UINT64_C(1) << 20)

struct bench {
	struct temporary directory;
	int fd;
};

static int set_up(void **state)
{
	struct bench *b = calloc(1, sizeof(*b));
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);

	assert_non_null(b);
	temporary_open(&b->directory);
	b->fd = open(
		temporary_name(&b->directory, "file", &path), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
	assert_true(b->fd >= 0);
	buf_done(&path);
	*state = b;
	return 0;
}

static int tear_down(void **state)
{
	struct bench *b = *state;

	fd_close(b->fd);
	temporary_close(&b->directory);
	free(b);
	return 0;
}

static void write_mib(const struct bench *b, uint64_t first, uint64_t count)
{
	uint8_t *data = malloc(MIB);

	assert_non_null(data);
	for (size_t i = 0; i < MIB; i++)
		data[i] = (uint8_t)(i * i >> 7 ^ i);
	for (uint64_t i = first; i < first + count; i++)
		assert_int_equal(pwrite(b->fd, data, MIB, (off_t)(i * MIB)), MIB);
	free(data);
}

static struct extent_report measure(const struct bench *b, uint64_t start_bytes)
{
	struct extent_report report;

	assert_int_equal(extent_measure(b->fd, start_bytes, &report), 0);
	return report;
}

static void only_what_is_really_written_counts(void **state)
{
	static const struct {
		uint64_t at;
		uint64_t len;
		uint32_t flags;
		uint64_t end; /* afterwards, from 4096 on */
		bool goes_on;
		bool is_compressed;
	} cases[] = {
		{ 4096, 8192, 0, 12288, true, false },
		{ 0, 8192, 0, 8192, true, false }, /* begins before the start */
		{ 0, 1024, 0, 4096, true, false }, /* and ends before it */
		{ 8192, 8192, 0, 4096, false, false }, /* a hole */
		{ 4096, 8192, FIEMAP_EXTENT_LAST, 12288, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_MERGED | FIEMAP_EXTENT_SHARED, 12288, true, false },
		{ 4096, 8192, FIEMAP_EXTENT_UNWRITTEN, 4096, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_UNWRITTEN | FIEMAP_EXTENT_LAST, 4096, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_DELALLOC | FIEMAP_EXTENT_UNKNOWN, 4096, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_UNKNOWN, 4096, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_DATA_INLINE | FIEMAP_EXTENT_NOT_ALIGNED, 4096, false,
			false },
		{ 4096, 8192, FIEMAP_EXTENT_DATA_TAIL, 4096, false, false },
		{ 4096, 8192, FIEMAP_EXTENT_ENCODED, 12288, true, true },
		{ 4096, 8192, FIEMAP_EXTENT_ENCODED | FIEMAP_EXTENT_DATA_ENCRYPTED, 12288, true,
			false },
		{ 4096, 0, 0, 4096, false, false }, /* would never end */
		{ 4096, UINT64_MAX, 0, 4096, false, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct extent_report report = { .end_bytes = 4096 };
		assert_int_equal(extent_follow(&report, cases[i].at, cases[i].len, cases[i].flags),
			cases[i].goes_on);
		assert_int_equal(report.end_bytes, cases[i].end);
		assert_int_equal(report.is_compressed, cases[i].is_compressed);
	}
}

static void a_written_file_counts_in_full_even_before_it_is_synced(void **state)
{
	struct bench *b = *state;

	write_mib(b, 0, 3);
	assert_int_equal(measure(b, 0).end_bytes, 3 * MIB);
	assert_int_equal(measure(b, MIB).end_bytes, 3 * MIB);
	assert_false(measure(b, 0).is_compressed);
}

static void nothing_lies_beyond_the_end(void **state)
{
	struct bench *b = *state;
	struct extent_report report;

	assert_int_equal(measure(b, 0).end_bytes, 0);
	assert_int_equal(measure(b, MIB).end_bytes, MIB);
	assert_int_equal(pwrite(b->fd, "abc", 3, 0), 3);
	assert_true(measure(b, 0).end_bytes <= 3); /* 0 where so little is kept in the inode */
	assert_int_equal(measure(b, MIB).end_bytes, MIB);
	assert_int_equal(extent_measure_holes(b->fd, MIB, &report), 0);
	assert_int_equal(report.end_bytes, MIB);
}

static void a_hole_ends_it_and_the_start_may_be_one(void **state)
{
	struct bench *b = *state;
	struct extent_report report;

	write_mib(b, 1, 2);
	write_mib(b, 5, 1);
	if (lseek(b->fd, 0, SEEK_HOLE) != 0)
		skip(); /* this file system does not tell */
	assert_int_equal(measure(b, 0).end_bytes, 0);
	assert_int_equal(measure(b, MIB).end_bytes, 3 * MIB);
	assert_int_equal(measure(b, 4 * MIB).end_bytes, 4 * MIB);
	assert_int_equal(measure(b, 5 * MIB).end_bytes, 6 * MIB);
	assert_int_equal(extent_measure_holes(b->fd, MIB, &report), 0);
	assert_int_equal(report.end_bytes, 3 * MIB);
	assert_int_equal(report.source, EXTENT_HOLES);
}

static void preallocated_space_does_not_count(void **state)
{
	struct bench *b = *state;

	write_mib(b, 0, 2);
	if (fallocate(b->fd, 0, 0, 8 * MIB) < 0)
		skip();
	struct extent_report report = measure(b, 0);
	if (report.source == EXTENT_HOLES)
		skip(); /* as tmpfs: it has no unwritten extents */
	assert_int_equal(report.end_bytes, 2 * MIB);
	write_mib(b, 2, 3);
	assert_int_equal(measure(b, 0).end_bytes, 5 * MIB);
}

static void many_extents_are_all_seen(void **state)
{
	struct bench *b = *state;
	uint64_t count = 1300; /* asked for 512 at a time */
	char block[4096] = "x";

	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(pwrite(b->fd, block, sizeof(block), (off_t)(i * 8192)), 4096);
	assert_int_equal(fdatasync(b->fd), 0);
	for (uint64_t i = 0; i < count; i++)
		assert_int_equal(
			pwrite(b->fd, block, sizeof(block), (off_t)(i * 8192 + 4096)), 4096);
	assert_int_equal(measure(b, 0).end_bytes, count * 8192);
}

static void what_is_no_file_is_an_error(void **state)
{
	struct extent_report report;

	(void)state;
	assert_int_equal(extent_measure(-1, 0, &report), -EBADF);
	assert_int_equal(extent_measure_holes(-1, 0, &report), -EBADF);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(only_what_is_really_written_counts),
		cmocka_unit_test_setup_teardown(
			a_written_file_counts_in_full_even_before_it_is_synced, set_up, tear_down),
		cmocka_unit_test_setup_teardown(nothing_lies_beyond_the_end, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			a_hole_ends_it_and_the_start_may_be_one, set_up, tear_down),
		cmocka_unit_test_setup_teardown(
			preallocated_space_does_not_count, set_up, tear_down),
		cmocka_unit_test_setup_teardown(many_extents_are_all_seen, set_up, tear_down),
		cmocka_unit_test(what_is_no_file_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
