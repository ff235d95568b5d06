/* SPDX-License-Identifier: Apache-2.0 */
/* The effective values of everything except the probes, and conflicts between repositories. */
#include "config/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"

#define STATE_DIRECTORY_DEFAULT "/var/lib/repoprobe"
#define RUNTIME_DIRECTORY_DEFAULT "/run/repoprobe"
#define SENTENCE_MAX 512
#define SHOWN 80 /* bytes of a bad value in a message */

int resolve_copy(char **ret, const char *text)
{
	*ret = strdup(text);
	return *ret ? 0 : -ENOMEM;
}

int resolve_items(const struct source_value *v, char ***ret, size_t *ret_count)
{
	*ret_count = 0;
	if (v->item_count == 0)
		return 0;
	*ret = calloc(v->item_count, sizeof(**ret));
	if (!*ret)
		return -ENOMEM;
	for (size_t i = 0; i < v->item_count; i++) {
		if (resolve_copy(&(*ret)[i], v->items[i]) < 0)
			return -ENOMEM;
		(*ret_count)++;
	}
	return 0;
}

/* The largest size asked for; but if a probe leaves it to the free space, a smaller one does not
 * reduce the size that this would give. */
static uint64_t find_file_target(const struct config_repository *repository)
{
	uint64_t largest = 0;
	bool has_auto = false;

	for (size_t i = 0; i < repository->probe_count; i++) {
		uint64_t bytes = repository->probes[i].workload.file_size_bytes;

		has_auto = has_auto || bytes == 0;
		largest = bytes > largest ? bytes : largest;
	}
	return has_auto && largest < WORKLOAD_FILE_SIZE_DEFAULT ? 0 : largest;
}

/* The expected mount. */
static int resolve_target(struct resolver *p, struct config_repository *ret)
{
	const struct source_repository *own = p->repository;
	const struct source_repository *defaults = &p->source->defaults;
	const struct source_value *mount =
		resolve_inherit(&own->require_mount, &defaults->require_mount);

	ret->is_mount_auto = mount->is_auto;
	ret->requires_mount = !mount->is_auto && mount->number != 0;
	if (resolve_copy(&ret->expect_fstype,
		    resolve_text(resolve_inherit(&own->expect_fstype, &defaults->expect_fstype))) <
		0)
		return -ENOMEM;
	return resolve_copy(&ret->expect_source,
		resolve_text(resolve_inherit(&own->expect_source, &defaults->expect_source)));
}

static int resolve_repository(struct resolver *p, struct config_repository *ret)
{
	const struct source_repository *own = p->repository;
	const struct source_repository *defaults = &p->source->defaults;
	const struct source_value *directory =
		resolve_inherit(&own->probe_directory, &defaults->probe_directory);
	const struct source_value *splay = resolve_inherit(&own->splay, &defaults->splay);
	const struct source_value *min_free = resolve_inherit(&own->min_free, &defaults->min_free);

	if (resolve_copy(&ret->name, own->section.name) < 0 ||
		resolve_copy(&ret->path, resolve_text(&own->path)) < 0 ||
		resolve_copy(&ret->probe_directory,
			directory->is_auto ? "" : resolve_text(directory)) < 0)
		return -ENOMEM;
	ret->is_splay_auto = splay->is_auto;
	ret->splay_usec = splay->is_auto ? 0 : splay->number;
	ret->min_free_percent = min_free->is_percent ? (uint8_t)min_free->number : 0;
	ret->min_free_bytes = min_free->is_percent ? 0 : min_free->number;
	ret->storage =
		(enum limit_storage)resolve_inherit(&own->storage_class, &defaults->storage_class)
			->number;
	ret->sensitivity =
		(enum rule_sensitivity)resolve_inherit(&own->sensitivity, &defaults->sensitivity)
			->number;
	ret->is_limit_strict =
		resolve_inherit(&own->limit_mode, &defaults->limit_mode)->number != 0;
	ret->keep_file = resolve_inherit(&own->keep_file, &defaults->keep_file)->number != 0;
	if (!own->path.is_given)
		issues_add(p->issues, &own->section.place,
			"[repository %s] has no path; expected path = /DIRECTORY",
			own->section.name);
	int r = resolve_target(p, ret);
	if (r == 0)
		r = resolve_probes(p, ret);
	ret->file_target_bytes = find_file_target(ret);
	return r < 0 ? r : resolve_bounds(p, ret);
}

