/* SPDX-License-Identifier: Apache-2.0 */
/* Builds and keeps the present. Decides nothing about time: plan_next.c does. */
#include "core/present.h"

#include "base/buf.h"
#include "base/clock.h"
#include "base/hash.h"
#include "core/plan.h"
#include "core/seen.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SERIES_KEY_MAX 1024
#define PLACE_KEY_MAX (2 * JOB_PATH_MAX + 2)

struct present_repository *present_find_repository(struct present *present, const char *name)
{
	for (size_t i = 0; present && i < present->repository_count; i++)
		if (strcmp(present->repositories[i].config->name, name) == 0)
			return &present->repositories[i];
	return NULL;
}

struct present_probe *present_find_probe(struct present_repository *repository, const char *name)
{
	for (size_t i = 0; repository && i < repository->probe_count; i++)
		if (strcmp(repository->probes[i].config->name, name) == 0)
			return &repository->probes[i];
	return NULL;
}

struct present_repository *present_find_path(struct present *present, const char *path)
{
	for (size_t i = 0; present && i < present->repository_count; i++)
		if (strcmp(present->repositories[i].config->path, path) == 0)
			return &present->repositories[i];
	return NULL;
}

uint64_t present_place_key(const struct config_repository *config)
{
	struct buf b = BUF_INIT(PLACE_KEY_MAX);

	buf_printf(
		&b, "%s\n%s", config->path, config->probe_directory ? config->probe_directory : "");
	uint64_t key = hash_text(buf_text(&b));
	buf_done(&b);
	return key != 0 ? key : 1;
}

struct present_repository *present_find_repository_of(
	struct present *present, const struct run *run)
{
	struct present_repository *repository = present_find_repository(present, run->repository);

	if (!repository || run->place_key == 0)
		return repository;
	return run->place_key == present_place_key(repository->config) ? repository : NULL;
}

static char *new_series_key(const struct workload *workload)
{
	struct buf key = BUF_INIT(SERIES_KEY_MAX);
	char *text = NULL;

	workload_series_key(workload, &key);
	return buf_take(&key, &text, NULL) == 0 ? text : NULL;
}

static bool is_same_series(const struct present_probe *a, const struct present_probe *b)
{
	return a->series_key && b->series_key && strcmp(a->series_key, b->series_key) == 0;
}

static void probe_done(struct present_probe *probe)
{
	free(probe->last_run);
	free(probe->last_measured);
	free(probe->limit_reason);
	free(probe->series_key);
	normal_done(&probe->normal);
	custom_windows_free(probe->windows);
}

/* Moves everything but configuration and schedule from the earlier probe of the same name. */
static void probe_move(struct present_probe *probe, struct present_probe *earlier)
{
	struct present_probe fresh = *probe;

	*probe = *earlier;
	*earlier = fresh;
	earlier->series_key = probe->series_key;
	probe->series_key = fresh.series_key;
	probe->config = fresh.config;
	probe->schedule = fresh.schedule;
	probe->limit = fresh.limit;
	free(probe->limit_reason);
	probe->limit_reason = NULL;
	/* launch_mark_all says what goes on where the repository is now. */
	probe->is_running = false;
	probe->stuck_since_usec = 0;
}

static int probe_init(struct present_probe *probe, const struct config_repository *repository,
	const struct config_probe *config)
{
	probe->config = config;
	probe->limit = config->limit;
	probe->series_key = new_series_key(&config->workload);
	probe->schedule.interval_usec = config->interval_usec;
	probe->schedule.calendar = config->schedule;
	/* Who names a time means it: what stands in the calendar is only moved on request. */
	probe->schedule.splay_usec = config->schedule
		? repository->splay_usec
		: schedule_splay_usec(repository->name, config->name, config->interval_usec,
			  repository->is_splay_auto, repository->splay_usec);
	return probe->series_key ? 0 : -ENOMEM;
}

