/* SPDX-License-Identifier: Apache-2.0 */
/* One state of each [alarm NAME] per series; they raise the same incident as built-in rules. */
#include "alarm/custom_rules.h"

#include <string.h>

#include "alarm/incident.h"
#include "base/buf.h"

static bool is_of(const struct alarm_custom *custom, const char *name, const char *probe)
{
	return strcmp(custom->name, name) == 0 && strcmp(custom->probe, probe) == 0;
}

/* NULL when there are too many: the alarm is not judged then. */
static struct alarm_custom *find_or_add(struct alarm_state *state, const char *name,
	const char *probe, enum run_operation operation)
{
	for (size_t i = 0; i < state->custom_count; i++)
		if (is_of(&state->customs[i], name, probe) &&
			state->customs[i].operation == operation)
			return &state->customs[i];
	if (state->custom_count >= ALARM_CUSTOMS_MAX)
		return NULL;
	struct alarm_custom *added = &state->customs[state->custom_count++];
	*added = (struct alarm_custom){ .operation = operation };
	memcpy(added->name, name, strnlen(name, RUN_NAME_MAX));
	memcpy(added->probe, probe, strnlen(probe, RUN_NAME_MAX));
	return added;
}

static uint8_t count_hits(const struct alarm_rule_state *state, uint8_t window)
{
	uint32_t mask = window < RULE_WINDOW_MAX ? (UINT32_C(1) << window) - 1 : UINT32_MAX;

	return (uint8_t)__builtin_popcount(state->bits & mask);
}

/* Left empty when memory is short: the name is enough to identify the alarm. */
static void write_condition(const struct condition *condition, char *ret)
{
	struct buf text = BUF_INIT(ALARM_CONDITION_MAX);

	condition_format(condition, &text);
	if (text.error == 0)
		memcpy(ret, buf_text(&text), text.len + 1);
	buf_done(&text);
}

static void describe(const struct step *step, const struct alarm_custom *custom,
	const struct custom_rule *rule, const struct histogram *window, struct incident_event *ret)
{
	static const enum alarm_unit units[] = {
		[CONDITION_NSEC] = ALARM_UNIT_LATENCY,
		[CONDITION_BYTES_PER_SEC] = ALARM_UNIT_THROUGHPUT,
		[CONDITION_NUMBER] = ALARM_UNIT_NUMBER,
	};
	const struct verdict *v = &step->verdicts[custom->operation];
	enum condition_measure measure = rule->when.measure;
	bool is_together = condition_ios_needed(measure) > 0;

	*ret = (struct incident_event){
		.level = rule->level,
		.reason = ALARM_REASON_CUSTOM,
		.operation = custom->operation,
		.status = step->input->run->status,
		.value_nsec = v->average_nsec,
		.limit_nsec = step->input->limit.limit_nsec,
		.hits = is_together ? 0 : count_hits(&custom->rule, rule->hold.window),
		.window = custom->rule.slots < rule->hold.window ? custom->rule.slots
								 : rule->hold.window,
		.evidence = {
			.value = condition_measured_window(
				measure, step->input->run, custom->operation, window),
			.normal = custom_normal(step->input->baselines[custom->operation],
				measure, v->load),
			.load = v->load,
			.others_bytes_per_sec = v->others_bytes_per_sec,
			.moved = v->moved,
			.unit = units[condition_measure_unit(measure)],
		},
	};
	memcpy(ret->probe, custom->probe, sizeof(ret->probe));
	memcpy(ret->alarm, custom->name, sizeof(ret->alarm));
	write_condition(&rule->when, ret->condition);
}

static bool is_about(const struct condition *condition, enum run_operation operation)
{
	return !condition->has_operation || condition->operation == operation;
}

static void take_series(
	struct step *step, const struct alarm_user_rule *user, enum run_operation operation)
{
	const struct custom_input input = {
		.run = step->input->run,
		.operation = operation,
		.window = user->windows[operation],
		.baseline = step->input->baselines[operation],
		.load = step->has_verdict[operation] ? step->verdicts[operation].load
						     : LOAD_UNKNOWN,
		.now_usec = step->input->now_usec,
	};
	struct alarm_custom *custom =
		find_or_add(step->state, user->name, step->input->run->probe, operation);
	struct incident_event event;

	if (!custom)
		return;
	switch (custom_step(user->rule, &custom->rule, &input)) {
	case CUSTOM_NOTHING:
		return;
	case CUSTOM_FIRED:
		describe(step, custom, user->rule, input.window, &event);
		incident_raise(step->state, &event, step->input->now_usec,
			step->input->next_incident_id, step->outcome);
		return;
	case CUSTOM_CLEARED:
		describe(step, custom, user->rule, input.window, &step->cleared);
		step->cleared.level = ALARM_NONE;
		step->cleared.window = user->rule->clear_runs;
		step->has_cleared = true;
		return;
	}
}

void custom_rules_take(struct step *step)
{
	if (step->input->is_confirmation)
		return;
	for (size_t i = 0; i < step->input->user_rule_count; i++)
		for (size_t k = 0; k < RUN_OPERATIONS; k++)
			if (custom_takes(step->input->user_rules[i].rule, step->input->run,
				    (enum run_operation)k) &&
				is_about(&step->input->user_rules[i].rule->when,
					(enum run_operation)k))
				take_series(
					step, &step->input->user_rules[i], (enum run_operation)k);
}

/* An alarm whose operation has changed counts as a different alarm. */
static bool is_known(const struct alarm_input *input, const struct alarm_custom *custom)
{
	for (size_t i = 0; i < input->user_rule_count; i++)
		if (strcmp(input->user_rules[i].name, custom->name) == 0 &&
			is_about(&input->user_rules[i].rule->when, custom->operation))
			return true;
	return strcmp(custom->probe, input->run->probe) != 0;
}

void custom_rules_prune(struct step *step)
{
	struct alarm_state *state = step->state;
	size_t kept = 0;

	for (size_t i = 0; i < state->custom_count; i++) {
		const struct alarm_custom *custom = &state->customs[i];
		if (is_known(step->input, custom)) {
			if (kept != i)
				state->customs[kept] = *custom;
			kept++;
			continue;
		}
		if (custom->rule.level == ALARM_NONE)
			continue;
		step->cleared = (struct incident_event){
			.reason = ALARM_REASON_CUSTOM,
			.operation = custom->operation,
		};
		memcpy(step->cleared.probe, custom->probe, sizeof(step->cleared.probe));
		memcpy(step->cleared.alarm, custom->name, sizeof(step->cleared.alarm));
		step->has_cleared = true;
	}
	memset(&state->customs[kept], 0, (state->custom_count - kept) * sizeof(state->customs[0]));
	state->custom_count = kept;
}
