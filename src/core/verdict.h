/* SPDX-License-Identifier: Apache-2.0 */
/* Puts a finished run before the alarm rules, with all they want to know beside it: limit, what is
 * normal, peers, mutes, local time. */
#ifndef REPOPROBE_CORE_VERDICT_H
#define REPOPROBE_CORE_VERDICT_H

struct alarm_outcome;
struct core;
struct present_probe;
struct present_repository;
struct run;

/* Moves the repository's alarm state on. Returns 0, -ENOBUFS as alarm_step, or -ENOMEM. */
int verdict_take(struct core *core, struct present_repository *repository,
	struct present_probe *probe, const struct run *run, struct alarm_outcome *ret);

/* The same for the time that passes: no run at all. */
void verdict_tick(
	struct core *core, struct present_repository *repository, struct alarm_outcome *ret);

#endif
