/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a file system compresses what a run writes. If so, less data may reach the disk, and part
 * of the latency is CPU time. */
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
	uint64_t written_bytes; /* bytes of the file that have data, none of it compressible … */
	uint64_t allocated_bytes; /* … and bytes stored, by st_blocks; 0: not reported */
};

/* True when the file is marked for compression or holds compressed extents; when its file system is
 * mounted to compress (btrfs, bcachefs) and the file is not exempt; on ZFS, which compresses by
 * default and does not report it; or when less than nine tenths of the written bytes are stored, as
 * behind NFS. */
bool compression_is_on(const struct compression_facts *facts);

/* Gathers the facts of an open file and decides. What cannot be determined counts as no. */
bool compression_find(int fd, uint64_t written_bytes, bool has_compressed_extents);

#endif
