/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one series and the baseline made of them, for whoever keeps them in memory. At
 * most SAMPLES_KEPT are kept, the oldest go first; runs more often than every
 * SAMPLES_SPACING_MINUTES are thinned out, so that they always reach back 28 days. */
#ifndef REPOPROBE_ALARM_SAMPLES_H
#define REPOPROBE_ALARM_SAMPLES_H

#include "alarm/baseline.h"
#include "alarm/shape.h"

#define SAMPLES_KEPT 10100 /* 28 days of one each SAMPLES_SPACING_MINUTES */
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

/* Adds what alarm_step answered. latency: the run's, for its shape. */
void samples_add(struct samples *samples, const struct baseline_sample *sample,
	const struct histogram *latency);

/* The same for what was kept, from the oldest on: thinned out from the first day's worth on,
 * however often it was run. latency may be NULL: then its shape is not known any more. */
void samples_restore(struct samples *samples, const struct baseline_sample *sample,
	const struct histogram *latency);

/* The highest hourly median of throughput in 28 days; 0 when there are no samples. */
uint64_t samples_best_bytes_per_sec(const struct samples *samples, int64_t now_usec);

/* Builds the baseline when it is due. Returns 1 when it was built, 0, or -ENOMEM. */
int samples_refresh(struct samples *samples, int64_t now_usec);

/* Lent: for alarm_input; NULL before the first build. */
const struct baseline *samples_baseline(const struct samples *samples);

/* Forgets what was normal: from now on another is. */
void samples_restart(struct samples *samples);

#endif
