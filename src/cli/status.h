/* SPDX-License-Identifier: Apache-2.0 */
/* The state of each repository from the history alone: its newest runs, its alarm, and the verdict
 * on them. */
#ifndef REPOPROBE_CLI_STATUS_H
#define REPOPROBE_CLI_STATUS_H

#include <stddef.h>

#include "model/mute.h"
#include "model/snapshot.h"

struct config;
struct error;
struct mutes;
struct store_reader;
struct worker_note;

#define STATUS_REASON_MAX 512

struct status_repository {
	size_t probe_count;
	size_t probe_capacity;
	struct snapshot_probe *probes; /* by name */
	struct alarm_state *alarm; /* NULL: none */
	int64_t newest_usec; /* when the newest run started */
	struct snapshot_mute mute; /* its reason is lent by the status or by the configuration */
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
	struct mutes *mutes; /* requested ones; NULL: not read yet */
};

/* What the history does not contain. */
struct status_present {
	const struct worker_note *notes; /* workers that still exist */
	size_t note_count;
	const struct config *config; /* its mutes count; NULL: unknown. Must outlive the status */
	int64_t now_usec;
};

/* The name is taken from its runs. */
const char *status_repository_name(const struct status_repository *repository);

/* Reads everything. A run dated in the future is not the newest. Returns 0 and a status to free, or
 * -errno with a sentence. */
int status_read(struct store_reader *reader, const struct status_present *present,
	struct status *ret, struct error *reterr);
void status_done(struct status *status);

/* Steps of status_read, each taking a lent value. Return 0 or -ENOMEM. */
int status_add_run(struct status *status, const struct run *run);
int status_add_alarm(struct status *status, const struct alarm_state *alarm);
/* Adds a worker that was given up and still exists. */
void status_add_stuck(struct status *status, const struct worker_note *note);
/* Adds a requested mute. */
int status_add_mute(struct status *status, const struct mute *mute, int64_t now_usec);
/* Finds the mute in force for each repository at that time. */
void status_find_mutes(struct status *status, const struct config *config, int64_t now_usec);
/* Sorts, and judges each repository. */
void status_judge(struct status *status);

#endif
