/* SPDX-License-Identifier: Apache-2.0 */
/* Lays out a probe file: incompressible data from end to end, written sequentially, so that
 * everything below end_bytes is real data, even if the process dies. fallocate is not used:
 * unwritten extents read as zeroes, faster than any disk. */
#ifndef REPOPROBE_PROBE_LAYOUT_H
#define REPOPROBE_PROBE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/observe.h"

struct clock;
struct place;
struct setup;

#define LAYOUT_UNIT_BYTES UINT64_C(4096) /* layouts are multiples of this */

struct layout {
	int fd; /* open for writing */
	bool is_direct; /* fd has O_DIRECT; cleared when the file system refuses a write */
	uint64_t end_bytes; /* in: laid out so far, a multiple of 4096; out: the new end */
	uint64_t written_bytes; /* total of this struct */
	uint64_t written_ios; /* likewise */
	uint64_t seed; /* of the content: new in each run */
	uint64_t units; /* of content made so far */
	uint64_t piece_bytes; /* per write; 0: not chosen yet … */
	uint64_t checked_bytes; /* … adapted to the time since here … */
	uint64_t checked_nsec; /* … and this time */
	const struct place *place; /* checked for free space; NULL: not checked */
	const struct clock *clock;
	struct observe *observe;
	struct setup *setup; /* gets the time of each write and flush; may be NULL */
};

/* Writes up to to_bytes (rounded up to 4096), or until until_nsec (monotonic), which is exceeded by
 * at most one piece; pieces are small where writing is slow. Returns 0 either way; end_bytes says
 * how far. -ENOSPC also when the floor of free space is reached; -ECANCELED; -errno. What was
 * written is on the disk (fdatasync). */
int layout_extend(
	struct layout *layout, uint64_t to_bytes, uint64_t until_nsec, enum job_phase phase);

#endif
