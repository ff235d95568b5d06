/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a file is really stored on the disk. Holes and unwritten extents read as zeroes, and
 * inline data comes with the inode, both faster than any disk: laid-out data ends before them. */
#ifndef REPOPROBE_PROBE_EXTENT_H
#define REPOPROBE_PROBE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

enum extent_source {
	EXTENT_FIEMAP, /* every extent was seen */
	EXTENT_HOLES, /* SEEK_HOLE: the file system has no FIEMAP */
};

struct extent_report {
	uint64_t end_bytes; /* everything from the start to here is written */
	bool is_compressed; /* an extent is stored in another form than written */
	enum extent_source source;
};

/* Examines an open file from start_bytes (nothing before it counts) to its end, after writing out
 * dirty data. end_bytes is at least start_bytes. Returns 0 or -errno. */
int extent_measure(int fd, uint64_t start_bytes, struct extent_report *ret);

/* The same by SEEK_HOLE alone. A file system without support for it reports no holes. */
int extent_measure_holes(int fd, uint64_t start_bytes, struct extent_report *ret);

/* Adds one extent, in order, to a report. False: laid-out data ends here. Flags are
 * FIEMAP_EXTENT_*. */
bool extent_follow(
	struct extent_report *report, uint64_t at_bytes, uint64_t len_bytes, uint32_t flags);

#endif
