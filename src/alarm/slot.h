/* SPDX-License-Identifier: Apache-2.0 */
/* A slot: a run by schedule and the runs that confirm it. What the fast lane counts is what most of
 * them say, so that a spike shorter than a minute is none. */
#ifndef REPOPROBE_ALARM_SLOT_H
#define REPOPROBE_ALARM_SLOT_H

#include "alarm/step.h"

/* Takes a run with numbers, of which step has the verdicts: into its slot, and from there into the
 * windows. Asks for a confirming run when one is needed. */
void slot_take_run(struct step *step);

/* The slot is over, whatever is still missing. */
void slot_close(struct step *step);

#endif
