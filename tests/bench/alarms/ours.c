/* SPDX-License-Identifier: Apache-2.0 */
/* The real alarm_step as a competitor: it is given what the daemon would give it. */
#include "detector.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alarm/alarm.h"
#include "alarm/samples.h"
#include "alarm/sense.h"

#define LIMIT_NSEC UINT64_C(15000000)
#define LIMIT_CRITICAL_NSEC UINT64_C(30000000)

#define CONFIRM_AFTER                                                                              \
	{                                                                                          \
		UINT64_C(60000000), UINT64_C(120000000)                                            \
	}

struct our_options {
	enum rule_sensitivity sensitivity;
	size_t confirmations;
	bool is_limit_auto;
};

struct ours {
	struct alarm_state state;
	struct rule_sense sense;
	struct samples *histories[RUN_OPERATIONS];
	struct alarm_outcome outcome;
	int64_t next_incident_id;
	uint64_t interval_usec;
	bool is_limit_auto;
	struct cost cost;
};

static void ours_release(void *state)
{
	struct ours *ours = state;

	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		samples_free(ours->histories[i]);
	free(ours);
}

static void *ours_prepare(const struct detector *self, const struct repository *r)
{
	static const uint64_t after[RULE_CONFIRMATIONS_MAX] = CONFIRM_AFTER;
	struct ours *made = calloc(1, sizeof(*made));

	if (!made)
		return NULL;
	made->next_incident_id = 1;
	made->interval_usec = (uint64_t)r->interval; /* the rest it learns */
	made->is_limit_auto = self->own->is_limit_auto;
	made->sense = sense_from(self->own->sensitivity, false, after, self->own->confirmations);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (!(made->histories[i] = samples_new())) {
			ours_release(made);
			return NULL;
		}
	return made;
}

/* What the daemon will do: history gets what was judged, and is looked over once a day. */
static int learn(struct ours *ours, const struct observation *o)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		struct samples *history = ours->histories[i];
		if (!ours->outcome.has_sample[i])
			continue;
		samples_add(history, &ours->outcome.samples[i], &o->run->operations[i].latency);
		int r = samples_refresh(history, o->time);
		if (r < 0)
			return r;
	}
	return 0;
}

static uint64_t thread_nsec(void)
{
	struct timespec now = { .tv_sec = 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* Linux always has it */
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* What the daemon's timer does: silence and stuck workers are found between runs. */
static void catch_up(struct ours *ours, int64_t until)
{
	int64_t check_usec;

	while ((check_usec = ours->outcome.next_check_usec) != 0 && check_usec <= until) {
		const struct alarm_tick tick = {
			.now_usec = check_usec,
			.started_usec = SIMULATION_BEGIN,
			.next_incident_id = ours->next_incident_id,
		};
		alarm_tick(&ours->state, &tick, &ours->outcome);
	}
}

static int ours_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct ours *ours = state;

	catch_up(ours, o->time);
	const struct alarm_input input = {
		.run = o->run,
		.facts = &o->run->facts,
		.limit = { LIMIT_NSEC, LIMIT_CRITICAL_NSEC, ours->is_limit_auto },
		.sense = ours->sense,
		.interval_usec = ours->interval_usec,
		.is_confirmation = !o->is_scheduled,
		.baselines = { samples_baseline(ours->histories[RUN_READ]),
			samples_baseline(ours->histories[RUN_WRITE]) },
		.now_usec = o->time,
		.next_incident_id = ours->next_incident_id,
	};

	if (ours->state.repository[0] == '\0')
		memcpy(ours->state.repository, o->run->repository, sizeof(o->run->repository));
	uint64_t begin = thread_nsec();
	int r = alarm_step(&ours->state, &input, &ours->outcome);
	ours->cost.nsec += thread_nsec() - begin;
	ours->cost.steps++;
	if (r >= 0)
		r = learn(ours, o);
	if (r < 0)
		return r;
	if (ours->state.incident_id == ours->next_incident_id)
		ours->next_incident_id++;
	*ret = (struct verdict){
		.is_alarmed = ours->state.incident_id != 0,
		.again_at = ours->outcome.confirm_at_usec,
	};
	return 0;
}

static const char *ours_explain(const void *state)
{
	const struct ours *ours = state;

	static const char *const names[ALARM_RULES] = { "limit", "limit held", "relative", "tail",
		"cache", "slow", "throughput", "throughput held", "stall", "drift", "peer",
		"relative busy" };
	const struct incident_event *event = &ours->outcome.events[0];

	if (ours->outcome.event_count == 0)
		return "";
	return alarm_reason_has_operation(event->reason) ? names[event->evidence.rule]
							 : alarm_reason_name(event->reason);
}

static void ours_add_cost(const void *state, struct cost *cost)
{
	const struct ours *ours = state;

	cost->steps += ours->cost.steps;
	cost->nsec += ours->cost.nsec;
}

static const struct our_options by_default = { RULE_DEFAULT, 2, true };
static const struct our_options given_limit = { RULE_DEFAULT, 2, false };
static const struct our_options quiet = { RULE_QUIET, 2, true };
static const struct our_options very_quiet = { RULE_VERY_QUIET, 2, true };
static const struct our_options unconfirmed = { RULE_DEFAULT, 0, true };

#define OURS(text, options)                                                                        \
	{                                                                                          \
		.name = (text), .own = (options), .prepare = ours_prepare,                         \
		.observe = ours_observe, .release = ours_release, .explain = ours_explain,         \
		.add_cost = ours_add_cost,                                                         \
	}

static const struct detector all_ours[] = {
	OURS("ours", &by_default),
	OURS("ours, limit of 15 ms given", &given_limit),
	OURS("ours, quiet", &quiet),
	OURS("ours, very quiet", &very_quiet),
	OURS("ours, confirm_after = 0", &unconfirmed),
};

const struct detector *ours_at(size_t i)
{
	return i < sizeof(all_ours) / sizeof(all_ours[0]) ? &all_ours[i] : NULL;
}
