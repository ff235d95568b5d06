/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory answered instead of the disk: what of a file is in this host's page cache, and
 * what no disk can do. */
#ifndef REPOPROBE_PROBE_CACHE_H
#define REPOPROBE_PROBE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;

/* How much of a part of a file is in the page cache, in whole pages: by cachestat(2) of Linux 6.5,
 * else by mincore(2) on a mapping. Reads nothing of the file. Returns 0 or -errno when this file's
 * pages cannot be seen. */
int cache_look(int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes);
int cache_look_by_mincore(
	int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes);

/* Lets go of what is not dirty: of the whole file, or of a part with what is around it, up to the
 * next multiples of 2 MiB. For the kernel drops its units (large folios) only as a whole, and one
 * that reaches beyond what is to be dropped stays. */
void cache_drop_all(int fd);
void cache_drop_around(int fd, uint64_t start_bytes, uint64_t bytes);

/* What reads through the page cache found there. Zeroed at first; any thread may add. */
struct cache_meter {
	_Atomic uint64_t read_bytes;
	_Atomic uint64_t resident_bytes; /* of them, just before they were read */
};

/* Before a read: looks and adds. What cannot be seen is left out. */
void cache_meter_add(struct cache_meter *meter, int fd, uint64_t start_bytes, uint64_t bytes);

/* True when the page cache answered at least a tenth of the reads. What was read ahead of them is
 * among that: their latency was not the disk's. */
bool cache_meter_is_hit(const struct cache_meter *meter);

/* True when direct reads left a tenth of what they read in the page cache, or of the part of the
 * file that was used if that is less: then they went through it. */
bool cache_has_grown(
	uint64_t read_bytes, uint64_t part_bytes, uint64_t before_bytes, uint64_t after_bytes);

/* True for a file system that reads through a cache of its own, which nobody can look into or
 * empty: ZFS, but for direct I/O of 2.3 and later, which says to statx(2) what that must be aligned
 * to (statx_align_bytes; 0: it does not). */
bool cache_is_of_file_system(unsigned long fs_magic, bool is_direct, uint32_t statx_align_bytes);

/* The shortest time a disk can take for an I/O of so many bytes: 20 us for 512K (26 GB/s, twice
 * what PCIe 5.0 x4 carries), and never less than 5 us, which is the fastest there is (phase-change
 * memory on NVMe). The page cache takes 1 to 4 us for 4K. Source: field report 22. */
uint64_t cache_plausible_nsec(uint64_t bytes);

/* True when half of the reads or half of the writes of a run were faster than that. */
bool cache_is_too_fast(const struct run *run);

#endif
