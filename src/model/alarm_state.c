/* SPDX-License-Identifier: Apache-2.0 */
/* Names of alarm levels, reasons, loads and incident changes; look-up of a series. */
#include "model/alarm_state.h"

#include <assert.h>
#include <string.h>

#include "model/names.h"

static const char *const level_names[] = {
	[ALARM_NONE] = "none",
	[ALARM_WARNING] = "warning",
	[ALARM_CRITICAL] = "critical",
};
#define LEVELS (sizeof(level_names) / sizeof(level_names[0]))

static const char *const reason_names[ALARM_REASONS] = {
	[ALARM_REASON_LIMIT] = "limit",
	[ALARM_REASON_RELATIVE] = "relative",
	[ALARM_REASON_TAIL] = "tail",
	[ALARM_REASON_SLOW] = "slow",
	[ALARM_REASON_THROUGHPUT] = "throughput",
	[ALARM_REASON_STALL] = "stall",
	[ALARM_REASON_HANG] = "hang",
	[ALARM_REASON_ERROR] = "error",
	[ALARM_REASON_DRIFT] = "drift",
	[ALARM_REASON_NO_DATA] = "no_data",
	[ALARM_REASON_PEER] = "peer",
	[ALARM_REASON_TARGET] = "target",
	[ALARM_REASON_SPACE] = "space",
	[ALARM_REASON_CUSTOM] = "custom",
};

static const enum alarm_reason rule_reasons[ALARM_RULES] = {
	[ALARM_RULE_LIMIT] = ALARM_REASON_LIMIT,
	[ALARM_RULE_LIMIT_HELD] = ALARM_REASON_LIMIT,
	[ALARM_RULE_RELATIVE] = ALARM_REASON_RELATIVE,
	[ALARM_RULE_TAIL] = ALARM_REASON_TAIL,
	[ALARM_RULE_CACHE] = ALARM_REASON_TAIL,
	[ALARM_RULE_SLOW] = ALARM_REASON_SLOW,
	[ALARM_RULE_THROUGHPUT] = ALARM_REASON_THROUGHPUT,
	[ALARM_RULE_THROUGHPUT_HELD] = ALARM_REASON_THROUGHPUT,
	[ALARM_RULE_STALL] = ALARM_REASON_STALL,
	[ALARM_RULE_DRIFT] = ALARM_REASON_DRIFT,
	[ALARM_RULE_PEER] = ALARM_REASON_PEER,
	[ALARM_RULE_RELATIVE_BUSY] = ALARM_REASON_RELATIVE,
};

static const enum alarm_reason run_rule_reasons[ALARM_RUN_RULES] = {
	[ALARM_RUN_HANG] = ALARM_REASON_HANG,
	[ALARM_RUN_ERROR] = ALARM_REASON_ERROR,
	[ALARM_RUN_TARGET] = ALARM_REASON_TARGET,
	[ALARM_RUN_SPACE] = ALARM_REASON_SPACE,
	[ALARM_RUN_NO_DATA] = ALARM_REASON_NO_DATA,
};

static const char *const load_names[] = {
	[LOAD_IDLE] = "idle",
	[LOAD_LIGHT] = "light",
	[LOAD_HEAVY] = "heavy",
	[LOAD_UNKNOWN] = "unknown",
};
#define LOADS (sizeof(load_names) / sizeof(load_names[0]))

static const char *const change_names[INCIDENT_CHANGES] = {
	[INCIDENT_OPENED] = "opened",
	[INCIDENT_WORSE] = "worse",
	[INCIDENT_CLEARED] = "cleared",
	[INCIDENT_JOINED] = "joined",
	[INCIDENT_REOPENED] = "reopened",
	[INCIDENT_FLAPPING] = "flapping",
};

const char *alarm_level_name(enum alarm_level level)
{
	assert((size_t)level < LEVELS);
	return level_names[level];
}

int alarm_level_parse(const char *text, enum alarm_level *ret)
{
	int r = names_index(level_names, 0, LEVELS, text);
	if (r < 0)
		return r;
	*ret = (enum alarm_level)r;
	return 0;
}

const char *alarm_reason_name(enum alarm_reason reason)
{
	assert((size_t)reason < ALARM_REASONS);
	return reason_names[reason];
}

int alarm_reason_parse(const char *text, enum alarm_reason *ret)
{
	int r = names_index(reason_names, 0, ALARM_REASONS, text);
	if (r < 0)
		return r;
	*ret = (enum alarm_reason)r;
	return 0;
}

const char *load_class_name(enum load_class load)
{
	assert((size_t)load < LOADS);
	return load_names[load];
}

