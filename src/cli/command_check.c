/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe check`: a short run as a plug-in of a monitoring system. Its only output is one line
 * on standard output, whatever happens. */
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/check.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/run_once.h"
#include "model/job.h"

#define LINE_MAX_BYTES 65536

struct check_request {
	struct run_request run;
	struct check_limits limits;
};

static int add_condition(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	void *level = (char *)target + option->offset;

	return check_level_add(level, value, reterr);
}

static const struct cli_option options[] = {
	{ .name = "warn",
		.value_name = "COND",
		.help = "WARNING when this holds, instead of the preset's limit; may be repeated",
		.set = add_condition,
		.offset = offsetof(struct check_request, limits.warning) },
	{ .name = "critical",
		.value_name = "COND",
		.help = "CRITICAL likewise",
		.set = add_condition,
		.offset = offsetof(struct check_request, limits.critical) },
	{ .name = "keep-file",
		.help = "leave the probe file there; the next check reuses it and so writes less",
		.set = option_set_flag,
		.offset = offsetof(struct check_request, run.keep_file) },
};

static int print_unknown(const char *explanation)
{
	struct buf line = BUF_INIT(LINE_MAX_BYTES);

	check_unknown(explanation, &line);
	(void)cli_print(&line); /* the exit code reports it, too */
	return CHECK_UNKNOWN;
}

static int print_verdict(const struct check_request *request, const struct job *job,
	const char *dir, const struct run *run)
{
	struct buf explanation = BUF_INIT(LINE_MAX_BYTES);
	struct buf line = BUF_INIT(LINE_MAX_BYTES);

	if (run->status != RUN_OK)
		run_once_explain(job, dir, run, &explanation);
	enum check_state state = check_run(&request->limits, run, buf_text(&explanation), &line);
	buf_done(&explanation);
	return cli_print(&line) == CLI_OK ? (int)state : (int)CHECK_UNKNOWN;
}

static int carry_out(const struct cli *cli, struct check_request *request, struct job *job)
{
	const char *dir = cli->arguments.words[0];
	struct run *run = run_new("", "");
	struct run_end end = { 0 };
	struct error error = { "" };
	int state;

	if (!run)
		return print_unknown("no memory");
	int r = run_once_prepare(&request->run, dir, job, &error);
	if (r == 0)
		r = check_limits_complete(&request->limits, &job->workload, &error);
	if (r == 0)
		r = run_once(job, dir, &cli->clock, -1, run, &end, &error);
	if (r < 0)
		state = print_unknown(error.text);
	else if (end.signal != 0)
		state = print_unknown("interrupted");
	else
		state = print_verdict(request, job, dir, run);
	free(run);
	return state;
}

static int check_handler(struct cli *cli, const struct command *command)
{
	struct check_request *request = calloc(1, sizeof(*request));
	struct job *job = calloc(1, sizeof(*job));
	struct error error = { "" };
	struct run_workload_rows rows;
	int r;

	if (!request || !job) {
		r = print_unknown("no memory");
		goto out;
	}
	request->run.bounds = RUN_BOUNDS_OF_CHECK;
	run_workload_rows_init(&rows);
	const struct option_group groups[] = {
		{ "Conditions and file", options, sizeof(options) / sizeof(options[0]), request },
		{ "Workload (without any: the preset active-full)", rows.options, rows.count,
			&request->run },
	};
	r = cli_parse_quietly(cli, command, groups, 2, &error);
	if (r == CLI_GO_ON)
		r = carry_out(cli, request, job);
	else if (r == CLI_USAGE)
		r = print_unknown(error.text);
out:
	free(request);
	free(job);
	return r;
}

const struct command command_check = {
	.name = "check",
	.section = "Measure now",
	.operands = "DIR",
	.summary = "one short run as a plug-in of Nagios, Icinga, Zabbix",
	.help = "Measures DIR once, briefly, and prints the one line that monitoring systems\n"
		"read: REPOPROBE OK, WARNING, CRITICAL or UNKNOWN, why, and performance data.\n"
		"\n"
		"A condition is [read|write] MEASURE > VALUE, or < VALUE. Measures are avg, p50,\n"
		"p95, p99, p99.9 and max (VALUE: 15ms), throughput (100M a second), iops and\n"
		"errors (a number). Without read or write it applies to each separately. Without\n"
		"conditions of a level the average is judged by the preset's limit; see\n"
		"\"repoprobe presets\". \"max > 5s\" also covers opening the probe file and the\n"
		"like; without it, more than 2 seconds of that are a WARNING.\n"
		"\n"
		"The run has the bounds of a scheduled one (64 MiB or 5 seconds), a file of 128M,\n"
		"removed at the end, and a timeout of 30s.\n"
		"\n"
		"Examples:\n"
		"  repoprobe check --keep-file /mnt/backup\n"
		"  repoprobe check --warn 'write avg > 20ms' --critical 'max > 2s' /mnt/backup\n"
		"  repoprobe check --preset=restore --critical 'throughput < 50M' /mnt/backup\n"
		"\n"
		"Exit status: 0 ok, 1 warning, 2 critical or the run failed, 3 unknown: wrong\n"
		"usage, refused, in use, or too few I/Os to tell.\n",
	.min_operands = 1,
	.max_operands = 1,
	.handler = check_handler,
};
