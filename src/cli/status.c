/* SPDX-License-Identifier: Apache-2.0 */
/* Collects the history by repository, and lets model/snapshot judge it. */
#include "cli/status.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "config/mutes.h"
#include "model/worker_note.h"
#include "store/store.h"

#define CAPACITY_FIRST 8
#define FUTURE_USEC INT64_C(60000000) /* clocks differ a little */
#define WATCHED_MAX (1 << 20) /* names of repositories */
#define SKIPPED_MAX 2000 /* skipped slots to look past: more than a day of heartbeats */

const char *status_repository_name(const struct status_repository *repository)
{
	return repository->probes[0].last_run->repository;
}

static struct status_repository *find_repository(const struct status *status, const char *name)
{
	for (size_t i = 0; i < status->count; i++)
		if (strcmp(status_repository_name(&status->repositories[i]), name) == 0)
			return &status->repositories[i];
	return NULL;
}

/* Makes room for one more element. Returns the array, which may have moved, or NULL. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	size_t wanted = *capacity > 0 ? *capacity * 2 : CAPACITY_FIRST;
	void *moved = reallocarray(array, wanted, size);
	if (moved)
		*capacity = wanted;
	return moved;
}

static struct status_repository *add_repository(struct status *status)
{
	struct status_repository *moved =
		grow(status->repositories, status->count, &status->capacity, sizeof(*moved));

	if (!moved)
		return NULL;
	status->repositories = moved;
	struct status_repository *repository = &moved[status->count];
	*repository = (struct status_repository){ 0 };
	return repository;
}

/* Stores a copy, which the status owns. Returns NULL without memory. */
static const struct run *keep_run(struct status *status, const struct run *run)
{
	struct run **moved =
		grow(status->runs, status->run_count, &status->run_capacity, sizeof(struct run *));

	if (!moved)
		return NULL;
	status->runs = moved;
	struct run *copy = malloc(sizeof(*copy));
	if (!copy)
		return NULL;
	*copy = *run;
	status->runs[status->run_count++] = copy;
	return copy;
}

static void set_run(struct snapshot_probe *probe, const struct run *run)
{
	probe->name = run->probe;
	probe->workload = &run->workload;
	probe->last_run = run;
	probe->last_success_usec = run->status == RUN_OK ? run->started_usec : 0;
	if (run_is_own_trouble(run))
		probe->own_trouble = run->reason;
}

static int add_probe(struct status_repository *repository, const struct run *run)
{
	struct snapshot_probe *moved = grow(repository->probes, repository->probe_count,
		&repository->probe_capacity, sizeof(*moved));

	if (!moved)
		return -ENOMEM;
	repository->probes = moved;
	struct snapshot_probe *probe = &moved[repository->probe_count++];
	*probe = (struct snapshot_probe){ 0 };
	set_run(probe, run);
	if (run->started_usec > repository->newest_usec)
		repository->newest_usec = run->started_usec;
	return 0;
}

int status_add_run(struct status *status, const struct run *run)
{
	struct status_repository *repository = find_repository(status, run->repository);
	const struct run *kept = keep_run(status, run);
	bool is_new = repository == NULL;

	if (!kept)
		return -ENOMEM;
	if (is_new)
		repository = add_repository(status);
	if (!repository)
		return -ENOMEM;
	int r = add_probe(repository, kept);
	if (r < 0 && is_new)
		free(repository->probes);
	else if (is_new)
		status->count++;
	return r;
}

int status_add_alarm(struct status *status, const struct alarm_state *alarm)
{
	struct status_repository *repository = find_repository(status, alarm->repository);

	if (!repository || repository->alarm)
		return 0; /* a repository without runs is not shown */
	repository->alarm = malloc(sizeof(*alarm));
	if (!repository->alarm)
		return -ENOMEM;
	*repository->alarm = *alarm;
	return 0;
}

void status_add_stuck(struct status *status, const struct worker_note *note)
{
	struct status_repository *repository = find_repository(status, note->repository);

	for (size_t i = 0; repository && i < repository->probe_count; i++)
		if (strcmp(repository->probes[i].name, note->probe) == 0)
			repository->probes[i].stuck_since_usec = note->stuck_since_usec;
}

int status_add_mute(struct status *status, const struct mute *mute, int64_t now_usec)
{
	if (!status->mutes)
		status->mutes = calloc(1, sizeof(*status->mutes));
	if (!status->mutes)
		return -ENOMEM;
	(void)mutes_add(status->mutes, mute, now_usec); /* the daemon has the same maximum */
	return 0;
}

void status_find_mutes(struct status *status, const struct config *config, int64_t now_usec)
{
	static const struct mutes none = { .count = 0 };
	const struct mutes *mutes = status->mutes ? status->mutes : &none;

	for (size_t i = 0; i < status->count; i++) {
		struct status_repository *repository = &status->repositories[i];
		const struct mute_verdict verdict =
			mutes_find(mutes, config, status_repository_name(repository), now_usec);
		repository->mute =
			(struct snapshot_mute){ verdict.mode, verdict.until_usec, verdict.reason };
	}
}

static int compare_probes(const void *a, const void *b)
{
	return strcmp(
		((const struct snapshot_probe *)a)->name, ((const struct snapshot_probe *)b)->name);
}

