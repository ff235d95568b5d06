/* SPDX-License-Identifier: Apache-2.0 */
/* Starts what is due: the only place where a run begins. Knows no worker's inside and no history.
 */
#include "config/mutes.h"
#include "core/admission.h"
#include "core/exclusion.h"
#include "core/incidents.h"
#include "core/plan.h"
#include "daemon/daemon.h"
#include "daemon/launch.h"
#include "daemon/pipeline.h"

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/log.h"

#include <errno.h>
#include <stdlib.h>

#define DEAF_NSEC (30 * NSEC_PER_SEC) /* it looks every second */
#define MOUNTINFO_MAX (UINT32_C(4) << 20) /* thousands of mounts */

void daemon_set_time(struct daemon *d)
{
	d->core.now = (struct core_time){
		.nsec = clock_monotonic_nsec(&d->clock),
		.usec = clock_realtime_usec(&d->clock),
	};
}

/* A run that does not take place, for a reason that is told. */
static void skip(struct daemon *d, const struct present_repository *repository,
	struct present_probe *probe, enum run_skip why, const char *reason)
{
	struct run *run = run_new(repository->config->name, probe->config->name);

	if (!run) {
		log_error("%s: no memory to note a skipped run", repository->config->name);
		return;
	}
	run->workload = probe->config->workload;
	run->started_usec = clock_realtime_usec(&d->clock);
	run_fail(run, RUN_SKIPPED, 0, "%s", reason);
	run->skip = why;
	run->is_confirmation = why != RUN_SKIP_OVERLAP && plan_is_confirmation(probe);
	pipeline_finish(d, NULL, run);
}

/* --- What may take place ------------------------------------------------ */

/* All probes of a repository use one file. */
static uint64_t shortest_spacing_usec(const struct present_repository *repository)
{
	uint64_t shortest = UINT64_MAX;

	for (size_t i = 0; i < repository->probe_count; i++) {
		uint64_t spacing_usec = plan_spacing_usec(&repository->probes[i]);
		if (spacing_usec > 0 && spacing_usec < shortest)
			shortest = spacing_usec;
	}
	return shortest;
}

static void admit(struct daemon *d, const struct present_repository *repository,
	const struct present_probe *probe, struct admission *ret)
{
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	struct ledger_account *account = ledger_find(&d->core.ledger, repository->config->name);
	const struct mute_verdict mute = mutes_find(d->core.mutes, d->core.config,
		repository->config->name, clock_realtime_usec(&d->clock));
	const struct admission_question question = {
		.repository = repository->config,
		.workload = &probe->config->workload,
		.left_bytes = account ? ledger_left_bytes(account, now_nsec) : UINT64_MAX,
		.file_bytes = repository->place.file_bytes,
		.file_target_bytes = repository->place.file_target_bytes,
		.spacing_usec = shortest_spacing_usec(repository),
		.others = facts_ring_recent(repository->place.ring, now_nsec),
		.is_paused = mute.mode == MUTE_PROBING,
		.pause_reason = mute.reason,
	};

	admission_decide(&question, ret);
}

static void start_or_skip(
	struct daemon *d, struct present_repository *repository, struct present_probe *probe)
{
	struct admission admission;

	admit(d, repository, probe, &admission);
	if (admission.skip == RUN_SKIP_NONE) {
		pipeline_reserve(d, repository->config->name, admission.reserved_bytes);
		launch_start(d, repository, probe, &admission);
	} else {
		skip(d, repository, probe, admission.skip, admission.reason);
	}
	plan_pass(probe, clock_monotonic_nsec(&d->clock), clock_realtime_usec(&d->clock));
}

/* --- Who is next -------------------------------------------------------- */

static bool is_guess_needed(const struct present *present, uint64_t now_nsec)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		const struct present_repository *repository = &present->repositories[i];
		for (size_t k = 0; !repository->place.has_identity && k < repository->probe_count;
			k++)
			if (plan_due_nsec(&repository->probes[k]) <= now_nsec)
				return true;
	}
	return false;
}

/* Before a worker has told what a repository is made of, the mount table says on what it seems to
 * be. */
static void guess_identities(struct daemon *d)
{
	struct buf mountinfo = BUF_INIT(MOUNTINFO_MAX);

	if (!is_guess_needed(d->core.present, clock_monotonic_nsec(&d->clock)))
		return;
	(void)fd_read_file("/proc/self/mountinfo", &mountinfo); /* else there is no guess */
	for (size_t i = 0; i < d->core.present->repository_count; i++) {
		struct present_repository *repository = &d->core.present->repositories[i];
		if (!repository->place.has_identity)
			(void)identity_guess(buf_text(&mountinfo), repository->config->path,
				&repository->place.identity); /* likewise */
	}
	buf_done(&mountinfo);
}

