/* SPDX-License-Identifier: Apache-2.0 */
/* Remembers repositories by their first sight. */
#include "core/seen.h"

#include "base/buf.h"
#include "base/hash.h"
#include "core/present.h"
#include "model/batch.h"

#include <string.h>

#define WANTED_MAX (JOB_PATH_MAX + 1024)

static const char *text_of(const char *text)
{
	return text ? text : "";
}

int64_t seen_wanted(const struct config_repository *config)
{
	struct buf b = BUF_INIT(WANTED_MAX);

	buf_printf(&b, "%s\n%d%d\n%s\n%s", config->path, config->is_mount_auto,
		config->requires_mount, text_of(config->expect_fstype),
		text_of(config->expect_source));
	int64_t wanted = (int64_t)hash_text(buf_text(&b));
	buf_done(&b);
	return wanted;
}

void seen_expect(const struct present_repository *repository, struct job_expectation *ret)
{
	const struct config_repository *config = repository->config;
	const struct identity_seen *seen = &repository->place.seen;

	*ret = (struct job_expectation){ .seen = *seen };
	ret->requires_mount =
		config->is_mount_auto ? seen->is_set && seen->is_mount : config->requires_mount;
	(void)strncat(ret->fs_type, text_of(config->expect_fstype), sizeof(ret->fs_type) - 1);
	(void)strncat(ret->source, text_of(config->expect_source), sizeof(ret->source) - 1);
}

bool seen_note(struct present_repository *repository, const struct run *run)
{
	bool is_new = !repository->place.seen.is_set;

	if (!run_status_has_numbers(run->status) || run->identity.fs_type[0] == '\0')
		return false;
	if (is_new)
		identity_remember(&run->identity, &repository->place.seen);
	else
		is_new = identity_learn(&run->identity, &repository->place.seen);
	is_new = is_new || !repository->place.is_seen_stored;
	repository->place.is_seen_stored = true;
	return is_new;
}

void seen_to_store(const struct present_repository *repository, struct first_identity *ret)
{
	*ret = (struct first_identity){
		.wanted = seen_wanted(repository->config),
		.seen = repository->place.seen,
	};
	(void)strncat(ret->repository, repository->config->name, RUN_NAME_MAX);
}

void seen_forget(struct present_repository *repository, struct first_identity *ret)
{
	repository->place.seen = (struct identity_seen){ .is_set = false };
	seen_to_store(repository, ret);
	ret->wanted = ~ret->wanted;
}

int seen_restore(struct present *present, const struct first_identity *first)
{
	struct present_repository *repository = present_find_repository(present, first->repository);

	if (!repository)
		return 0;
	/* What is recorded for another path must be replaced, not guessed from old runs of that. */
	repository->place.is_seen_stored = true;
	if (first->wanted == seen_wanted(repository->config))
		repository->place.seen = first->seen;
	return 0;
}

static bool lies_on(const char *path, const char *mount_point)
{
	size_t len = strlen(mount_point);

	if (len > 0 && mount_point[len - 1] == '/')
		len--;
	return strncmp(path, mount_point, len) == 0 && (path[len] == '/' || path[len] == '\0');
}

static const struct run *find_newest(const struct present_repository *repository)
{
	const struct run *newest = NULL;

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct run *run = repository->probes[i].last_measured;
		if (run && (!newest || run->started_usec > newest->started_usec))
			newest = run;
	}
	return newest;
}

void seen_restore_from_runs(struct present *present)
{
	for (size_t i = 0; i < present->repository_count; i++) {
		struct present_repository *repository = &present->repositories[i];
		const struct run *run = find_newest(repository);
		if (!repository->place.is_seen_stored && run && run->identity.fs_type[0] != '\0' &&
			lies_on(repository->config->path, run->identity.mount_point))
			identity_remember(&run->identity, &repository->place.seen);
	}
}
