/* SPDX-License-Identifier: Apache-2.0 */
/* I/O of others on a repository's device during a run: the host's counters minus our own I/O.
 * Samples are taken every FACTS_INTERVAL_NSEC and at the end of each run; a run is covered by the
 * samples around it. Pure: no clock, no files. */
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
#define FACTS_LEAD_NSEC UINT64_C(30000000000) /* examined before a run: alarms.md, section 4 */
#define FACTS_SAMPLES 64 /* more than ten minutes */
#define FACTS_SPANS 256 /* of our own runs: two per second on one disk in the examined time */

struct facts {
	bool has_counters; /* false: the fields of the next block are unknown */
	uint64_t others_bytes_per_sec;
	uint64_t others_ios_per_sec;
	/* Evidence for a reader, never part of a decision; includes our own I/O. */
	uint64_t interval_nsec; /* between the samples */
	uint32_t busy_basis_points; /* of the interval with a request in the device; 0 for NFS */
	uint64_t request_nsec; /* mean time of a request in the device, or of an NFS round trip */
	uint64_t client_nsec; /* NFS: mean time that a request spent in this client in addition */
	uint64_t retransmissions; /* NFS */

	bool has_pressure; /* host wide */
	uint32_t pressure_some_basis_points; /* of the interval */
	uint32_t pressure_full_basis_points;
};

/* Whether others are at work, by fixed thresholds until the usual load of the repository is known:
 * unknown counts as idle. */
#define FACTS_BUSY_BYTES_PER_SEC UINT64_C(10000000)
#define FACTS_BUSY_IOS_PER_SEC 50
bool facts_is_busy(const struct facts *facts);

/* One reading of all counters at one moment. */
struct facts_sample {
	uint64_t monotonic_nsec;
	bool has_disk;
	struct disk_counters disk; /* of the file system's own device */
	struct disk_counters leaves; /* of its leaves, added up */
	bool has_nfs;
	struct nfs_counters nfs;
	bool has_pressure;
	struct pressure pressure;
};

/* All I/O of our own, including warm-up, layout and growth of the probe file. */
struct facts_own {
	uint64_t bytes;
	uint64_t ios;
	uint64_t synced_writes; /* those of the I/Os that were O_DSYNC writes */
	uint64_t written_bytes; /* those of the bytes; for the budget, not for the counters */
};

/* Our own I/O by one run. */
struct facts_span {
	uint64_t begin_nsec; /* monotonic */
	uint64_t end_nsec;
	bool is_known; /* false: a killed or stuck worker did not report it */
	struct facts_own own;
};

/* Fills in has_disk, disk and leaves from /proc/diskstats. Returns 0, -ENOENT or -EBADMSG. */
int facts_sample_disk(struct facts_sample *sample, const char *diskstats,
	const struct device_info *device, struct error *reterr);

/* I/O of others between two samples. device is that of the samples (NULL: none, NFS or nothing);
 * own is our I/O in between (NULL: unknown). Anything doubtful gives has_counters = false: a sample
 * without counters, an interval below a second, counters that went back. A request of ours that the
 * block layer or the NFS client splits counts as its parts; on mirrors writes count once. */
struct facts facts_between(const struct device_info *device, const struct facts_sample *earlier,
	const struct facts_sample *later, const struct facts_own *own);

/* The same facts without the counters. */
struct facts facts_without_counters(const struct facts *facts);

/* The latest samples and runs of one repository; storage zeroed by the caller, not on a stack. */
struct facts_ring {
	bool has_device;
	struct device_info device;
	size_t sample_count; /* added in total; the newest FACTS_SAMPLES are kept */
	struct facts_sample samples[FACTS_SAMPLES];
	size_t span_count; /* added in total; the newest FACTS_SPANS are kept */
	struct facts_span spans[FACTS_SPANS];
};

/* Sets the repository's device (NULL: none). A different device drops the samples. */
void facts_ring_set_device(struct facts_ring *ring, const struct device_info *device);

/* Adds a sample; ignored if it is not newer than the last. */
void facts_ring_add(struct facts_ring *ring, const struct facts_sample *sample);

/* Adds our own I/O of a run on this repository or on one that shares a disk with it. */
void facts_ring_add_span(struct facts_ring *ring, const struct facts_span *span);

/* I/O of others up to the newest sample; unknown if that sample is not recent. */
struct facts facts_ring_recent(const struct facts_ring *ring, uint64_t now_nsec);

/* I/O of others around a run, from FACTS_LEAD_NSEC before its begin (or the first sample after that
 * which is not after the begin) to the first sample at or after its end. The run's own span must
 * have been added. No counters when no sample is close enough, when the ring does not reach back
 * far enough, or when a span in between is unknown. */
struct facts facts_ring_around(
	const struct facts_ring *ring, uint64_t begin_nsec, uint64_t end_nsec);

#endif
