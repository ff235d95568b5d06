/* SPDX-License-Identifier: Apache-2.0 */
/* The alignment that direct I/O on a file requires of offsets and lengths. */
#ifndef REPOPROBE_PROBE_ALIGNMENT_H
#define REPOPROBE_PROBE_ALIGNMENT_H

#include <stdint.h>

/* Returns the answer of statx(2) if there is one (0 means unknown: some kernels and ZFS return it
 * for files that take direct I/O), else the device's logical block size, else 0. */
uint32_t alignment_choose(uint32_t statx_bytes, uint32_t device_block_bytes);

/* Determines the alignment by reading from the start of a file that is open with O_DIRECT: the
 * smallest power of two, 512 to 64K, that works. Returns 0 or -errno; -EINVAL: none works. */
int alignment_try(int direct_fd, uint32_t *ret_bytes);

#endif
