/* SPDX-License-Identifier: Apache-2.0 */
/* The windows of the rules: N of M slots, a fast lane and a slow one, and what clears them. */
#ifndef REPOPROBE_ALARM_LANE_H
#define REPOPROBE_ALARM_LANE_H

#include "model/alarm_state.h"
#include "model/rule.h"

/* Whether the rule waits for confirming runs. */
bool lane_is_confirmed(enum alarm_rule rule);

/* Takes one slot into the window. */
void lane_push(struct alarm_rule_state *state, bool is_bad, bool is_critical);

/* What the window comes to when its newest slot was bad; ALARM_NONE: it holds nothing against the
 * series. */
enum alarm_level lane_level(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense);

/* Bad slots in the rule's window, and how many of its slots there have been. */
struct rule_hold lane_count(
	const struct alarm_rule_state *state, enum alarm_rule rule, const struct rule_sense *sense);

/* Whether so much trouble is in the window that nothing should be learned now. */
bool lane_is_suspect(const struct alarm_rule_state *state, enum alarm_rule rule);

/* Whether the window itself forbids to clear, however good the newest runs are. */
bool lane_holds(const struct alarm_rule_state *state, enum alarm_rule rule);

/* Good runs in a row that clear, after so many reopenings. */
unsigned lane_clear_runs(unsigned runs, unsigned reopenings);

#endif
