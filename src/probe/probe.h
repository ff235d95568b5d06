/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out one job against one repository and fills in the run. Knows nothing of processes,
 * wires or the daemon; everything that can hang, hangs in here. */
#ifndef REPOPROBE_PROBE_PROBE_H
#define REPOPROBE_PROBE_PROBE_H

#include "model/job.h"
#include "model/run.h"

struct clock;

/* Called from within the run, a few times a second, from the same thread. */
struct probe_observer {
	void (*progress)(void *data, const struct job_progress *progress);
	/* True: nobody wants the rest any more. The run then stops as at a bound, cleans up and is
	 * an error, ECANCELED. NULL: never. */
	bool (*is_cancelled)(void *data);
	void *data;
};

/* One probe kind: one file, one row of the table in probe.c. */
struct probe_ops {
	enum job_kind kind;
	const char *name;
	void (*run)(const struct job *job, const struct clock *clock,
		const struct probe_observer *observer, struct run *run);
};

/* Always leaves a complete run: status, reason, numbers. With outstanding I/Os left over
 * (run->outstanding_ios > 0) ring, buffers and file stay open, because closing them could hang:
 * report first, then exit the process. */
void probe_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run);

#endif
