/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of the incidents' events: rows, messages, or, while a mute holds, neither yet. And
 * what time alone does: silence that is noticed, mutes that end. */
#ifndef REPOPROBE_CORE_INCIDENTS_H
#define REPOPROBE_CORE_INCIDENTS_H

#include <stdint.h>

struct alarm_outcome;
struct alarm_state;
struct core;
struct core_actions;
struct error;
struct incident_event;
struct present_repository;
struct batch;

/* Adds events with their messages, and then the state, to the batch. repository: NULL when it has
 * left the configuration. Returns 0 or -ENOMEM. */
int incidents_add(struct core *core, struct present_repository *repository,
	struct alarm_state *state, const struct alarm_outcome *outcome, struct batch *batch);

/* Looks at every repository whether time has come for something. */
void incidents_tick(struct core *core, struct core_actions *actions);

/* What was open before this start, with its newest event. Returns 0 or -ENOMEM. */
int incidents_restore(struct core *core, const struct incident_event *event);

/* Somebody takes care of the repository's open incident: no more messages unless it gets worse.
 * text may be NULL. Returns 0, -ENOENT (nothing is open) or -ENOMEM, with a sentence. */
int incidents_acknowledge(struct core *core, const char *repository, uint32_t uid, const char *text,
	struct core_actions *actions, struct error *reterr);

#endif
