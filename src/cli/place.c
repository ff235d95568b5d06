/* SPDX-License-Identifier: Apache-2.0 */
/* Resolves paths of the command line and finds them in the configuration. */
#include "cli/place.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/run_options.h"
#include "config/config.h"

#define LIMIT_USEC (UINT64_C(10) * USEC_PER_SEC) /* long enough for a sleeping disk to spin up */

int place_find_path(const char *dir, char ret[JOB_PATH_MAX + 1], struct error *reterr)
{
	char *cwd = dir[0] == '/' ? NULL : getcwd(NULL, 0);
	int r = run_absolute_path(cwd, dir, ret, reterr);

	free(cwd);
	return r;
}

const struct config_repository *place_find_repository(const struct config *config, const char *path)
{
	for (size_t i = 0; i < config->repository_count; i++)
		if (strcmp(config->repositories[i].path, path) == 0)
			return &config->repositories[i];
	return NULL;
}

void place_expect(const struct config_repository *repository, struct job_expectation *ret)
{
	ret->requires_mount = repository->requires_mount;
	(void)strncat(ret->fs_type, repository->expect_fstype, sizeof(ret->fs_type) - 1);
	(void)strncat(ret->source, repository->expect_source, sizeof(ret->source) - 1);
}

void place_limit_time(struct workload *workload)
{
	workload->warmup_ios = 0;
	workload->warmup_usec = 0;
	workload->duration_usec = LIMIT_USEC / 2;
	workload->timeout_usec = LIMIT_USEC;
}
