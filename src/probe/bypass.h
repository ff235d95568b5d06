/* SPDX-License-Identifier: Apache-2.0 */
/* Whether direct writes go past the page cache. Some file systems take O_DIRECT and write through
 * the cache all the same: btrfs from Linux 6.15 on where it keeps checksums, ext4 with
 * data=journal. */
#ifndef REPOPROBE_PROBE_BYPASS_H
#define REPOPROBE_PROBE_BYPASS_H

#include <stdbool.h>
#include <stdint.h>

struct bypass_facts {
	unsigned long fs_magic; /* statfs(2) */
	const char *fs_options; /* of the file system, as in mountinfo */
	uint32_t inode_flags; /* FS_IOC_GETFLAGS; 0: none, or not known */
	const char *kernel_release; /* uname(2): "6.15.2-arch1" */
};

/* True where it is known that direct writes take the page cache: btrfs, from Linux 6.15 on, with a
 * file that has checksums (neither chattr +C nor mounted nodatasum or nodatacow). */
bool bypass_is_barred(const struct bypass_facts *facts);

/* Writes a block of the file back as it is, and looks what becomes of its page in the cache.
 * direct_fd: open for reading and writing with O_DIRECT; at_bytes: a multiple of the page size;
 * bytes: a power of two that direct I/O can do. Returns 1 when the write went past the cache, 0
 * when it went through it, -errno when that cannot be told: a file system that maps no files, no
 * memory that may be locked, an I/O that failed. */
int bypass_try(int direct_fd, uint64_t at_bytes, uint32_t bytes);

/* By trial or, where there is none (bytes = 0: not wanted) or it does not tell, by what is known.
 * Never true of ZFS, which takes its cache for a file that is mapped. */
bool bypass_is_missing(int direct_fd, uint64_t at_bytes, uint32_t bytes);

#endif
