/* SPDX-License-Identifier: Apache-2.0 */
/* What every competitor sees and says. */
#ifndef BENCH_ALARMS_DETECTOR_H
#define BENCH_ALARMS_DETECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "repository.h"

/* What a person would set for this repository after looking at two weeks of it: multiples of the
 * medians of its idle runs. */
struct tuning {
	bool is_known;
	double average_msec;
	double p95_msec;
	double throughput; /* bytes a second */
};

struct observation {
	int64_t time; /* the run has just ended */
	bool is_scheduled; /* else it was asked for */
	const struct run *run;
	bool is_dead; /* no numbers */
	double average_msec;
	double p95_msec;
	double max_msec;
	double throughput; /* bytes a second */
	const struct tuning *tuning;
};

struct verdict {
	bool is_alarmed; /* an incident is open and would have been told */
	int64_t again_at; /* a run is wanted then, before the next scheduled one; 0: none */
};

/* Processor time of alarm_step alone. */
struct cost {
	uint64_t steps;
	uint64_t nsec;
};

struct detector {
	const char *name;
	/* NULL without memory; freed with release. */
	void *(*prepare)(const struct detector *self, const struct repository *r);
	/* Returns 0 or -errno. */
	int (*observe)(void *state, const struct observation *o, struct verdict *ret);
	void (*release)(void *state);
	/* A few words on what is open, for a trace; NULL: nothing to say. Lent. */
	const char *(*explain)(const void *state);
	/* Adds what its steps cost; NULL: nobody asks. */
	void (*add_cost)(const void *state, struct cost *cost);
	const struct rival_options *options; /* of a rival */
	const struct our_options *own; /* of one of ours */
};

#define DETECTORS_MAX 24

/* Ours: the first one is what the targets are about. NULL past the end. */
const struct detector *ours_at(size_t i);

/* One of the products that people use, or the way they use it. */
const struct detector *rival_at(size_t i); /* NULL past the end */

#endif
