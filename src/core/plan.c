/* SPDX-License-Identifier: Apache-2.0 */
/* When each probe of the present is due: what schedule.c says of slots, tied to both clocks. */
#include "core/present.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/exclusion.h"
#include "core/plan.h"

/* The monotonic instant of a realtime one: 0 when that was before the boot, UINT64_MAX for never.
 */
static uint64_t monotonic_of(int64_t usec, uint64_t now_nsec, int64_t now_usec)
{
	if (usec == SCHEDULE_NEVER)
		return UINT64_MAX;
	uint64_t distance_usec =
		usec >= now_usec ? (uint64_t)(usec - now_usec) : (uint64_t)(now_usec - usec);
	if (usec >= now_usec)
		return now_nsec + distance_usec * NSEC_PER_USEC;
	return distance_usec < now_nsec / NSEC_PER_USEC ? now_nsec - distance_usec * NSEC_PER_USEC
							: 0;
}

static int64_t shown(int64_t usec)
{
	return usec == SCHEDULE_NEVER ? 0 : usec;
}

static void plan_overlap(
	struct present_probe *probe, int64_t after_usec, uint64_t now_nsec, int64_t now_usec)
{
	int64_t usec = SCHEDULE_NEVER;

	if (after_usec != SCHEDULE_NEVER)
		usec = schedule_next_usec(&probe->schedule, after_usec);
	probe->overlap_due_usec = shown(usec);
	probe->overlap_due_nsec = monotonic_of(usec, now_nsec, now_usec);
}

static void plan_calendar(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	/* The two clocks are not read at once: a slot that is due must not come again when realtime
	 * lags behind by a moment. */
	if (probe->due_nsec <= now_nsec && probe->due_usec > probe->done_usec)
		probe->done_usec = probe->due_usec;
	int64_t from_usec = schedule_look_from_usec(now_usec, probe->done_usec);
	int64_t slot_usec = schedule_next_usec(&probe->schedule, from_usec);

	probe->done_usec = from_usec;
	probe->due_usec = shown(slot_usec);
	probe->due_nsec = monotonic_of(slot_usec, now_nsec, now_usec);
	plan_overlap(probe, slot_usec, now_nsec, now_usec);
}

void plan_next(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec, uint64_t min_usec)
{
	if (probe->schedule.calendar) {
		plan_calendar(probe, now_nsec, now_usec);
		return;
	}
	uint64_t delay_usec = schedule_delay_usec(&probe->schedule, now_usec, min_usec);

	probe->due_nsec = now_nsec + delay_usec * NSEC_PER_USEC;
	probe->due_usec = now_usec + (int64_t)delay_usec;
	probe->overlap_due_nsec = probe->due_nsec + probe->schedule.interval_usec * NSEC_PER_USEC;
}

void plan_pass_overlap(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	uint64_t interval_nsec = probe->schedule.interval_usec * NSEC_PER_USEC;

	if (probe->schedule.calendar)
		plan_overlap(probe, now_usec, now_nsec, now_usec);
	else
		probe->overlap_due_nsec +=
			((now_nsec - probe->overlap_due_nsec) / interval_nsec + 1) * interval_nsec;
}

static void follow_clock(
	struct present_probe *probe, bool is_set_back, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->due_nsec <= now_nsec) {
		/* It waits for a worker, and goes on doing so. */
		if (probe->due_usec > now_usec)
			probe->due_usec = now_usec;
		if (is_set_back)
			plan_overlap(probe, now_usec, now_nsec, now_usec);
	} else if (is_set_back) {
		plan_calendar(probe, now_nsec, now_usec);
	} else if (probe->due_usec > 0) {
		probe->due_nsec = monotonic_of(probe->due_usec, now_nsec, now_usec);
	}
	if (probe->overlap_due_usec > 0)
		probe->overlap_due_nsec = monotonic_of(probe->overlap_due_usec, now_nsec, now_usec);
}

/* It comes after as long a time as before; what clocks will show then is another time. */
static void show_interval(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->due_nsec > now_nsec)
		probe->due_usec =
			now_usec + (int64_t)((probe->due_nsec - now_nsec) / NSEC_PER_USEC);
	else if (probe->due_usec > now_usec)
		probe->due_usec = now_usec;
}

bool plan_follow_clock(struct present *present, uint64_t now_nsec, int64_t now_usec)
{
	int64_t offset_usec = now_usec - (int64_t)(now_nsec / NSEC_PER_USEC);
	bool is_set_back = offset_usec < present->clock_offset_usec - PRESENT_BACK_USEC;
	bool is_set = is_set_back || offset_usec > present->clock_offset_usec + PRESENT_BACK_USEC;

	/* Slow corrections must not add up to a step, so each look is compared with the last. */
	present->clock_offset_usec = offset_usec;
	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct present_probe *probe = &repository->probes[k];
			if (probe->schedule.calendar)
				follow_clock(probe, is_set_back, now_nsec, now_usec);
			else if (is_set)
				show_interval(probe, now_nsec, now_usec);
		}
	}
	return is_set;
}

