/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the blocks of a run with the requests sent to the device. */
#include "probe/split.h"

#include <stddef.h>
#include <unistd.h>

#include "base/fd.h"
#include "model/device.h"
#include "probe/sysfs.h"

/* requests ≥ 3/2 × bytes / block */
static bool are_requests_shorter(uint64_t requests, uint64_t bytes, uint32_t block_bytes)
{
	return (unsigned __int128)requests * block_bytes * 2 >= (unsigned __int128)bytes * 3;
}

static bool is_surely_cut(const struct split_facts *f, uint64_t bytes)
{
	if (f->request_max_bytes == 0 || f->block_bytes <= f->request_max_bytes)
		return false;
	return !f->has_counters ||
		(bytes >= f->own_bytes / 2 &&
			are_requests_shorter(
				f->counters.reads + f->counters.writes, bytes, f->block_bytes));
}

/* Small requests of others would look like parts of ours: the device must be almost idle. */
static bool is_seen_to_be_cut(const struct split_facts *f, uint64_t bytes)
{
	uint64_t writes = f->counts_twice ? f->counters.writes / 2 : f->counters.writes;

	if (f->scattered_max_bytes == 0 || f->block_bytes <= f->scattered_max_bytes ||
		!f->has_counters)
		return false;
	return bytes >= f->own_bytes / 2 && bytes / 4 * 3 <= f->own_bytes &&
		are_requests_shorter(f->counters.reads + writes, bytes, f->block_bytes);
}

bool split_is_found(const struct split_facts *facts)
{
	uint64_t bytes = facts->counters.read_bytes + facts->counters.write_bytes;

	return facts->own_bytes > 0 &&
		(is_surely_cut(facts, bytes) || is_seen_to_be_cut(facts, bytes));
}

uint64_t split_scattered_max_bytes(const char *sysfs, const struct device_info *device)
{
	uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	uint64_t least = 0;

	for (size_t i = 0; i < device->leaf_count; i++) {
		struct sysfs_number number = { device->leaves[i].major, device->leaves[i].minor };
		struct sysfs_block b;
		if (sysfs_open_block(sysfs, number, &b) < 0)
			continue;
		uint64_t bytes = sysfs_read_uint32(b.fd, "queue/max_segments") * page_bytes;
		if (bytes > 0 && (least == 0 || bytes < least))
			least = bytes;
		fd_close(b.fd);
	}
	return least;
}

bool split_read_counters(
	const char *diskstats, const struct device_info *device, struct disk_counters *ret)
{
	struct disk_counters sum = { 0 };

	for (size_t i = 0; i < device->leaf_count; i++) {
		const struct device_leaf *leaf = &device->leaves[i];
		struct disk_counters one;
		if (diskstats_find(diskstats, leaf->major, leaf->minor, &one, NULL) < 0)
			return false;
		diskstats_add(&sum, &one);
	}
	if (device->leaf_count == 0)
		return false;
	*ret = sum;
	return true;
}