static void refuse_same_path(
	struct issues *issues, const struct source_repository *a, const struct source_repository *b)
{
	struct buf first = BUF_INIT(SENTENCE_MAX);

	if (a->path.place.line > 0)
		buf_printf(&first, " (%.400s:%u)", a->path.place.origin, a->path.place.line);
	issues_add(issues, &b->path.place,
		"path: %.*s is also the path of [repository %s]%s; expected one repository for each path",
		SHOWN, b->path.text, a->section.name, buf_text(&first));
	buf_done(&first);
}

static void check_paths(const struct source *source, struct issues *issues)
{
	for (size_t i = 0; i < source->repositories.count; i++) {
		const struct source_repository *b = source_repository_at(source, i);

		for (size_t j = 0; j < i && b->path.text; j++) {
			const struct source_repository *a = source_repository_at(source, j);

			if (a->path.text && strcmp(a->path.text, b->path.text) == 0) {
				refuse_same_path(issues, a, b);
				break;
			}
		}
	}
}

/* Whether explicit is the default place of the probe file of a repository at path. */
static bool is_default_directory(const char *explicit, const char *path)
{
	size_t len = strlen(path);

	return strncmp(explicit, path, len) == 0 && strcmp(explicit + len, "/.repoprobe") == 0;
}

static bool is_same_directory(const struct config_repository *a, const struct config_repository *b)
{
	if (*a->probe_directory && *b->probe_directory)
		return strcmp(a->probe_directory, b->probe_directory) == 0;
	if (*a->probe_directory)
		return is_default_directory(a->probe_directory, b->path);
	if (*b->probe_directory)
		return is_default_directory(b->probe_directory, a->path);
	return false; /* different, like the paths */
}

/* The probe file is named after the host, not the repository: one directory means one file. */
static void check_probe_directory(const struct resolver *p, const struct config *config, size_t i)
{
	const struct config_repository *b = &config->repositories[i];
	const struct source_value *own = resolve_inherit(
		&p->repository->probe_directory, &p->source->defaults.probe_directory);

	for (size_t j = 0; j < i; j++) {
		const struct config_repository *a = &config->repositories[j];

		if (is_same_directory(a, b)) {
			issues_add(p->issues,
				own->is_auto ? &p->repository->path.place : &own->place,
				"probe_directory: [repository %s] and [repository %s] have the same; expected one for each",
				a->name, b->name);
			return;
		}
	}
}

static int resolve_repositories(struct source *source, struct issues *issues, struct config *config)
{
	if (source->repositories.count == 0)
		return 0;
	config->repositories = calloc(source->repositories.count, sizeof(*config->repositories));
	if (!config->repositories)
		return -ENOMEM;
	for (size_t i = 0; i < source->repositories.count; i++) {
		struct resolver p = {
			.source = source,
			.issues = issues,
			.repository = source_repository_at(source, i),
		};
		int r = resolve_repository(&p, &config->repositories[config->repository_count++]);
		if (r < 0)
			return r;
		check_probe_directory(&p, config, i);
	}
	return 0;
}

static void check_mute(
	const struct source_mute *own, const struct config *config, struct issues *issues)
{
	const struct source_value *names = &own->repository;

	if (!own->when.is_given)
		issues_add(issues, &own->section.place,
			"[mute %s] has no when; expected one such as when = Mon..Fri 21:30-06:00",
			own->section.name);
	for (size_t i = 0; i < names->item_count; i++)
		if (!config_find_repository(config, names->items[i]))
			issues_add(issues, &names->place,
				"repository: there is no [repository %.*s]", SHOWN,
				names->items[i]);
}

static int resolve_mute(const struct source_mute *own, struct config_mute *ret)
{
	ret->when = own->when.mute_time;
	ret->mode = (enum mute_mode)(MUTE_MESSAGES + own->mode.number);
	if (resolve_copy(&ret->name, own->section.name) < 0 ||
		resolve_copy(&ret->reason, resolve_text(&own->reason)) < 0)
		return -ENOMEM;
	return resolve_items(&own->repository, &ret->repositories, &ret->repository_count);
}

