/* SPDX-License-Identifier: Apache-2.0 */
/* Carries out one job on one repository and fills in the run. Independent of processes, wire format
 * and daemon; everything that can hang is called from here. */
#ifndef REPOPROBE_PROBE_PROBE_H
#define REPOPROBE_PROBE_PROBE_H

#include "model/job.h"
#include "model/run.h"

struct clock;

/* Called during the run, a few times a second, from the same thread. */
struct probe_observer {
	void (*progress)(void *data, const struct job_progress *progress);
	/* True: the rest is not needed. The run then stops as at a bound, cleans up and is an
	 * error, ECANCELED. NULL: never. */
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

/* Always produces a complete run: status, reason, numbers. With I/Os outstanding
 * (run->outstanding_ios > 0) ring, buffers and file stay open, because closing them could hang:
 * send the result first, then exit the process. */
void probe_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run);

#endif
