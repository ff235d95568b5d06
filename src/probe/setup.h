/* SPDX-License-Identifier: Apache-2.0 */
/* Times a run's steps on the repository other than its I/O, and records the longest: a file system
 * may hang at an open as well as at a write. */
#ifndef REPOPROBE_PROBE_SETUP_H
#define REPOPROBE_PROBE_SETUP_H

#include "model/run.h"

struct clock;

struct setup {
	const struct clock *clock;
	struct run *run; /* stores the longest step */
	uint64_t begin_nsec; /* of the current step */
};

void setup_begin(struct setup *setup, const struct clock *clock, struct run *run);

/* Ends a step and begins the next one. setup may be NULL. */
void setup_end_step(struct setup *setup, enum run_setup_step step);

/* The time since the last step belongs to no step. */
void setup_skip(struct setup *setup);

#endif
