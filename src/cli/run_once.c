/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the job, runs it, and has the file of a killed worker removed. */
#include "cli/run_once.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "cli/cli.h"

int run_once_prepare(
	const struct run_request *request, const char *dir, struct job *ret, struct error *reterr)
{
	char path[JOB_PATH_MAX + 1];
	char host_id[17];
	char *cwd = dir[0] == '/' ? NULL : getcwd(NULL, 0);
	int r = run_absolute_path(cwd, dir, path, reterr);

	free(cwd);
	if (r < 0)
		return r;
	r = hash_host_id(host_id);
	if (r < 0)
		return error_set(reterr, r, "this host's identity: %s", errno_text(-r));
	return run_request_job(request, path, host_id, getuid(), ret, reterr);
}

/* The worker that made the file could not remove it, so another one does. */
static void tidy_up(struct job *job, const char *dir, const struct clock *clock)
{
	struct run *run = run_new("", "");
	struct run_end end = { 0 };
	struct error error = { "" };

	if (!run)
		return;
	run_make_tidying_job(job);
	int r = run_watch(job, clock, -1, run, &end, &error);
	bool is_tidy = r == 0 && end.signal == 0 && !end.may_leave_file &&
		(run->status == RUN_TIMEOUT || run->skip == RUN_SKIP_IN_USE ||
			run->error_number == ENOENT);
	if (!is_tidy)
		(void)cli_complain(CLI_FAILED, "%s: .repoprobe/%s may be left there%s%s", dir,
			job->file_name, run->reason[0] ? ": " : "", run->reason);
	free(run);
}

int run_once(struct job *job, const char *dir, const struct clock *clock, int progress_fd,
	struct run *run, struct run_end *ret_end, struct error *reterr)
{
	run->workload = job->workload;
	int r = run_watch(job, clock, progress_fd, run, ret_end, reterr);

	if (r == 0 && ret_end->may_leave_file && !job->keep_file)
		tidy_up(job, dir, clock);
	return r;
}

void run_once_explain(const struct job *job, const char *dir, const struct run *run, struct buf *b)
{
	const char *reason = run->reason[0] ? run->reason : run_status_name(run->status);

	if (!strstr(reason, job->repository_path))
		buf_printf(b, "%s: ", dir);
	buf_add_text(b, reason);
}
