/* SPDX-License-Identifier: Apache-2.0 */
/* A stopwatch with laps. */
#include "probe/setup.h"

#include "base/clock.h"

void setup_begin(struct setup *setup, const struct clock *clock, struct run *run)
{
	*setup = (struct setup){ .clock = clock, .run = run };
	setup_skip(setup);
}

void setup_end_step(struct setup *setup, enum run_setup_step step)
{
	if (!setup)
		return;
	uint64_t now_nsec = clock_monotonic_nsec(setup->clock);
	uint64_t taken_nsec = now_nsec - setup->begin_nsec;

	if (taken_nsec > setup->run->setup_longest_nsec) {
		setup->run->setup_longest_nsec = taken_nsec;
		setup->run->setup_step = step;
	}
	setup->begin_nsec = now_nsec;
}

void setup_skip(struct setup *setup)
{
	setup->begin_nsec = clock_monotonic_nsec(setup->clock);
}
