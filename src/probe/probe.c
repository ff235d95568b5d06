/* SPDX-License-Identifier: Apache-2.0 */
/* The table of probe kinds, and the steps common to all of them. */
#include "probe/probe.h"

#include <errno.h>

#include "base/error.h"
#include "probe/kind.h"

static const struct probe_ops kinds[] = {
	{ JOB_BLOCK, "block", block_run },
	{ JOB_NULL, "null", null_run },
};

/* A run without any measurement cannot be judged, whatever else succeeded. */
static void check_measured(struct run *run)
{
	if (run->status == RUN_OK && !run_is_measured(run))
		run_fail(run, RUN_TIMEOUT, ETIMEDOUT,
			"the time was up before the first I/O could be measured");
}

void probe_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run)
{
	struct error error = { "" };
	int r = workload_check(&job->workload, &error);

	run->workload = job->workload;
	if (r < 0) {
		run_fail(run, RUN_ERROR, -r, "%s", error.text);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].kind == job->kind) {
			kinds[i].run(job, clock, observer, run);
			check_measured(run);
			return;
		}
	}
	run_fail(run, RUN_ERROR, EINVAL, "there is no probe of kind %d", (int)job->kind);
}
