/* SPDX-License-Identifier: Apache-2.0 */
/* The table of statuses, and the timeouts for missing runs. */
#include "alarm/run_rules.h"

#include <string.h>

#include "alarm/incident.h"
#include "alarm/lane.h"

#define DEAD_RUNS 2 /* the failed run and the one that confirms it */

/* What a status means: the rule, its level, and after how many such runs it fires. */
static const struct meaning {
	enum alarm_level level; /* ALARM_NONE: no trouble */
	enum alarm_run_rule rule;
	bool is_at_once;
} meanings[RUN_STATUSES] = {
	[RUN_ERROR] = { ALARM_CRITICAL, ALARM_RUN_ERROR, false },
	[RUN_TIMEOUT] = { ALARM_CRITICAL, ALARM_RUN_HANG, false },
	[RUN_NOT_MOUNTED] = { ALARM_CRITICAL, ALARM_RUN_TARGET, true },
	[RUN_WRONG_TARGET] = { ALARM_CRITICAL, ALARM_RUN_TARGET, true },
	[RUN_READ_ONLY] = { ALARM_CRITICAL, ALARM_RUN_TARGET, true },
	[RUN_NO_SPACE] = { ALARM_WARNING, ALARM_RUN_SPACE, true },
	[RUN_REFUSED] = { ALARM_WARNING, ALARM_RUN_TARGET, true },
};

static const uint8_t clear_runs[ALARM_RUN_RULES] = {
	[ALARM_RUN_HANG] = ALARM_CLEAR_RUNS_HANG,
	[ALARM_RUN_ERROR] = ALARM_CLEAR_RUNS,
	[ALARM_RUN_TARGET] = ALARM_CLEAR_RUNS_HANG,
	[ALARM_RUN_SPACE] = ALARM_CLEAR_RUNS_HANG,
	[ALARM_RUN_NO_DATA] = ALARM_CLEAR_RUNS_HANG,
};

static void describe(const struct alarm_probe *probe, enum alarm_run_rule rule,
	enum alarm_level level, struct incident_event *ret)
{
	*ret = (struct incident_event){
		.level = level,
		.reason = alarm_run_rule_reason(rule),
	};
	memcpy(ret->probe, probe->probe, sizeof(ret->probe));
}

/* The rule fires at this level, unless it does already. */
static void fire(struct alarm_state *state, struct alarm_probe *probe, enum alarm_run_rule rule,
	const struct incident_event *event, const struct alarm_tick *tick,
	struct alarm_outcome *outcome)
{
	struct alarm_rule_state *r = &probe->rules[rule];

	if (event->level <= r->level)
		return;
	if (r->level == ALARM_NONE)
		r->since_usec = tick->now_usec;
	r->level = event->level;
	r->good_runs = 0;
	incident_raise(state, event, tick->now_usec, tick->next_incident_id, outcome);
}

static void take_trouble(struct step *step, const struct meaning *meaning)
{
	struct alarm_probe *probe = step->probe;
	const struct alarm_tick tick = {
		.now_usec = step->input->now_usec,
		.next_incident_id = step->input->next_incident_id,
	};
	struct incident_event event;

	if (!meaning->is_at_once && probe->dead_runs < UINT8_MAX)
		probe->dead_runs++;
	if (!meaning->is_at_once && probe->dead_runs < DEAD_RUNS) {
		if (step->input->sense.confirmations > 0)
			step->outcome->confirm_at_usec = step->input->now_usec +
				(int64_t)step->input->sense.confirm_after_usec[0];
		return;
	}
	describe(probe, meaning->rule, meaning->level, &event);
	event.status = step->input->run->status;
	event.hits = meaning->is_at_once ? 1 : probe->dead_runs;
	event.window = event.hits;
	fire(step->state, probe, meaning->rule, &event, &tick, step->outcome);
}

static void clear_rule(struct step *step, enum alarm_run_rule rule)
{
	struct alarm_rule_state *state = &step->probe->rules[rule];
	unsigned good_runs = state->good_runs;

	describe(step->probe, rule, ALARM_NONE, &step->cleared);
	step->cleared.window = (uint8_t)good_runs;
	step->has_cleared = true;
	memset(state, 0, sizeof(*state));
}

static bool is_good_for(enum alarm_run_rule rule, enum run_status status)
{
	return rule == ALARM_RUN_NO_DATA || run_status_has_numbers(status);
}

static void count_good(struct step *step)
{
	for (size_t i = 0; i < ALARM_RUN_RULES; i++) {
		enum alarm_run_rule rule = (enum alarm_run_rule)i;
		struct alarm_rule_state *state = &step->probe->rules[i];
		if (state->level == ALARM_NONE)
			continue;
		if (!is_good_for(rule, step->input->run->status)) {
			state->good_runs = 0;
			continue;
		}
		if (state->good_runs < UINT8_MAX)
			state->good_runs++;
		if (state->good_runs >= lane_clear_runs(clear_runs[i], step->state->reopenings))
			clear_rule(step, rule);
	}
}

