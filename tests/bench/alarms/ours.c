/* SPDX-License-Identifier: Apache-2.0 */
/* The real alarm_step as a competitor: it is given what the daemon would give it. */
#include "detector.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "alarm/alarm.h"

#define LIMIT_NSEC UINT64_C(15000000)
#define LIMIT_CRITICAL_NSEC UINT64_C(30000000)

struct ours {
	struct alarm_state state;
	struct alarm_outcome outcome;
	int64_t next_incident_id;
	struct cost cost;
};

static void *ours_prepare(const struct detector *self, const struct repository *r)
{
	struct ours *made = calloc(1, sizeof(*made));

	(void)self;
	(void)r; /* it learns what it needs */
	if (made)
		made->next_incident_id = 1;
	return made;
}

static uint64_t thread_nsec(void)
{
	struct timespec now = { .tv_sec = 0 };

	(void)clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now); /* Linux always has it */
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

static int ours_observe(void *state, const struct observation *o, struct verdict *ret)
{
	struct ours *ours = state;
	const struct alarm_input input = {
		.run = o->run,
		.facts = &o->run->facts,
		.limit = { .limit_nsec = LIMIT_NSEC, .limit_critical_nsec = LIMIT_CRITICAL_NSEC },
		.now_usec = o->time,
		.next_incident_id = ours->next_incident_id,
	};

	if (ours->state.repository[0] == '\0')
		memcpy(ours->state.repository, o->run->repository, sizeof(o->run->repository));
	uint64_t begin = thread_nsec();
	int r = alarm_step(&ours->state, &input, &ours->outcome);
	ours->cost.nsec += thread_nsec() - begin;
	ours->cost.steps++;
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

	for (size_t i = 0; i < ours->outcome.event_count; i++)
		return alarm_reason_name(ours->outcome.events[i].reason);
	return "";
}

static void ours_add_cost(const void *state, struct cost *cost)
{
	const struct ours *ours = state;

	cost->steps += ours->cost.steps;
	cost->nsec += ours->cost.nsec;
}

static const struct detector all_ours[] = {
	{
		.name = "ours",
		.prepare = ours_prepare,
		.observe = ours_observe,
		.release = free,
		.explain = ours_explain,
		.add_cost = ours_add_cost,
	},
};

const struct detector *ours_at(size_t i)
{
	return i < sizeof(all_ours) / sizeof(all_ours[0]) ? &all_ours[i] : NULL;
}
