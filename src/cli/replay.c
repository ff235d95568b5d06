/* SPDX-License-Identifier: Apache-2.0 */
/* One alarm/custom state for each series that is met. */
#include "cli/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/judge.h"
#include "alarm/samples.h"
#include "base/buf.h"
#include "model/workload.h"

#define KEY_MAX 1024
#define CAPACITY_FIRST 16

struct series {
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	char *key; /* of what is measured */
	struct alarm_rule_state state;
	size_t firing; /* the one that goes on, while the state has a level */
	/* Of percentiles: the newest runs of the hold window, a ring; and all of them merged. */
	struct histogram *window;
	size_t window_count;
	size_t window_next;
	struct samples *samples; /* NULL while the rule does not ask for a normal */
};

struct firing {
	const struct series *series;
	int64_t fired_usec;
	int64_t cleared_usec;
	uint64_t value;
	uint64_t normal;
	enum load_class load;
};

struct replay {
	struct custom_rule rule;
	int64_t from_usec;
	size_t judged;
	struct histogram merged;
	size_t series_count, series_capacity;
	struct series **series; /* firings point to them */
	size_t firing_count, firing_capacity;
	struct firing *firings;
};

static bool needs_normal(const struct custom_rule *rule)
{
	return rule->when.is_relative || (rule->has_clear && rule->clear.is_relative) ||
		rule->load != CUSTOM_LOAD_ANY;
}

int64_t replay_before_usec(const struct custom_rule *rule)
{
	return needs_normal(rule) ? BASELINE_USEC : 0;
}

struct replay *replay_new(const struct custom_rule *rule, int64_t from_usec)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->rule = *rule;
	replay->from_usec = from_usec;
	return replay;
}

static void series_free(struct series *series)
{
	free(series->key);
	free(series->window);
	samples_free(series->samples);
	free(series);
}

struct replay *replay_free(struct replay *replay)
{
	if (!replay)
		return NULL;
	for (size_t i = 0; i < replay->series_count; i++)
		series_free(replay->series[i]);
	free(replay->series);
	free(replay->firings);
	free(replay);
	return NULL;
}

/* Room for one more element: the array, moved if need be, or NULL. */
static void *grow(void *array, size_t count, size_t *capacity, size_t size)
{
	if (count < *capacity)
		return array;
	size_t wanted = *capacity > 0 ? *capacity * 2 : CAPACITY_FIRST;
	void *moved = reallocarray(array, wanted, size);
	if (moved)
		*capacity = wanted;
	return moved;
}

static struct series *find(const struct replay *replay, const struct run *run, enum run_operation o)
{
	for (size_t i = 0; i < replay->series_count; i++) {
		struct series *s = replay->series[i];
		if (s->operation == o && strcmp(s->probe, run->probe) == 0 &&
			strcmp(s->repository, run->repository) == 0)
			return s;
	}
	return NULL;
}

static struct series *add(struct replay *replay, const struct run *run, enum run_operation o)
{
	struct series **moved = grow(replay->series, replay->series_count, &replay->series_capacity,
		sizeof(struct series *));
	struct series *s = moved ? calloc(1, sizeof(*s)) : NULL;

	if (moved)
		replay->series = moved;
	if (!s)
		return NULL;
	memcpy(s->repository, run->repository, sizeof(s->repository));
	memcpy(s->probe, run->probe, sizeof(s->probe));
	s->operation = o;
	replay->series[replay->series_count++] = s;
	return s;
}

static void clear(struct replay *replay, struct series *s, int64_t now_usec)
{
	replay->firings[s->firing].cleared_usec = now_usec;
}

/* Begins anew when something else is measured than before. */
static int follow_workload(struct replay *replay, struct series *s, const struct run *run)
{
	struct buf key = BUF_INIT(KEY_MAX);
	char *text;

	workload_series_key(&run->workload, &key);
	int r = buf_take(&key, &text, NULL);
	if (r < 0)
		return r;
	if (s->key && strcmp(s->key, text) != 0) {
		if (s->state.level != ALARM_NONE)
			clear(replay, s, run->started_usec);
		s->state = (struct alarm_rule_state){ 0 };
		s->window_count = 0;
		s->window_next = 0;
		if (s->samples)
			samples_restart(s->samples);
	}
	free(s->key);
	s->key = text;
	return 0;
}

/* Merges what the window holds with this run; NULL when the measure needs no window. */
static int slide(struct replay *replay, struct series *s, const struct run *run,
	const struct histogram **ret)
{
	size_t size = replay->rule.hold.window;

	*ret = NULL;
	if (condition_ios_needed(replay->rule.when.measure) == 0)
		return 0;
	if (!s->window)
		s->window = calloc(size, sizeof(*s->window));
	if (!s->window)
		return -ENOMEM;
	s->window[s->window_next] = run->operations[s->operation].latency;
	s->window_next = (s->window_next + 1) % size;
	if (s->window_count < size)
		s->window_count++;
	memset(&replay->merged, 0, sizeof(replay->merged));
	for (size_t i = 0; i < s->window_count; i++)
		histogram_merge(&replay->merged, &s->window[i]);
	*ret = &replay->merged;
	return 0;
}