static void start_due(struct daemon *d)
{
	struct exclusion_place occupied[CONFIG_PARALLEL_MAX];

	guess_identities(d);
	while (launch_occupied(d) < d->core.config->parallel_runs) {
		struct present_repository *repository = NULL;
		size_t count = launch_places(d, occupied, CONFIG_PARALLEL_MAX);
		struct present_probe *probe = plan_choose(d->core.present,
			clock_monotonic_nsec(&d->clock), occupied, count, &repository);
		if (!probe)
			return;
		start_or_skip(d, repository, probe);
	}
}

static const char *overlap_reason(const struct present_repository *repository, uint64_t now_nsec)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (repository->probes[i].stuck_since_usec > 0)
			return "the slot passed while a worker was stuck on this repository";
	if (repository->place.has_worker)
		return "the slot passed while another run of this repository went on";
	if (plan_is_held(repository, now_nsec))
		return "the slot passed while this repository rested after a stuck worker";
	return "the slot passed while runs of other repositories went on";
}

static void look_for_overlap(struct daemon *d, struct present_repository *repository,
	struct present_probe *probe, uint64_t now_nsec)
{
	bool was_waiting = probe->was_waiting;

	probe->was_waiting = probe->due_nsec <= now_nsec;
	if (probe->overlap_due_nsec > now_nsec)
		return;
	plan_pass_overlap(probe, now_nsec, clock_realtime_usec(&d->clock));
	/* Slots that passed at once, while the machine slept, were lost to no run of another; nor
	 * were those that passed while nothing could start. */
	if (d->record.is_safe && (was_waiting || plan_is_held(repository, now_nsec)))
		skip(d, repository, probe, RUN_SKIP_OVERLAP, overlap_reason(repository, now_nsec));
}

/* A probe that still waits when its following slot arrives skips that one. */
static void skip_overdue(struct daemon *d)
{
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);

	for (size_t i = 0; i < d->core.present->repository_count; i++) {
		struct present_repository *repository = &d->core.present->repositories[i];
		for (size_t k = 0; k < repository->probe_count; k++)
			look_for_overlap(d, repository, &repository->probes[k], now_nsec);
	}
}

/* Silence while clocks jumped, or this process did not get on or had to wait for the history, is no
 * fault of a repository. */
static void follow_clock(struct daemon *d)
{
	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	int64_t now_usec = clock_realtime_usec(&d->clock);
	bool is_set = plan_follow_clock(d->core.present, now_nsec, now_usec);

	if (is_set)
		daemon_changed(d);
	if (is_set || now_nsec - d->dispatched_nsec > DEAF_NSEC || !d->record.is_safe)
		d->core.listening_usec = now_usec;
	plan_drop_late_confirmations(d->core.present, now_nsec);
	d->dispatched_nsec = now_nsec;
}

void daemon_dispatch(struct daemon *d)
{
	struct core_actions actions = { .first = NULL };

	if (d->is_stopping)
		return;
	follow_clock(d);
	if (d->record.is_safe)
		start_due(d);
	skip_overdue(d);
	daemon_set_time(d);
	incidents_tick(&d->core, &actions);
	pipeline_act(d, &actions);

	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	uint64_t wait_nsec = plan_next_due_nsec(d->core.present, now_nsec) - now_nsec;
	/* A second is the longest that a clock moved by a test stays unnoticed. */
	if (wait_nsec > NSEC_PER_SEC)
		wait_nsec = NSEC_PER_SEC;
	(void)sd_event_source_set_time_relative(d->due_timer, wait_nsec / NSEC_PER_USEC + 1);
	(void)sd_event_source_set_enabled(d->due_timer, SD_EVENT_ONESHOT);
}

int daemon_probe_now(
	struct daemon *d, const char *repository, const char *probe, struct error *reterr)
{
	struct present_repository *found = present_find_repository(d->core.present, repository);

	if (!found)
		return error_set(reterr, -ENOENT, "no repository is called \"%s\"", repository);
	if (probe && !present_find_probe(found, probe))
		return error_set(reterr, -ENOENT, "repository %s has no probe called \"%s\"",
			repository, probe);

	uint64_t now_nsec = clock_monotonic_nsec(&d->clock);
	for (size_t i = 0; i < found->probe_count; i++) {
		struct present_probe *each = &found->probes[i];
		if (probe && each != present_find_probe(found, probe))
			continue;
		each->due_nsec = now_nsec;
		each->due_usec = clock_realtime_usec(&d->clock);
	}
	/* Who asks does not want to wait for the end of a pause. */
	found->place.is_asked = found->place.has_worker;
	found->place.pause_nsec = 0;
	found->place.pause_usec = 0;
	daemon_changed(d);
	daemon_dispatch(d);
	return 0;
}

void daemon_confirm(struct daemon *d, struct present_probe *probe, int64_t at_usec)
{
	int64_t now_usec = clock_realtime_usec(&d->clock);
	uint64_t wait_usec = at_usec > now_usec ? (uint64_t)(at_usec - now_usec) : 0;

	/* From here on it is a duration: a clock that is set moves nothing. */
	probe->confirm_nsec =
		at_usec == 0 ? 0 : clock_monotonic_nsec(&d->clock) + wait_usec * NSEC_PER_USEC;
}
