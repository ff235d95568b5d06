/* SPDX-License-Identifier: Apache-2.0 */
/* Determines, around a measurement, how far its numbers can be trusted: the flags cached?,
 * compressed?, split and, where direct I/O was accepted but writes are not direct, fallback. All of
 * it runs before or after the timed I/O. */
#ifndef REPOPROBE_PROBE_TRUST_H
#define REPOPROBE_PROBE_TRUST_H

#include "model/device.h"
#include "probe/cache.h"
#include "probe/split.h"

struct clock;
struct run;
struct target;

struct trust {
	const struct target *target; /* lent */
	const struct clock *clock;
	bool has_own_cache; /* of the file system */
	bool has_view;
	uint64_t resident_bytes; /* at the beginning, in the part in use */
	struct cache_meter meter; /* for the back end, unless I/O is direct */
	struct device_info device; /* leaf_count 0: none */
	struct split_facts split;
	struct disk_counters counters; /* at the beginning, if split.has_counters */
	uint64_t begin_nsec;
};

/* Just before the first I/O, with the target open for it and run->workload as carried out. Drops
 * the file from the page cache unless the run is to find it there. */
void trust_begin(
	struct trust *t, const struct target *target, const struct clock *clock, struct run *run);

/* After the last I/O. With I/Os outstanding, the repository is not accessed any more. */
void trust_end(struct trust *t, struct run *run);

#endif
