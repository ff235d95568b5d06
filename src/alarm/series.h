/* SPDX-License-Identifier: Apache-2.0 */
/* Moves the rules of one series on: windows, what fires, what clears. */
#ifndef REPOPROBE_ALARM_SERIES_H
#define REPOPROBE_ALARM_SERIES_H

#include "alarm/step.h"

/* Takes what the series is shown by, and counts good runs. */
void series_note(struct step *step, enum run_operation operation);

/* Takes one slot into the windows of these rules (bits), and tells what begins to fire. */
void series_take(struct step *step, enum run_operation operation, const struct alarm_slot_run *slot,
	uint32_t rules);

/* Clears what has been good for long enough. */
void series_clear(struct step *step, enum run_operation operation);

/* Ends the rules that are about a limit: there is none any more. */
void series_drop_limit(struct step *step, enum run_operation operation);

/* Whether anything about it looks like trouble, so that its runs are not what is normal. */
bool series_is_suspect(const struct alarm_series *series);

/* A state that was written by a version without rules: its windows are those of the limit. */
void series_adopt(struct alarm_series *series);

#endif
