/* SPDX-License-Identifier: Apache-2.0 */
/* A coarse histogram of a series' normal latencies, and the valley in it between I/Os answered by a
 * cache and I/Os of the medium. */
#ifndef REPOPROBE_ALARM_SHAPE_H
#define REPOPROBE_ALARM_SHAPE_H

#include <stdint.h>

#include "model/histogram.h"

#define SHAPE_PER_OCTAVE 8
#define SHAPE_FINE                                                                                 \
	(HISTOGRAM_SUBBUCKETS / SHAPE_PER_OCTAVE) /* histogram buckets per bucket of the shape */
#define SHAPE_BUCKETS (HISTOGRAM_BUCKETS / SHAPE_FINE)
#define SHAPE_RUNS 288 /* older runs fade: the newest day outweighs them */

/* In parts per million of the I/Os, so that each run has equal weight whatever its length. */
struct shape {
	uint32_t runs; /* counted runs, at most SHAPE_RUNS */
	uint32_t buckets[SHAPE_BUCKETS]; /* the mean share over these runs */
};

/* Adds a normal run. An empty histogram changes nothing. */
void shape_add(struct shape *shape, const struct histogram *latency);

/* The latency at the bottom of the deepest valley with enough I/Os on either side; 0: there is
 * none. */
uint64_t shape_valley_nsec(const struct shape *shape);

/* Basis points of a run's I/Os that took less than this. */
uint32_t shape_share_below(const struct histogram *latency, uint64_t nsec);

#endif
