/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel counts, read at one moment while a worker is, or is not, at work: kept as text,
 * so that it can be asked about a device that is known only when the worker has named it. Reads
 * /proc alone, never a path of a repository. */
#ifndef REPOPROBE_SUPERVISE_READING_H
#define REPOPROBE_SUPERVISE_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/facts.h"

struct error;
struct identity;

#define READING_FILE_MAX (UINT32_C(4) << 20) /* thousands of disks; a longer one is not read */

/* A caller's storage, zeroed. */
struct reading {
	uint64_t monotonic_nsec; /* 0: none was taken */
	struct buf diskstats; /* empty: could not be read, as the others */
	struct buf mountstats;
	struct buf pressure;
};

/* Reads PROC/diskstats, PROC/pressure/io and, where somebody is on NFS, PROC/self/mountstats; proc
 * is "/proc", or a test's copy. What is not there stays empty. */
void reading_take(struct reading *reading, const char *proc, bool has_nfs, uint64_t now_nsec);
void reading_done(struct reading *reading);

/* What it says of one repository, always: what is not known of it stays so. Returns 0, or -EBADMSG
 * with a sentence when a text is not as the kernel documents it (the sample then has the rest). */
int reading_sample(const struct reading *reading, const struct identity *identity,
	struct facts_sample *ret, struct error *reterr);

#endif
