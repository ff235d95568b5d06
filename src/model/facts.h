/* SPDX-License-Identifier: Apache-2.0 */
/* What the host saw on a repository's device while a run went on, our own I/O subtracted. Samples
 * are taken every FACTS_INTERVAL_NSEC and at the end of each run; a run is seen through the samples
 * around it. Pure: no clock, no files. */
#ifndef REPOPROBE_MODEL_FACTS_H
#define REPOPROBE_MODEL_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/device.h"
#include "model/diskstats.h"
#include "model/mountstats.h"
#include "model/pressure.h"

struct error;

#define FACTS_INTERVAL_NSEC UINT64_C(10000000000)
#define FACTS_LEAD_NSEC UINT64_C(30000000000) /* looked at before a run: alarms.md, section 4 */
#define FACTS_SAMPLES 64 /* more than ten minutes */
#define FACTS_SPANS 256 /* of our own runs: two a second on one disk in the time looked at */

struct facts {
	bool has_counters; /* false: nothing of the next block is known */
	uint64_t others_bytes_per_sec;
	uint64_t others_ios_per_sec;
	/* Evidence for a reader, never a gate; our own I/O is in it. */
	uint64_t interval_nsec; /* between the samples */
	uint32_t busy_basis_points; /* of the interval the device had a request; 0 for NFS */
	uint64_t request_nsec; /* mean time of a request in the device, or of an NFS round trip */
	uint64_t client_nsec; /* NFS: mean time that a request spent in this client beside it */
	uint64_t retransmissions; /* NFS */

	bool has_pressure; /* host wide */
	uint32_t pressure_some_basis_points; /* of the interval */
	uint32_t pressure_full_basis_points;
};

/* Whether others are at work, by the rule for as long as nobody knows what is usual here: what is
 * not known counts as idle. */
#define FACTS_BUSY_BYTES_PER_SEC UINT64_C(10000000)
#define FACTS_BUSY_IOS_PER_SEC 50
bool facts_is_busy(const struct facts *facts);

/* One reading of everything, at one moment. */
struct facts_sample {
	uint64_t monotonic_nsec;
	bool has_disk;
	struct disk_counters disk; /* of the file system's own device */
	struct disk_counters leaves; /* of its leaves, summed up */
	bool has_nfs;
	struct nfs_counters nfs;
	bool has_pressure;
	struct pressure pressure;
};

/* I/O of our own, all of it: warm-up, layout and growth of the probe file included. */
struct facts_own {
	uint64_t bytes;
	uint64_t ios;
	uint64_t synced_writes; /* those of the I/Os that were writes with O_DSYNC */
	uint64_t written_bytes; /* those of the bytes; for the budget, of no use for counters */
};

/* Our own I/O by one run. */
struct facts_span {
	uint64_t begin_nsec; /* monotonic */
	uint64_t end_nsec;
	bool is_known; /* false: a killed or stuck worker has not told */
	struct facts_own own;
};

/* Fills in has_disk, disk and leaves from /proc/diskstats. Returns 0, -ENOENT or -EBADMSG. */
int facts_sample_disk(struct facts_sample *sample, const char *diskstats,
	const struct device_info *device, struct error *reterr);

/* What others did between two samples. device is that of the samples (NULL: none, NFS or nothing);
 * own is our I/O in between (NULL: unknown). Whatever is doubtful gives has_counters = false: a
 * sample without counters, an interval below a second, counters that went back. A request of ours
 * that the block layer or the NFS client cuts counts as its parts; on mirrors writes count once. */
struct facts facts_between(const struct device_info *device, const struct facts_sample *earlier,
	const struct facts_sample *later, const struct facts_own *own);

/* The same, but for what the counters said. */
struct facts facts_without_counters(const struct facts *facts);

/* The latest samples and runs of one repository; a caller's storage, zeroed. Too big for a stack.
 */
struct facts_ring {
	bool has_device;
	struct device_info device;
	size_t sample_count; /* ever added; the newest FACTS_SAMPLES are kept */
	struct facts_sample samples[FACTS_SAMPLES];
	size_t span_count; /* likewise */
	struct facts_span spans[FACTS_SPANS];
};

/* Says on what device the repository is (NULL: none). Another than before forgets the samples. */
void facts_ring_set_device(struct facts_ring *ring, const struct device_info *device);

/* Adds a sample; one that is not newer than the last is dropped. */
void facts_ring_add(struct facts_ring *ring, const struct facts_sample *sample);

/* Adds our own I/O of a run on this repository or on one that shares a disk with it. */
void facts_ring_add_span(struct facts_ring *ring, const struct facts_span *span);

/* What others did lately, up to the newest sample; unknown when that is not of late. */
struct facts facts_ring_recent(const struct facts_ring *ring, uint64_t now_nsec);

/* What others did around a run from FACTS_LEAD_NSEC before its begin (or the first sample after
 * that which is not after the begin) to the first sample at or after its end. The run's own span
 * must have been added. No counters when there is no such sample near enough, when the ring does
 * not reach back far enough, or when a span in between is not known. */
struct facts facts_ring_around(
	const struct facts_ring *ring, uint64_t begin_nsec, uint64_t end_nsec);

#endif
