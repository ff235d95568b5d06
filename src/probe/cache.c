/* SPDX-License-Identifier: Apache-2.0 */
/* Reads page cache residency without changing it. */
#include "probe/cache.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "model/run.h"

#define ZFS_MAGIC 0x2fc12fc1UL
#define SYSCALL_CACHESTAT 451 /* Linux 6.5, the same on all architectures */
#define FOLIO_BYTES_MAX (UINT64_C(2) << 20)
#define WINDOW_BYTES (UINT64_C(64) << 20) /* mapped at once */
#define SHARE_THAT_COUNTS 10 /* a share of at least 1/10 counts */

#define PLAUSIBLE_NSEC 20000
#define PLAUSIBLE_BYTES (UINT64_C(512) << 10)
#define PLAUSIBLE_NSEC_MIN 5000
#define HALF 500000000 /* parts per billion */

/* As the kernel defines them. */
struct cachestat_range {
	uint64_t off;
	uint64_t len;
};

struct cachestat {
	uint64_t nr_cache;
	uint64_t nr_dirty;
	uint64_t nr_writeback;
	uint64_t nr_evicted;
	uint64_t nr_recently_evicted;
};

static uint64_t page_bytes(void)
{
	return (uint64_t)sysconf(_SC_PAGESIZE);
}

static int count_window(int fd, uint64_t at, uint64_t bytes, uint8_t *pages, uint64_t *count)
{
	uint64_t n = (bytes + page_bytes() - 1) / page_bytes();
	void *map = mmap(NULL, bytes, PROT_READ, MAP_SHARED, fd, (off_t)at);

	if (map == MAP_FAILED)
		return -errno;
	int r = mincore(map, bytes, pages) < 0 ? -errno : 0;
	(void)munmap(map, bytes); /* our own mapping */
	for (uint64_t i = 0; r == 0 && i < n; i++)
		*count += pages[i] & 1;
	return r;
}

int cache_look_by_mincore(
	int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes)
{
	uint64_t page = page_bytes();
	uint64_t end = start_bytes + bytes;
	uint64_t count = 0;
	int r = 0;
	uint8_t *pages = malloc(WINDOW_BYTES / page + 1);

	if (!pages)
		return -ENOMEM;
	for (uint64_t at = start_bytes / page * page; r == 0 && at < end; at += WINDOW_BYTES)
		r = count_window(
			fd, at, end - at < WINDOW_BYTES ? end - at : WINDOW_BYTES, pages, &count);
	free(pages);
	if (r == 0)
		*ret_resident_bytes = count * page;
	return r;
}

int cache_look(int fd, uint64_t start_bytes, uint64_t bytes, uint64_t *ret_resident_bytes)
{
	struct cachestat_range range = { .off = start_bytes, .len = bytes };
	struct cachestat stat = { 0 };

	if (bytes == 0) { /* 0 would mean "to the end" */
		*ret_resident_bytes = 0;
		return 0;
	}
	if (syscall(SYSCALL_CACHESTAT, fd, &range, &stat, 0) < 0)
		return cache_look_by_mincore(fd, start_bytes, bytes, ret_resident_bytes);
	*ret_resident_bytes = stat.nr_cache * page_bytes();
	return 0;
}

void cache_drop_all(int fd)
{
	/* Only advice: its effect is checked by cache_look. */
	(void)posix_fadvise(fd, 0, 0, POSIX_FADV_DONTNEED);
}

void cache_drop_around(int fd, uint64_t start_bytes, uint64_t bytes)
{
	uint64_t start = start_bytes / FOLIO_BYTES_MAX * FOLIO_BYTES_MAX;
	uint64_t end =
		(start_bytes + bytes + FOLIO_BYTES_MAX - 1) / FOLIO_BYTES_MAX * FOLIO_BYTES_MAX;

	(void)posix_fadvise(
		fd, (off_t)start, (off_t)(end - start), POSIX_FADV_DONTNEED); /* as above */
}

void cache_meter_add(struct cache_meter *meter, int fd, uint64_t start_bytes, uint64_t bytes)
{
	uint64_t resident_bytes;

	if (cache_look(fd, start_bytes, bytes, &resident_bytes) < 0)
		return;
	atomic_fetch_add(&meter->read_bytes, bytes);
	atomic_fetch_add(&meter->resident_bytes, resident_bytes);
}

bool cache_meter_is_hit(const struct cache_meter *meter)
{
	uint64_t resident_bytes = atomic_load(&meter->resident_bytes);

	return resident_bytes > 0 &&
		resident_bytes >= atomic_load(&meter->read_bytes) / SHARE_THAT_COUNTS;
}

bool cache_has_grown(
	uint64_t read_bytes, uint64_t part_bytes, uint64_t before_bytes, uint64_t after_bytes)
{
	uint64_t touched_bytes = read_bytes < part_bytes ? read_bytes : part_bytes;

	return touched_bytes > 0 && after_bytes > before_bytes &&
		after_bytes - before_bytes >= touched_bytes / SHARE_THAT_COUNTS;
}

bool cache_is_of_file_system(unsigned long fs_magic, bool is_direct, uint32_t statx_align_bytes)
{
	return fs_magic == ZFS_MAGIC && (!is_direct || statx_align_bytes == 0);
}

uint64_t cache_plausible_nsec(uint64_t bytes)
{
	uint64_t nsec = bytes * PLAUSIBLE_NSEC / PLAUSIBLE_BYTES;

	return nsec > PLAUSIBLE_NSEC_MIN ? nsec : PLAUSIBLE_NSEC_MIN;
}

bool cache_is_too_fast(const struct run *run)
{
	uint64_t bound_nsec = cache_plausible_nsec(run->workload.block_size_bytes);

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct histogram *h = &run->operations[i].latency;
		if (h->count > 0 && histogram_percentile_nsec(h, HALF) < bound_nsec)
			return true;
	}
	return false;
}
