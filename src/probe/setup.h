/* SPDX-License-Identifier: Apache-2.0 */
/* Times what a run does on the repository beside its I/O, step by step, and notes the longest: a
 * file system may hang at an open as well as at a write. */
#ifndef REPOPROBE_PROBE_SETUP_H
#define REPOPROBE_PROBE_SETUP_H

#include "model/run.h"

struct clock;

struct setup {
	const struct clock *clock;
	struct run *run; /* told of the longest step */
	uint64_t begin_nsec; /* of the step under way */
};

void setup_begin(struct setup *setup, const struct clock *clock, struct run *run);

/* A step ends here and the next one begins. NULL: nobody asks. */
void setup_end_step(struct setup *setup, enum run_setup_step step);

/* What was done since the last step belongs to none. */
void setup_skip(struct setup *setup);

#endif
