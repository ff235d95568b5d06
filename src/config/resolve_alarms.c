/* SPDX-License-Identifier: Apache-2.0 */
/* User-defined alarms: their rules, and the series they apply to. */
#include "config/resolve.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "base/parse.h"
#include "model/alarm_state.h"

#define SHOWN 80 /* bytes of a bad value in a message */
#define CANDIDATES_MAX 256 /* names considered as a correction of a mistyped one */

static const char *meant_repository(const struct config *config, const char *name)
{
	const char *candidates[CANDIDATES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < config->repository_count && count < CANDIDATES_MAX; i++)
		candidates[count++] = config->repositories[i].name;
	return parse_suggest(name, candidates, count);
}

static const char *meant_probe(
	const struct config_alarm *alarm, const struct config *config, const char *name)
{
	const char *candidates[CANDIDATES_MAX];
	size_t count = 0;

	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];

		if (!config_alarm_applies(alarm, repository->name, name))
			continue;
		for (size_t k = 0; k < repository->probe_count && count < CANDIDATES_MAX; k++)
			candidates[count++] = repository->probes[k].name;
	}
	return parse_suggest(name, candidates, count);
}

static bool is_probed(
	const struct config_alarm *alarm, const struct config *config, const char *probe)
{
	for (size_t i = 0; i < config->repository_count; i++)
		if (config_alarm_applies(alarm, config->repositories[i].name, probe) &&
			config_find_probe(&config->repositories[i], probe))
			return true;
	return false;
}

static bool check_repositories(
	const struct source_alarm *own, const struct config *config, struct issues *issues)
{
	const struct source_value *names = &own->repository;
	bool are_known = true;

	for (size_t i = 0; i < names->item_count; i++) {
		if (config_find_repository(config, names->items[i]))
			continue;
		const char *meant = meant_repository(config, names->items[i]);
		are_known = false;
		issues_add(issues, &names->place, "repository: there is no [repository %.*s]%s%s%s",
			SHOWN, names->items[i], meant ? "; did you mean " : "", meant ? meant : "",
			meant ? "?" : "");
	}
	return are_known;
}

static void check_probes(const struct source_alarm *own, const struct config_alarm *alarm,
	const struct config *config, struct issues *issues)
{
	const struct source_value *names = &own->probe;

	for (size_t i = 0; i < names->item_count; i++) {
		if (is_probed(alarm, config, names->items[i]))
			continue;
		const char *meant = meant_probe(alarm, config, names->items[i]);
		issues_add(issues, &names->place,
			"probe: no repository %sis probed with %.*s%s%s%s",
			alarm->repository_count > 0 ? "of the alarm " : "", SHOWN, names->items[i],
			meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	}
}

static bool has_operation(const struct config_probe *probe, enum run_operation operation)
{
	return operation == RUN_READ ? workload_reads(&probe->workload)
				     : workload_writes(&probe->workload);
}

/* An alarm on reads of a write-only probe would never fire. */
static void check_operation(const struct source_alarm *own, const struct config_alarm *alarm,
	const struct config *config, struct issues *issues)
{
	const struct condition *when = &alarm->rule->when;
	bool watches_any = false;

	if (!when->has_operation)
		return;
	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];

		for (size_t k = 0; k < repository->probe_count; k++) {
			const struct config_probe *probe = &repository->probes[k];

			if (!config_alarm_applies(alarm, repository->name, probe->name))
				continue;
			if (has_operation(probe, when->operation))
				return;
			watches_any = true;
		}
	}
	if (watches_any)
		issues_add(issues, &own->when.place,
			"when: no probe of the alarm ever does a %s; expected one with another write_percent, or another condition",
			run_operation_name(when->operation));
}

/* The clearing condition is judged on the operation that fired. */
static void check_clear(const struct source_alarm *own, struct issues *issues)
{
	const struct condition *when = &own->rule.when;
	const struct condition *clear = &own->rule.clear;

	if (!own->rule.has_clear || !clear->has_operation || !own->when.text)
		return;
	if (!when->has_operation)
		issues_add(issues, &own->clear.place,
			"clear: when is about reads and writes, each by itself; expected no %s in clear",
			run_operation_name(clear->operation));
	else if (when->operation != clear->operation)
		issues_add(issues, &own->clear.place,
			"clear: %s: when is about %s; expected that or none in clear",
			run_operation_name(clear->operation), run_operation_name(when->operation));
}

static void check_alarm(const struct source_alarm *own, const struct config_alarm *alarm,
	const struct config *config, struct issues *issues)
{
	enum alarm_reason reason;

	if (!own->when.is_given)
		issues_add(issues, &own->section.place,
			"[alarm %s] has no when; expected one such as when = write p99 > 50ms",
			own->section.name);
	if (alarm_reason_parse(own->section.name, &reason) == 0)
		issues_add(issues, &own->section.place,
			"[alarm %s]: there is an alarm of that name already; expected a name of your own",
			own->section.name);
	if (check_repositories(own, config, issues))
		check_probes(own, alarm, config, issues);
	check_operation(own, alarm, config, issues);
	check_clear(own, issues);
}

/* The number of series of the probe that the alarm watches. */
static size_t count_series(const struct config_alarm *alarm, const struct config_probe *probe)
{
	const struct condition *when = &alarm->rule->when;

	if (when->has_operation)
		return has_operation(probe, when->operation) ? 1 : 0;
	return has_operation(probe, RUN_READ) && has_operation(probe, RUN_WRITE) ? RUN_OPERATIONS
										 : 1;
}

/* An alarm needs state for each series it watches. */
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

/* Each value was read before: errors were reported then. */
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
		struct config_alarm *alarm = &config->alarms[config->alarm_count++];
		int r = resolve_alarm(own, alarm);
		if (r < 0)
			return r;
		check_alarm(own, alarm, config, issues);
	}
	for (size_t i = 0; i < config->repository_count; i++)
		check_number(config, &config->repositories[i],
			&source_repository_at(source, i)->section.place, issues);
	return 0;
}
