/* SPDX-License-Identifier: Apache-2.0 */
/* Evaluates user-defined alarms in a step. Private to alarm/. */
#ifndef REPOPROBE_ALARM_CUSTOM_RULES_H
#define REPOPROBE_ALARM_CUSTOM_RULES_H

#include "alarm/step.h"

/* Takes a run that took place, if custom_takes; confirming runs are not slots of their own. */
void custom_rules_take(struct step *step);

/* Drops the alarms of the probe that are no longer in the input; firing ones clear. */
void custom_rules_prune(struct step *step);

#endif
