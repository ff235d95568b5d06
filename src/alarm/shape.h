/* SPDX-License-Identifier: Apache-2.0 */
/* The shape of a series' normal latencies, coarsely, and the valley in it between what a cache
 * answered and what the medium did. */
#ifndef REPOPROBE_ALARM_SHAPE_H
#define REPOPROBE_ALARM_SHAPE_H

#include <stdint.h>

#include "model/histogram.h"

#define SHAPE_PER_OCTAVE 8
#define SHAPE_FINE                                                                                 \
	(HISTOGRAM_SUBBUCKETS / SHAPE_PER_OCTAVE) /* histogram buckets in one of these             \
						   */
#define SHAPE_BUCKETS (HISTOGRAM_BUCKETS / SHAPE_FINE)
#define SHAPE_RUNS 288 /* older runs fade: a day of the newest ones outweighs them */

/* Parts per million of the I/Os, so that a run counts as one whatever its length. */
struct shape {
	uint32_t runs; /* that count, at most SHAPE_RUNS */
	uint32_t buckets[SHAPE_BUCKETS]; /* the mean share over those */
};

/* Adds a normal run. An empty histogram changes nothing. */
void shape_add(struct shape *shape, const struct histogram *latency);

/* The latency at the bottom of the deepest valley with enough on either side; 0: there is none. */
uint64_t shape_valley_nsec(const struct shape *shape);

/* Basis points of a run's I/Os that took less than this. */
uint32_t shape_share_below(const struct histogram *latency, uint64_t nsec);

#endif
