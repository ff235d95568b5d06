/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that need no measurement: failed runs and missing runs. */
#ifndef REPOPROBE_ALARM_RUN_RULES_H
#define REPOPROBE_ALARM_RUN_RULES_H

#include "alarm/step.h"

/* Takes the status of a run that was not skipped. Requests a confirming run after a first failure
 * that may be transient. */
void run_rules_take(struct step *step);

/* Judges missing runs. */
void run_rules_tick(struct alarm_state *state, struct alarm_probe *probe,
	const struct alarm_tick *tick, struct alarm_outcome *outcome);

/* When run_rules_tick can next find something; 0: never. */
int64_t run_rules_next_usec(const struct alarm_probe *probe, int64_t started_usec);

#endif
