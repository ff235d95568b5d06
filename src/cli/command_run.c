/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe run`: one manual run, now. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/run_once.h"
#include "model/job.h"
#include "report/format.h"

#define REASON_MAX 8192
#define SIGNAL_EXIT_BASE 128 /* as shells do: 130 for SIGINT */

static const struct cli_option options[] = {
	{ .name = "format",
		.value_name = "FORMAT",
		.help = "text (default), json (one document), xdisk (a row of its columns) or"
			" fio-json (fio's json+)",
		.set = format_option_set,
		.offset = offsetof(struct run_request, format) },
	{ .name = "json",
		.help = "the same as --format=json",
		.set = format_option_set,
		.offset = offsetof(struct run_request, format) },
	{ .name = "keep-file",
		.help = "leave the probe file there; the next run by hand reuses it and so starts at once",
		.set = option_set_flag,
		.offset = offsetof(struct run_request, keep_file) },
};

static int complain(const char *dir, const struct job *job, const struct run *run)
{
	struct buf b = BUF_INIT(REASON_MAX);

	run_once_explain(job, dir, run, &b);
	int exit_code = cli_complain(CLI_FAILED, "%s", buf_text(&b));
	buf_done(&b);
	return exit_code;
}

static int print_report(const struct run_request *request, const char *dir, struct run *run)
{
	const struct report_format *format =
		request->format ? request->format : report_format_at(0);
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);

	if (!format->is_document) {
		if (!run_status_has_numbers(run->status))
			return CLI_OK;
		/* for the title */
		(void)snprintf(run->repository, sizeof(run->repository), "%s", dir);
	}
	format->write(run, &b);
	return cli_print(&b);
}

/* Reports on standard error what the report has no field for. */
static void tell_engine(const char *dir, const struct run *run)
{
	if (run_had_no_uring(run))
		(void)cli_complain(CLI_OK,
			"%s: io_uring is not available here, so a thread for each I/O was used instead",
			dir);
}

static int carry_out(
	const struct cli *cli, const struct run_request *request, const char *dir, struct job *job)
{
	struct run *run = run_new("", "");
	struct run_end end = { 0 };
	struct error error = { "" };
	int exit_code;

	if (!run)
		return cli_complain(CLI_FAILED, "no memory");
	if (run_once(job, dir, &cli->clock, STDERR_FILENO, run, &end, &error) < 0)
		exit_code = cli_complain(CLI_FAILED, "%s", error.text);
	else if (end.signal != 0)
		exit_code = cli_complain(SIGNAL_EXIT_BASE + end.signal, "%s: interrupted", dir);
	else
		exit_code = print_report(request, dir, run);
	if (end.signal == 0)
		tell_engine(dir, run);
	if (exit_code == CLI_OK && run->status != RUN_OK)
		exit_code = complain(dir, job, run);
	free(run);
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
	if (run_once_prepare(&request, dir, job, &error) < 0)
		r = cli_complain(CLI_USAGE, "run: %s", error.text);
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
		"  repoprobe run --format=fio-json /mnt/backup >result.json\n"
		"      for whatever reads the output of fio\n"
		"\n"
		"Exit status: 0 measured, 1 failed (one line says why), 2 wrong usage,\n"
		"130 interrupted by Ctrl-C.\n",
	.min_operands = 1,
	.max_operands = 1,
	.handler = run_handler,
};
