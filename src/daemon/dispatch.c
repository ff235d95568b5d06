/* SPDX-License-Identifier: Apache-2.0 */
/* Starts what is due: the only place where a run begins. Knows no worker's inside and no history.
 */
#include "daemon/daemon.h"
#include "daemon/launch.h"
#include "daemon/pipeline.h"

#include "base/error.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

/* After a start the next slot of an interval is at least half of it away, so that a first run (or
 * one asked for) is not followed by its regular one in the same minute. */
static void plan_next(struct daemon *d, struct live_probe *probe)
{
	live_plan(probe, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock),
		probe->schedule.interval_usec / 2);
}

static void start_due(struct daemon *d)
{
	while (launch_occupied(d) < d->config->parallel_runs) {
		struct live_repository *repository = NULL;
		struct live_probe *probe =
			live_choose(d->live, clock_monotonic_nsec(&d->clock), &repository);
		if (!probe)
			return;
		launch_start(d, repository, probe);
		plan_next(d, probe);
	}
}

/* Why the slot passed. */
static const char *held_by(const struct live_repository *repository)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (repository->probes[i].stuck_since_usec > 0)
			return "a worker was stuck on this repository";
	return repository->has_worker ? "another run of this repository went on"
				      : "this repository rested after a stuck worker";
}

static void skip_overlapped(
	struct daemon *d, struct live_repository *repository, struct live_probe *probe)
{
	struct run *run = run_new(repository->config->name, probe->config->name);

	if (!run) {
		log_error("%s: no memory to note a skipped run", repository->config->name);
		return;
	}
	run->workload = probe->config->workload;
	run->started_usec = clock_realtime_usec(&d->clock);
	run_fail(run, RUN_SKIPPED, 0, "the slot passed while %s", held_by(repository));
	run->skip = RUN_SKIP_OVERLAP;
	pipeline_finish(d, NULL, run);
}

/* A probe that waits so long that its following slot arrives skips that one. */
static void skip_overdue(struct daemon *d)
{
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);

	for (size_t i = 0; i < d->live->repository_count; i++) {
		struct live_repository *repository = &d->live->repositories[i];
		bool is_held = live_is_held(repository, now_nsec);
		for (size_t k = 0; is_held && k < repository->probe_count; k++) {
			struct live_probe *probe = &repository->probes[k];
			if (probe->overlap_due_nsec > now_nsec)
				continue;
			live_pass_overlap(probe, now_nsec, clock_realtime_usec(&d->clock));
			skip_overlapped(d, repository, probe);
		}
	}
}

void daemon_dispatch(struct daemon *d)
{
	if (d->is_stopping)
		return;
	live_follow_clock(d->live, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock));
	skip_overdue(d);
	start_due(d);

	uint64_t due_nsec = live_next_due_nsec(d->live);
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	bool is_full = launch_occupied(d) >= d->config->parallel_runs;
	uint64_t wait_nsec = due_nsec > now_nsec ? due_nsec - now_nsec : 0;
	/* With every slot taken what is due waits for a worker to end, not for the timer. A second
	 * is also the longest that a clock moved by a test stays unnoticed. */
	if (is_full || wait_nsec > NSEC_PER_SEC)
		wait_nsec = NSEC_PER_SEC;
	(void)sd_event_source_set_time_relative(d->due_timer, wait_nsec / NSEC_PER_USEC + 1);
	(void)sd_event_source_set_enabled(d->due_timer, SD_EVENT_ONESHOT);
}

int daemon_probe_now(
	struct daemon *d, const char *repository, const char *probe, struct error *reterr)
{
	struct live_repository *found = live_find_repository(d->live, repository);

	if (!found)
		return error_set(reterr, -ENOENT, "no repository is called \"%s\"", repository);
	if (probe && !live_find_probe(found, probe))
		return error_set(reterr, -ENOENT, "repository %s has no probe called \"%s\"",
			repository, probe);

	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	for (size_t i = 0; i < found->probe_count; i++) {
		struct live_probe *each = &found->probes[i];
		if (probe && each != live_find_probe(found, probe))
			continue;
		each->due_nsec = now_nsec;
		each->due_usec = clock_realtime_usec(&d->clock);
	}
	/* Who asks does not want to wait for the end of a pause. */
	found->is_asked = found->has_worker;
	found->pause_nsec = 0;
	found->pause_usec = 0;
	daemon_changed(d);
	daemon_dispatch(d);
	return 0;
}
