/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one worker per configured probe_directory, in turn: only those can hold others' data. */
#include "cli/config_places.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/hash.h"
#include "cli/cli.h"
#include "cli/place.h"
#include "cli/run_watch.h"
#include "config/config.h"
#include "model/examination.h"

#define MOUNTINFO_MAX (UINT32_C(4) << 20)
#define LIMIT_USEC                                                                                 \
	(3 * USEC_PER_SEC) /* per worker: a slower one is reported, and the next starts */
#define SIGNAL_EXIT_BASE 128

struct look {
	struct job job;
	struct examination examination;
	struct run *run; /* the worker's outcome */
};

static int make_job(const struct config_repository *repository, struct job *job)
{
	char host_id[17];
	int r = hash_host_id(host_id);

	if (r < 0)
		return r;
	memset(job, 0, sizeof(*job));
	job->kind = JOB_LOOK;
	(void)strncat(job->repository_path, repository->path, JOB_PATH_MAX);
	(void)strncat(job->probe_directory, repository->probe_directory, JOB_PATH_MAX);
	job_file_name(job, host_id, getuid(), false);
	job->workload = workload_preset_default()->workload;
	place_limit_time(&job->workload);
	job->workload.timeout_usec = LIMIT_USEC;
	job->workload.duration_usec = LIMIT_USEC / 2;
	place_expect(repository, &job->expected);
	job->keep_file = true;
	return 0;
}

/* A reason to refuse that depends neither on the mount nor on the user. */
static const char *find_refusal(const struct examination *e)
{
	for (size_t i = 0; i < e->refusal_count; i++)
		if (e->refusals[i].about == SUBJECT_DIRECTORY &&
			e->refusals[i].status == RUN_REFUSED)
			return e->refusals[i].text;
	return NULL;
}

/* *ret: NULL, or the problem as text, to be freed. */
static int look_at(const struct cli *cli, const struct config_repository *repository,
	struct look *look, char **ret)
{
	struct run_end end = { 0 };
	struct error error = { "" };
	int r = make_job(repository, &look->job);

	look->run->status = RUN_OK;
	if (r == 0)
		r = run_watch_examination(
			&look->job, &cli->clock, -1, &look->examination, look->run, &end, &error);
	if (end.signal != 0)
		return cli_complain(SIGNAL_EXIT_BASE + end.signal, "%s: interrupted",
			repository->probe_directory);
	if (r < 0 || look->run->status != RUN_OK) {
		(void)cli_complain(CLI_OK, "%s: whether %s holds data is not known: %s",
			repository->name, repository->probe_directory,
			r < 0 ? (error.text[0] ? error.text : errno_text(-r)) : look->run->reason);
		return CLI_GO_ON;
	}
	const char *refusal = find_refusal(&look->examination);
	*ret = refusal ? strdup(refusal) : NULL;
	return refusal && !*ret ? cli_complain(CLI_FAILED, "no memory") : CLI_GO_ON;
}

static int look_at_all(const struct cli *cli, const struct config *config, char **found)
{
	struct look *look = calloc(1, sizeof(*look));
	int r = CLI_GO_ON;

	if (!look)
		return cli_complain(CLI_FAILED, "no memory");
	look->run = run_new("", "");
	if (!look->run) {
		free(look);
		return cli_complain(CLI_FAILED, "no memory");
	}
	for (size_t i = 0; r == CLI_GO_ON && i < config->repository_count; i++)
		if (config->repositories[i].probe_directory[0] != '\0')
			r = look_at(cli, &config->repositories[i], look, &found[i]);
	free(look->run);
	free(look);
	return r;
}

static int judge(const char *path, const struct config *config, char *const *found)
{
	struct buf mountinfo = BUF_INIT(MOUNTINFO_MAX);
	struct config_errors errors;

	(void)fd_read_file("/proc/self/mountinfo", &mountinfo); /* else by text alone */
	int r = config_check_places(
		config, buf_text(&mountinfo), (const char *const *)found, &errors);
	buf_done(&mountinfo);
	if (r == 0)
		return CLI_GO_ON;
	if (r == -ENOMEM)
		return cli_complain(CLI_FAILED, "no memory");
	cli_show_errors(path, &errors);
	config_errors_done(&errors);
	return CLI_USAGE;
}

int config_places_check(const struct cli *cli, const char *path, const struct config *config)
{
	char **found = calloc(config->repository_count + 1, sizeof(*found));

	if (!found)
		return cli_complain(CLI_FAILED, "no memory");
	int r = look_at_all(cli, config, found);
	if (r == CLI_GO_ON)
		r = judge(path, config, found);
	for (size_t i = 0; i < config->repository_count; i++)
		free(found[i]);
	free(found);
	return r;
}
