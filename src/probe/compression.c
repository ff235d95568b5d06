/* SPDX-License-Identifier: Apache-2.0 */
/* Gathers the signs of compression. */
#include "probe/compression.h"

#include <linux/fs.h>
#include <linux/magic.h>
#include <linux/stat.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>

#include "model/identity.h"
#include "probe/place.h"

#define ZFS_MAGIC 0x2fc12fc1UL
#define BCACHEFS_MAGIC 0xca451a4eUL
#define STAT_BLOCK_BYTES 512

/* File systems whose mount options show compression. An option counts when it has a value. */
static const struct {
	unsigned long magic;
	const char *option;
} options[] = {
	{ BTRFS_SUPER_MAGIC, "compress" },
	{ BTRFS_SUPER_MAGIC, "compress-force" },
	{ BCACHEFS_MAGIC, "compression" },
	{ BCACHEFS_MAGIC, "background_compression" },
};

static bool is_none(const char *value, size_t len)
{
	return len == 0 || (len == 4 && memcmp(value, "none", 4) == 0) ||
		(len == 2 && memcmp(value, "no", 2) == 0);
}

static bool is_mounted_to_compress(const struct compression_facts *f)
{
	size_t len;

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		if (options[i].magic != f->fs_magic)
			continue;
		const char *value = identity_find_option(f->fs_options, options[i].option, &len);
		if (value && !is_none(value, len))
			return true;
	}
	return false;
}

/* btrfs compresses only with copy on write. */
static bool is_exempt(uint32_t inode_flags)
{
	return (inode_flags & (FS_NOCOMP_FL | FS_NOCOW_FL)) != 0;
}

static bool lacks_blocks(const struct compression_facts *f)
{
	return f->allocated_bytes > 0 && f->allocated_bytes < f->written_bytes / 10 * 9;
}

bool compression_is_on(const struct compression_facts *facts)
{
	if (facts->has_compressed_extents || facts->is_marked ||
		(facts->inode_flags & FS_COMPR_FL) || facts->fs_magic == ZFS_MAGIC)
		return true;
	return lacks_blocks(facts) ||
		(is_mounted_to_compress(facts) && !is_exempt(facts->inode_flags));
}

bool compression_find(int fd, uint64_t written_bytes, bool has_compressed_extents)
{
	struct identity_options mount_options = { .fs = "" };
	struct statfs fs;
	struct stat st;

	if (fstatfs(fd, &fs) < 0 || fstat(fd, &st) < 0)
		return has_compressed_extents;
	place_read_options(fd, &mount_options);
	struct compression_facts facts = {
		.fs_magic = (unsigned long)fs.f_type,
		.fs_options = mount_options.fs,
		.inode_flags = place_inode_flags(fd),
		.is_marked = place_facts(fd).is_compressed,
		.has_compressed_extents = has_compressed_extents,
		.written_bytes = written_bytes,
		.allocated_bytes = (uint64_t)st.st_blocks * STAT_BLOCK_BYTES,
	};
	return compression_is_on(&facts);
}
