/* SPDX-License-Identifier: Apache-2.0 */
/* Majority vote over a scheduled run and its confirming runs. */
#include "alarm/slot.h"

#include "alarm/lane.h"
#include "alarm/series.h"

static uint32_t confirmed_rules(void)
{
	uint32_t rules = 0;

	for (size_t i = 0; i < ALARM_RULES; i++)
		if (lane_is_confirmed((enum alarm_rule)i))
			rules |= JUDGE_BIT(i);
	return rules;
}

static struct alarm_slot_run slot_run_of(const struct verdict *v)
{
	return (struct alarm_slot_run){
		.judged = (uint16_t)v->judged,
		.bad = (uint16_t)v->bad,
		.critical = (uint16_t)(v->critical & v->bad),
		.near = (uint16_t)(v->near | v->bad),
	};
}

/* How many of the slot's runs are bad, critical or near for a rule. */
struct votes {
	unsigned bad;
	unsigned critical;
	unsigned near;
};

static struct votes count(const struct alarm_series *series, unsigned runs, size_t rule)
{
	struct votes votes = { 0 };

	for (unsigned i = 0; i < runs; i++) {
		votes.bad += (series->slot[i].bad >> rule) & 1;
		votes.critical += (series->slot[i].critical >> rule) & 1;
		votes.near += (series->slot[i].near >> rule) & 1;
	}
	return votes;
}

/* The majority of the runs; near is set when no run contradicts it. A single run decides alone. */
static struct alarm_slot_run majority(const struct alarm_series *series, unsigned runs)
{
	struct alarm_slot_run most = { 0 };

	for (unsigned i = 0; i < runs; i++) {
		most.judged |= series->slot[i].judged;
	}
	for (size_t rule = 0; rule < ALARM_RULES; rule++) {
		struct votes votes = count(series, runs, rule);
		if (2 * votes.bad > runs)
			most.bad |= (uint16_t)JUDGE_BIT(rule);
		if (2 * votes.critical > runs)
			most.critical |= (uint16_t)JUDGE_BIT(rule);
		if (votes.near == runs)
			most.near |= (uint16_t)JUDGE_BIT(rule);
	}
	return most;
}

/* Whether more runs could change the majority or break unanimity. */
static bool is_open(const struct alarm_series *series, unsigned runs, unsigned runs_max)
{
	for (size_t rule = 0; rule < ALARM_RULES; rule++) {
		unsigned bad = count(series, runs, rule).bad;
		if (!lane_is_confirmed((enum alarm_rule)rule) || bad == 0)
			continue;
		if (bad == runs || (2 * bad <= runs_max && 2 * (bad + runs_max - runs) > runs_max))
			return true;
	}
	return false;
}

static void settle(struct step *step)
{
	uint32_t rules = confirmed_rules();

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		enum run_operation operation = (enum run_operation)i;
		struct alarm_series *series = step_series(step, operation);
		if (!series || step->probe->slot_runs == 0)
			continue;
		struct alarm_slot_run slot = majority(series, step->probe->slot_runs);
		series_take(step, operation, &slot, rules);
	}
	step->probe->slot_runs = 0;
}

void slot_close(struct step *step)
{
	if (step->probe->slot_runs > 0)
		settle(step);
}

/* During an incident no confirmation is needed. */
static bool is_doubtful(const struct step *step)
{
	unsigned runs_max = 1 + (unsigned)step->input->sense.confirmations;
	unsigned runs = step->probe->slot_runs;

	if (step->state->incident_id != 0 || runs >= runs_max)
		return false;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct alarm_series *series = step_series(step, (enum run_operation)i);
		if (series && step->has_verdict[i] && is_open(series, runs, runs_max))
			return true;
	}
	return false;
}

static void add_run(struct step *step)
{
	unsigned at = step->probe->slot_runs++;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct alarm_series *series = step_series(step, (enum run_operation)i);
		if (!series)
			continue;
		series->slot[at] = step->has_verdict[i] ? slot_run_of(&step->verdicts[i])
							: (struct alarm_slot_run){ 0 };
	}
}

/* Confirming runs follow the slot's own run after the configured times, but not all at once when
 * one of them was late. */
static void ask(struct step *step)
{
	const struct rule_sense *sense = &step->input->sense;
	size_t next = step->probe->slot_runs - 1U;
	int64_t at_usec = step->probe->slot_usec + (int64_t)sense->confirm_after_usec[next];

	if (at_usec <= step->input->now_usec)
		at_usec = step->input->now_usec + (int64_t)sense->confirm_after_usec[0];
	step->outcome->confirm_at_usec = at_usec;
}

static void take_unconfirmed(struct step *step)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		if (!step->has_verdict[i])
			continue;
		struct alarm_slot_run slot = slot_run_of(&step->verdicts[i]);
		series_take(step, (enum run_operation)i, &slot, ~confirmed_rules());
	}
}

void slot_take_run(struct step *step)
{
	bool confirms = step->input->is_confirmation && step->probe->slot_runs > 0 &&
		step->probe->slot_runs < ALARM_SLOT_RUNS;

	if (!confirms) {
		slot_close(step);
		step->probe->slot_usec = step->input->now_usec;
		take_unconfirmed(step);
	}
	add_run(step);
	if (is_doubtful(step))
		ask(step);
	else
		settle(step);
}
