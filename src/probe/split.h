/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the block layer split a run's I/Os into several requests to the device. */
#ifndef REPOPROBE_PROBE_SPLIT_H
#define REPOPROBE_PROBE_SPLIT_H

#include <stdbool.h>
#include <stdint.h>

#include "model/diskstats.h"

struct device_info;

struct split_facts {
	uint32_t block_bytes;
	/* The largest request that the queues allow: by max_sectors_kb; and by max_segments, for a
	 * buffer without adjacent pages in memory. 0: not known. */
	uint32_t request_max_bytes;
	uint64_t scattered_max_bytes;
	bool counts_twice; /* as device_counts_synced_twice, and the writes were synced */
	uint64_t own_bytes; /* bytes of the run; the warm-up may be missing */
	bool has_counters;
	struct disk_counters counters; /* of the leaves, during the run; includes I/O of others */
};

/* A block longer than request_max_bytes is split, unless the counters show fewer than three
 * requests for two blocks, or less than half of the bytes (a cache answered). A block longer than
 * scattered_max_bytes may be split: it is if the counters show it and almost nobody else used the
 * device. */
bool split_is_found(const struct split_facts *facts);

/* max_segments of the leaves' queues, times the page size; 0: not known. sysfs: "/sys" or a test's
 * copy. */
uint64_t split_scattered_max_bytes(const char *sysfs, const struct device_info *device);

/* Sums up the leaves' counters. diskstats: the text of /proc/diskstats. False: not known. */
bool split_read_counters(
	const char *diskstats, const struct device_info *device, struct disk_counters *ret);

#endif
