/* SPDX-License-Identifier: Apache-2.0 */
/* When each probe is run next, by its schedule (schedule.h), confirming runs and pauses, and which
 * is chosen. Pure. */
#ifndef REPOPROBE_CORE_PLAN_H
#define REPOPROBE_CORE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "core/present.h"

/* Plans a new probe: due at once, unless it has a calendar. */
void plan_first(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Plans the next slot after a start or a skip. min_usec: not before so long from now; a calendar's
 * slots are not left out for that. */
void plan_next(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec, uint64_t min_usec);

/* Takes the slots up to now as passed by: the one after them is the next that a waiting probe may
 * skip. */
void plan_pass_overlap(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Keeps the slots of calendars at their realtime. A clock that was set forward, and a machine that
 * slept, make a slot that passed meanwhile due, once; one that was set back brings the next slot
 * nearer again. Intervals count on as before. True when realtime was set: what is shown changed. */
bool plan_follow_clock(struct present *present, uint64_t now_nsec, int64_t now_usec);

/* A run that confirms nothing any more, because it waited for longer than this, is given up. */
#define PLAN_CONFIRM_LATE_NSEC (120 * NSEC_PER_SEC)
void plan_drop_late_confirmations(struct present *present, uint64_t now_nsec);

/* The time from the next slot to the one after it. */
uint64_t plan_spacing_usec(const struct present_probe *probe);

/* Moves the slot near when the very first run found the probe file in use: the worker of a daemon
 * that was killed needs a moment to notice and end. Not more than a few times. */
#define PLAN_IN_USE_TRIES 5
#define PLAN_IN_USE_USEC (2 * USEC_PER_SEC)
void plan_retry_in_use(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Must every probe of it wait, whether for a worker or for the pause after one? */
bool plan_is_held(const struct present_repository *repository, uint64_t now_nsec);

/* When the probe may start: its slot, or the end of the pause. 0: never. */
int64_t plan_start_usec(
	const struct present_repository *repository, const struct present_probe *probe);

/* Forgets the confirming run, or plans the next slot: what a start or a skip of what was due first
 * does to the other is nothing. */
void plan_pass(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* When it is to be run next: its slot, or a confirming run before that. */
uint64_t plan_due_nsec(const struct present_probe *probe);
bool plan_is_confirmation(const struct present_probe *probe);

/* The earliest instant after now at which something becomes due or is to be skipped; UINT64_MAX:
 * none. What is due already waits for a worker to end. */
uint64_t plan_next_due_nsec(const struct present *present, uint64_t now_nsec);

struct exclusion_place;

/* The probe to start now, while these places are occupied, or NULL. */
struct present_probe *plan_choose(struct present *present, uint64_t now_nsec,
	const struct exclusion_place *occupied, size_t occupied_count,
	struct present_repository **ret_repository);

#endif