void plan_drop_late_confirmations(struct present *present, uint64_t now_nsec)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct present_probe *probe = &repository->probes[k];
			if (probe->confirm_nsec > 0 &&
				now_nsec > probe->confirm_nsec + PLAN_CONFIRM_LATE_NSEC)
				probe->confirm_nsec = 0;
		}
	}
}

uint64_t plan_spacing_usec(const struct present_probe *probe)
{
	bool has_both = probe->due_usec > 0 && probe->overlap_due_usec > probe->due_usec;

	if (!probe->schedule.calendar || !has_both)
		return probe->schedule.interval_usec;
	return (uint64_t)(probe->overlap_due_usec - probe->due_usec);
}

void plan_retry_in_use(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->runs > 0 || probe->skips[RUN_SKIP_IN_USE] > PLAN_IN_USE_TRIES)
		return;
	probe->due_nsec = now_nsec + PLAN_IN_USE_USEC * NSEC_PER_USEC;
	probe->due_usec = now_usec + (int64_t)PLAN_IN_USE_USEC;
}

/* A calendar is not started at once: a deep probe would come with each restart. */
void plan_first(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->schedule.calendar) {
		plan_next(probe, now_nsec, now_usec, 0);
		return;
	}
	probe->due_nsec = now_nsec;
	probe->due_usec = now_usec;
	probe->overlap_due_nsec = now_nsec + probe->schedule.interval_usec * NSEC_PER_USEC;
}

bool plan_is_held(const struct present_repository *repository, uint64_t now_nsec)
{
	return repository->place.has_worker || repository->place.pause_nsec > now_nsec;
}

int64_t plan_start_usec(
	const struct present_repository *repository, const struct present_probe *probe)
{
	bool is_later = probe->due_usec > 0 && probe->due_usec < repository->place.pause_usec;

	return is_later ? repository->place.pause_usec : probe->due_usec;
}

uint64_t plan_due_nsec(const struct present_probe *probe)
{
	return plan_is_confirmation(probe) ? probe->confirm_nsec : probe->due_nsec;
}

bool plan_is_confirmation(const struct present_probe *probe)
{
	return probe->confirm_nsec > 0 && probe->confirm_nsec < probe->due_nsec;
}

/* After a start the next slot of an interval is at least half of it away, so that a first run (or
 * one asked for) is not followed by its regular one in the same minute. */
void plan_pass(struct present_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (plan_is_confirmation(probe))
		probe->confirm_nsec = 0;
	else
		plan_next(probe, now_nsec, now_usec, probe->schedule.interval_usec / 2);
}

static void take_earlier(uint64_t instant_nsec, uint64_t now_nsec, uint64_t *earliest)
{
	if (instant_nsec > now_nsec && instant_nsec < *earliest)
		*earliest = instant_nsec;
}

uint64_t plan_next_due_nsec(const struct present *present, uint64_t now_nsec)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < present->repository_count; i++) {
		const struct present_repository *repository = &present->repositories[i];
		take_earlier(repository->place.pause_nsec, now_nsec, &earliest);
		for (size_t k = 0; k < repository->probe_count; k++) {
			const struct present_probe *probe = &repository->probes[k];
			take_earlier(plan_due_nsec(probe), now_nsec, &earliest);
			take_earlier(probe->overlap_due_nsec, now_nsec, &earliest);
		}
	}
	return earliest;
}

/* The longest overdue of a repository, or NULL. */
static struct present_probe *most_overdue(struct present_repository *repository, uint64_t now_nsec)
{
	struct present_probe *chosen = NULL;

	for (size_t k = 0; k < repository->probe_count; k++) {
		struct present_probe *probe = &repository->probes[k];
		uint64_t due_nsec = plan_due_nsec(probe);
		if (due_nsec <= now_nsec && (!chosen || due_nsec < plan_due_nsec(chosen)))
			chosen = probe;
	}
	return chosen;
}

static size_t gather(struct present *present, uint64_t now_nsec, struct exclusion_waiting *waiting)
{
	size_t count = 0;

	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		const struct present_probe *probe = plan_is_held(repository, now_nsec)
			? NULL
			: most_overdue(repository, now_nsec);
		if (!probe)
			continue;
		waiting[count++] = (struct exclusion_waiting){
			.place = { .group = repository->config->group,
				.identity = &repository->place.identity },
			.due_nsec = plan_due_nsec(probe),
			.index = i,
		};
	}
	return count;
}

struct present_probe *plan_choose(struct present *present, uint64_t now_nsec,
	const struct exclusion_place *occupied, size_t occupied_count,
	struct present_repository **ret_repository)
{
	struct exclusion_waiting *waiting = calloc(present->repository_count + 1, sizeof(*waiting));
	struct present_probe *probe = NULL;

	if (!waiting)
		return NULL; /* the next look, in a second, finds memory or not */
	const struct exclusion_waiting *chosen = exclusion_choose(
		occupied, occupied_count, waiting, gather(present, now_nsec, waiting));
	if (chosen) {
		*ret_repository = &present->repositories[chosen->index];
		probe = most_overdue(*ret_repository, now_nsec);
	}
	free(waiting);
	return probe;
}
