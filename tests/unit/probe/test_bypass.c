/* SPDX-License-Identifier: Apache-2.0 */
/* Direct writes that go past the page cache, and others. */
#include "probe/temporary.h"

#include <errno.h>
#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include "probe/bypass.h"

#define BYTES 4096

static void btrfs_is_known_by_its_checksums_and_the_kernel(void **state)
{
	static const struct {
		struct bypass_facts facts;
		bool is_barred;
	} cases[] = {
		{ { BTRFS_SUPER_MAGIC, "rw,discard=async,subvol=/", 0, "6.15.0" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "6.15-rc1" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", FS_COMPR_FL, "6.100.1-arch1-1" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "7.0" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "7" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "10.1.2" }, true },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "6.14.99" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "6.2.15" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "6.1-amd64" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "5.15.0" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "6" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", 0, "linux" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw", FS_NOCOW_FL, "6.18.4" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw,nodatasum", 0, "6.18.4" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw,nodatasum,nodatacow", 0, "6.18.4" }, false },
		{ { BTRFS_SUPER_MAGIC, "rw,subvol=/nodatasum", 0, "6.18.4" }, true },
		{ { EXT4_SUPER_MAGIC, "rw", 0, "6.18.4" }, false },
		{ { XFS_SUPER_MAGIC, "rw", 0, "6.18.4" }, false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (bypass_is_barred(&cases[i].facts) != cases[i].is_barred)
			fail_msg("case %zu", i);
}

static int open_file(struct temporary *t, int flags)
{
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(t, "file", &path), O_RDWR | O_CREAT | O_CLOEXEC | flags, 0600);

	buf_done(&path);
	return fd;
}

static void write_blocks(int fd, uint8_t *blocks)
{
	for (size_t i = 0; i < 2 * BYTES; i++)
		blocks[i] = (uint8_t)(i * 7 + i / BYTES);
	assert_int_equal(pwrite(fd, blocks, 2 * BYTES, 0), 2 * BYTES);
	assert_int_equal(fsync(fd), 0);
}

/* Without O_DIRECT it is the cache that is written, on every file system. */
static void a_write_through_the_cache_is_seen_and_changes_nothing(void **state)
{
	struct temporary t;
	static uint8_t written[2 * BYTES];
	static uint8_t found[2 * BYTES];

	(void)state;
	temporary_open(&t);
	int fd = open_file(&t, 0);
	assert_true(fd >= 0);
	write_blocks(fd, written);
	assert_int_equal(bypass_try(fd, 0, BYTES), 0);
	assert_int_equal(bypass_try(fd, BYTES, BYTES), 0);
	assert_true(bypass_is_missing(fd, 0, BYTES));
	assert_int_equal(pread(fd, found, sizeof(found), 0), sizeof(found));
	assert_memory_equal(found, written, sizeof(written));
	assert_true(bypass_try(fd, 2 * BYTES, BYTES) < 0); /* nothing there: nothing written */
	assert_int_equal(lseek(fd, 0, SEEK_END), 2 * BYTES);
	fd_close(fd);
	temporary_close(&t);
}

static void a_direct_write_is_told_from_it(void **state)
{
	struct temporary t;
	struct statfs fs;
	static uint8_t written[2 * BYTES];
	static uint8_t found[2 * BYTES];

	(void)state;
	temporary_open(&t);
	int buffered_fd = open_file(&t, 0);
	int fd = open_file(&t, O_DIRECT);
	if (fd < 0 || fstatfs(fd, &fs) < 0 ||
		(fs.f_type != EXT4_SUPER_MAGIC && fs.f_type != XFS_SUPER_MAGIC))
		skip();
	write_blocks(buffered_fd, written);
	assert_int_equal(bypass_try(fd, BYTES, BYTES), 1);
	assert_int_equal(bypass_try(fd, 0, BYTES), 1);
	assert_false(bypass_is_missing(fd, 0, BYTES));
	assert_false(bypass_is_missing(fd, 0, 0));
	assert_int_equal(pread(buffered_fd, found, sizeof(found), 0), sizeof(found));
	assert_memory_equal(found, written, sizeof(written));
	fd_close(fd);
	fd_close(buffered_fd);
	temporary_close(&t);
}

static void what_cannot_be_tried_is_not_told(void **state)
{
	struct temporary t;
	int ends[2];

	(void)state;
	temporary_open(&t);
	assert_int_equal(pipe(ends), 0);
	assert_true(bypass_try(ends[0], 0, BYTES) < 0);
	assert_false(bypass_is_missing(ends[0], 0, BYTES));
	fd_close(ends[0]);
	fd_close(ends[1]);
	temporary_close(&t);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(btrfs_is_known_by_its_checksums_and_the_kernel),
		cmocka_unit_test(a_write_through_the_cache_is_seen_and_changes_nothing),
		cmocka_unit_test(a_direct_write_is_told_from_it),
		cmocka_unit_test(what_cannot_be_tried_is_not_told),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
