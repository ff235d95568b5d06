/* SPDX-License-Identifier: Apache-2.0 */
/* The samples of one series and the baseline made of them, for whoever keeps them in memory. At
 * most HISTORY_SAMPLES are kept, the oldest go first; runs more often than every
 * HISTORY_SPACING_USEC are thinned out, so that they always reach back 28 days. */
#ifndef REPOPROBE_ALARM_HISTORY_H
#define REPOPROBE_ALARM_HISTORY_H

#include "alarm/baseline.h"
#include "alarm/shape.h"

#define HISTORY_SAMPLES 8200
#define HISTORY_SPACING_MINUTES 4

struct history {
	size_t count;
	size_t next; /* where the next one goes */
	struct baseline_sample *samples;
	struct shape shape;
	struct baseline baseline;
};

struct history *history_new(void); /* NULL when memory is short */
struct history *history_free(struct history *history);

/* Adds what alarm_step answered. latency: the run's, for its shape. */
void history_add(struct history *history, const struct baseline_sample *sample,
	const struct histogram *latency);

/* Builds the baseline when it is due. Returns 1 when it was built, 0, or -ENOMEM. */
int history_refresh(struct history *history, int64_t now_usec);

/* Lent: for alarm_input; NULL before the first build. */
const struct baseline *history_baseline(const struct history *history);

/* Forgets what was normal: from now on another is. */
void history_restart(struct history *history);

#endif
