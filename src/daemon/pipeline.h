/* SPDX-License-Identifier: Apache-2.0 */
/* The way of the data as code: a finished run enters here and passes each step once, in order. */
#ifndef REPOPROBE_DAEMON_PIPELINE_H
#define REPOPROBE_DAEMON_PIPELINE_H

#include <stdint.h>

struct alarm_state;
struct core_actions;
struct config_repository;
struct daemon;
struct mute;
struct reading;
struct run;
struct batch;

/* Takes the run: facts, alarm, present, store. begin: the kernel's counters when it was started,
 * NULL when they were not asked for. */
void pipeline_finish(struct daemon *d, const struct reading *begin, struct run *run);

/* Takes a finished run whose turn in the history has come: alarm and store. */
void pipeline_keep(struct daemon *d, struct run *run);

/* Makes the timer of messages that their commits keep waiting. */
int pipeline_start(struct daemon *d);
/* A run that is about to start may write so much: should nobody live to see its end, that is what
 * it counts as having written. */
void pipeline_reserve(struct daemon *d, const char *repository, uint64_t bytes);

/* A stuck run's worker is gone at last. */
void pipeline_complete_stuck(
	struct daemon *d, const char *repository, int64_t run_id, uint64_t duration_nsec);

/* Keeps which repositories are watched, for who reads the history alone. */
void pipeline_note_watched(struct daemon *d);

/* Probes that the repository no longer has (NULL: it is gone altogether) must not hold an incident
 * open: nothing would ever clear it. */
void pipeline_forget(
	struct daemon *d, struct alarm_state *alarm, const struct config_repository *repository);

/* Hands a batch (taken) to the store. */
void pipeline_submit(struct daemon *d, struct batch *batch);

/* Carries out what the core decided; the actions are empty afterwards. */
void pipeline_act(struct daemon *d, struct core_actions *actions);

/* Hands the store all that is known at present, for a history that was begun anew: alarm states
 * with their open incidents, first identities, budgets, mutes, what is normal. */
void pipeline_keep_present(struct daemon *d);

/* A mute that was asked for or got a new end goes to the history. */
void pipeline_keep_mute(struct daemon *d, const struct mute *mute);

/* Batches that the store finished: their messages may go out now. */
void pipeline_committed(struct daemon *d);

/* What the notifier did: marks in the store. */
void pipeline_notified(struct daemon *d);

#endif
