/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement: each thread keeps queue_depth I/Os in flight, submits each one's successor as
 * soon as it completes, and records the latency. Independent of files and the kernel: the clock and
 * the I/O back end are passed in. */
#ifndef REPOPROBE_PROBE_ENGINE_H
#define REPOPROBE_PROBE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "probe/io.h"
#include "probe/observe.h"

struct clock;
struct payload;

/* Per-thread state. */
struct engine_thread {
	void *backend;
	struct payload *payload; /* NULL: the back end moves no data */
};

struct engine_setup {
	const struct workload *workload; /* file_size_bytes: the part in use, at least one block */
	uint64_t base_bytes; /* where that part starts in the file */
	uint64_t seed; /* of the offsets and types */
	uint64_t deadline_nsec; /* monotonic; UINT64_MAX: only the workload's timeout applies */
	const struct clock *clock;
	const struct io_backend_ops *ops;
	const struct engine_thread *threads; /* workload->threads of them */
	bool is_synced; /* the descriptor has O_DSYNC: counted in the run's own I/O */
	struct observe *observe; /* called from the calling thread */
};

/* Fills operations, iops, measured_nsec, outstanding_ios and trust (short, clamped) of the run, and
 * adds to its own I/O, including warm-up and outstanding I/Os. The calling thread is the first of
 * workload->threads; results are of all threads together.
 *
 * Bounds count all I/Os of all threads from the first one on. Submission ends after duration,
 * max_bytes or max_ios, and at the latest when an eighth of the timeout is left, so that a slow run
 * is not reported as stalled (clamped). I/Os in flight are then awaited until the timeout or the
 * deadline, whichever is first. Those still outstanding enter the statistics with their age, a
 * lower bound of their latency.
 *
 * The first warmup_ios completions, or those before warmup_usec, are excluded. The warm-up takes at
 * most half of the run: one in I/Os half of the time, one in time half of the I/Os. If nothing else
 * was measured, the last completion is. A latency lasts from when an I/O was ready to be submitted
 * to when its completion is found. The successor of a completed I/O is ready at that moment, so
 * that no time between the two is lost; only the generation of fresh content is excluded from
 * latencies. The rest of a partial I/O is submitted again as part of the same latency.
 *
 * Returns 0 (also when I/Os are outstanding), or the -errno of the first I/O that failed, which
 * ends the run as a bound does (so does -ECANCELED); or -ENOMEM, or an -errno of the back end. */
int engine_run(const struct engine_setup *setup, struct run *run);

#endif
