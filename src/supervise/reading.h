/* SPDX-License-Identifier: Apache-2.0 */
/* A reading of the kernel's counters at one moment, with or without a worker: kept as text, because
 * the device is known only after the worker has reported it. Reads only /proc, never a path of a
 * repository. */
#ifndef REPOPROBE_SUPERVISE_READING_H
#define REPOPROBE_SUPERVISE_READING_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "model/facts.h"

struct error;
struct identity;

#define READING_FILE_MAX (UINT32_C(4) << 20) /* thousands of disks; a longer file is not read */

/* The caller's storage, zeroed. */
struct reading {
	uint64_t monotonic_nsec; /* 0: none was taken */
	struct buf diskstats; /* empty: could not be read; the same for the others */
	struct buf mountstats;
	struct buf pressure;
};

/* Reads PROC/diskstats, PROC/pressure/io and, with has_nfs, PROC/self/mountstats; proc is "/proc",
 * or a test's copy. Missing files leave their buffers empty. */
void reading_take(struct reading *reading, const char *proc, bool has_nfs, uint64_t now_nsec);
void reading_done(struct reading *reading);

/* Fills the sample of one repository in any case; unknown values stay unknown. Returns 0, or
 * -EBADMSG with a sentence when a text differs from the kernel's documented format (the sample then
 * has the rest). */
int reading_sample(const struct reading *reading, const struct identity *identity,
	struct facts_sample *ret, struct error *reterr);

#endif
