/* SPDX-License-Identifier: Apache-2.0 */
/* The history in the OpenMetrics text format (prometheus.io/docs/specs/om/open_metrics_spec), with
 * the names of /metrics and the start of the run as each sample's timestamp. Output is grouped by
 * family, then by series, then ordered by time, as `promtool tsdb create-blocks-from openmetrics`
 * requires. */
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

/* The number of families. */
size_t openmetrics_families(void);

/* For each family: begin, then add for each probe; after the last family: end. */
void openmetrics_begin(size_t family, struct buf *b);
void openmetrics_add(size_t family, const struct openmetrics_probe *probe, struct buf *b);
void openmetrics_end(struct buf *b);

#endif
