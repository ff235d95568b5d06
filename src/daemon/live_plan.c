/* SPDX-License-Identifier: Apache-2.0 */
/* When each probe of the present is due: what schedule.c says of slots, tied to both clocks. */
#include "daemon/live.h"

#include "base/clock.h"

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
	struct live_probe *probe, int64_t after_usec, uint64_t now_nsec, int64_t now_usec)
{
	int64_t usec = SCHEDULE_NEVER;

	if (after_usec != SCHEDULE_NEVER)
		usec = schedule_next_usec(&probe->schedule, after_usec);
	probe->overlap_due_usec = shown(usec);
	probe->overlap_due_nsec = monotonic_of(usec, now_nsec, now_usec);
}

static void plan_calendar(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec)
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

void live_plan(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec, uint64_t min_usec)
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

void live_pass_overlap(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->schedule.calendar)
		plan_overlap(probe, now_usec, now_nsec, now_usec);
	else
		probe->overlap_due_nsec += probe->schedule.interval_usec * NSEC_PER_USEC;
}

static void follow_clock(
	struct live_probe *probe, bool is_set_back, uint64_t now_nsec, int64_t now_usec)
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

void live_follow_clock(struct live *live, uint64_t now_nsec, int64_t now_usec)
{
	int64_t offset_usec = now_usec - (int64_t)(now_nsec / NSEC_PER_USEC);
	bool is_set_back = offset_usec < live->clock_offset_usec - LIVE_BACK_USEC;

	/* Slow corrections must not add up to a step, so each look is compared with the last. */
	live->clock_offset_usec = offset_usec;
	for (size_t i = 0; i < live->repository_count; i++) {
		struct live_repository *repository = &live->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct live_probe *probe = &repository->probes[k];
			if (probe->schedule.calendar)
				follow_clock(probe, is_set_back, now_nsec, now_usec);
		}
	}
}

uint64_t live_spacing_usec(const struct live_probe *probe)
{
	bool has_both = probe->due_usec > 0 && probe->overlap_due_usec > probe->due_usec;

	if (!probe->schedule.calendar || !has_both)
		return probe->schedule.interval_usec;
	return (uint64_t)(probe->overlap_due_usec - probe->due_usec);
}

void live_retry_in_use(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->runs > 0 || probe->skips[RUN_SKIP_IN_USE] > LIVE_IN_USE_TRIES)
		return;
	probe->due_nsec = now_nsec + LIVE_IN_USE_USEC * NSEC_PER_USEC;
	probe->due_usec = now_usec + (int64_t)LIVE_IN_USE_USEC;
}

/* A calendar is not started at once: a deep probe would come with each restart. */
void live_plan_first(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec)
{
	if (probe->schedule.calendar) {
		live_plan(probe, now_nsec, now_usec, 0);
		return;
	}
	probe->due_nsec = now_nsec;
	probe->due_usec = now_usec;
	probe->overlap_due_nsec = now_nsec + probe->schedule.interval_usec * NSEC_PER_USEC;
}

uint64_t live_next_due_nsec(const struct live *live)
{
	uint64_t earliest = UINT64_MAX;

	for (size_t i = 0; i < live->repository_count; i++) {
		const struct live_repository *repository = &live->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++) {
			const struct live_probe *probe = &repository->probes[k];
			uint64_t due =
				repository->has_worker ? probe->overlap_due_nsec : probe->due_nsec;
			if (due < earliest)
				earliest = due;
		}
	}
	return earliest;
}

struct live_probe *live_choose(
	struct live *live, uint64_t now_nsec, struct live_repository **ret_repository)
{
	struct live_probe *chosen = NULL;

	for (size_t i = 0; i < live->repository_count; i++) {
		struct live_repository *repository = &live->repositories[i];
		if (repository->has_worker)
			continue;
		for (size_t k = 0; k < repository->probe_count; k++) {
			struct live_probe *probe = &repository->probes[k];
			if (probe->due_nsec > now_nsec)
				continue;
			if (chosen && chosen->due_nsec <= probe->due_nsec)
				continue;
			chosen = probe;
			*ret_repository = repository;
		}
	}
	return chosen;
}
