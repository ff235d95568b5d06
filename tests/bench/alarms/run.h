/* SPDX-License-Identifier: Apache-2.0 */
/* Lets all detectors watch one repository, and runs many repositories on all processors. */
#ifndef BENCH_ALARMS_RUN_H
#define BENCH_ALARMS_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "detector.h"
#include "score.h"

struct simulation {
	const uint64_t *seeds;
	size_t seed_count;
	uint32_t repositories; /* for each seed */
	uint32_t days;
	int64_t interval;
	const struct detector *detectors[DETECTORS_MAX];
	size_t detector_count;
	bool has_trace; /* false incidents and missed episodes of the first detector, to stdout */
	unsigned jobs;
};

/* *ret: scores[seed][repository][detector] in one array, to be freed with free(). Returns 0 or
 * -errno. */
int simulation_run(const struct simulation *s, struct score **ret);

#endif