static int resolve_mutes(const struct source *source, struct issues *issues, struct config *config)
{
	if (source->mutes.count == 0)
		return 0;
	config->mutes = calloc(source->mutes.count, sizeof(*config->mutes));
	if (!config->mutes)
		return -ENOMEM;
	for (size_t i = 0; i < source->mutes.count; i++) {
		const struct source_mute *own = source_mute_at(source, i);
		int r = resolve_mute(own, &config->mutes[config->mute_count++]);
		if (r < 0)
			return r;
		check_mute(own, config, issues);
	}
	return 0;
}

int resolve_places(
	const struct source_daemon *daemon, const char *default_state, struct config_places *ret)
{
	const struct source_value *given_state = &daemon->state_directory;
	const struct source_value *given_runtime = &daemon->runtime_directory;
	const char *state = default_state ? default_state : STATE_DIRECTORY_DEFAULT;
	struct config_places places = { NULL, NULL };

	if (given_state->is_given && given_state->text)
		state = given_state->text;
	const char *runtime =
		strcmp(state, STATE_DIRECTORY_DEFAULT) == 0 ? RUNTIME_DIRECTORY_DEFAULT : state;
	if (!given_runtime->is_auto && given_runtime->text)
		runtime = given_runtime->text;
	if (resolve_copy(&places.state_directory, state) < 0 ||
		resolve_copy(&places.runtime_directory, runtime) < 0) {
		config_places_done(&places);
		return -ENOMEM;
	}
	*ret = places;
	return 0;
}

static int resolve_daemon(const struct source *source, struct config *config)
{
	const struct source_daemon *daemon = &source->daemon;
	struct config_places places;
	int r = resolve_places(daemon, NULL, &places);

	if (r < 0)
		return r;
	config->state_directory = places.state_directory;
	config->runtime_directory = places.runtime_directory;
	config->parallel_runs = (uint32_t)daemon->parallel_runs.number;
	config->log_level = (enum log_level)daemon->log_level.number;
	return 0;
}

static int resolve_http(const struct source *source, struct config *config)
{
	const struct source_http *http = &source->http;
	int r = resolve_items(&http->listen, &config->listen, &config->listen_count);

	if (r == 0)
		r = resolve_items(
			&http->allowed_hosts, &config->allowed_hosts, &config->allowed_host_count);
	if (r < 0)
		return r;
	config->max_connections = (uint32_t)http->max_connections.number;
	return resolve_copy(&config->external_url, resolve_text(&http->external_url));
}

/* Merged runs are kept at least as long as the runs they are merged from. */
static void resolve_store(const struct source_store *store, struct config_store *ret)
{
	ret->keep_runs_usec = store->keep_runs.number;
	ret->keep_hours_usec = store->keep_hours.number;
	ret->keep_days_usec = store->keep_days.number;
	ret->max_bytes = store->max_size.number;
	if (ret->keep_hours_usec < ret->keep_runs_usec)
		ret->keep_hours_usec = ret->keep_runs_usec;
	if (ret->keep_days_usec < ret->keep_hours_usec)
		ret->keep_days_usec = ret->keep_hours_usec;
}

static int copy_files(const struct source *source, struct config *config)
{
	const struct source_value files = {
		.item_count = source->file_count,
		.items = source->files,
	};

	return resolve_items(&files, &config->files, &config->file_count);
}

int resolve_config(struct source *source, struct issues *issues, struct config **ret)
{
	struct config *config = calloc(1, sizeof(*config));
	int r = config ? 0 : -ENOMEM;

	for (size_t i = 0; r == 0 && i < source->probes.count; i++)
		resolve_workload(source_probe_at(source, i), issues);
	check_paths(source, issues);
	if (r == 0)
		r = resolve_daemon(source, config);
	if (r == 0)
		r = resolve_http(source, config);
	if (r == 0)
		resolve_store(&source->store, &config->store);
	if (r == 0)
		r = copy_files(source, config);
	if (r == 0)
		r = resolve_repositories(source, issues, config);
	if (r == 0)
		r = resolve_mutes(source, issues, config);
	if (r == 0)
		r = resolve_alarms(source, issues, config);
	if (r < 0) {
		config_free(config);
		return r;
	}
	config->source = source;
	*ret = config;
	return 0;
}
