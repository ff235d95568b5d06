/* SPDX-License-Identifier: Apache-2.0 */
/* N-of-M hold windows, kept as bit masks. */
#include "alarm/lane.h"

#include "alarm/alarm.h"

#define SURE_HITS 3
#define SURE_WINDOW 5
#define LONG_HITS 20
#define LONG_WINDOW 24
#define STALL_WINDOW 12
#define STALL_HITS 2
#define STALL_HITS_CRITICAL 4

enum lane {
	LANE_FAST, /* by sensitivity, confirmed */
	LANE_SURE, /* the same, but at least three slots: load is only estimated */
	LANE_HELD,
	LANE_LONG, /* two hours: longer than occasional work of others */
	LANE_STALL,
	LANE_SELF, /* each slot counts alone: one is enough */
};

static const enum lane lanes[ALARM_RULES] = {
	[ALARM_RULE_LIMIT] = LANE_FAST,
	[ALARM_RULE_LIMIT_HELD] = LANE_HELD,
	[ALARM_RULE_RELATIVE] = LANE_FAST,
	[ALARM_RULE_TAIL] = LANE_FAST,
	[ALARM_RULE_CACHE] = LANE_FAST,
	[ALARM_RULE_SLOW] = LANE_HELD,
	[ALARM_RULE_THROUGHPUT] = LANE_FAST,
	[ALARM_RULE_THROUGHPUT_HELD] = LANE_LONG,
	[ALARM_RULE_STALL] = LANE_STALL,
	[ALARM_RULE_DRIFT] = LANE_SELF,
	[ALARM_RULE_PEER] = LANE_FAST,
	[ALARM_RULE_RELATIVE_BUSY] = LANE_SURE,
};

static struct rule_hold hold_of(enum alarm_rule rule, const struct rule_sense *sense)
{
	switch (lanes[rule]) {
	case LANE_FAST:
		if (sense->hold.window > 0)
			return sense->hold;
		return (struct rule_hold){ ALARM_HOLD_HITS, ALARM_HOLD_WINDOW };
	case LANE_SURE:
		if (sense->hold.hits > SURE_HITS)
			return sense->hold;
		return (struct rule_hold){ SURE_HITS, SURE_WINDOW };
	case LANE_HELD:
		return (struct rule_hold){ ALARM_HELD_HITS, ALARM_HELD_WINDOW };
	case LANE_LONG:
		return (struct rule_hold){ LONG_HITS, LONG_WINDOW };
	case LANE_STALL:
		return (struct rule_hold){ STALL_HITS, STALL_WINDOW };
	case LANE_SELF:
		break;
	}
	return (struct rule_hold){ 1, 1 };
}

static unsigned hits_of(uint32_t bits, unsigned window)
{
	uint32_t mask = window < RULE_WINDOW_MAX ? (UINT32_C(1) << window) - 1 : UINT32_MAX;

	return (unsigned)__builtin_popcount(bits & mask);
}

/* Two consecutive slots were caught by the same short disturbance. */
static bool is_one_stretch(uint32_t bits)
{
	return hits_of(bits, STALL_WINDOW) == STALL_HITS && (bits & 3) == 3;
}

bool lane_is_confirmed(enum alarm_rule rule)
{
	return lanes[rule] == LANE_FAST || lanes[rule] == LANE_SURE;
}

void lane_push(struct alarm_rule_state *state, bool is_bad, bool is_critical)
{
	state->bits = state->bits << 1 | is_bad;
	state->critical_bits = state->critical_bits << 1 | (is_bad && is_critical);
	if (state->slots < RULE_WINDOW_MAX)
		state->slots++;
}

enum alarm_level lane_level(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense)
{
	struct rule_hold hold = hold_of(rule, sense);
	unsigned critical_hits = lanes[rule] == LANE_STALL ? STALL_HITS_CRITICAL : hold.hits;
	/* Many stalls are critical, whatever the level of each. */
	uint32_t critical_bits = lanes[rule] == LANE_STALL ? state->bits : state->critical_bits;

	if ((state->bits & 1) == 0)
		return ALARM_NONE;
	if (lanes[rule] == LANE_STALL && is_one_stretch(state->bits))
		return ALARM_NONE;
	if (lanes[rule] != LANE_HELD && lanes[rule] != LANE_LONG &&
		hits_of(critical_bits, hold.window) >= critical_hits)
		return ALARM_CRITICAL;
	return hits_of(state->bits, hold.window) >= hold.hits ? ALARM_WARNING : ALARM_NONE;
}

struct rule_hold lane_count(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense)
{
	struct rule_hold hold = hold_of(rule, sense);

	return (struct rule_hold){
		.hits = (uint8_t)hits_of(state->bits, hold.window),
		.window = state->slots < hold.window ? state->slots : hold.window,
	};
}

bool lane_is_suspect(const struct alarm_rule_state *state, enum alarm_rule rule)
{
	if (state->level != ALARM_NONE)
		return true;
	switch (lanes[rule]) {
	case LANE_FAST:
	case LANE_SURE:
		return hits_of(state->bits, ALARM_HOLD_WINDOW) > 0;
	case LANE_HELD:
		return hits_of(state->bits, ALARM_HELD_WINDOW) >= ALARM_HELD_WINDOW / 2;
	case LANE_LONG:
		return hits_of(state->bits, LONG_WINDOW) >= LONG_WINDOW / 2;
	case LANE_STALL:
	case LANE_SELF:
		break;
	}
	return false;
}

bool lane_holds(const struct alarm_rule_state *state, enum alarm_rule rule)
{
	return lanes[rule] == LANE_STALL && hits_of(state->bits, STALL_WINDOW) > 0;
}

unsigned lane_clear_runs(unsigned runs, unsigned reopenings)
{
	for (unsigned i = 0; i < reopenings && runs < ALARM_CLEAR_RUNS_MAX; i++)
		runs *= 2;
	return runs < ALARM_CLEAR_RUNS_MAX ? runs : ALARM_CLEAR_RUNS_MAX;
}