bool alarm_reason_has_operation(enum alarm_reason reason)
{
	for (size_t i = 0; i < ALARM_RUN_RULES; i++)
		if (run_rule_reasons[i] == reason)
			return false;
	return true;
}

bool alarm_reason_is_slowness(enum alarm_reason reason)
{
	return alarm_reason_has_operation(reason) && reason != ALARM_REASON_CUSTOM;
}

enum alarm_reason alarm_rule_reason(enum alarm_rule rule)
{
	assert((size_t)rule < ALARM_RULES);
	return rule_reasons[rule];
}

enum alarm_reason alarm_run_rule_reason(enum alarm_run_rule rule)
{
	assert((size_t)rule < ALARM_RUN_RULES);
	return run_rule_reasons[rule];
}

const char *incident_change_name(enum incident_change change)
{
	assert((size_t)change < INCIDENT_CHANGES);
	return change_names[change];
}

int incident_change_parse(const char *text, enum incident_change *ret)
{
	int r = names_index(change_names, 0, INCIDENT_CHANGES, text);
	if (r < 0)
		return r;
	*ret = (enum incident_change)r;
	return 0;
}

const char *incident_event_reason(const struct incident_event *event)
{
	bool has_name = event->reason == ALARM_REASON_CUSTOM && event->alarm[0] != '\0';

	return has_name ? event->alarm : alarm_reason_name(event->reason);
}

bool incident_event_left(const struct incident_event *event)
{
	return event->change == INCIDENT_CLEARED && event->window == 0 && event->hits > 0;
}

bool incident_change_is_told(enum incident_change change)
{
	return change != INCIDENT_JOINED && change != INCIDENT_REOPENED;
}

struct alarm_series *alarm_state_find(
	struct alarm_state *state, const char *probe, enum run_operation operation)
{
	for (size_t i = 0; i < state->series_count; i++) {
		struct alarm_series *s = &state->series[i];
		if (s->operation == operation && strcmp(s->probe, probe) == 0)
			return s;
	}
	return NULL;
}

struct alarm_probe *alarm_state_find_probe(struct alarm_state *state, const char *probe)
{
	for (size_t i = 0; i < state->probe_count; i++)
		if (strcmp(state->probes[i].probe, probe) == 0)
			return &state->probes[i];
	return NULL;
}

static enum alarm_level higher(enum alarm_level a, enum alarm_level b)
{
	return a > b ? a : b;
}

enum alarm_level alarm_probe_level(const struct alarm_probe *probe, enum alarm_reason reason)
{
	enum alarm_level level = ALARM_NONE;

	for (size_t i = 0; i < ALARM_RUN_RULES; i++)
		if (alarm_run_rule_reason((enum alarm_run_rule)i) == reason)
			level = higher(level, probe->rules[i].level);
	return level;
}

enum alarm_level alarm_series_level(const struct alarm_series *series, enum alarm_reason reason)
{
	enum alarm_level level = ALARM_NONE;

	for (size_t i = 0; i < ALARM_RULES; i++)
		if (alarm_rule_reason((enum alarm_rule)i) == reason)
			level = higher(level, series->rules[i].level);
	return level;
}

enum alarm_level alarm_state_level(
	const struct alarm_state *state, const char *probe, enum alarm_reason reason)
{
	enum alarm_level level = ALARM_NONE;

	for (size_t i = 0; i < state->series_count; i++)
		if (!probe || strcmp(state->series[i].probe, probe) == 0)
			level = higher(level, alarm_series_level(&state->series[i], reason));
	for (size_t i = 0; i < state->probe_count; i++)
		if (!probe || strcmp(state->probes[i].probe, probe) == 0)
			level = higher(level, alarm_probe_level(&state->probes[i], reason));
	return level;
}

static bool is_of(const struct alarm_custom *custom, const char *probe, const char *name)
{
	return strcmp(custom->name, name) == 0 && (!probe || strcmp(custom->probe, probe) == 0);
}

enum alarm_level alarm_custom_level(
	const struct alarm_state *state, const char *probe, const char *name)
{
	enum alarm_level level = ALARM_NONE;

	for (size_t i = 0; i < state->custom_count; i++)
		if (is_of(&state->customs[i], probe, name))
			level = higher(level, state->customs[i].rule.level);
	return level;
}

bool alarm_custom_is_again(const struct alarm_state *state, const char *probe, size_t i)
{
	for (size_t k = 0; k < i; k++)
		if (is_of(&state->customs[k], probe, state->customs[i].name))
			return true;
	return false;
}
