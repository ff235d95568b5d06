/* SPDX-License-Identifier: Apache-2.0 */
/* A repository's directory on the command line, for commands that examine without measuring. */
#ifndef REPOPROBE_CLI_PLACE_H
#define REPOPROBE_CLI_PLACE_H

#include "model/job.h"

struct config;
struct config_repository;
struct error;

/* DIR, which may be relative, as an absolute path. Returns 0 or -errno with a sentence. */
int place_find_path(const char *dir, char ret[JOB_PATH_MAX + 1], struct error *reterr);

/* The repository that is configured at this path, or NULL. Lent. */
const struct config_repository *place_find_repository(
	const struct config *config, const char *path);

/* What the configuration expects at the path. */
void place_expect(const struct config_repository *repository, struct job_expectation *ret);

/* Sets the time limits of a worker that only examines. The workload stays valid. */
void place_limit_time(struct workload *workload);

#endif
