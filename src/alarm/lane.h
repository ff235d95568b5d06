/* SPDX-License-Identifier: Apache-2.0 */
/* Hold windows of the rules, N of M slots in a fast and a slow lane, and what clears them. */
#ifndef REPOPROBE_ALARM_LANE_H
#define REPOPROBE_ALARM_LANE_H

#include "model/alarm_state.h"
#include "model/rule.h"

/* Whether the rule waits for confirming runs. */
bool lane_is_confirmed(enum alarm_rule rule);

/* Takes one slot into the window. */
void lane_push(struct alarm_rule_state *state, bool is_bad, bool is_critical);

/* The level of the window when its newest slot was bad; ALARM_NONE: nothing fires. */
enum alarm_level lane_level(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense);

/* Bad slots in the rule's window, and how many of its slots have been seen. */
struct rule_hold lane_count(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense);

/* Whether the window holds so much trouble that nothing should be learned now. */
bool lane_is_suspect(const struct alarm_rule_state *state, enum alarm_rule rule);

/* Whether the window itself prevents clearing, however good the newest runs are. */
bool lane_holds(const struct alarm_rule_state *state, enum alarm_rule rule);

/* Good runs in a row needed to clear, after this many reopenings. */
unsigned lane_clear_runs(unsigned runs, unsigned reopenings);

#endif
