/* SPDX-License-Identifier: Apache-2.0 */
/* Drives one worker from spawn to end with poll(2), as the daemon does with its event loop. */
#ifndef REPOPROBE_CLI_RUN_WATCH_H
#define REPOPROBE_CLI_RUN_WATCH_H

#include <stdbool.h>

#include "model/job.h"
#include "model/run.h"

struct clock;
struct error;
struct examination;

struct run_end {
	int signal; /* SIGINT, SIGTERM or SIGHUP if one was received; else 0 */
	bool may_leave_file; /* the worker was killed before it could tidy up */
};

/* Runs the job in its own worker and fills *run in every case: a worker that cannot be killed is
 * left behind, with status stuck. A signal hangs up on the worker, which then stops and cleans up;
 * it is killed 1.5 s later, or on a second signal; a third ends the wait for it. Returns 0, or
 * -errno with a sentence when no worker could be started. progress_fd: a terminal gets a progress
 * line; -1: none. */
int run_watch(const struct job *job, const struct clock *clock, int progress_fd, struct run *run,
	struct run_end *ret_end, struct error *reterr);

/* The same for JOB_EXAMINE: *examination is what the worker has reported by its end, at the latest
 * at the job's timeout, whether it makes progress or not; *run is the worker's outcome. */
int run_watch_examination(const struct job *job, const struct clock *clock, int progress_fd,
	struct examination *examination, struct run *run, struct run_end *ret_end,
	struct error *reterr);

#endif
