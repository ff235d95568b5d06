/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a step: the run's status, its numbers, what has been good for long enough, whether
 * anything still holds the incident open. Raising comes before clearing, so that an incident
 * continues when one operation takes it over from another in the same run. */
#include "alarm/alarm.h"

#include <errno.h>
#include <string.h>

#include "alarm/custom_rules.h"
#include "alarm/drift.h"
#include "alarm/incident.h"
#include "alarm/run_rules.h"
#include "alarm/series.h"
#include "alarm/slot.h"

/* A tick reports each probe at most once, as stuck or as silent, and flapping once. */
_Static_assert(ALARM_PROBES_MAX + 1 <= ALARM_EVENTS_MAX, "a tick has room for all probes");

static bool is_judged(const struct run *run)
{
	return judge_rules(run) != 0;
}

/* Makes sure that the probe, and each operation that did I/O, has state. */
static int add_missing(struct alarm_state *state, const struct run *run)
{
	bool is_missing[RUN_OPERATIONS];
	bool is_new = !alarm_state_find_probe(state, run->probe);
	size_t missing = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		is_missing[i] = is_judged(run) && run->operations[i].latency.count > 0 &&
			!alarm_state_find(state, run->probe, (enum run_operation)i);
		missing += is_missing[i];
	}
	if (missing > ALARM_SERIES_MAX - state->series_count ||
		(is_new && state->probe_count >= ALARM_PROBES_MAX))
		return -ENOBUFS;
	if (is_new) {
		struct alarm_probe *probe = &state->probes[state->probe_count++];
		*probe = (struct alarm_probe){ .newest_usec = 0 };
		memcpy(probe->probe, run->probe, sizeof(probe->probe));
	}
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		if (!is_missing[i])
			continue;
		struct alarm_series *series = &state->series[state->series_count++];
		*series = (struct alarm_series){ .operation = (enum run_operation)i };
		memcpy(series->probe, run->probe, sizeof(series->probe));
	}
	return 0;
}

static void judge_operations(struct step *step)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		enum run_operation operation = (enum run_operation)i;
		step->has_verdict[i] = step->input->run->operations[i].latency.count > 0;
		if (!step->has_verdict[i])
			continue;
		judge_run(step->input, operation, &step->verdicts[i]);
		series_note(step, operation);
		if (step->input->limit.limit_nsec == 0)
			series_drop_limit(step, operation);
	}
}

/* While a load class has no normal, good runs build one even during an incident: otherwise an
 * incident of a limit near the normal could never end. */
static bool is_first_normal(const struct verdict *v)
{
	return !v->has_normal && v->bad == 0;
}

static void give_samples(struct step *step)
{
	bool is_quiet = step->state->incident_id == 0 && step->outcome->confirm_at_usec == 0;

	/* A partly written file or a cache does not show what is normal. */
	if (judge_rules(step->input->run) != JUDGE_ALL)
		return;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		if (!step->has_verdict[i])
			continue;
		step->outcome->has_sample[i] = true;
		step->outcome->samples[i] = step->verdicts[i].sample;
		step->outcome->samples[i].is_learned = !step->input->is_muted &&
			(is_first_normal(&step->verdicts[i]) ||
				(is_quiet &&
					!series_is_suspect(
						step_series(step, (enum run_operation)i))));
	}
}

static void take_numbers(struct step *step)
{
	judge_operations(step);
	slot_take_run(step);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (step->has_verdict[i])
			series_clear(step, (enum run_operation)i);
	custom_rules_take(step);
	give_samples(step);
}

static int64_t earlier(int64_t a, int64_t b)
{
	if (a == 0 || b == 0)
		return a == 0 ? b : a;
	return a < b ? a : b;
}

static int64_t next_check_usec(const struct alarm_state *state, int64_t started_usec)
{
	int64_t next = 0;

	for (size_t i = 0; i < state->probe_count; i++)
		next = earlier(next, run_rules_next_usec(&state->probes[i], started_usec));
	return next;
}

static void note_probe(struct step *step)
{
	struct alarm_probe *probe = step->probe;
	const struct run *run = step->input->run;
	bool is_explained =
		probe->newest_usec == 0 || step->input->is_muted || run_is_own_trouble(run);

	probe->newest_usec = step->input->now_usec;
	if (is_explained || run->status != RUN_SKIPPED)
		probe->taken_usec = step->input->now_usec;
	probe->interval_usec = step->input->interval_usec;
	/* A scheduled run ends the wait for confirming runs. */
	if (run->status != RUN_SKIPPED && !is_judged(run) && !step->input->is_confirmation)
		slot_close(step);
}

