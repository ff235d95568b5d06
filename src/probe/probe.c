/* SPDX-License-Identifier: Apache-2.0 */
/* The table of probe kinds, and what is the same for all of them. */
#include "probe/probe.h"

#include <errno.h>

#include "base/error.h"
#include "probe/kind.h"

static const struct probe_ops kinds[] = {
	{ JOB_BLOCK, "block", block_run },
	{ JOB_NULL, "null", null_run },
};

/* Options that a workload can hold and no kind of this version carries out. */
static const char *find_unsupported(const struct workload *w)
{
	const struct {
		const char *name;
		bool is_asked_for;
	} options[] = {
		{ "threads", w->threads > 1 },
		{ "rate", w->rate_bytes_per_sec > 0 },
		{ "rate_iops", w->rate_ios_per_sec > 0 },
		{ "think_time", w->think_time_usec > 0 },
		{ "burst", w->burst_ios > 0 },
		{ "fresh", w->is_fresh },
	};

	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++)
		if (options[i].is_asked_for)
			return options[i].name;
	return NULL;
}

void probe_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run)
{
	struct error error = { "" };
	const char *unsupported = find_unsupported(&job->workload);
	int r = workload_check(&job->workload, &error);

	run->workload = job->workload;
	if (r < 0) {
		run_fail(run, RUN_ERROR, -r, "%s", error.text);
		return;
	}
	if (unsupported) {
		run_fail(run, RUN_ERROR, EOPNOTSUPP, "%s: not in this version", unsupported);
		return;
	}
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
		if (kinds[i].kind == job->kind) {
			kinds[i].run(job, clock, observer, run);
			return;
		}
	}
	run_fail(run, RUN_ERROR, EINVAL, "there is no probe of kind %d", (int)job->kind);
}
