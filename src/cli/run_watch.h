/* SPDX-License-Identifier: Apache-2.0 */
/* Drives one worker from spawn to end, with poll(2): what the daemon does with its loop. */
#ifndef REPOPROBE_CLI_RUN_WATCH_H
#define REPOPROBE_CLI_RUN_WATCH_H

#include <stdbool.h>

#include "model/job.h"
#include "model/run.h"

struct clock;
struct error;
struct examination;

struct run_end {
	int signal; /* SIGINT, SIGTERM or SIGHUP, by which the caller wants to end; else 0 */
	bool may_leave_file; /* the worker ended before it could tidy up */
};

/* Carries out the job in a worker of its own and fills *run, whatever becomes of it: a worker that
 * cannot be ended is left behind, with status stuck. The signals are answered meanwhile by ending
 * the worker; a second one ends the wait for that. Returns 0, or -errno with a sentence when no
 * worker could be started. progress_fd: a terminal gets a line of progress; -1: none. */
int run_watch(const struct job *job, const struct clock *clock, int progress_fd, struct run *run,
	struct run_end *ret_end, struct error *reterr);

/* Likewise for JOB_EXAMINE: *examination is what the worker has told by the end, which comes when
 * the job's timeout is over, signs of life or not; *run is how the worker fared. */
int run_watch_examination(const struct job *job, const struct clock *clock, int progress_fd,
	struct examination *examination, struct run *run, struct run_end *ret_end,
	struct error *reterr);

#endif
