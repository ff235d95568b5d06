/* SPDX-License-Identifier: Apache-2.0 */
/* Turns readings into samples, and runs into spans of our own I/O, for the rings of the
 * repositories. */
#include "daemon/sampler.h"

#include "base/log.h"
#include "daemon/daemon.h"
#include "supervise/reading.h"

#define PROC "/proc"
#define TIMER_USEC (FACTS_INTERVAL_NSEC / NSEC_PER_USEC)
#define TIMER_ACCURACY_USEC (USEC_PER_SEC / 2)

static int add_sample(
	struct present_repository *repository, const struct reading *reading, struct error *reterr)
{
	struct facts_sample sample;
	int r = reading_sample(reading, &repository->place.identity, &sample, reterr);

	facts_ring_add(repository->place.ring, &sample);
	return r;
}

int sampler_add(struct present *present, const struct reading *reading, struct error *reterr)
{
	int result = 0;

	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		int r = repository->place.has_identity ? add_sample(repository, reading, reterr)
						       : 0;
		if (r < 0)
			result = r;
	}
	return result;
}

static bool shares_disk(
	const struct present_repository *repository, const struct identity *identity)
{
	return repository->place.has_identity &&
		identity_shares_disk(&repository->place.identity, identity);
}

static void add_span(struct present *present, const struct present_repository *of,
	const struct identity *identity, const struct facts_span *span)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		if (repository == of || shares_disk(repository, identity))
			facts_ring_add_span(repository->place.ring, span);
	}
}

/* What we did on the disk before we knew that it is this repository's too. */
static void inherit_spans(struct present *present, struct present_repository *heir)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		const struct present_repository *other = &present->repositories[i];
		if (other == heir || !shares_disk(other, &heir->place.identity))
			continue;
		heir->place.ring->span_count = other->place.ring->span_count;
		for (size_t k = 0; k < FACTS_SPANS; k++)
			heir->place.ring->spans[k] = other->place.ring->spans[k];
		return;
	}
}

static bool is_at_work(const struct present_repository *repository)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (repository->probes[i].is_running)
			return true;
	return false;
}

/* Whether somebody else of us is at work on this disk, or perhaps is. */
static bool is_shared_now(
	const struct present *present, const struct present_repository *repository)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		const struct present_repository *other = &present->repositories[i];
		if (other != repository && is_at_work(other) &&
			(!other->place.has_identity ||
				shares_disk(other, &repository->place.identity)))
			return true;
	}
	return false;
}

static int meet(struct present *present, struct present_repository *repository,
	const struct reading *begin, const struct run *run, struct error *reterr)
{
	bool is_first = !repository->place.has_identity;

	present_set_identity(repository, &run->identity);
	if (!is_first || !repository->place.has_identity)
		return 0;
	inherit_spans(present, repository);
	return begin && begin->monotonic_nsec > 0 ? add_sample(repository, begin, reterr) : 0;
}

int sampler_judge(struct present *present, struct present_repository *repository,
	const struct sampler_readings *readings, struct run *run, struct error *reterr)
{
	uint64_t end_nsec = readings->end->monotonic_nsec;
	const struct facts_span span = {
		.begin_nsec = end_nsec > run->duration_nsec ? end_nsec - run->duration_nsec : 0,
		.end_nsec = end_nsec,
		.is_known = run->has_own && run->status != RUN_STUCK,
		.own = run->own,
	};
	int begin = 0;
	int end = 0;

	if (repository)
		begin = meet(present, repository, readings->begin, run, reterr);
	add_span(present, repository, repository ? &repository->place.identity : &run->identity,
		&span);
	if (!repository || !repository->place.has_identity)
		return begin;
	end = add_sample(repository, readings->end, reterr);
	run->facts = facts_ring_around(repository->place.ring, span.begin_nsec, end_nsec);
	if (is_shared_now(present, repository))
		run->facts = facts_without_counters(&run->facts);
	repository->place.facts = run->facts;
	return end < 0 ? end : begin;
}

void sampler_add_unknown(
	struct present *present, const struct present_repository *of, uint64_t now_nsec)
{
	const struct facts_span span = { .begin_nsec = now_nsec, .end_nsec = now_nsec };

	add_span(present, of, &of->place.identity, &span);
}

/* --- For the daemon ----------------------------------------------------- */

static void warn_once(struct daemon *d, const struct error *error)
{
	if (!d->is_counters_warned)
		log_warning("what others do on the disks stays unknown: %s", error->text);
	d->is_counters_warned = true;
}

static bool has_nfs(const struct present *present)
{
	for (size_t i = 0; i < present->repository_count; i++)
		if (identity_is_nfs(&present->repositories[i].place.identity))
			return true;
	return false;
}

static bool has_identity(const struct present *present)
{
	for (size_t i = 0; i < present->repository_count; i++)
		if (present->repositories[i].place.has_identity)
			return true;
	return false;
}

static int on_sample(sd_event_source *source, uint64_t usec, void *data)
{
	struct daemon *d = data;
	struct reading reading = { 0 };
	struct error error = { "" };

	(void)usec;
	if (has_identity(d->core.present)) {
		reading_take(
			&reading, PROC, has_nfs(d->core.present), clock_monotonic_nsec(&d->clock));
		if (sampler_add(d->core.present, &reading, &error) < 0)
			warn_once(d, &error);
		reading_done(&reading);
	}
	(void)sd_event_source_set_time_relative(source, TIMER_USEC);
	(void)sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
	return 0;
}

int sampler_start(struct daemon *d)
{
	return sd_event_add_time_relative(d->event, &d->sample_timer, CLOCK_MONOTONIC, TIMER_USEC,
		TIMER_ACCURACY_USEC, on_sample, d);
}

void sampler_read(struct daemon *d, struct reading *ret)
{
	reading_take(ret, PROC, true, clock_monotonic_nsec(&d->clock));
}

void sampler_conclude(struct daemon *d, struct present_repository *repository,
	const struct reading *begin, struct run *run)
{
	struct reading end = { 0 };
	struct error error = { "" };
	const struct sampler_readings readings = { .begin = begin, .end = &end };

	reading_take(&end, PROC, has_nfs(d->core.present) || identity_is_nfs(&run->identity),
		clock_monotonic_nsec(&d->clock));
	if (sampler_judge(d->core.present, repository, &readings, run, &error) < 0)
		warn_once(d, &error);
	reading_done(&end);
}

void sampler_note_release(struct daemon *d, const char *repository)
{
	const struct present_repository *of = present_find_repository(d->core.present, repository);

	if (of)
		sampler_add_unknown(d->core.present, of, clock_monotonic_nsec(&d->clock));
}
