/* SPDX-License-Identifier: Apache-2.0 */
/* What offsets and lengths of direct I/O on a file must be multiples of. */
#ifndef REPOPROBE_PROBE_ALIGNMENT_H
#define REPOPROBE_PROBE_ALIGNMENT_H

#include <stdint.h>

/* The answer of statx(2) if it is one (0 means unknown: some kernels and ZFS say so of files that
 * take direct I/O), else the device's logical block size, else 0. */
uint32_t alignment_choose(uint32_t statx_bytes, uint32_t device_block_bytes);

/* Finds out by reading from the start of a file that is open with O_DIRECT: the smallest power of
 * two, 512 to 64K, that it takes. Returns 0 or -errno; -EINVAL: it takes none. */
int alignment_try(int direct_fd, uint32_t *ret_bytes);

#endif
