/* SPDX-License-Identifier: Apache-2.0 */
/* A slot: a scheduled run and its confirming runs. The fast lane counts their majority vote, so
 * that a spike shorter than a minute does not count. */
#ifndef REPOPROBE_ALARM_SLOT_H
#define REPOPROBE_ALARM_SLOT_H

#include "alarm/step.h"

/* Takes a run with numbers, whose verdicts are in step: into its slot, and from there into the
 * windows. Requests a confirming run when one is needed. */
void slot_take_run(struct step *step);

/* Ends the slot, even if confirming runs are missing. */
void slot_close(struct step *step);

#endif
