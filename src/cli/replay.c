/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps one alarm/custom state per operation of the current probe, and one alarm/samples per series
 * of it. */
#include "cli/replay.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/samples.h"
#include "base/buf.h"
#include "base/clock.h"
#include "model/workload.h"

#define KEY_MAX 1024
#define CAPACITY_FIRST 16

/* Kept until the end, because firings point to it. */
struct subject {
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
};

struct series {
	struct series *next;
	enum run_operation operation;
	char *key; /* identifies what is measured */
	struct samples *samples;
	bool is_restarted; /* samples before the lesson's since were dropped */
};

struct watched {
	const struct series *series; /* of the newest run; NULL: none yet */
	struct alarm_rule_state state;
	size_t firing; /* the open one, while the state has a level */
	/* For percentiles: the newest runs of the hold window, a ring. */
	struct histogram *window;
	size_t window_count;
	size_t window_next;
};

struct firing {
	const struct subject *subject;
	enum run_operation operation;
	int64_t fired_usec;
	int64_t cleared_usec;
	uint64_t value;
	uint64_t normal;
	enum load_class load;
};

struct replay {
	struct custom_rule rule;
	int64_t from_usec;
	size_t runs;
	size_t judged;
	struct histogram merged; /* of the window */
	/* Of the current probe, which is the last of subjects. */
	struct series *series;
	struct watched watched[RUN_OPERATIONS];
	size_t subject_count, subject_capacity;
	struct subject **subjects;
	size_t firing_count, firing_capacity;
	struct firing *firings;
};

/* --- The current probe ----------------------------------------------------- */

struct replay *replay_new(const struct custom_rule *rule, int64_t from_usec)
{
	struct replay *replay = calloc(1, sizeof(*replay));

	if (!replay)
		return NULL;
	replay->rule = *rule;
	replay->from_usec = from_usec;
	return replay;
}

static struct series *series_free(struct series *series)
{
	if (series) {
		samples_free(series->samples);
		free(series->key);
	}
	free(series);
	return NULL;
}

static void forget_subject(struct replay *replay)
{
	while (replay->series) {
		struct series *series = replay->series;
		replay->series = series->next;
		series_free(series);
	}
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		free(replay->watched[i].window);
		replay->watched[i] = (struct watched){ .series = NULL };
	}
}

struct replay *replay_free(struct replay *replay)
{
	if (!replay)
		return NULL;
	forget_subject(replay);
	for (size_t i = 0; i < replay->subject_count; i++)
		free(replay->subjects[i]);
	free(replay->subjects);
	free(replay->firings);
	free(replay);
	return NULL;
}

/* Makes room for one more element. Returns the array, which may have moved, or NULL. */
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

static const struct subject *newest_subject(const struct replay *replay)
{
	return replay->subject_count > 0 ? replay->subjects[replay->subject_count - 1] : NULL;
}

static int follow_subject(struct replay *replay, const struct run *run)
{
	const struct subject *newest = newest_subject(replay);

	if (newest && strcmp(newest->probe, run->probe) == 0 &&
		strcmp(newest->repository, run->repository) == 0)
		return 0;
	forget_subject(replay);
	struct subject **moved = grow(replay->subjects, replay->subject_count,
		&replay->subject_capacity, sizeof(struct subject *));
	struct subject *added = moved ? calloc(1, sizeof(*added)) : NULL;
	if (moved)
		replay->subjects = moved;
	if (!added)
		return -ENOMEM;
	memcpy(added->repository, run->repository, sizeof(added->repository));
	memcpy(added->probe, run->probe, sizeof(added->probe));
	replay->subjects[replay->subject_count++] = added;
	return 0;
}

/* --- Its series ------------------------------------------------------------ */

static struct series *find_series(
	const struct replay *replay, enum run_operation operation, const char *key)
{
	struct series *s = replay->series;

	while (s && (s->operation != operation || strcmp(s->key, key) != 0))
		s = s->next;
	return s;
}

/* Takes the key. */
static struct series *add_series(struct replay *replay, enum run_operation operation, char *key)
{
	struct series *s = calloc(1, sizeof(*s));

	if (!s) {
		free(key);
		return NULL;
	}
	s->operation = operation;
	s->key = key;
	s->samples = samples_new();
	if (!s->samples)
		return series_free(s);
	s->next = replay->series;
	replay->series = s;
	return s;
}

static int find_or_add_series(struct replay *replay, const struct run *run,
	enum run_operation operation, struct series **ret)
{
	struct buf key = BUF_INIT(KEY_MAX);
	char *text;

	workload_series_key(&run->workload, &key);
	int r = buf_take(&key, &text, NULL);
	if (r < 0)
		return r;
	*ret = find_series(replay, operation, text);
	if (*ret)
		free(text);
	else
		*ret = add_series(replay, operation, text);
	return *ret ? 0 : -ENOMEM;
}

static int64_t end_usec(const struct run *run)
{
	return run->started_usec + (int64_t)(run->duration_nsec / NSEC_PER_USEC);
}

/* Resets the state when the measured series changes. */
static void follow_series(
	struct replay *replay, struct watched *w, const struct series *series, int64_t now_usec)
{
	if (w->series == series)
		return;
	if (w->state.level != ALARM_NONE)
		replay->firings[w->firing].cleared_usec = now_usec;
	w->state = (struct alarm_rule_state){ 0 };
	w->window_count = 0;
	w->window_next = 0;
	w->series = series;
}

/* Drops what the daemon dropped then ("repoprobe rebaseline"). */
static void forget_before(
	struct series *series, const struct replay_lesson *lesson, int64_t now_usec)
{
	if (series->is_restarted || lesson->since_usec == 0 || now_usec < lesson->since_usec)
		return;
	samples_restart(series->samples);
	series->is_restarted = true;
}

