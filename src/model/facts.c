/* SPDX-License-Identifier: Apache-2.0 */
/* Computes others' I/O from counters. */
#include "model/facts.h"

#include "base/clock.h"

#define INTERVAL_MIN_NSEC NSEC_PER_SEC /* in a shorter one a single request seems a rate */
#define REQUEST_MIN_BYTES 512 /* no request is smaller */

/* I/O in one direction or both. */
struct work {
	uint64_t bytes;
	uint64_t ios;
};

static uint64_t subtract_floor(uint64_t a, uint64_t b)
{
	return a > b ? a - b : 0;
}

static uint64_t multiply_divide(uint64_t a, uint64_t b, uint64_t divisor)
{
	unsigned __int128 v = ((unsigned __int128)a * b + divisor / 2) / divisor;

	return v > UINT64_MAX ? UINT64_MAX : (uint64_t)v;
}

int facts_sample_disk(struct facts_sample *sample, const char *diskstats,
	const struct device_info *device, struct error *reterr)
{
	struct disk_counters disk;
	struct disk_counters leaves = { 0 };

	int r = diskstats_find(diskstats, device->major, device->minor, &disk, reterr);
	for (size_t i = 0; r == 0 && i < device->leaf_count; i++) {
		const struct device_leaf *leaf = &device->leaves[i];
		struct disk_counters c;
		r = diskstats_find(diskstats, leaf->major, leaf->minor, &c, reterr);
		if (r == 0)
			diskstats_add(&leaves, &c);
	}
	if (r < 0)
		return r;
	sample->disk = disk;
	sample->leaves = leaves;
	sample->has_disk = true;
	return 0;
}

/* Requests as counted by a queue that takes at most request_max_bytes at once (0: any). */
static struct work work_cut(struct work w, uint64_t request_max_bytes)
{
	if (request_max_bytes > 0 && w.ios < w.bytes / request_max_bytes)
		w.ios = w.bytes / request_max_bytes;
	return w;
}

static struct work work_of_own(const struct device_info *device, const struct facts_own *own)
{
	struct work w = { .bytes = own->bytes, .ios = own->ios };

	if (!device_is_stacked(device))
		w = work_cut(w, device->request_max_bytes);
	if (device_counts_synced_twice(device))
		w.ios += own->synced_writes;
	return w;
}

/* The difference from a total. Requests of ours that were split in unknown ways are not others'
 * work: the rest is limited to the requests its bytes allow. */
static struct work work_left(struct work total, struct work minus)
{
	struct work w = {
		.bytes = subtract_floor(total.bytes, minus.bytes),
		.ios = subtract_floor(total.ios, minus.ios),
	};

	if (w.ios > w.bytes / REQUEST_MIN_BYTES)
		w.ios = w.bytes / REQUEST_MIN_BYTES;
	return w;
}

/* I/O of the leaves in one direction that did not come through the device: other partitions, other
 * volumes. */
static struct work work_beside(
	const struct device_info *device, struct work leaves, struct work through, uint64_t copies)
{
	through.bytes *= copies;
	through.ios *= copies;
	return work_left(leaves, work_cut(through, device->request_max_bytes));
}

static void add_beside(const struct device_info *device, const struct disk_counters *disk,
	const struct disk_counters *leaves, struct work *others)
{
	struct work reads = work_beside(device, (struct work){ leaves->read_bytes, leaves->reads },
		(struct work){ disk->read_bytes, disk->reads }, 1);
	struct work writes =
		work_beside(device, (struct work){ leaves->write_bytes, leaves->writes },
			(struct work){ disk->write_bytes, disk->writes }, device->write_copies);

	others->bytes += reads.bytes + writes.bytes;
	others->ios += reads.ios + writes.ios;
}

static uint64_t mean_nsec(uint64_t msec, uint64_t count)
{
	return count > 0 ? multiply_divide(msec, NSEC_PER_MSEC, count) : 0;
}

static void set_rates(struct facts *f, struct work others)
{
	f->has_counters = true;
	f->others_bytes_per_sec = multiply_divide(others.bytes, NSEC_PER_SEC, f->interval_nsec);
	f->others_ios_per_sec = multiply_divide(others.ios, NSEC_PER_SEC, f->interval_nsec);
}

