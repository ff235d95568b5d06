/* SPDX-License-Identifier: Apache-2.0 */
/* The real alarm_step as a competitor: it is given what the daemon would give it. */
#include "detector.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"

#define LIMIT_NSEC UINT64_C(15000000)
#define LIMIT_CRITICAL_NSEC UINT64_C(30000000)

struct ours {
	struct alarm_state state;
	struct alarm_outcome outcome;
	int64_t next_incident_id;
};

static void *ours_prepare(const struct detector *self, const struct repository *r)
{
	struct ours *ours = calloc(1, sizeof(*ours));

	(void)self;
	(void)r; /* it learns what it needs */
	if (ours)
		ours->next_incident_id = 1;
	return ours;
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
	int r = alarm_step(&ours->state, &input, &ours->outcome);
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

const struct detector detector_ours = {
	.name = "ours",
	.prepare = ours_prepare,
	.observe = ours_observe,
	.release = free,
	.explain = ours_explain,
};
