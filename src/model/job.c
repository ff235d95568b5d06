/* SPDX-License-Identifier: Apache-2.0 */
/* Names for a job: its phases and its probe file. */
#include "model/job.h"

#include <assert.h>
#include <stdio.h>

static const char *const phase_texts[] = {
	[JOB_PHASE_LAYOUT] = "laying out the probe file",
	[JOB_PHASE_WARMUP] = "warming up",
	[JOB_PHASE_MEASURE] = "measuring",
	[JOB_PHASE_DRAIN] = "waiting for the last I/Os",
	[JOB_PHASE_GROWTH] = "growing the probe file",
	[JOB_PHASE_EXAMINE] = "looking at the repository",
};

const char *job_phase_text(enum job_phase phase)
{
	assert((size_t)phase < sizeof(phase_texts) / sizeof(phase_texts[0]));
	return phase_texts[phase];
}

uint64_t job_least_layout_bytes(const struct workload *w)
{
	return JOB_FILE_HEAD_BYTES + (uint64_t)w->block_size_bytes * JOB_FILE_BLOCKS_MIN;
}

void job_file_name(struct job *job, const char *host_id, unsigned uid, bool is_command_line)
{
	int n = snprintf(job->file_name, sizeof(job->file_name), "%s-%u%s.dat", host_id, uid,
		is_command_line ? "-run" : "");
	assert(n > 0 && (size_t)n < sizeof(job->file_name)); /* a host id has 16 digits */
	(void)n; /* unused without assertions */
}
