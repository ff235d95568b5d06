/* SPDX-License-Identifier: Apache-2.0 */
/* The file that a run with fresh = yes writes to: created beside the probe file, so that every
 * block of it is newly allocated, and removed afterwards. The probe file itself is only read. */
#ifndef REPOPROBE_PROBE_FRESH_H
#define REPOPROBE_PROBE_FRESH_H

#include <stdbool.h>

#include "model/job.h"
#include "probe/guard.h"

struct target;

#define FRESH_SUFFIX ".fresh"

struct fresh {
	int fd; /* -1: none */
	bool is_there; /* its name exists and is ours to remove … */
	struct guard_id id; /* … while it refers to this file */
	char name[JOB_FILE_NAME_MAX + sizeof(FRESH_SUFFIX)];
};

/* Creates the file with the open flags of target->io_fd, whose lock protects it too. A file that a
 * killed run left behind is removed first, if its content proves that it is ours. Returns 0, or
 * -errno with the run failed. */
int fresh_open(struct fresh *f, const struct target *target, struct run *run);

/* Opens it again after target->io_fd was reopened with other flags. 0 or -errno. */
int fresh_follow(struct fresh *f, const struct target *target);

void fresh_remove(struct fresh *f, const struct target *target);

#endif
