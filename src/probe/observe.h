/* SPDX-License-Identifier: Apache-2.0 */
/* Reports progress to an observer, at most ten times a second within one phase. */
#ifndef REPOPROBE_PROBE_OBSERVE_H
#define REPOPROBE_PROBE_OBSERVE_H

#include <stdbool.h>

#include "probe/probe.h"

#define OBSERVE_INTERVAL_NSEC UINT64_C(100000000)

struct observe {
	const struct probe_observer *observer; /* NULL: no observer */
	bool has_told;
	enum job_phase phase;
	uint64_t told_nsec;
};

/* Whether a report is due. For callers whose report is costly to prepare. */
bool observe_is_due(const struct observe *o, uint64_t now_nsec, enum job_phase phase);
void observe_tell(struct observe *o, uint64_t now_nsec, const struct job_progress *progress);

/* True when the observer wants the run to stop. */
bool observe_is_cancelled(const struct observe *o);

#endif
