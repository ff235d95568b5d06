/* SPDX-License-Identifier: Apache-2.0 */
/* Queries on a loaded configuration, and its destructor. */
#include "config/config.h"

#include <stdlib.h>
#include <string.h>

#include "config/source.h"
#include "model/alarm_state.h"
#include "model/checkup.h"

/* Every configurable number fits wherever it is stored. */
_Static_assert(CONFIG_PROBES_MAX <= ALARM_PROBES_MAX, "each probe has an alarm state");
_Static_assert(CONFIG_PROBES_MAX *RUN_OPERATIONS <= ALARM_SERIES_MAX, "each series likewise");
_Static_assert(CONFIG_PROBES_MAX <= CHECKUP_PROBES_MAX, "doctor knows each probe");
_Static_assert(CONFIG_CONFIRMATIONS_MAX + 1 <= ALARM_SLOT_RUNS, "a slot holds all its runs");

static void free_list(char **items, size_t count)
{
	for (size_t i = 0; i < count; i++)
		free(items[i]);
	free(items);
}

static void repository_done(struct config_repository *repository)
{
	for (size_t i = 0; i < repository->probe_count; i++) {
		free(repository->probes[i].name);
		free(repository->probes[i].limit_reason);
	}
	free(repository->probes);
	free(repository->expect_fstype);
	free(repository->expect_source);
	free(repository->group);
	free(repository->probe_directory);
	free(repository->path);
	free(repository->name);
}

static void mute_done(struct config_mute *mute)
{
	free_list(mute->repositories, mute->repository_count);
	free(mute->reason);
	free(mute->name);
}

static void alarm_done(struct config_alarm *alarm)
{
	free_list(alarm->probes, alarm->probe_count);
	free_list(alarm->repositories, alarm->repository_count);
	free(alarm->name);
}

void config_places_done(struct config_places *places)
{
	free(places->state_directory);
	free(places->runtime_directory);
	*places = (struct config_places){ NULL, NULL };
}

struct config *config_free(struct config *config)
{
	if (!config)
		return NULL;
	for (size_t i = 0; i < config->repository_count; i++)
		repository_done(&config->repositories[i]);
	free(config->repositories);
	for (size_t i = 0; i < config->mute_count; i++)
		mute_done(&config->mutes[i]);
	free(config->mutes);
	for (size_t i = 0; i < config->alarm_count; i++)
		alarm_done(&config->alarms[i]);
	free(config->alarms);
	free_list(config->listen, config->listen_count);
	free_list(config->allowed_hosts, config->allowed_host_count);
	free_list(config->files, config->file_count);
	free(config->external_url);
	free(config->runtime_directory);
	free(config->state_directory);
	source_free(config->source);
	free(config);
	return NULL;
}

void config_errors_done(struct config_errors *errors)
{
	for (size_t i = 0; i < CONFIG_ERRORS_MAX; i++) {
		free(errors->lines[i]);
		free(errors->marks[i]);
	}
	*errors = (struct config_errors){ 0 };
}

const struct config_repository *config_find_repository(
	const struct config *config, const char *name)
{
	for (size_t i = 0; i < config->repository_count; i++)
		if (strcmp(config->repositories[i].name, name) == 0)
			return &config->repositories[i];
	return NULL;
}

const struct config_probe *config_find_probe(
	const struct config_repository *repository, const char *name)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (strcmp(repository->probes[i].name, name) == 0)
			return &repository->probes[i];
	return NULL;
}

static bool is_same_list(char *const *a, size_t a_count, char *const *b, size_t b_count)
{
	if (a_count != b_count)
		return false;
	for (size_t i = 0; i < a_count; i++)
		if (strcmp(a[i], b[i]) != 0)
			return false;
	return true;
}

const char *config_restart_needed(const struct config *old_config, const struct config *new_config)
{
	if (strcmp(old_config->state_directory, new_config->state_directory) != 0)
		return "state_directory";
	if (strcmp(old_config->runtime_directory, new_config->runtime_directory) != 0)
		return "runtime_directory";
	if (!is_same_list(old_config->listen, old_config->listen_count, new_config->listen,
		    new_config->listen_count))
		return "listen";
	if (!is_same_list(old_config->allowed_hosts, old_config->allowed_host_count,
		    new_config->allowed_hosts, new_config->allowed_host_count))
		return "allowed_hosts";
	if (old_config->max_connections != new_config->max_connections)
		return "max_connections";
	return NULL;
}

static bool is_listed(char *const *list, size_t count, const char *name)
{
	for (size_t i = 0; i < count; i++)
		if (strcmp(list[i], name) == 0)
			return true;
	return count == 0;
}

bool config_alarm_applies(
	const struct config_alarm *alarm, const char *repository, const char *probe)
{
	return is_listed(alarm->repositories, alarm->repository_count, repository) &&
		is_listed(alarm->probes, alarm->probe_count, probe);
}
