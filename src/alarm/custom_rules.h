/* SPDX-License-Identifier: Apache-2.0 */
/* The user's alarms in a step. Private to alarm/. */
#ifndef REPOPROBE_ALARM_CUSTOM_RULES_H
#define REPOPROBE_ALARM_CUSTOM_RULES_H

#include "alarm/step.h"

/* Takes a run that took place, as custom_takes says; confirming runs are no slots of their own. */
void custom_rules_take(struct step *step);

/* Forgets those of the probe that are no longer among the input's; what fired of them clears. */
void custom_rules_prune(struct step *step);

#endif
