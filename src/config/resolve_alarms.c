/* SPDX-License-Identifier: Apache-2.0 */
/* The user's alarms: their rules, and what they are about. */
#include "config/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/parse.h"
#include "model/alarm_state.h"

#define SHOWN 80 /* bytes of a bad value in a sentence */
#define WRITES_ALONE 100 /* percent */
#define CANDIDATES_MAX 256 /* names that one mistyped may have been meant to be */

static const char *meant_repository(const struct config *config, const char *name)
{
	const char *candidates[CANDIDATES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < config->repository_count && count < CANDIDATES_MAX; i++)
		candidates[count++] = config->repositories[i].name;
	return parse_suggest(name, candidates, count);
}

static const char *meant_probe(const struct config *config, const char *name)
{
	const char *candidates[CANDIDATES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < config->repository_count; i++)
		for (size_t k = 0; k < config->repositories[i].probe_count; k++)
			if (count < CANDIDATES_MAX)
				candidates[count++] = config->repositories[i].probes[k].name;
	return parse_suggest(name, candidates, count);
}

static bool is_probed(const struct config *config, const char *probe)
{
	for (size_t i = 0; i < config->repository_count; i++)
		if (config_find_probe(&config->repositories[i], probe))
			return true;
	return false;
}

static void check_repositories(
	const struct source_alarm *own, const struct config *config, struct issues *issues)
{
	const struct source_value *names = &own->repository;

	for (size_t i = 0; i < names->item_count; i++) {
		if (config_find_repository(config, names->items[i]))
			continue;
		const char *meant = meant_repository(config, names->items[i]);
		issues_add(issues, &names->place, "repository: there is no [repository %.*s]%s%s%s",
			SHOWN, names->items[i], meant ? "; did you mean " : "", meant ? meant : "",
			meant ? "?" : "");
	}
}

static void check_probes(
	const struct source_alarm *own, const struct config *config, struct issues *issues)
{
	const struct source_value *names = &own->probe;

	for (size_t i = 0; i < names->item_count; i++) {
		if (is_probed(config, names->items[i]))
			continue;
		const char *meant = meant_probe(config, names->items[i]);
		issues_add(issues, &names->place, "probe: no repository is probed with %.*s%s%s%s",
			SHOWN, names->items[i], meant ? "; did you mean " : "", meant ? meant : "",
			meant ? "?" : "");
	}
}

static void check_alarm(
	const struct source_alarm *own, const struct config *config, struct issues *issues)
{
	enum alarm_reason reason;

	if (!own->when.is_given)
		issues_add(issues, &own->section.place,
			"[alarm %s] does not say when; expected such as when = write p99 > 50ms",
			own->section.name);
	if (alarm_reason_parse(own->section.name, &reason) == 0)
		issues_add(issues, &own->section.place,
			"[alarm %s]: there is an alarm of that name already; expected a name of your own",
			own->section.name);
	check_repositories(own, config, issues);
	check_probes(own, config, issues);
}

/* How many series of the probe the alarm watches. */
static size_t count_series(const struct config_alarm *alarm, const struct config_probe *probe)
{
	if (alarm->rule->when.has_operation || probe->workload.write_percent == 0 ||
		probe->workload.write_percent == WRITES_ALONE)
		return 1;
	return RUN_OPERATIONS;
}

/* An alarm remembers something of each series it watches. */
static void check_number(const struct config *config, const struct config_repository *repository,
	const struct issue_place *place, struct issues *issues)
{
	size_t count = 0;

	for (size_t i = 0; i < config->alarm_count; i++)
		for (size_t k = 0; k < repository->probe_count; k++)
			if (config_alarm_applies(&config->alarms[i], repository->name,
				    repository->probes[k].name))
				count += count_series(&config->alarms[i], &repository->probes[k]);
	if (count > ALARM_CUSTOMS_MAX)
		issues_add(issues, place,
			"[repository %s]: its alarms watch %zu series; expected at most %d (an alarm counts once for each probe and operation; name its repository and probe)",
			repository->name, count, ALARM_CUSTOMS_MAX);
}

/* Each value was read once already: what could not be is told about. */
static void read_rule(struct source_alarm *own)
{
	struct custom_rule *rule = &own->rule;

	*rule = (struct custom_rule){
		.level = (enum alarm_level)(ALARM_WARNING + own->level.number),
		.load = (enum custom_load)own->load.number,
		.hold = { .hits = ALARM_HOLD_HITS, .window = ALARM_HOLD_WINDOW },
		.clear_runs = ALARM_CLEAR_RUNS,
	};
	(void)condition_parse_relative(resolve_text(&own->when), &rule->when, NULL);
	(void)custom_parse_hold(resolve_text(&own->hold), &rule->hold, NULL);
	rule->has_clear = *resolve_text(&own->clear) != '\0' &&
		custom_parse_clear(own->clear.text, &rule->clear, &rule->clear_runs, NULL) == 0;
}

static int resolve_alarm(struct source_alarm *own, struct config_alarm *ret)
{
	read_rule(own);
	ret->rule = &own->rule;
	int r = resolve_copy(&ret->name, own->section.name);
	if (r == 0)
		r = resolve_items(&own->repository, &ret->repositories, &ret->repository_count);
	if (r == 0)
		r = resolve_items(&own->probe, &ret->probes, &ret->probe_count);
	return r;
}

int resolve_alarms(struct source *source, struct issues *issues, struct config *config)
{
	if (source->alarms.count == 0)
		return 0;
	config->alarms = calloc(source->alarms.count, sizeof(*config->alarms));
	if (!config->alarms)
		return -ENOMEM;
	for (size_t i = 0; i < source->alarms.count; i++) {
		struct source_alarm *own = source_alarm_at(source, i);
		int r = resolve_alarm(own, &config->alarms[config->alarm_count++]);
		if (r < 0)
			return r;
		check_alarm(own, config, issues);
	}
	for (size_t i = 0; i < config->repository_count; i++)
		check_number(config, &config->repositories[i],
			&source_repository_at(source, i)->section.place, issues);
	return 0;
}