static int fire(struct replay *replay, struct series *s, const struct custom_input *input)
{
	struct firing *moved = grow(
		replay->firings, replay->firing_count, &replay->firing_capacity, sizeof(*moved));

	if (!moved)
		return -ENOMEM;
	replay->firings = moved;
	s->firing = replay->firing_count++;
	moved[s->firing] = (struct firing){
		.series = s,
		.fired_usec = input->now_usec,
		.value = condition_measured(replay->rule.when.measure, input->run, s->operation),
		.normal = custom_normal(input->baseline, replay->rule.when.measure, input->load),
		.load = input->load,
	};
	return 0;
}

static int judge(struct replay *replay, struct series *s, const struct custom_input *input)
{
	replay->judged++;
	switch (custom_step(&replay->rule, &s->state, input)) {
	case CUSTOM_NOTHING:
		return 0;
	case CUSTOM_FIRED:
		return fire(replay, s, input);
	case CUSTOM_CLEARED:
		clear(replay, s, input->now_usec);
		return 0;
	}
	return 0;
}

/* The run beside what was normal before it. */
static int compare(struct series *s, const struct run *run, struct verdict *ret)
{
	if (!s->samples)
		s->samples = samples_new();
	if (!s->samples)
		return -ENOMEM;
	struct alarm_input input = {
		.run = run,
		.facts = &run->facts,
		.now_usec = run->started_usec,
	};
	input.baselines[s->operation] = samples_baseline(s->samples);
	judge_run(&input, s->operation, ret);
	return 0;
}

static int learn(struct series *s, const struct run *run, const struct verdict *v)
{
	struct baseline_sample sample = v->sample;

	sample.is_learned = v->bad == 0 && s->state.level == ALARM_NONE && (s->state.bits & 1) == 0;
	samples_add(s->samples, &sample, &run->operations[s->operation].latency);
	int r = samples_refresh(s->samples, run->started_usec);
	return r < 0 ? r : 0;
}

static int step(struct replay *replay, struct series *s, const struct run *run)
{
	struct custom_input input = {
		.run = run,
		.operation = s->operation,
		.load = LOAD_UNKNOWN,
		.now_usec = run->started_usec,
	};
	bool is_compared =
		needs_normal(&replay->rule) && run->operations[s->operation].latency.count > 0;
	struct verdict v = { .load = LOAD_UNKNOWN };
	int r = follow_workload(replay, s, run);

	if (r == 0 && is_compared)
		r = compare(s, run, &v);
	if (r == 0)
		r = slide(replay, s, run, &input.window);
	if (r < 0)
		return r;
	input.load = v.load;
	input.baseline = s->samples ? samples_baseline(s->samples) : NULL;
	if (run->started_usec >= replay->from_usec)
		r = judge(replay, s, &input);
	return r == 0 && is_compared ? learn(s, run, &v) : r;
}

static bool is_judged(const struct replay *replay, const struct run *run)
{
	if (run->is_confirmation || run->status == RUN_SKIPPED ||
		(run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CACHED)) != 0)
		return false;
	return run_status_has_numbers(run->status) || replay->rule.when.measure == CONDITION_ERRORS;
}

static bool is_about(const struct replay *replay, const struct run *run, enum run_operation o)
{
	const struct condition *when = &replay->rule.when;
	const struct run_operation_result *result = &run->operations[o];

	return (!when->has_operation || when->operation == o) &&
		(result->ios > 0 || result->errors > 0 || result->latency.count > 0);
}

int replay_take(struct replay *replay, const struct run *run)
{
	if (!is_judged(replay, run))
		return 0;
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		enum run_operation o = (enum run_operation)i;
		if (!is_about(replay, run, o))
			continue;
		struct series *s = find(replay, run, o);
		if (!s)
			s = add(replay, run, o);
		int r = s ? step(replay, s, run) : -ENOMEM;
		if (r < 0)
			return r;
	}
	return 0;
}

bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret)
{
	if (i >= replay->firing_count)
		return false;
	const struct firing *f = &replay->firings[i];
	*ret = (struct replay_firing){
		.repository = f->series->repository,
		.probe = f->series->probe,
		.operation = f->series->operation,
		.fired_usec = f->fired_usec,
		.cleared_usec = f->cleared_usec,
		.value = f->value,
		.normal = f->normal,
		.load = f->load,
	};
	return true;
}

size_t replay_judged(const struct replay *replay)
{
	return replay->judged;
}