/* Passes no latencies: they are needed only for cache shares, which custom rules do not use. */
static int learn(struct series *series, const struct replay_lesson *lesson, int64_t now_usec)
{
	if (!lesson->has_sample)
		return 0;
	samples_add(series->samples, &lesson->sample, NULL);
	int r = samples_refresh(series->samples, now_usec);
	return r < 0 ? r : 0;
}

/* --- Judging --------------------------------------------------------------- */

static bool is_percentile(enum condition_measure measure)
{
	return condition_ios_needed(measure) > 0;
}

/* Merges the runs of the window with this run; NULL when the rule needs no window. */
static int slide(struct replay *replay, struct watched *w, const struct run *run,
	enum run_operation operation, const struct histogram **ret)
{
	const struct custom_rule *rule = &replay->rule;
	size_t size = rule->hold.window;
	struct histogram *merged = &replay->merged;

	*ret = NULL;
	if (!is_percentile(rule->when.measure) &&
		!(rule->has_clear && is_percentile(rule->clear.measure)))
		return 0;
	if (!w->window)
		w->window = calloc(size, sizeof(*w->window));
	if (!w->window)
		return -ENOMEM;
	w->window[w->window_next] = run->operations[operation].latency;
	w->window_next = (w->window_next + 1) % size;
	if (w->window_count < size)
		w->window_count++;
	memset(merged, 0, sizeof(*merged));
	for (size_t i = 0; i < w->window_count; i++)
		histogram_merge(merged, &w->window[i]);
	*ret = merged;
	return 0;
}

static int fire(struct replay *replay, struct watched *w, const struct custom_input *input)
{
	enum condition_measure measure = replay->rule.when.measure;
	struct firing *moved = grow(
		replay->firings, replay->firing_count, &replay->firing_capacity, sizeof(*moved));

	if (!moved)
		return -ENOMEM;
	replay->firings = moved;
	w->firing = replay->firing_count++;
	moved[w->firing] = (struct firing){
		.subject = newest_subject(replay),
		.operation = input->operation,
		.fired_usec = input->now_usec,
		.value = condition_measured_window(
			measure, input->run, input->operation, input->window),
		.normal = custom_normal(input->baseline, measure, input->load),
		.load = input->load,
	};
	return 0;
}

static int judge(struct replay *replay, const struct series *series, const struct run *run)
{
	struct watched *w = &replay->watched[series->operation];
	const struct baseline *baseline = samples_baseline(series->samples);
	struct custom_input input = {
		.run = run,
		.operation = series->operation,
		.baseline = baseline,
		.load = load_classify(&run->facts, baseline ? &baseline->reference : NULL),
		.now_usec = end_usec(run),
	};

	follow_series(replay, w, series, input.now_usec);
	int r = slide(replay, w, run, series->operation, &input.window);
	if (r < 0)
		return r;
	replay->judged++;
	switch (custom_step(&replay->rule, &w->state, &input)) {
	case CUSTOM_NOTHING:
		return 0;
	case CUSTOM_FIRED:
		return fire(replay, w, &input);
	case CUSTOM_CLEARED:
		replay->firings[w->firing].cleared_usec = input.now_usec;
		return 0;
	}
	return 0;
}

static int take_operation(struct replay *replay, const struct run *run,
	enum run_operation operation, const struct replay_lesson *lesson)
{
	struct series *series;
	int r = find_or_add_series(replay, run, operation, &series);

	if (r < 0)
		return r;
	forget_before(series, lesson, end_usec(run));
	if (custom_takes(&replay->rule, run, operation) && end_usec(run) >= replay->from_usec)
		r = judge(replay, series, run);
	return r < 0 ? r : learn(series, lesson, end_usec(run));
}

int replay_take(struct replay *replay, const struct run *run,
	const struct replay_lesson lessons[RUN_OPERATIONS])
{
	const struct condition *when = &replay->rule.when;
	int r = follow_subject(replay, run);

	replay->runs += end_usec(run) >= replay->from_usec;
	for (size_t i = 0; r == 0 && i < RUN_OPERATIONS; i++) {
		enum run_operation operation = (enum run_operation)i;
		if ((!when->has_operation || when->operation == operation) &&
			(run->operations[i].latency.count > 0 || run->operations[i].errors > 0))
			r = take_operation(replay, run, operation, &lessons[i]);
	}
	return r;
}

/* --- Results --------------------------------------------------------------- */

static int compare_firings(const void *a, const void *b)
{
	int64_t first = ((const struct firing *)a)->fired_usec;
	int64_t second = ((const struct firing *)b)->fired_usec;

	return (first > second) - (first < second);
}

void replay_end(struct replay *replay)
{
	forget_subject(replay); /* before sorting, because it refers to its firing by index */
	if (replay->firing_count > 0)
		qsort(replay->firings, replay->firing_count, sizeof(replay->firings[0]),
			compare_firings);
}

bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret)
{
	if (i >= replay->firing_count)
		return false;
	const struct firing *f = &replay->firings[i];
	*ret = (struct replay_firing){
		.repository = f->subject->repository,
		.probe = f->subject->probe,
		.operation = f->operation,
		.fired_usec = f->fired_usec,
		.cleared_usec = f->cleared_usec,
		.value = f->value,
		.normal = f->normal,
		.load = f->load,
	};
	return true;
}

size_t replay_runs(const struct replay *replay)
{
	return replay->runs;
}

size_t replay_judged(const struct replay *replay)
{
	return replay->judged;
}
