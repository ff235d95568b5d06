/* SPDX-License-Identifier: Apache-2.0 */
/* Lays a probe file out: incompressible data from end to end, written one piece after the other, so
 * that what lies below end_bytes is always real, whenever the process dies. Never fallocate:
 * unwritten extents read as zeroes, at a speed no disk has. */
#ifndef REPOPROBE_PROBE_LAYOUT_H
#define REPOPROBE_PROBE_LAYOUT_H

#include <stdbool.h>
#include <stdint.h>

#include "probe/observe.h"

struct clock;
struct place;
struct setup;

#define LAYOUT_UNIT_BYTES UINT64_C(4096) /* what is laid out is a multiple of this */

struct layout {
	int fd; /* open for writing */
	bool is_direct; /* fd has O_DIRECT; goes when the file system refuses a write */
	uint64_t end_bytes; /* in: laid out so far, a multiple of 4096; out: now */
	uint64_t written_bytes; /* by this struct, added up */
	uint64_t written_ios; /* likewise */
	uint64_t seed; /* of the content: new in every run */
	uint64_t units; /* of content made so far */
	uint64_t piece_bytes; /* written at a time; 0: not chosen yet … */
	uint64_t checked_bytes; /* … by how long it took from here … */
	uint64_t checked_nsec; /* … and then */
	const struct place *place; /* asked for free space; NULL: not asked */
	const struct clock *clock;
	struct observe *observe;
	struct setup *setup; /* told of each write and flush; NULL: not told */
};

/* Writes up to to_bytes (rounded up to 4096), or until until_nsec (monotonic) has come, which is
 * missed by one piece at most, made small where writing is slow: 0 either way; end_bytes tells.
 * -ENOSPC also when the floor of free space is reached; -ECANCELED; -errno. What was written is on
 * the disk (fdatasync). */
int layout_extend(
	struct layout *layout, uint64_t to_bytes, uint64_t until_nsec, enum job_phase phase);

#endif