static void repository_fill(struct present_repository *repository,
	struct present_repository *earlier, uint64_t now_nsec, int64_t now_usec)
{
	for (size_t i = 0; i < repository->probe_count; i++) {
		struct present_probe *probe = &repository->probes[i];
		struct present_probe *before = present_find_probe(earlier, probe->config->name);
		if (!before) {
			plan_first(probe, now_nsec, now_usec);
			continue;
		}
		bool is_replanned = !schedule_is_equal(&before->schedule, &probe->schedule);
		bool is_same = is_same_series(before, probe);
		probe_move(probe, before);
		if (!is_same) {
			normal_done(&probe->normal);
			probe->normal = (struct normal){ .is_read = false };
			probe->windows = custom_windows_free(probe->windows);
		}
		if (is_replanned)
			plan_next(probe, now_nsec, now_usec, 0);
	}
}

static int repository_init(
	struct present_repository *repository, const struct config_repository *config)
{
	repository->config = config;
	repository->probe_count = config->probe_count;
	repository->probes = calloc(config->probe_count, sizeof(*repository->probes));
	repository->alarm = calloc(1, sizeof(*repository->alarm));
	repository->place.ring = calloc(1, sizeof(*repository->place.ring));
	if (!repository->probes || !repository->alarm || !repository->place.ring)
		return -ENOMEM;
	(void)strncat(repository->alarm->repository, config->name, RUN_NAME_MAX);
	for (size_t i = 0; i < config->probe_count; i++)
		if (probe_init(&repository->probes[i], config, &config->probes[i]) < 0)
			return -ENOMEM;
	return 0;
}

/* The place goes with the path: elsewhere all is to be learned anew. */
static void place_move(struct present_repository *repository, struct present_repository *earlier)
{
	struct present_place fresh = repository->place;

	if (strcmp(repository->config->path, earlier->config->path) != 0)
		return;
	repository->place = earlier->place;
	earlier->place = fresh;
	if (present_place_key(repository->config) != present_place_key(earlier->config)) {
		repository->place.file_bytes = 0;
		repository->place.file_target_bytes = 0;
		repository->place.told_refusal = 0;
	}
	if (seen_wanted(repository->config) != seen_wanted(earlier->config)) {
		repository->place.seen = (struct identity_seen){ .is_set = false };
		repository->place.is_seen_stored = false;
	}
}

static void repository_move(
	struct present_repository *repository, struct present_repository *earlier)
{
	struct alarm_state *fresh = repository->alarm;

	repository->alarm = earlier->alarm;
	earlier->alarm = fresh;
	repository->next_check_usec = earlier->next_check_usec;
	repository->untold_why = earlier->untold_why;
	repository->told_usec = earlier->told_usec;
	repository->untold = earlier->untold;
	earlier->untold = NULL;
	place_move(repository, earlier);
}

struct present *present_new(
	const struct config *config, struct present *earlier, uint64_t now_nsec, int64_t now_usec)
{
	struct present *present = calloc(1, sizeof(*present));

	if (!present)
		return NULL;
	/* One more than needed: calloc(0) may be NULL, which is not a failure. */
	present->repositories =
		calloc(config->repository_count + 1, sizeof(*present->repositories));
	if (!present->repositories)
		return present_free(present);
	present->repository_count = config->repository_count;
	for (size_t i = 0; i < config->repository_count; i++)
		if (repository_init(&present->repositories[i], &config->repositories[i]) < 0)
			return present_free(present);

	present->clock_offset_usec = earlier ? earlier->clock_offset_usec
					     : now_usec - (int64_t)(now_nsec / NSEC_PER_USEC);
	/* Nothing can fail from here on, so the earlier one may be emptied. */
	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		struct present_repository *before =
			present_find_repository(earlier, repository->config->name);
		if (before)
			repository_move(repository, before);
		repository_fill(repository, before, now_nsec, now_usec);
	}
	return present;
}

