/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file system compresses what a run writes. Then less than that may reach the disk, and
 * part of the time is the compressor's. */
#ifndef REPOPROBE_PROBE_COMPRESSION_H
#define REPOPROBE_PROBE_COMPRESSION_H

#include <stdbool.h>
#include <stdint.h>

struct compression_facts {
	unsigned long fs_magic; /* statfs(2) */
	const char *fs_options; /* of the file system, as in mountinfo: "rw,compress=zstd:3" */
	uint32_t inode_flags; /* FS_IOC_GETFLAGS; 0: none, or not known */
	bool is_marked; /* STATX_ATTR_COMPRESSED */
	bool has_compressed_extents; /* FIEMAP */
	uint64_t written_bytes; /* so much of the file has data, none of it compressible … */
	uint64_t
		allocated_bytes; /* … and this much is stored, says st_blocks; 0: it does not say */
};

/* The file is marked for compression or holds compressed extents; or its file system is mounted to
 * compress (btrfs, bcachefs) and the file is not exempt; or it is ZFS, which compresses by default
 * and does not let us see; or less than nine tenths of what was written is stored, as behind
 * NFS. */
bool compression_is_on(const struct compression_facts *facts);

/* Gathers the facts of an open file and decides. What cannot be found out counts as no. */
bool compression_find(int fd, uint64_t written_bytes, bool has_compressed_extents);

#endif
