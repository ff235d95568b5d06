/* SPDX-License-Identifier: Apache-2.0 */
/* Whether direct writes bypass the page cache. Some file systems accept O_DIRECT but write through
 * the cache: btrfs since Linux 6.15 for files with checksums, ext4 with data=journal. */
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

/* True where direct writes are known to use the page cache: btrfs since Linux 6.15, on a file that
 * has checksums (neither chattr +C nor mounted nodatasum or nodatacow). */
bool bypass_is_barred(const struct bypass_facts *facts);

/* Writes a block of the file back unchanged and checks whether its page stays in the cache.
 * direct_fd: open for reading and writing with O_DIRECT; at_bytes: a multiple of the page size;
 * bytes: a power of two that direct I/O can do. Returns 1 when the write bypassed the cache, 0 when
 * it went through it, -errno when this cannot be determined: the file system cannot map files, no
 * memory may be locked, or an I/O failed. BYPASS_IOS reads and writes of this size reach the disk:
 * the page, the block, and the block again as a write. */
#define BYPASS_IOS 3
#define BYPASS_BYTES_MIN 4096 /* a page: no smaller block is tried */
int bypass_try(int direct_fd, uint64_t at_bytes, uint32_t bytes);

/* Decides by trial or, without one (bytes = 0) or when it is inconclusive, by bypass_is_barred.
 * Never true for ZFS, which uses its cache for mapped files. */
bool bypass_is_missing(int direct_fd, uint64_t at_bytes, uint32_t bytes);

#endif
