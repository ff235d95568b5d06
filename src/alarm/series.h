/* SPDX-License-Identifier: Apache-2.0 */
/* Advances the rules of one series: windows, what fires, what clears. */
#ifndef REPOPROBE_ALARM_SERIES_H
#define REPOPROBE_ALARM_SERIES_H

#include "alarm/step.h"

/* Updates the displayed values of the series and counts good runs. */
void series_note(struct step *step, enum run_operation operation);

/* Takes one slot into the windows of these rules (bits) and reports those that begin to fire. */
void series_take(struct step *step, enum run_operation operation, const struct alarm_slot_run *slot,
	uint32_t rules);

/* Clears rules that have been good for long enough. */
void series_clear(struct step *step, enum run_operation operation);

/* Ends the rules about a limit, because there is no limit any more. */
void series_drop_limit(struct step *step, enum run_operation operation);

/* Whether any rule looks like trouble, so that runs are not learned as normal. */
bool series_is_suspect(const struct alarm_series *series);

#endif
