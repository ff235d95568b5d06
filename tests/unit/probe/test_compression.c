/* SPDX-License-Identifier: Apache-2.0 */
/* When a file system is said to compress. */
#include "probe/temporary.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <sys/statfs.h>

#include "probe/compression.h"

#define ZFS_MAGIC 0x2fc12fc1UL
#define BCACHEFS_MAGIC 0xca451a4eUL
#define MIB (UINT64_C(1) << 20)

#define FACTS(magic, options, ...)                                                                 \
	{                                                                                          \
		.fs_magic = (magic), .fs_options = (options), __VA_ARGS__                          \
	}

static void file_systems_that_compress_are_told_from_others(void **state)
{
	static const struct {
		struct compression_facts facts;
		bool is_on;
	} cases[] = {
		{ FACTS(EXT4_SUPER_MAGIC, "rw"), false },
		{ FACTS(XFS_SUPER_MAGIC, "rw,inode64,logbufs=8,logbsize=32k,noquota"), false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,discard=async,space_cache=v2,subvolid=5,subvol=/"),
			false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress=zstd:3,space_cache=v2"), true },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress-force=lzo"), true },
		{ FACTS(BTRFS_SUPER_MAGIC, "compress=zlib"), true },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress=no"), false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress=none"), false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,subvol=/compress=zstd"), false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress=zstd:3", .inode_flags = FS_NOCOW_FL),
			false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw,compress=zstd:3", .inode_flags = FS_NOCOMP_FL),
			false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw", .inode_flags = FS_COMPR_FL), true },
		{ FACTS(F2FS_SUPER_MAGIC, "rw,compress_algorithm=lz4"),
			false }, /* only marked files */
		{ FACTS(F2FS_SUPER_MAGIC, "rw,compress_algorithm=lz4", .inode_flags = FS_COMPR_FL),
			true },
		{ FACTS(BCACHEFS_MAGIC, "rw,compression=lz4"), true },
		{ FACTS(BCACHEFS_MAGIC, "rw,background_compression=zstd"), true },
		{ FACTS(BCACHEFS_MAGIC, "rw,compression=none"), false },
		{ FACTS(EXT4_SUPER_MAGIC, "rw,compression=lz4"), false }, /* not an option of its */
		{ FACTS(ZFS_MAGIC, "rw,xattr,noacl"), true },
		{ FACTS(0x7366746e, "rw", .is_marked = true), true }, /* ntfs3 */
		{ FACTS(NFS_SUPER_MAGIC, "rw,vers=4.2"), false },
		{ FACTS(NFS_SUPER_MAGIC, "rw,vers=4.2", .written_bytes = 100 * MIB,
			  .allocated_bytes = 89 * MIB),
			true },
		{ FACTS(NFS_SUPER_MAGIC, "rw,vers=4.2", .written_bytes = 100 * MIB,
			  .allocated_bytes = 90 * MIB),
			false },
		{ FACTS(FUSE_SUPER_MAGIC, "rw", .written_bytes = 100 * MIB, .allocated_bytes = 0),
			false },
		{ FACTS(BTRFS_SUPER_MAGIC, "rw", .has_compressed_extents = true), true },
		{ FACTS(0, ""), false },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (compression_is_on(&cases[i].facts) != cases[i].is_on)
			fail_msg("case %zu: %s", i, cases[i].facts.fs_options);
}

static void a_file_is_looked_at(void **state)
{
	struct temporary t;
	struct statfs fs;
	char data[8192] = "x";

	(void)state;
	temporary_open(&t);
	temporary_write(&t, "file", "");
	struct buf path = BUF_INIT(TEMPORARY_PATH_MAX);
	int fd = open(temporary_name(&t, "file", &path), O_RDWR | O_CLOEXEC);
	buf_done(&path);
	assert_true(fd >= 0);
	assert_int_equal(write(fd, data, sizeof(data)), sizeof(data));
	assert_int_equal(fdatasync(fd), 0);
	assert_true(compression_find(fd, sizeof(data), true));
	assert_int_equal(fstatfs(fd, &fs), 0);
	if (fs.f_type == EXT4_SUPER_MAGIC || fs.f_type == XFS_SUPER_MAGIC)
		assert_false(compression_find(fd, sizeof(data), false));
	assert_true(compression_find(fd, MIB, false)); /* so much was not stored */
	fd_close(fd);
	temporary_close(&t);
	assert_false(compression_find(-1, 0, false));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(file_systems_that_compress_are_told_from_others),
		cmocka_unit_test(a_file_is_looked_at),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
