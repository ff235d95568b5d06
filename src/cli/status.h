/* SPDX-License-Identifier: Apache-2.0 */
/* What the history alone tells of each repository: its newest runs, its alarm, and the state that
 * follows from them. */
#ifndef REPOPROBE_CLI_STATUS_H
#define REPOPROBE_CLI_STATUS_H

#include <stddef.h>

#include "model/snapshot.h"

struct error;
struct store_reader;
struct worker_note;

#define STATUS_REASON_MAX 512

struct status_repository {
	size_t probe_count;
	size_t probe_capacity;
	struct snapshot_probe *probes; /* by name */
	struct alarm_state *alarm; /* NULL: none */
	int64_t newest_usec; /* when the newest run started */
	enum repository_state state;
	char reason[STATUS_REASON_MAX];
};

struct status {
	size_t count;
	size_t capacity;
	struct status_repository *repositories; /* by name */
	size_t run_count;
	size_t run_capacity;
	struct run **runs; /* what the repositories' probes point to */
};

/* The name stands in each of its runs. */
const char *status_repository_name(const struct status_repository *repository);

/* Reads it all; notes: of workers that are still there. Returns 0 and a status to free, or -errno
 * with a sentence. */
int status_read(struct store_reader *reader, const struct worker_note *notes, size_t note_count,
	struct status *ret, struct error *reterr);
void status_done(struct status *status);

/* Building blocks of status_read, each taking a lent value. Return 0 or -ENOMEM. */
int status_add_run(struct status *status, const struct run *run);
int status_add_alarm(struct status *status, const struct alarm_state *alarm);
/* A worker that was given up and is still there. */
void status_add_stuck(struct status *status, const struct worker_note *note);
/* Sorts, and judges each repository. */
void status_judge(struct status *status);

#endif
