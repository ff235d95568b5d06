/* SPDX-License-Identifier: Apache-2.0 */
/* Examines the file before and after the measurement, and sets the flags. */
#include "probe/trust.h"

#include <fcntl.h>
#include <string.h>
#include <sys/statfs.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "model/run.h"
#include "probe/bypass.h"
#include "probe/compression.h"
#include "probe/device.h"
#include "probe/header.h"
#include "probe/place.h"
#include "probe/target.h"

#define SYSFS "/sys"
#define DISKSTATS_MAX (UINT32_C(4) << 20)

static bool is_synced(const struct target *target, const struct workload *w)
{
	return target->is_fallback || w->cache == WORKLOAD_DSYNC ||
		w->cache == WORKLOAD_DIRECT_DSYNC;
}

static bool look(const struct trust *t, const struct workload *w, uint64_t *ret)
{
	return cache_look(t->target->io_fd, HEADER_DATA_OFFSET, w->file_size_bytes, ret) == 0;
}

static bool read_counters(const struct device_info *device, struct disk_counters *ret)
{
	struct buf b = BUF_INIT(DISKSTATS_MAX);
	bool is_read = device->leaf_count > 0 && fd_read_file("/proc/diskstats", &b) == 0 &&
		split_read_counters(buf_text(&b), device, ret);

	buf_done(&b);
	return is_read;
}

static bool has_own_cache(const struct target *target)
{
	struct statfs fs;

	return fstatfs(target->io_fd, &fs) == 0 &&
		cache_is_of_file_system((unsigned long)fs.f_type, target->is_direct,
			place_facts(target->io_fd).direct_align_bytes);
}

/* The trial uses the first block that is laid out. An in-memory file system always uses the page
 * cache. */
static void begin_bypass(const struct trust *t, struct run *run)
{
	const struct target *target = t->target;
	uint32_t bytes = run->identity.sector_bytes > BYPASS_BYTES_MIN ? run->identity.sector_bytes
								       : BYPASS_BYTES_MIN;

	if (!target->is_direct || !workload_writes(&run->workload) ||
		target->directory.place->is_in_memory)
		return;
	if (target->written_bytes < HEADER_DATA_OFFSET + bytes)
		bytes = 0;
	run->own.ios += bytes > 0 ? BYPASS_IOS : 0;
	run->own.bytes += (uint64_t)bytes * BYPASS_IOS;
	run->own.written_bytes += bytes;
	if (!bypass_is_missing(target->io_fd, HEADER_DATA_OFFSET, bytes))
		return;
	run->trust &= ~(uint32_t)RUN_TRUST_DIRECT;
	run->trust |= RUN_TRUST_BUFFERED | RUN_TRUST_FALLBACK;
}

static void begin_cache(struct trust *t, const struct workload *w)
{
	int fd = t->target->io_fd;

	t->has_own_cache = has_own_cache(t->target);
	if (t->target->is_direct || t->target->is_fallback)
		cache_drop_all(fd);
	if (t->target->is_fallback) /* read-ahead would fill the cache before the reads */
		(void)posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
	t->has_view = look(t, w, &t->resident_bytes);
}

static void begin_split(struct trust *t, const struct run *run)
{
	const struct workload *w = &run->workload;
	dev_t device = place_block_device(t->target->lock_fd, &run->identity);

	if (device_find(SYSFS, device, &t->device) < 0)
		return;
	t->split = (struct split_facts){
		.block_bytes = w->block_size_bytes,
		.request_max_bytes = t->device.request_max_bytes,
		.scattered_max_bytes = split_scattered_max_bytes(SYSFS, &t->device),
		.counts_twice = is_synced(t->target, w) && device_counts_synced_twice(&t->device),
		.has_counters = read_counters(&t->device, &t->counters),
	};
}

void trust_begin(
	struct trust *t, const struct target *target, const struct clock *clock, struct run *run)
{
	memset(t, 0, sizeof(*t));
	t->target = target;
	t->clock = clock;
	if (compression_find(target->lock_fd, target->written_bytes, target->is_compressed))
		run->trust |= RUN_TRUST_COMPRESSED;
	begin_bypass(t, run); /* leaves pages in the cache */
	begin_cache(t, &run->workload);
	begin_split(t, run);
	t->begin_nsec = clock_monotonic_nsec(clock);
}

static bool is_cached(const struct trust *t, const struct run *run)
{
	uint64_t read_bytes = run->operations[RUN_READ].bytes;
	uint64_t resident_bytes;

	if (cache_is_too_fast(run) || cache_meter_is_hit(&t->meter) ||
		(t->has_own_cache && read_bytes > 0))
		return true;
	return t->target->is_direct && run->outstanding_ios == 0 && t->has_view &&
		look(t, &run->workload, &resident_bytes) &&
		cache_has_grown(read_bytes, run->workload.file_size_bytes, t->resident_bytes,
			resident_bytes);
}

static bool is_split(struct trust *t, const struct run *run)
{
	struct split_facts *f = &t->split;
	uint64_t interval_nsec = clock_monotonic_nsec(t->clock) - t->begin_nsec;
	struct disk_counters later;

	f->own_bytes = run->operations[RUN_READ].bytes + run->operations[RUN_WRITE].bytes;
	f->has_counters = f->has_counters && read_counters(&t->device, &later) &&
		diskstats_difference(&t->counters, &later, (unsigned)t->device.leaf_count,
			interval_nsec, &f->counters) == 0;
	return split_is_found(f);
}

void trust_end(struct trust *t, struct run *run)
{
	if (is_cached(t, run))
		run->trust |= RUN_TRUST_CACHED;
	if (is_split(t, run))
		run->trust |= RUN_TRUST_SPLIT;
}
