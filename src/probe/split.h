/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the block layer cut a run's requests, so that one I/O here was several on the device. */
#ifndef REPOPROBE_PROBE_SPLIT_H
#define REPOPROBE_PROBE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/diskstats.h"

struct device_info;

struct split_facts {
	uint32_t block_bytes;
	/* What the queues on the way allow in one request: max_sectors_kb, and max_segments pages
	 * when no two pages of a buffer are neighbours in memory. 0: not known. */
	uint32_t request_max_bytes;
	uint64_t scattered_max_bytes;
	bool counts_twice; /* as device_counts_synced_twice, and the writes were synced */
	uint64_t own_bytes; /* moved by the run; the warm-up may be missing */
	bool has_counters;
	struct disk_counters counters; /* of the leaves, during the run; also what others did */
};

/* A block longer than request_max_bytes is cut, unless the counters say that fewer than three
 * requests came for two blocks, or that not half of the bytes came at all (a cache answered). A
 * block longer than scattered_max_bytes may be: it is when the counters say so, and next to nobody
 * else used the device. */
bool split_is_found(const struct split_facts *facts);

/* max_segments of the leaves' queues, times a page; 0: not known. sysfs: "/sys" or a test's copy.
 */
uint64_t split_scattered_max_bytes(const char *sysfs, const struct device_info *device);

/* Sums up the leaves' counters. diskstats: the text of /proc/diskstats. False: not known. */
bool split_read_counters(
	const char *diskstats, const struct device_info *device, struct disk_counters *ret);

#endif
