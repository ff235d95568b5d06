/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel's counters of a block device: /proc/diskstats, as documented in the kernel's
 * Documentation/admin-guide/iostats.rst. Text in, values out. */
#ifndef REPOPROBE_MODEL_DISKSTATS_H
#define REPOPROBE_MODEL_DISKSTATS_H

#include <stdint.h>

struct error;

struct disk_counters {
	uint64_t reads; /* completed */
	uint64_t read_bytes;
	uint64_t reading_msec; /* summed over requests */
	uint64_t writes;
	uint64_t write_bytes;
	uint64_t writing_msec;
	uint64_t in_flight; /* at this moment, not a counter */
	uint64_t io_time_msec; /* with at least one request in flight */
	uint64_t weighted_msec; /* the same multiplied by the requests in flight */
	uint64_t discards; /* 0 before Linux 4.18 */
	uint64_t flushes; /* 0 before Linux 5.5 */
};

/* Finds a device's line: 14 fields (Linux 2.6), 18 (4.18), 20 (5.5) or more, of which those after
 * the 20th are ignored. Returns 0, -ENOENT (no such device), or -EBADMSG (a line up to the device's
 * own is malformed). */
int diskstats_find(const char *text, uint32_t major, uint32_t minor, struct disk_counters *ret,
	struct error *reterr);

/* Adds the counters of one device to a sum. */
void diskstats_add(struct disk_counters *into, const struct disk_counters *from);

/* The difference of two readings of one device, or of the same `devices` added up. Times wrap at
 * 2^32 ms on every kernel; one other counter may have wrapped at 2^32 (a 32-bit kernel). An
 * impossible difference (counters that went back because a device was replaced, more than 100 %
 * busy, more than any device moves) is -ERANGE, never a number. in_flight is the later one's. */
int diskstats_difference(const struct disk_counters *earlier, const struct disk_counters *later,
	unsigned devices, uint64_t interval_nsec, struct disk_counters *ret);

#endif