struct present *present_free(struct present *present)
{
	if (!present)
		return NULL;
	for (size_t i = 0; present->repositories && i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		for (size_t k = 0; repository->probes && k < repository->probe_count; k++)
			probe_done(&repository->probes[k]);
		free(repository->probes);
		free(repository->alarm);
		free(repository->untold);
		free(repository->place.ring);
	}
	free(present->repositories);
	free(present);
	return NULL;
}

static int copy_run(struct run **to, const struct run *from)
{
	if (!*to)
		*to = malloc(sizeof(**to));
	if (!*to)
		return -ENOMEM;
	**to = *from;
	return 0;
}

static int keep_run(struct present_probe *probe, const struct run *run)
{
	int r = copy_run(&probe->last_run, run);

	if (r >= 0 && run_status_has_numbers(run->status))
		r = copy_run(&probe->last_measured, run);
	if (r < 0)
		return r;
	if (run->status == RUN_OK)
		probe->last_success_usec =
			run->started_usec + (int64_t)(run->duration_nsec / NSEC_PER_USEC);
	return 0;
}

static void count_operation(
	struct snapshot_operation *counter, const struct run_operation_result *o)
{
	counter->bytes += o->bytes;
	counter->active_nsec += o->active_nsec;
	counter->errors += o->errors;
	counter->latency_count += o->latency.count;
	counter->latency_sum_nsec += o->latency.sum_nsec;
	for (size_t i = 0; i < HISTOGRAM_EXPORT_BUCKETS; i++)
		counter->latency_buckets[i] += o->latency.export_buckets[i];
}

void present_set_identity(struct present_repository *repository, const struct identity *identity)
{
	if (identity->fs_type[0] == '\0')
		return;
	/* The ring itself knows another device, but not another NFS mount. */
	if (strcmp(repository->place.identity.source, identity->source) != 0 ||
		strcmp(repository->place.identity.mount_point, identity->mount_point) != 0)
		repository->place.ring->sample_count = 0;
	facts_ring_set_device(
		repository->place.ring, identity->has_device ? &identity->device : NULL);
	repository->place.identity = *identity;
	repository->place.has_identity = true;
}

int present_add_run(
	struct present_repository *repository, struct present_probe *probe, const struct run *run)
{
	if (run_is_own_trouble(run)) {
		memcpy(probe->own_trouble, run->reason, sizeof(probe->own_trouble));
		return 0;
	}
	if (run->status == RUN_SKIPPED) {
		probe->skips[run->skip]++;
		probe->skips_in_row += run->skip != RUN_SKIP_MUTE;
		probe->last_skip = run->skip;
		return 0;
	}
	if (run->status == RUN_OK)
		repository->place.stuck_count = 0;
	probe->skips_in_row = 0;
	probe->own_trouble[0] = '\0';
	probe->late_starts += run->start_delay_usec > PRESENT_LATE_USEC;
	probe->runs++;
	if (run->status != RUN_OK)
		probe->failures[run->status]++;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		count_operation(&probe->operations[i], &run->operations[i]);
	present_set_identity(repository, &run->identity);
	if (run->file_bytes > 0) {
		repository->place.file_bytes = run->file_bytes;
		repository->place.file_target_bytes = run->file_target_bytes;
	}
	return keep_run(probe, run);
}

int present_restore_run(struct present *present, const struct run *run)
{
	struct present_repository *repository = present_find_repository(present, run->repository);
	struct present_probe *probe = present_find_probe(repository, run->probe);

	/* A history that was opened late does not know the newest. */
	if (!probe || run->status == RUN_SKIPPED || probe->runs > 0)
		return 0;
	return keep_run(probe, run);
}

static void number_run(struct run *kept, const struct run *run)
{
	if (kept && kept->id == 0 && kept->started_usec == run->started_usec)
		kept->id = run->id;
}

void present_number_run(struct present_probe *probe, const struct run *run)
{
	number_run(probe->last_run, run);
	number_run(probe->last_measured, run);
}

int present_restore_alarm(struct present *present, const struct alarm_state *state)
{
	struct present_repository *repository = present_find_repository(present, state->repository);

	if (repository)
		*repository->alarm = *state;
	return 0;
}
