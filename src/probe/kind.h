/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds of probe: one file and one row in the table of probe.c each. Each gets a run with the
 * job's workload, and implements the contract of probe_run. */
#ifndef REPOPROBE_PROBE_KIND_H
#define REPOPROBE_PROBE_KIND_H

#include "probe/probe.h"

void block_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run);
void null_run(const struct job *job, const struct clock *clock,
	const struct probe_observer *observer, struct run *run);

#endif
