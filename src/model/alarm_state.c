/* SPDX-License-Identifier: Apache-2.0 */
/* Names of alarm levels, reasons and incident changes, and the look-up of a series. */
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
};

static const char *const change_names[] = {
	[INCIDENT_OPENED] = "opened",
	[INCIDENT_WORSE] = "worse",
	[INCIDENT_CLEARED] = "cleared",
};
#define CHANGES (sizeof(change_names) / sizeof(change_names[0]))

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

const char *incident_change_name(enum incident_change change)
{
	assert((size_t)change < CHANGES);
	return change_names[change];
}

int incident_change_parse(const char *text, enum incident_change *ret)
{
	int r = names_index(change_names, 0, CHANGES, text);
	if (r < 0)
		return r;
	*ret = (enum incident_change)r;
	return 0;
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
