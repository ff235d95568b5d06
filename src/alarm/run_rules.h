/* SPDX-License-Identifier: Apache-2.0 */
/* What a run's status alone says: failures, and silence. */
#ifndef REPOPROBE_ALARM_RUN_RULES_H
#define REPOPROBE_ALARM_RUN_RULES_H

#include "alarm/step.h"

/* Takes the status of a run that was not skipped. Asks for a confirming run after a first failure
 * that may pass. */
void run_rules_take(struct step *step);

/* Judges what has not come. */
void run_rules_tick(struct alarm_state *state, struct alarm_probe *probe,
	const struct alarm_tick *tick, struct alarm_outcome *outcome);

/* When there may be something for run_rules_tick; 0: never. */
int64_t run_rules_next_usec(const struct alarm_probe *probe, int64_t started_usec);

#endif
