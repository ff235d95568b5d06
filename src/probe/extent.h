/* SPDX-License-Identifier: Apache-2.0 */
/* How much of a file the disk really holds. Holes and unwritten extents read as zeroes, and inline
 * data comes with the inode, both at a speed no disk has: they end what counts as laid out. */
#ifndef REPOPROBE_PROBE_EXTENT_H
#define REPOPROBE_PROBE_EXTENT_H

#include <stdbool.h>
#include <stdint.h>

enum extent_source {
	EXTENT_FIEMAP, /* every extent was seen */
	EXTENT_HOLES, /* SEEK_HOLE: the file system has no FIEMAP */
};

struct extent_report {
	uint64_t end_bytes; /* from the start up to here everything is written */
	bool is_compressed; /* an extent is stored in another form than it was written */
	enum extent_source source;
};

/* Looks at an open file from start_bytes (it counts nothing before) to its end, after what is dirty
 * was written out. end_bytes is at least start_bytes. Returns 0 or -errno. */
int extent_measure(int fd, uint64_t start_bytes, struct extent_report *ret);

/* The same by SEEK_HOLE alone. A file system that cannot tell has no holes. */
int extent_measure_holes(int fd, uint64_t start_bytes, struct extent_report *ret);

/* Takes one extent, in order, into a report. False: it ends here. Flags are FIEMAP_EXTENT_*. */
bool extent_follow(
	struct extent_report *report, uint64_t at_bytes, uint64_t len_bytes, uint32_t flags);

#endif
