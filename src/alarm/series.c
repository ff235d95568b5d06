/* SPDX-License-Identifier: Apache-2.0 */
/* The rules of a series and their combined level. */
#include "alarm/series.h"

#include <string.h>

#include "alarm/drift.h"
#include "alarm/incident.h"
#include "alarm/lane.h"

#define BITS_MAX 32
#define LIMIT_RULES (JUDGE_BIT(ALARM_RULE_LIMIT) | JUDGE_BIT(ALARM_RULE_LIMIT_HELD))

struct alarm_series *step_series(const struct step *step, enum run_operation operation)
{
	return alarm_state_find(step->state, step->input->run->probe, operation);
}

/* The state of the series is that of its worst rule, the first one if several are equal. */
static void sum_up(struct alarm_series *series)
{
	series->level = ALARM_NONE;
	series->since_usec = 0;
	series->clear_runs = 0;
	for (size_t i = 0; i < ALARM_RULES; i++) {
		const struct alarm_rule_state *rule = &series->rules[i];
		if (rule->level == ALARM_NONE)
			continue;
		if (series->since_usec == 0 || rule->since_usec < series->since_usec)
			series->since_usec = rule->since_usec;
		if (rule->level > series->level) {
			series->level = rule->level;
			series->reason = alarm_rule_reason((enum alarm_rule)i);
			series->clear_runs = rule->good_runs;
		}
	}
}

static void count_good(struct alarm_series *series, const struct verdict *v)
{
	for (size_t i = 0; i < ALARM_RULES; i++) {
		struct alarm_rule_state *rule = &series->rules[i];
		uint32_t bit = JUDGE_BIT(i);
		if (rule->level == ALARM_NONE || !(v->judged & bit))
			continue;
		if (!(v->good & bit))
			rule->good_runs = 0;
		else if (rule->good_runs < UINT8_MAX)
			rule->good_runs++;
	}
}

/* Drift has its own clock: one slot per hour. */
static void judge_drift(struct alarm_series *series, struct verdict *v, int64_t now_usec)
{
	uint32_t bit = JUDGE_BIT(ALARM_RULE_DRIFT);

	if (!v->has_anchor)
		return;
	enum drift_verdict verdict = drift_add(&series->drift, v->anchor_ratio, now_usec);
	if (verdict == DRIFT_NOT_CHECKED && series->rules[ALARM_RULE_DRIFT].level == ALARM_NONE)
		return;
	v->judged |= bit;
	if (verdict == DRIFT_FOUND)
		v->bad |= bit;
	if (drift_is_good(&series->drift, v->anchor_ratio))
		v->good |= bit;
}

/* Values that later runs, and those of peers, are compared with. */
static void note_whole(struct step *step, enum run_operation operation)
{
	struct alarm_series *series = step_series(step, operation);
	struct verdict *v = &step->verdicts[operation];
	const struct rule_limit *limit = &step->input->limit;
	bool is_over = limit->limit_nsec > 0 && v->average_nsec > limit->limit_nsec;
	bool is_critical =
		limit->limit_critical_nsec > 0 && v->average_nsec > limit->limit_critical_nsec;

	series->warning_bits = series->warning_bits << 1 | is_over;
	series->critical_bits = series->critical_bits << 1 | (is_over && is_critical);
	if (series->judged_runs < BITS_MAX)
		series->judged_runs++;
	series->judged_usec = step->input->now_usec;
	series->normal_nsec = 0;
	if (v->has_normal) {
		struct alarm_evidence evidence;
		judge_evidence(
			v, step->input->baselines[operation], ALARM_RULE_RELATIVE, &evidence);
		series->normal_nsec = evidence.normal;
	}
	if (!step->input->is_confirmation)
		judge_drift(series, v, step->input->now_usec);
}

void series_note(struct step *step, enum run_operation operation)
{
	struct alarm_series *series = step_series(step, operation);
	struct verdict *v = &step->verdicts[operation];

	series->value_nsec = v->average_nsec;
	series->limit_nsec = step->input->limit.limit_nsec;
	series->load = v->load;
	if (judge_rules(step->input->run) == JUDGE_ALL)
		note_whole(step, operation);
	count_good(series, v);
}

/* Describes a rule of this series; the incident fills in the rest. */
static void describe(const struct step *step, enum run_operation operation, enum alarm_rule rule,
	struct incident_event *ret)
{
	const struct alarm_series *series = step_series(step, operation);
	const struct alarm_rule_state *state = &series->rules[rule];
	const struct rule_limit *limit = &step->input->limit;
	bool is_critical = state->level == ALARM_CRITICAL && state->critical_bits != 0;
	const struct alarm_rule_state counted = {
		.bits = is_critical ? state->critical_bits : state->bits,
		.slots = state->slots,
	};
	struct rule_hold count = lane_count(&counted, rule, &step->input->sense);

	*ret = (struct incident_event){
		.level = state->level,
		.reason = alarm_rule_reason(rule),
		.operation = operation,
		.status = step->input->run->status,
		.value_nsec = series->value_nsec,
		.limit_nsec = is_critical && rule == ALARM_RULE_LIMIT ? limit->limit_critical_nsec
								      : limit->limit_nsec,
		.hits = count.hits,
		.window = count.window,
	};
	memcpy(ret->probe, series->probe, sizeof(ret->probe));
}

