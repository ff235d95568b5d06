/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe run`: one run now, by hand. The directory itself is touched by the worker alone: it
 * may hang. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/hash.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/run_options.h"
#include "cli/run_watch.h"
#include "report/report.h"

#define REPORT_MAX ((size_t)1 << 20)
#define SIGNAL_EXIT_BASE 128 /* as shells count: 130 for SIGINT */

static const struct cli_option options[] = {
	{ .name = "format",
		.value_name = "FORMAT",
		.help = "text (default) or json, one document",
		.set = run_set_format },
	{ .name = "json",
		.help = "the same as --format=json",
		.set = option_set_flag,
		.offset = offsetof(struct run_request, is_json) },
	{ .name = "keep-file",
		.help = "leave the probe file there; the next run by hand reuses it and so starts at once",
		.set = option_set_flag,
		.offset = offsetof(struct run_request, keep_file) },
};

static int make_job(
	const struct run_request *request, const char *dir, struct job *job, struct error *reterr)
{
	char path[JOB_PATH_MAX + 1];
	char host_id[17];
	char *cwd = dir[0] == '/' ? NULL : getcwd(NULL, 0);
	int r = run_absolute_path(cwd, dir, path, reterr);

	free(cwd);
	if (r == 0)
		r = hash_host_id(host_id);
	if (r < 0)
		return r;
	return run_request_job(request, path, host_id, getuid(), job, reterr);
}

/* The worker's sentences mostly name the path; where one does not, DIR goes before it. */
static int complain(const char *dir, const struct job *job, const struct run *run)
{
	const char *reason = run->reason[0] ? run->reason : run_status_name(run->status);

	if (strstr(reason, job->repository_path))
		return cli_complain(CLI_FAILED, "%s", reason);
	return cli_complain(CLI_FAILED, "%s: %s", dir, reason);
}

static int print_report(const struct run_request *request, const char *dir, struct run *run)
{
	struct buf b = BUF_INIT(REPORT_MAX);

	if (request->is_json)
		return cli_print_json(report_run_json(run));
	if (!run_status_has_numbers(run->status))
		return CLI_OK;
	(void)snprintf(run->repository, sizeof(run->repository), "%s", dir); /* for the title */
	report_run_text(run, &b);
	return cli_print(&b);
}

/* The worker that laid the file down could not remove it, so another one does. */
static void tidy_up(const struct cli *cli, const char *dir, struct job *job)
{
	struct run *run = run_new("", "");
	struct run_end end = { 0 };
	struct error error = { "" };

	if (!run)
		return;
	run_make_tidying_job(job);
	int r = run_watch(job, &cli->clock, -1, run, &end, &error);
	bool is_tidy = r == 0 && end.signal == 0 &&
		(run->status == RUN_OK || run->skip == RUN_SKIP_IN_USE ||
			run->error_number == ENOENT);
	if (!is_tidy)
		(void)cli_complain(CLI_FAILED, "%s: .repoprobe/%s may be left there%s%s", dir,
			job->file_name, run->reason[0] ? ": " : "", run->reason);
	free(run);
}

static int conclude(const struct run_request *request, const char *dir, const struct job *job,
	const struct run_end *end, struct run *run)
{
	if (end->signal != 0)
		return cli_complain(SIGNAL_EXIT_BASE + end->signal, "%s: interrupted", dir);
	int exit_code = print_report(request, dir, run);
	return run->status == RUN_OK ? exit_code : complain(dir, job, run);
}

static int carry_out(
	const struct cli *cli, const struct run_request *request, const char *dir, struct job *job)
{
	struct run *run = run_new("", "");
	struct run_end end = { 0 };
	struct error error = { "" };

	if (!run)
		return cli_complain(CLI_FAILED, "no memory");
	run->workload = job->workload;
	int r = run_watch(job, &cli->clock, STDERR_FILENO, run, &end, &error);
	int exit_code = r < 0 ? cli_complain(CLI_FAILED, "%s", error.text)
			      : conclude(request, dir, job, &end, run);
	free(run);
	if (r == 0 && end.may_leave_file && !job->keep_file)
		tidy_up(cli, dir, job);
	return exit_code;
}

static int run_handler(struct cli *cli, const struct command *command)
{
	struct run_request request = { 0 };
	struct run_workload_rows rows;

	run_workload_rows_init(&rows);
	const struct option_group groups[] = {
		{ "Report and file", options, sizeof(options) / sizeof(options[0]), &request },
		{ "Workload (without any: the preset active-full)", rows.options, rows.count,
			&request },
	};
	int r = cli_parse(cli, command, groups, 2);
	if (r != CLI_GO_ON)
		return r;

	const char *dir = cli->arguments.words[0];
	struct job *job = calloc(1, sizeof(*job));
	struct error error = { "" };
	if (!job)
		return cli_complain(CLI_FAILED, "no memory");
	r = make_job(&request, dir, job, &error);
	if (r < 0)
		r = cli_complain(CLI_USAGE, "run: %s", error.text[0] ? error.text : errno_text(-r));
	else
		r = carry_out(cli, &request, dir, job);
	free(job);
	return r;
}

const struct command command_run = {
	.name = "run",
	.section = "Measure now",
	.operands = "DIR",
	.summary = "one run on DIR: latency, throughput, percentiles",
	.help = "Measures DIR once, with the I/O of a backup job, and prints a report. A run ends\n"
		"after 1 GiB or 5 seconds, whichever comes first; other bounds are --max-bytes,\n"
		"--max-ios and --duration. It works on a file of its own in DIR/.repoprobe,\n"
		"laid out first (up to 1 GiB) and removed at the end; nothing else is touched.\n"
		"\n"
		"Examples:\n"
		"  repoprobe run /mnt/backup\n"
		"      what an active full backup meets: sequential writes of 512K\n"
		"  repoprobe run --preset=restore /mnt/backup\n"
		"      what a restore meets; \"repoprobe presets\" lists the others\n"
		"  repoprobe run --block-size=64K --write=30 --pattern=random /mnt/backup\n"
		"      a workload of your own\n"
		"  repoprobe run --duration=1min --max-bytes=0 /mnt/backup\n"
		"      for a whole minute, however much that writes\n"
		"  repoprobe run --json /mnt/backup | jq .operations.write.percentiles\n"
		"      for scripts; a run that failed is a document too\n"
		"\n"
		"Exit status: 0 measured, 1 failed (one line says why), 2 wrong usage,\n"
		"130 interrupted by Ctrl-C.\n",
	.min_operands = 1,
	.max_operands = 1,
	.handler = run_handler,
};
