/* SPDX-License-Identifier: Apache-2.0 */
/* What each repository was when it was first seen, and what a worker is to expect of it for that.
 * It is forgotten when path, require_mount, expect_fstype or expect_source change. Pure. */
#ifndef REPOPROBE_CORE_SEEN_H
#define REPOPROBE_CORE_SEEN_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

struct config_repository;
struct present;
struct present_repository;
struct first_identity;

/* Stands for the keys named above. */
int64_t seen_wanted(const struct config_repository *config);

/* What must be there, by the configuration and by what was seen. */
void seen_expect(const struct present_repository *repository, struct job_expectation *ret);

/* Keeps what a run saw if it is the first that was measured, or what was unknown until now. True
 * when there is something new to be stored. */
bool seen_note(struct present_repository *repository, const struct run *run);

void seen_to_store(const struct present_repository *repository, struct first_identity *ret);

/* Whatever is there next is the right one. Gives what is to be stored of that: a row that holds for
 * no configuration. */
void seen_forget(struct present_repository *repository, struct first_identity *ret);

/* At the start: what the history knows. One that holds for another configuration is left out. */
int seen_restore(struct present *present, const struct first_identity *first);

/* At the start, after that: of those for which nothing is recorded, as an earlier version did not,
 * the newest measured run tells, if it was of this path. */
void seen_restore_from_runs(struct present *present);

#endif
