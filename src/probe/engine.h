/* SPDX-License-Identifier: Apache-2.0 */
/* The measurement: each thread keeps queue_depth I/Os out, hands in each one's successor as soon as
 * it is complete, and records how long each took. Knows neither files nor the kernel: time comes
 * from the clock it is given, I/O from a back end. */
#ifndef REPOPROBE_PROBE_ENGINE_H
#define REPOPROBE_PROBE_ENGINE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "probe/io.h"
#include "probe/observe.h"

struct clock;
struct payload;

/* What a thread has to itself. */
struct engine_thread {
	void *backend;
	struct payload *payload; /* NULL: the back end moves no data */
};

struct engine_setup {
	const struct workload *workload; /* file_size_bytes: the part in use, at least one block */
	uint64_t base_bytes; /* where that part starts in the file */
	uint64_t seed; /* of the offsets and types */
	uint64_t deadline_nsec; /* monotonic; UINT64_MAX: only the workload's timeout */
	const struct clock *clock;
	const struct io_backend_ops *ops;
	const struct engine_thread *threads; /* workload->threads of them */
	bool is_synced; /* the descriptor has O_DSYNC: to be counted in the run's own */
	struct observe *observe; /* told from the calling thread */
};

/* Fills operations, iops, measured_nsec, outstanding_ios and trust (short, clamped) of the run, and
 * adds to its own I/O: warm-up and what is still out included. The calling thread is the first of
 * workload->threads; results are of all together.
 *
 * Bounds count everything from the first I/O on, of all threads: after duration, max_bytes or
 * max_ios nothing more is handed in, and at the latest when an eighth of the timeout is left, so
 * that slow is not taken for stalled (clamped). What is out is then waited for until the timeout or
 * the deadline, whichever is first. What is still out then enters the statistics with its age, a
 * lower bound of its latency.
 *
 * The first warmup_ios I/Os to complete, or those that complete before warmup_usec, are left out.
 * The warm-up takes at most half of the run: I/Os half of the time, a time half of the I/Os. The
 * last I/O to complete is measured if no other was. A latency lasts from when an I/O was
 * ready to be handed in to when it is found complete. What follows a completion is ready at that
 * very moment, so that no time between the two is lost; only making fresh content is no part of any
 * latency. A partly done I/O is handed in again with its rest, and its time goes on.
 *
 * Returns 0 (also when I/Os are outstanding), or the -errno of the first I/O that failed, which
 * ends the run as a bound does, as -ECANCELED does; or -ENOMEM, or an -errno of the back end
 * itself. */
int engine_run(const struct engine_setup *setup, struct run *run);

#endif