static void end_if_quiet(struct step *step)
{
	struct alarm_state *state = step->state;
	bool was_open = state->incident_id != 0;
	int64_t opened_usec = state->incident_opened_usec;

	incident_end_if_quiet(state, &step->cleared, step->input->now_usec, step->outcome);
	for (size_t i = 0; was_open && state->incident_id == 0 && i < state->series_count; i++)
		drift_forget(&state->series[i].drift, opened_usec, step->input->now_usec);
}

int alarm_step(
	struct alarm_state *state, const struct alarm_input *input, struct alarm_outcome *ret)
{
	struct step step = { .state = state, .input = input, .outcome = ret };
	int r = add_missing(state, input->run);

	if (r < 0)
		return r;
	*ret = (struct alarm_outcome){ .event_count = 0 };
	step.probe = alarm_state_find_probe(state, input->run->probe);
	note_probe(&step);
	if (input->run->status != RUN_SKIPPED)
		run_rules_take(&step);
	custom_rules_prune(&step);
	if (is_judged(input->run))
		take_numbers(&step);
	else
		custom_rules_take(&step);
	if (input->run->status != RUN_SKIPPED)
		end_if_quiet(&step);
	ret->next_check_usec = next_check_usec(state, 0);
	return 0;
}

void alarm_tick(struct alarm_state *state, const struct alarm_tick *tick, struct alarm_outcome *ret)
{
	*ret = (struct alarm_outcome){ .event_count = 0 };
	for (size_t i = 0; i < state->probe_count; i++)
		run_rules_tick(state, &state->probes[i], tick, ret);
	ret->next_check_usec = next_check_usec(state, tick->started_usec);
}

/* What is dropped; its worst reason goes into the event that ends the incident. */
struct oblivion {
	const char *probe; /* NULL: all */
	enum alarm_level worst;
	struct incident_event last;
};

static bool is_forgotten(struct oblivion *o, const char *probe, enum alarm_level level,
	enum alarm_reason reason, enum run_operation operation)
{
	if (o->probe && strcmp(probe, o->probe) != 0)
		return false;
	if (level == ALARM_NONE || level < o->worst)
		return true;
	o->worst = level;
	o->last.reason = reason;
	o->last.operation = operation;
	memcpy(o->last.probe, probe, strnlen(probe, RUN_NAME_MAX) + 1);
	return true;
}

static void forget_series(struct alarm_state *state, struct oblivion *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->series_count; i++) {
		const struct alarm_series *series = &state->series[i];
		if (is_forgotten(
			    o, series->probe, series->level, series->reason, series->operation))
			continue;
		if (kept != i)
			state->series[kept] = *series;
		kept++;
	}
	state->series_count = kept;
}

static void forget_probes(struct alarm_state *state, struct oblivion *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->probe_count; i++) {
		const struct alarm_probe *probe = &state->probes[i];
		bool is_gone = false;
		for (size_t k = 0; k < ALARM_RUN_RULES; k++)
			is_gone = is_forgotten(o, probe->probe, probe->rules[k].level,
				alarm_run_rule_reason((enum alarm_run_rule)k), RUN_READ);
		if (is_gone)
			continue;
		if (kept != i)
			state->probes[kept] = *probe;
		kept++;
	}
	state->probe_count = kept;
}

static void forget_customs(struct alarm_state *state, struct oblivion *o)
{
	size_t kept = 0;

	for (size_t i = 0; i < state->custom_count; i++) {
		const struct alarm_custom *custom = &state->customs[i];
		bool is_worse = custom->rule.level > o->worst;
		if (is_forgotten(o, custom->probe, is_worse ? custom->rule.level : ALARM_NONE,
			    ALARM_REASON_CUSTOM, custom->operation)) {
			if (is_worse)
				memcpy(o->last.alarm, custom->name, sizeof(o->last.alarm));
			continue;
		}
		if (kept != i)
			state->customs[kept] = *custom;
		kept++;
	}
	state->custom_count = kept;
}

static void forget(
	struct alarm_state *state, struct oblivion *o, int64_t now_usec, struct alarm_outcome *ret)
{
	*ret = (struct alarm_outcome){ .event_count = 0 };
	forget_series(state, o);
	forget_probes(state, o);
	forget_customs(state, o);
	incident_end_if_quiet(state, &o->last, now_usec, ret);
}

void alarm_forget_probe(
	struct alarm_state *state, const char *probe, int64_t now_usec, struct alarm_outcome *ret)
{
	struct oblivion o = { .probe = probe };

	memcpy(o.last.probe, probe, strnlen(probe, RUN_NAME_MAX));
	forget(state, &o, now_usec, ret);
}

void alarm_forget_repository(struct alarm_state *state, int64_t now_usec, struct alarm_outcome *ret)
{
	struct oblivion o = { .last.hits = 1 };

	forget(state, &o, now_usec, ret);
}
