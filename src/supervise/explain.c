/* SPDX-License-Identifier: Apache-2.0 */
/* How a worker's end reads as a run's status, when the worker itself did not say. */
#include "supervise/supervise.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"

void supervise_explain_end(const struct supervise_life *life, int wait_status, struct run *run)
{
	if (life->was_stopped)
		run_fail(run, RUN_ERROR, ECANCELED, "the run was stopped before it ended");
	else if (life->was_killed)
		run_fail(run, RUN_TIMEOUT, ETIMEDOUT,
			"no answer from the repository: the worker was silent past its deadline and "
			"was killed");
	else if (WIFSIGNALED(wait_status))
		run_fail(run, RUN_ERROR, EIO,
			"the worker was ended by signal %d (%s) without a result",
			WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else
		run_fail(run, RUN_ERROR, EIO, "the worker exited with code %d without a result",
			WEXITSTATUS(wait_status));
}

void supervise_explain_stuck(const struct supervise_life *life, uint64_t now_nsec, struct run *run)
{
	struct buf age = BUF_INIT(64);

	format_duration(&age, (now_nsec - life->started_nsec) / NSEC_PER_SEC * USEC_PER_SEC);
	run_fail(run, RUN_STUCK, ETIMEDOUT,
		"the repository does not answer, and the kernel cannot end the worker that waits for "
		"it; started %s ago",
		buf_text(&age));
	buf_done(&age);
}