void run_rules_take(struct step *step)
{
	enum run_status status = step->input->run->status;
	const struct meaning *meaning = &meanings[status];

	if (status == RUN_STUCK) {
		if (step->probe->stuck_usec == 0)
			step->probe->stuck_usec = step->input->now_usec;
	} else {
		step->probe->stuck_usec = 0;
	}
	if (run_status_has_numbers(status))
		step->probe->dead_runs = 0;
	if (meaning->level != ALARM_NONE)
		take_trouble(step, meaning);
	count_good(step);
}

/* --- Missing runs ---------------------------------------------------------- */

static int64_t later(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t add_intervals(int64_t from_usec, uint64_t interval_usec, unsigned intervals)
{
	uint64_t span;

	if (__builtin_mul_overflow(interval_usec, (uint64_t)intervals, &span) ||
		span > (uint64_t)(INT64_MAX - from_usec))
		return INT64_MAX;
	return from_usec + (int64_t)span;
}

/* When silence reaches a level if nothing is heard until then. */
static int64_t silent_at_usec(
	const struct alarm_probe *probe, int64_t started_usec, enum alarm_level level)
{
	return add_intervals(later(probe->newest_usec, started_usec), probe->interval_usec,
		level == ALARM_CRITICAL ? ALARM_NO_DATA_INTERVALS_CRITICAL
					: ALARM_NO_DATA_INTERVALS);
}

/* The same for skipped runs: their cause is known, so a warning at most. */
static int64_t skipped_at_usec(const struct alarm_probe *probe, int64_t started_usec)
{
	int64_t since_usec = later(probe->taken_usec, started_usec);

	return later(since_usec + ALARM_NO_RUN_USEC,
		add_intervals(since_usec, probe->interval_usec, ALARM_NO_DATA_INTERVALS));
}

static void check_stuck(struct alarm_state *state, struct alarm_probe *probe,
	const struct alarm_tick *tick, struct alarm_outcome *outcome)
{
	struct incident_event event;

	if (probe->stuck_usec == 0 || tick->now_usec - probe->stuck_usec < ALARM_STUCK_USEC)
		return;
	describe(probe, ALARM_RUN_HANG, ALARM_CRITICAL, &event);
	event.status = RUN_STUCK;
	fire(state, probe, ALARM_RUN_HANG, &event, tick, outcome);
}

static void check_silence(struct alarm_state *state, struct alarm_probe *probe,
	const struct alarm_tick *tick, struct alarm_outcome *outcome)
{
	int64_t now_usec = tick->now_usec;
	struct incident_event event;

	/* The reason is a stuck worker, and it is reported as such. */
	if (probe->interval_usec == 0 || probe->stuck_usec != 0)
		return;
	bool is_silent = now_usec >= silent_at_usec(probe, tick->started_usec, ALARM_WARNING);
	bool is_critical = now_usec >= silent_at_usec(probe, tick->started_usec, ALARM_CRITICAL);
	if (!is_silent && now_usec < skipped_at_usec(probe, tick->started_usec))
		return;
	describe(probe, ALARM_RUN_NO_DATA, is_critical ? ALARM_CRITICAL : ALARM_WARNING, &event);
	event.status = is_silent ? RUN_OK : RUN_SKIPPED;
	fire(state, probe, ALARM_RUN_NO_DATA, &event, tick, outcome);
}

void run_rules_tick(struct alarm_state *state, struct alarm_probe *probe,
	const struct alarm_tick *tick, struct alarm_outcome *outcome)
{
	check_stuck(state, probe, tick, outcome);
	check_silence(state, probe, tick, outcome);
}

int64_t run_rules_next_usec(const struct alarm_probe *probe, int64_t started_usec)
{
	enum alarm_level silence = probe->rules[ALARM_RUN_NO_DATA].level;

	if (probe->stuck_usec != 0)
		return probe->rules[ALARM_RUN_HANG].level == ALARM_NONE
			? probe->stuck_usec + ALARM_STUCK_USEC
			: 0;
	if (probe->interval_usec == 0 || silence == ALARM_CRITICAL)
		return 0;
	if (silence == ALARM_WARNING)
		return silent_at_usec(probe, started_usec, ALARM_CRITICAL);
	int64_t silent_usec = silent_at_usec(probe, started_usec, ALARM_WARNING);
	int64_t skipped_usec = skipped_at_usec(probe, started_usec);
	return silent_usec < skipped_usec ? silent_usec : skipped_usec;
}
