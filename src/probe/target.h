/* SPDX-License-Identifier: Apache-2.0 */
/* The probe file: found or created below the repository, verified to be ours, locked, and opened
 * for measuring. Together with place and layout this is all access to the repository's file system.
 * A file that is not ours is refused and left unchanged. */
#ifndef REPOPROBE_PROBE_TARGET_H
#define REPOPROBE_PROBE_TARGET_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"
#include "probe/directory.h"
#include "probe/header.h"

struct clock;
struct place;

struct target {
	struct directory directory;
	const char *file_name; /* lent from the job */
	int lock_fd; /* the file: header and lock; buffered */
	int layout_fd; /* -1 until target_open_layout */
	int io_fd; /* -1 until target_open_io */
	bool is_locked;
	bool is_file_new; /* created by this run */
	uint64_t found_bytes; /* size of the file before this run */
	uint64_t written_bytes; /* of the file, as of the last target_measure … */
	bool is_compressed; /* … and some of them are stored compressed */
	bool is_direct; /* io_fd */
	bool is_fallback; /* direct I/O was asked for and refused */
	struct header header;
};

/* The file as found: nothing is created, changed or locked. fd is open for reading, -1 when there
 * is none; the caller closes it. Returns 0, or -errno with the run failed as target_open would. */
struct target_found {
	int fd;
	uint64_t size_bytes;
	uint64_t auto_bytes; /* as in its header */
	struct growth growth; /* likewise */
};
int target_find(const struct directory *directory, const char *file_name, struct target_found *ret,
	struct run *run);

/* Size of the data in a file without a configured size, from the free space. */
uint64_t target_auto_bytes(const struct identity *identity);

/* Opens directory and file, creating what is missing, including CACHEDIR.TAG, and takes the lock. A
 * root process becomes the directory's owner. Returns 0, or -errno with the run failed and what was
 * created removed. */
int target_open(const struct job *job, const struct place *place, const struct clock *clock,
	struct target *ret, struct run *run);

/* Truncates a file that holds more data than this. 0 or -errno. */
int target_shrink(struct target *target, uint64_t data_bytes);

/* Stores the growth in the header, if it differs. 0, or -errno with the run failed. */
int target_keep_growth(struct target *target, const struct growth *growth, struct run *run);

/* How much data, starting at HEADER_DATA_OFFSET, is laid out: up to the first hole or anything else
 * that would be read without the disk (extent.h). Data behind it is to be laid out again. */
int target_measure(struct target *target, uint64_t *ret_data_bytes);

/* Opens the file for layout, with direct I/O if possible. 0 or -errno; if it is no longer the same
 * file, the run is failed. */
int target_open_layout(struct target *target, struct run *run, bool *ret_is_direct);

/* Opens the file in the workload's cache mode; if the file system refuses O_DIRECT, through the
 * page cache (is_fallback). Sets the run's trust flags and its sector size: from statx, else the
 * device's logical block size, else from a trial (alignment.h). */
int target_open_io(struct target *target, const struct workload *workload, struct run *run);

/* The fallback for a file system that accepts O_DIRECT and then refuses the I/O. */
int target_fall_back(struct target *target, struct run *run);

/* Removes what this run created, or else what it added to the file. */
void target_undo(struct target *target);

/* Removes the file, and the directory with its tag when it holds nothing else and could be made
 * again. */
void target_remove(struct target *target);

/* Never removes anything. */
void target_close(struct target *target);

#endif
