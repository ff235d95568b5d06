/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one series, kept in memory, and the baseline built from them. At most SAMPLES_KEPT
 * are kept, the oldest are dropped first; runs more frequent than every SAMPLES_SPACING_MINUTES are
 * thinned out, so that the samples always reach back 28 days. */
#ifndef REPOPROBE_ALARM_SAMPLES_H
#define REPOPROBE_ALARM_SAMPLES_H

#include "alarm/baseline.h"
#include "alarm/shape.h"

#define SAMPLES_KEPT 10100 /* 28 days at one per SAMPLES_SPACING_MINUTES */
#define SAMPLES_SPACING_MINUTES 4

struct samples {
	size_t count;
	size_t next; /* where the next one goes */
	struct baseline_sample *list;
	struct shape shape;
	struct baseline baseline;
};

struct samples *samples_new(void); /* NULL when memory is short */
struct samples *samples_free(struct samples *samples);

/* Adds the sample that alarm_step returned, or a stored one, oldest first. Samples after the first
 * day's worth are thinned out, however frequent the runs are. latency: the run's, for the shape;
 * NULL: it is no longer known. */
void samples_add(struct samples *samples, const struct baseline_sample *sample,
	const struct histogram *latency);

/* The highest hourly median of throughput in 28 days; 0 when there are no samples. */
uint64_t samples_best_bytes_per_sec(const struct samples *samples, int64_t now_usec);

/* Builds the baseline if it is due. Returns 1 if it was built, 0 if not, or -ENOMEM. */
int samples_refresh(struct samples *samples, int64_t now_usec);

/* Lent: for alarm_input; NULL before the first build. */
const struct baseline *samples_baseline(const struct samples *samples);

/* Drops everything learned so that a new normal is built. */
void samples_restart(struct samples *samples);

#endif