static void set_disk(struct facts *f, const struct device_info *device,
	const struct facts_sample *earlier, const struct facts_sample *later,
	const struct facts_own *own)
{
	struct disk_counters disk;
	struct disk_counters leaves;

	if (diskstats_difference(&earlier->disk, &later->disk, 1, f->interval_nsec, &disk) < 0 ||
		diskstats_difference(&earlier->leaves, &later->leaves, (unsigned)device->leaf_count,
			f->interval_nsec, &leaves) < 0)
		return;
	struct work others = work_left(
		(struct work){ disk.read_bytes + disk.write_bytes, disk.reads + disk.writes },
		work_of_own(device, own));
	if (device->has_all_leaves && device->write_copies > 0)
		add_beside(device, &disk, &leaves, &others);
	set_rates(f, others);
	f->busy_basis_points = (uint32_t)multiply_divide(
		disk.io_time_msec * NSEC_PER_MSEC, 10000, f->interval_nsec);
	f->request_nsec =
		mean_nsec(disk.reading_msec + disk.writing_msec, disk.reads + disk.writes);
}

static uint64_t request_max_of_nfs(const struct nfs_counters *c)
{
	return c->read_max_bytes < c->write_max_bytes ? c->read_max_bytes : c->write_max_bytes;
}

static void set_nfs(struct facts *f, const struct facts_sample *earlier,
	const struct facts_sample *later, const struct facts_own *own)
{
	struct nfs_counters d;

	if (mountstats_difference(&earlier->nfs, &later->nfs, f->interval_nsec, &d) < 0)
		return;
	uint64_t operations = d.read.operations + d.write.operations;
	uint64_t round_trip_msec = d.read.round_trip_msec + d.write.round_trip_msec;
	uint64_t execute_msec = d.read.execute_msec + d.write.execute_msec;
	struct work total = { d.server_read_bytes + d.server_write_bytes, operations };
	struct work ours = { own->bytes, own->ios };
	set_rates(f, work_left(total, work_cut(ours, request_max_of_nfs(&d))));
	f->request_nsec = mean_nsec(round_trip_msec, operations);
	f->client_nsec = mean_nsec(subtract_floor(execute_msec, round_trip_msec), operations);
	f->retransmissions =
		subtract_floor(d.read.transmissions + d.write.transmissions, operations);
}

static bool set_share(uint64_t from_usec, uint64_t to_usec, uint64_t interval_nsec, uint32_t *ret)
{
	if (to_usec < from_usec || to_usec - from_usec > UINT64_MAX / NSEC_PER_USEC)
		return false;
	uint64_t share =
		multiply_divide((to_usec - from_usec) * NSEC_PER_USEC, PRESSURE_ALL, interval_nsec);
	*ret = share > PRESSURE_ALL ? PRESSURE_ALL : (uint32_t)share;
	return true;
}

static void set_pressure(
	struct facts *f, const struct facts_sample *earlier, const struct facts_sample *later)
{
	const struct pressure *from = &earlier->pressure;
	const struct pressure *to = &later->pressure;

	f->has_pressure = earlier->has_pressure && later->has_pressure &&
		set_share(from->some.total_usec, to->some.total_usec, f->interval_nsec,
			&f->pressure_some_basis_points) &&
		set_share(from->full.total_usec, to->full.total_usec, f->interval_nsec,
			&f->pressure_full_basis_points);
}

struct facts facts_between(const struct device_info *device, const struct facts_sample *earlier,
	const struct facts_sample *later, const struct facts_own *own)
{
	struct facts f = { 0 };

	if (later->monotonic_nsec < earlier->monotonic_nsec + INTERVAL_MIN_NSEC)
		return f;
	f.interval_nsec = later->monotonic_nsec - earlier->monotonic_nsec;
	set_pressure(&f, earlier, later);
	if (!own)
		return f;
	if (device && device->leaf_count > 0 && earlier->has_disk && later->has_disk)
		set_disk(&f, device, earlier, later, own);
	else if (!device && earlier->has_nfs && later->has_nfs)
		set_nfs(&f, earlier, later, own);
	return f;
}

struct facts facts_without_counters(const struct facts *facts)
{
	return (struct facts){
		.interval_nsec = facts->interval_nsec,
		.has_pressure = facts->has_pressure,
		.pressure_some_basis_points = facts->pressure_some_basis_points,
		.pressure_full_basis_points = facts->pressure_full_basis_points,
	};
}

bool facts_is_busy(const struct facts *facts)
{
	return facts->has_counters &&
		(facts->others_bytes_per_sec >= FACTS_BUSY_BYTES_PER_SEC ||
			facts->others_ios_per_sec >= FACTS_BUSY_IOS_PER_SEC);
}
