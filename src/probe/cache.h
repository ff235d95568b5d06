/* SPDX-License-Identifier: Apache-2.0 */
/* Whether memory served the I/O instead of the disk: how much of a file is in this host's page
 * cache, and which latencies no disk can reach. */
#ifndef REPOPROBE_PROBE_CACHE_H
#define REPOPROBE_PROBE_CACHE_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

struct run;

/* How much of a range of a file is in the page cache, in whole pages: by cachestat(2) since Linux
 * 6.5, else by mincore(2) on a mapping. Reads no file data. Returns 0, or -errno when residency of
 * this file cannot be queried. */
int cache_look(int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes);
int cache_look_by_mincore(
	int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes);

/* Drops clean pages: of the whole file, or of a range widened to multiples of 2 MiB. The kernel
 * drops large folios only as a whole, so one that extends beyond the range would stay. */
void cache_drop_all(int fd);
void cache_drop_around(int fd, uint64_t start_bytes, uint64_t bytes);

/* How much of the reads through the page cache was already cached. Zero-initialized; any thread may
 * add. */
struct cache_meter {
	_Atomic uint64_t read_bytes;
	_Atomic uint64_t resident_bytes; /* of read_bytes, resident just before the read */
};

/* Before a read: queries residency and adds it. Reads whose residency is unknown are left out. */
void cache_meter_add(struct cache_meter *meter, int fd, uint64_t start_bytes, uint64_t bytes);

/* True when the page cache served at least a tenth of the read bytes. This includes data that was
 * read ahead: its latency was not the disk's. */
bool cache_meter_is_hit(const struct cache_meter *meter);

/* True when direct reads left at least a tenth of what they read in the page cache, or a tenth of
 * the part of the file in use if that is less: then they went through it. */
bool cache_has_grown(
	uint64_t read_bytes, uint64_t part_bytes, uint64_t before_bytes, uint64_t after_bytes);

/* True for a file system that reads through its own cache, which cannot be inspected or dropped:
 * ZFS, except with direct I/O since 2.3, where statx(2) reports the alignment (statx_align_bytes;
 * 0: not reported). */
bool cache_is_of_file_system(unsigned long fs_magic, bool is_direct, uint32_t statx_align_bytes);

/* The shortest plausible time of a disk for an I/O of this size: 20 us for 512K (26 GB/s, twice the
 * rate of PCIe 5.0 x4), and at least 5 us, the fastest known (phase-change memory on NVMe). The
 * page cache takes 1 to 4 us for 4K. Source: field report 22. */
uint64_t cache_plausible_nsec(uint64_t bytes);

/* True when half of a run's reads or half of its writes were faster than that. */
bool cache_is_too_fast(const struct run *run);

#endif
