/* SPDX-License-Identifier: Apache-2.0 */
/* State of one alarm_step call as it passes through the rules. Private to alarm/. */
#ifndef REPOPROBE_ALARM_STEP_H
#define REPOPROBE_ALARM_STEP_H

#include "alarm/judge.h"

struct step {
	struct alarm_state *state;
	const struct alarm_input *input;
	struct alarm_probe *probe;
	struct alarm_outcome *outcome;
	bool has_verdict[RUN_OPERATIONS];
	struct verdict verdicts[RUN_OPERATIONS];
	/* About what cleared last in this step, for the event that ends the incident. */
	bool has_cleared;
	struct incident_event cleared;
};

/* The series of this operation; one exists for each that has a verdict. Lent. */
struct alarm_series *step_series(const struct step *step, enum run_operation operation);

#endif