static void add_evidence(const struct step *step, enum run_operation operation,
	enum alarm_rule rule, struct incident_event *event)
{
	enum run_operation other = operation == RUN_READ ? RUN_WRITE : RUN_READ;
	const struct verdict *v = &step->verdicts[operation];
	const struct alarm_series *series = step_series(step, operation);

	judge_evidence(v, step->input->baselines[operation], rule, &event->evidence);
	/* The figures of the I/Os say nothing about the set-up before them. */
	if (event->evidence.setup_step == RUN_SETUP_NONE)
		event->evidence.cause = judge_cause(
			v->moved, operation, step->has_verdict[other], step->verdicts[other].moved);
	if (!lane_is_confirmed(rule))
		return;
	for (size_t i = 1; i < step->probe->slot_runs; i++) {
		event->evidence.confirmations++;
		event->evidence.agreed += (uint8_t)((series->slot[i].bad >> rule) & 1);
	}
}

static void raise(struct step *step, enum run_operation operation, enum alarm_rule rule,
	enum alarm_level level)
{
	struct alarm_series *series = step_series(step, operation);
	struct alarm_rule_state *state = &series->rules[rule];
	struct incident_event event;

	if (state->level == ALARM_NONE)
		state->since_usec = step->input->now_usec;
	state->level = level;
	state->good_runs = 0;
	describe(step, operation, rule, &event);
	add_evidence(step, operation, rule, &event);
	incident_raise(step->state, &event, step->input->now_usec, step->input->next_incident_id,
		step->outcome);
}

/* Several rules may have the same reason; it is reported once. */
static bool is_told(const struct alarm_series *series, enum alarm_rule rule, enum alarm_level level)
{
	for (size_t i = 0; i < ALARM_RULES; i++)
		if (i != (size_t)rule && series->rules[i].level >= level &&
			alarm_rule_reason((enum alarm_rule)i) == alarm_rule_reason(rule))
			return true;
	return false;
}

void series_take(struct step *step, enum run_operation operation, const struct alarm_slot_run *slot,
	uint32_t rules)
{
	struct alarm_series *series = step_series(step, operation);

	for (size_t i = 0; i < ALARM_RULES; i++) {
		enum alarm_rule rule = (enum alarm_rule)i;
		struct alarm_rule_state *state = &series->rules[i];
		if (!(rules & slot->judged & JUDGE_BIT(i)))
			continue;
		lane_push(state, (slot->bad >> i) & 1, (slot->critical >> i) & 1);
		enum alarm_level level = lane_level(state, rule, &step->input->sense);
		if (level <= state->level || !(slot->near & JUDGE_BIT(i)))
			continue;
		if (!is_told(series, rule, level)) {
			raise(step, operation, rule, level);
			continue;
		}
		if (state->level == ALARM_NONE)
			state->since_usec = step->input->now_usec;
		state->level = level;
		state->good_runs = 0;
	}
	sum_up(series);
}

static unsigned needed_runs(const struct step *step)
{
	return lane_clear_runs(ALARM_CLEAR_RUNS, step->state->reopenings);
}

/* Trouble that is over must not contribute to firing again. */
static void empty_windows(struct alarm_series *series)
{
	memset(series->rules, 0, sizeof(series->rules));
	series->drift.bad_hours = 0;
	series->warning_bits = 0;
	series->critical_bits = 0;
	series->judged_runs = 0;
}

void series_clear(struct step *step, enum run_operation operation)
{
	struct alarm_series *series = step_series(step, operation);
	unsigned needed = needed_runs(step);
	bool has_cleared = false;

	for (size_t i = 0; i < ALARM_RULES; i++) {
		enum alarm_rule rule = (enum alarm_rule)i;
		struct alarm_rule_state *state = &series->rules[i];
		if (state->level == ALARM_NONE || state->good_runs < needed ||
			lane_holds(state, rule))
			continue;
		unsigned good_runs = state->good_runs;
		memset(state, 0, sizeof(*state));
		if (rule == ALARM_RULE_DRIFT)
			memset(&series->drift, 0, sizeof(series->drift));
		describe(step, operation, rule, &step->cleared);
		judge_evidence(&step->verdicts[operation], step->input->baselines[operation], rule,
			&step->cleared.evidence);
		step->cleared.hits = 0;
		step->cleared.window = (uint8_t)good_runs;
		step->has_cleared = true;
		has_cleared = true;
	}
	sum_up(series);
	if (has_cleared && series->level == ALARM_NONE)
		empty_windows(series);
}

void series_drop_limit(struct step *step, enum run_operation operation)
{
	struct alarm_series *series = step_series(step, operation);

	for (size_t i = 0; i < ALARM_RULES; i++) {
		if (!(LIMIT_RULES & JUDGE_BIT(i)))
			continue;
		if (series->rules[i].level != ALARM_NONE) {
			step->cleared = (struct incident_event){
				.reason = ALARM_REASON_LIMIT,
				.operation = operation,
			};
			memcpy(step->cleared.probe, series->probe, sizeof(step->cleared.probe));
			step->has_cleared = true;
		}
		memset(&series->rules[i], 0, sizeof(series->rules[i]));
	}
	series->warning_bits = 0;
	series->critical_bits = 0;
	sum_up(series);
}

bool series_is_suspect(const struct alarm_series *series)
{
	for (size_t i = 0; i < ALARM_RULES; i++)
		if (lane_is_suspect(&series->rules[i], (enum alarm_rule)i))
			return true;
	return false;
}
