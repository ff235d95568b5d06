/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe doctor`: examines a repository and reports what a run would find there. Only the
 * worker touches the repository and the state directory, because they may hang. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/place.h"
#include "cli/run_watch.h"
#include "config/config.h"
#include "model/checkup.h"
#include "report/report.h"

#define REPORT_MAX ((size_t)1 << 20)
#define MOUNTINFO_MAX (UINT32_C(4) << 20)
#define LOCATION_MAX ((size_t)2 * JOB_PATH_MAX)
#define SIGNAL_EXIT_BASE 128
#define NEW_NAME "(not configured)"

struct doctor_request {
	bool is_json;
};

static const struct cli_option options[] = {
	{ .name = "json",
		.help = "one JSON document instead of a table",
		.set = option_set_flag,
		.offset = offsetof(struct doctor_request, is_json) },
};

struct doctor {
	char path[JOB_PATH_MAX + 1];
	char probe_directory[JOB_PATH_MAX + sizeof("/.repoprobe")];
	char trouble[ERROR_TEXT_MAX];
	struct config *config;
	const struct config_repository *repository; /* configured, or made from the defaults */
	struct job job;
	struct examination examination;
	struct checkup checkup;
	struct run *run; /* the worker's outcome */
};

static struct doctor *doctor_free(struct doctor *d)
{
	if (d) {
		config_free(d->config);
		free(d->run);
		free(d);
	}
	return NULL;
}

/* --- Configuration --------------------------------------------------------- */

/* The default configuration may be unreadable for this user; doctor then goes on with the built-in
 * defaults. */
static int load(const struct cli *cli, const struct config_overrides *overrides, struct doctor *d,
	struct config **ret)
{
	const char *path = cli->config_path ? cli->config_path : config_default_path();
	struct config_errors errors = { 0 };
	struct config_errors more = { 0 };
	int r = config_load(path, cli->config_path != NULL, overrides, ret, &errors);

	if (r < 0) {
		(void)snprintf(d->trouble, sizeof(d->trouble), "%s",
			errors.count > 0 ? errors.lines[0] : errno_text(-r)); /* truncated */
		r = config_load_text("defaults", "", 0, overrides, ret, &more);
	}
	config_errors_done(&errors);
	config_errors_done(&more);
	return r;
}

/* Adds a repository with default settings. Its path is a placeholder. */
static int add_repository(const struct cli *cli, struct doctor *d)
{
	static const char *const repositories[] = { NEW_NAME "=/" };
	const struct config_overrides overrides = {
		.state_directory = cli->state_directory,
		.repositories = repositories,
		.repository_count = 1,
	};
	struct config *config;
	int r = load(cli, &overrides, d, &config);

	if (r < 0)
		return cli_complain(CLI_FAILED, "doctor: the configuration: %s", errno_text(-r));
	config_free(d->config);
	d->config = config;
	d->repository = config_find_repository(config, NEW_NAME);
	return d->repository ? CLI_GO_ON : cli_complain(CLI_FAILED, "doctor: no repository");
}

static int read_configuration(const struct cli *cli, struct doctor *d)
{
	const struct config_overrides overrides = { .state_directory = cli->state_directory };

	if (cli->config_path || load(cli, &overrides, d, &d->config) < 0) {
		int exit_code = cli_load_config(cli, &d->config);
		if (exit_code != CLI_GO_ON)
			return exit_code;
	}
	d->repository = place_find_repository(d->config, d->path);
	if (!d->repository)
		return add_repository(cli, d);
	d->checkup.cost.repository = d->repository->name;
	return CLI_GO_ON;
}

/* --- Job ------------------------------------------------------------------- */

static uint64_t buffer_bytes(const struct workload *w)
{
	return (uint64_t)w->block_size_bytes * w->queue_depth * w->threads;
}

static void describe_cost(const struct config_repository *repository, struct checkup_cost *cost)
{
	struct buf stretch = BUF_INIT(CHECKUP_TEXT_MAX);

	config_daily_bytes(repository, &cost->written_bytes, &cost->read_bytes);
	config_describe_stretch(repository, &stretch);
	if (stretch.len > 0)
		(void)snprintf(cost->stretch, sizeof(cost->stretch), "probing %s",
			buf_text(&stretch)); /* truncated to fit */
	buf_done(&stretch);
	cost->budget_bytes = repository->daily_write_budget_bytes;
	cost->min_free_bytes = repository->min_free_bytes;
	cost->min_free_percent = repository->min_free_percent;
	for (size_t i = 0; i < repository->probe_count && i < CHECKUP_PROBES_MAX; i++) {
		const struct config_probe *probe = &repository->probes[i];
		cost->probes[cost->probe_count++] = probe->name;
		if (probe->workload.block_size_bytes > cost->block_bytes)
			cost->block_bytes = probe->workload.block_size_bytes;
	}
}

/* The workload of a probe, for the size of its buffers; the rest only has to be valid. */
static void choose_workload(const struct config_repository *repository, struct workload *ret)
{
	*ret = workload_preset_default()->workload;
	for (size_t i = 0; i < repository->probe_count; i++)
		if (buffer_bytes(&repository->probes[i].workload) > buffer_bytes(ret))
			*ret = repository->probes[i].workload;
	place_limit_time(ret);
}

static int make_job(struct doctor *d, struct error *reterr)
{
	const struct config_repository *repository = d->repository;
	struct job *job = &d->job;
	char host_id[17];
	int r = hash_host_id(host_id);

	if (r < 0)
		return error_set(reterr, r, "the host's name: %s", errno_text(-r));
	job->kind = JOB_EXAMINE;
	(void)snprintf(job->repository_path, sizeof(job->repository_path), "%s", d->path);
	(void)snprintf(job->probe_directory, sizeof(job->probe_directory), "%s",
		repository->probe_directory);
	(void)snprintf(job->state_directory, sizeof(job->state_directory), "%s",
		d->config->state_directory); /* all three fields fit the longest path */
	job_file_name(job, host_id, getuid(), false);
	choose_workload(repository, &job->workload);
	job->file_target_bytes = repository->file_target_bytes;
	job->first_layout_bytes = JOB_FIRST_LAYOUT_BYTES;
	job->min_free_bytes = repository->min_free_bytes;
	job->min_free_percent = repository->min_free_percent;
	place_expect(repository, &job->expected);
	job->keep_file = true;
	return 0;
}

/* --- Report ---------------------------------------------------------------- */

static int print_report(const struct doctor *d, bool is_json)
{
	struct buf b = BUF_INIT(REPORT_MAX);

	if (is_json)
		return cli_print_json(report_doctor_json(&d->checkup));
	report_doctor_text(&d->checkup, &b);
	return cli_print(&b);
}

/* Uses the mount table only; no other repository's path is touched. */
static void find_twin(const struct doctor *d, struct checkup *c)
{
	struct buf mountinfo = BUF_INIT(MOUNTINFO_MAX);
	struct buf here = BUF_INIT(LOCATION_MAX);
	const char *path = d->examination.real_path[0] ? d->examination.real_path : d->path;

	(void)fd_read_file("/proc/self/mountinfo", &mountinfo); /* else nothing is found */
	identity_locate(buf_text(&mountinfo), path, &here);
	for (size_t i = 0; here.len > 0 && i < d->config->repository_count; i++) {
		const struct config_repository *other = &d->config->repositories[i];
		struct buf there = BUF_INIT(LOCATION_MAX);

		if (other != d->repository)
			identity_locate(buf_text(&mountinfo), other->path, &there);
		if (there.len > 0 && strcmp(buf_text(&here), buf_text(&there)) == 0) {
			c->twin = other->name;
			c->twin_path = other->path;
		}
		buf_done(&there);
	}
	buf_done(&here);
	buf_done(&mountinfo);
}

static int conclude(struct doctor *d, bool is_json)
{
	struct checkup *c = &d->checkup;

	c->path = d->path;
	c->probe_directory = d->repository->probe_directory;
	if (c->probe_directory[0] == '\0') {
		(void)snprintf(d->probe_directory, sizeof(d->probe_directory), "%s/.repoprobe",
			d->path); /* fits */
		c->probe_directory = d->probe_directory;
	}
	c->state_directory = d->config->state_directory;
	c->configuration_trouble = d->trouble;
	c->status = d->run->status;
	c->reason = d->run->reason;
	c->examination = &d->examination;
	find_twin(d, c);
	checkup_judge(c);
	int exit_code = print_report(d, is_json);
	return checkup_level(c) == CHECKUP_PROBLEM ? CLI_FAILED : exit_code;
}

static int examine(const struct cli *cli, struct doctor *d, bool is_json)
{
	struct run_end end = { 0 };
	struct error error = { "" };
	int r = make_job(d, &error);

	if (r == 0)
		r = run_watch_examination(
			&d->job, &cli->clock, STDERR_FILENO, &d->examination, d->run, &end, &error);
	if (r < 0)
		return cli_complain(CLI_FAILED, "doctor: %s", error.text);
	if (end.signal != 0)
		return cli_complain(SIGNAL_EXIT_BASE + end.signal, "%s: interrupted", d->path);
	return conclude(d, is_json);
}

static int doctor_handler(struct cli *cli, const struct command *command)
{
	struct doctor_request request = { 0 };
	const struct option_group groups[] = { { "Output", options, 1, &request } };
	int r = cli_parse(cli, command, groups, 1);
	if (r != CLI_GO_ON)
		return r;

	struct doctor *d = calloc(1, sizeof(*d));
	struct error error = { "" };
	if (d)
		d->run = run_new("", "");
	if (!d || !d->run) {
		doctor_free(d);
		return cli_complain(CLI_FAILED, "no memory");
	}
	d->checkup.cost.repository = "";
	if (place_find_path(cli->arguments.words[0], d->path, &error) < 0)
		r = cli_complain(CLI_USAGE, "doctor: %s", error.text);
	else
		r = read_configuration(cli, d);
	if (r == CLI_GO_ON) {
		describe_cost(d->repository, &d->checkup.cost);
		r = examine(cli, d, request.is_json);
	}
	doctor_free(d);
	return r;
}

const struct command command_doctor = {
	.name = "doctor",
	.section = "Measure now",
	.operands = "DIR",
	.summary = "what DIR is, what probing it costs, what would be refused",
	.help = "Looks at DIR as a repository, without measuring it: its mount, file system,\n"
		"device, sectors, direct I/O, caches, free space, io_uring, who may write, what a\n"
		"day of probing costs, where the history is kept; and says what would be refused\n"
		"and why. Each fact has a verdict: ok, warning, problem, or unknown.\n"
		"\n"
		"Nothing is changed. Direct I/O is tried by a read of a probe file. Where\n"
		"there is none yet, and one may be made, 4 KiB are written to an unnamed\n"
		"temporary file. A directory that does not answer is reported as stuck after\n"
		"17 seconds, with what was found before.\n"
		"\n"
		"As root it looks with the rights of the directory's owner, as runs do. Others\n"
		"should run it as the daemon's user: the answers hold for the user who runs it.\n"
		"\n"
		"Examples:\n"
		"  repoprobe doctor /mnt/backup\n"
		"  repoprobe doctor --json /mnt/backup | jq -r '.findings[].text'\n"
		"\n"
		"Exit status: 0 no problem (warnings do not count), 1 a problem, 2 wrong usage,\n"
		"130 interrupted by Ctrl-C.\n",
	.min_operands = 1,
	.max_operands = 1,
	.reads_configuration = true,
	.handler = doctor_handler,
};
