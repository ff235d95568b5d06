/* SPDX-License-Identifier: Apache-2.0 */
/* Derives a run's status from the end of a worker that sent no result. */
#include "supervise/supervise.h"

#include <errno.h>
#include <string.h>
#include <sys/wait.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"

static void explain_kill(
	const struct supervise_life *life, const struct supervise_seen *seen, struct run *run)
{
	const struct job_progress *p = &seen->progress;
	bool is_at_work = seen->at_nsec > 0 && p->phase != JOB_PHASE_EXAMINE;
	struct buf work = BUF_INIT(128);

	if (seen->at_nsec > 0 && (p->phase == JOB_PHASE_LAYOUT || p->phase == JOB_PHASE_GROWTH)) {
		buf_add_text(&work, " (");
		format_work(&work, p->done, seen->at_nsec - life->started_nsec);
		buf_add_text(&work, ")");
	}
	run_fail(run, RUN_TIMEOUT, ETIMEDOUT,
		"no answer from the repository: the worker was killed at its deadline, %s%s%s",
		is_at_work ? "while " : "before its first I/O",
		is_at_work ? job_phase_text(p->phase) : "", buf_text(&work));
	buf_done(&work);
}

/* The repository was not accessed, so this failure says nothing about it. */
static void explain_no_begin(const struct supervise_life *life, int wait_status, struct run *run)
{
	if (life->was_killed)
		run_fail(run, RUN_SKIPPED, 0,
			"the worker did not start before its deadline and was killed");
	else if (WIFSIGNALED(wait_status))
		run_fail(run, RUN_SKIPPED, 0,
			"the worker was ended by signal %d (%s) before it started",
			WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else
		run_fail(run, RUN_SKIPPED, 0,
			"the worker exited with code %d before it started: repoprobe-worker may be of "
			"another version",
			WEXITSTATUS(wait_status));
}

void supervise_explain_end(const struct supervise_life *life, const struct supervise_seen *seen,
	int wait_status, struct run *run)
{
	if (life->was_stopped)
		run_fail(run, RUN_ERROR, ECANCELED, "the run was stopped before it ended");
	else if (!life->has_begun)
		explain_no_begin(life, wait_status, run);
	else if (life->was_killed)
		explain_kill(life, seen, run);
	else if (WIFSIGNALED(wait_status))
		run_fail(run, RUN_ERROR, EIO,
			"the worker was ended by signal %d (%s) without a result",
			WTERMSIG(wait_status), strsignal(WTERMSIG(wait_status)));
	else
		run_fail(run, RUN_ERROR, EIO, "the worker exited with code %d without a result",
			WEXITSTATUS(wait_status));
}

void supervise_explain_rubbish(
	const struct supervise_life *life, int r, const char *why, struct run *run)
{
	run_fail(run, life->has_begun ? RUN_ERROR : RUN_SKIPPED, life->has_begun ? -r : 0,
		"the worker's answer cannot be read: %s", why);
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
