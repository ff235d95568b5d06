/* SPDX-License-Identifier: Apache-2.0 */
/* The history in the OpenMetrics text format (prometheus.io/docs/specs/om/open_metrics_spec): the
 * names of /metrics, each sample with the time at which its run began. Families one after the
 * other, in each the series one after the other, in each the samples in the order of time, as
 * `promtool tsdb create-blocks-from openmetrics` demands. */
#ifndef REPOPROBE_REPORT_OPENMETRICS_H
#define REPOPROBE_REPORT_OPENMETRICS_H

#include <stddef.h>

#include "model/run_point.h"

struct buf;

/* One probe's runs, oldest first; lent. */
struct openmetrics_probe {
	const char *repository;
	const char *probe;
	const struct run_point *points;
	size_t count;
};

/* How many families there are. */
size_t openmetrics_families(void);

/* For each family: begin, then add for each probe; after the last family: end. */
void openmetrics_begin(size_t family, struct buf *b);
void openmetrics_add(size_t family, const struct openmetrics_probe *probe, struct buf *b);
void openmetrics_end(struct buf *b);

#endif