static int compare_repositories(const void *a, const void *b)
{
	return strcmp(status_repository_name(a), status_repository_name(b));
}

void status_judge(struct status *status)
{
	if (status->count > 0)
		qsort(status->repositories, status->count, sizeof(status->repositories[0]),
			compare_repositories);
	for (size_t i = 0; i < status->count; i++) {
		struct status_repository *repository = &status->repositories[i];

		qsort(repository->probes, repository->probe_count, sizeof(repository->probes[0]),
			compare_probes);
		const struct snapshot_repository snapshot = {
			.name = status_repository_name(repository),
			.path = "",
			.alarm = repository->alarm,
			.mute = repository->mute,
			.probe_count = repository->probe_count,
			.probes = repository->probes,
		};
		repository->state =
			snapshot_judge(&snapshot, repository->reason, sizeof(repository->reason));
	}
}

struct taking {
	struct status *status;
	struct buf watched; /* empty: unknown, as before the first start of this version */
};

static bool is_watched(const struct taking *taking, const char *name)
{
	char line[RUN_NAME_MAX + 3];

	if (taking->watched.len == 0)
		return true;
	(void)snprintf(line, sizeof(line), "\n%s\n", name);
	return strstr(buf_text(&taking->watched), line) != NULL;
}

static int take_run(void *data, const struct run *run)
{
	struct taking *taking = data;

	return is_watched(taking, run->repository) ? status_add_run(taking->status, run) : 0;
}

static int read_runs(
	struct store_reader *reader, int64_t now_usec, struct status *status, struct error *reterr)
{
	const struct store_run_filter filter = {
		.is_newest_per_probe = true,
		.limit = SIZE_MAX,
		.to_usec = now_usec + FUTURE_USEC,
	};
	struct taking taking = { .status = status, .watched = BUF_INIT(WATCHED_MAX) };
	int r = store_read_watched(reader, &taking.watched, reterr);

	if (r == 0)
		r = taking.watched.error;
	if (r == 0)
		r = store_read_runs(reader, &filter, take_run, &taking, reterr);
	buf_done(&taking.watched);
	return r;
}

static int take_alarm(void *data, const struct alarm_state *alarm)
{
	return status_add_alarm(data, alarm);
}

/* If the newest slots of a probe were skipped, the run before them still counts. */
struct earlier {
	struct status *status;
	struct snapshot_probe *probe;
};

static int take_earlier(void *data, const struct run *run)
{
	struct earlier *earlier = data;

	if (run->status == RUN_SKIPPED)
		return 0;
	const struct run *kept = keep_run(earlier->status, run);
	if (!kept)
		return -ENOMEM;
	set_run(earlier->probe, kept);
	return 1; /* stop reading */
}

static int read_earlier(struct store_reader *reader, struct status *status,
	struct snapshot_probe *probe, struct error *reterr)
{
	struct earlier earlier = { .status = status, .probe = probe };
	struct store_run_filter filter = {
		.repository = probe->last_run->repository,
		.probe = probe->last_run->probe,
		.limit = SKIPPED_MAX,
	};
	int r = store_read_runs(reader, &filter, take_earlier, &earlier, reterr);

	return r < 0 ? r : 0;
}

static int read_behind_skipped(
	struct store_reader *reader, struct status *status, struct error *reterr)
{
	int r = 0;

	for (size_t i = 0; i < status->count; i++) {
		struct status_repository *repository = &status->repositories[i];

		for (size_t k = 0; r == 0 && k < repository->probe_count; k++)
			if (repository->probes[k].last_run->status == RUN_SKIPPED)
				r = read_earlier(reader, status, &repository->probes[k], reterr);
	}
	return r;
}

struct muting {
	struct status *status;
	int64_t now_usec;
};

static int take_mute(void *data, const struct mute *mute)
{
	const struct muting *muting = data;

	return status_add_mute(muting->status, mute, muting->now_usec);
}

int status_read(struct store_reader *reader, const struct status_present *present,
	struct status *ret, struct error *reterr)
{
	struct status status = { 0 };
	struct muting muting = { &status, present->now_usec };
	int r = read_runs(reader, present->now_usec, &status, reterr);

	if (r == 0)
		r = read_behind_skipped(reader, &status, reterr);
	if (r == 0)
		r = store_read_alarms(reader, take_alarm, &status, reterr);
	if (r >= 0)
		r = store_read_mutes(reader, present->now_usec, take_mute, &muting, reterr);
	if (r < 0) {
		status_done(&status);
		return r;
	}
	for (size_t i = 0; i < present->note_count; i++)
		status_add_stuck(&status, &present->notes[i]);
	status_find_mutes(&status, present->config, present->now_usec);
	status_judge(&status);
	*ret = status;
	return 0;
}

void status_done(struct status *status)
{
	for (size_t i = 0; i < status->count; i++) {
		struct status_repository *repository = &status->repositories[i];

		free(repository->probes);
		free(repository->alarm);
	}
	for (size_t i = 0; i < status->run_count; i++)
		free(status->runs[i]);
	free(status->runs);
	free(status->mutes);
	free(status->repositories);
	*status = (struct status){ 0 };
}
