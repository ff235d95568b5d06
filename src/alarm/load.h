/* SPDX-License-Identifier: Apache-2.0 */
/* How busy a repository's disk was during a run: measured by the work that others completed, never
 * by how long the disk was busy, because a failing disk is busy and completes little (alarms.md,
 * section 4). */
#ifndef REPOPROBE_ALARM_LOAD_H
#define REPOPROBE_ALARM_LOAD_H

#include "model/alarm_state.h"
#include "model/facts.h"

#define LOAD_LIGHT_PERCENT 15 /* at least this share of the reference: light */
#define LOAD_HEAVY_PERCENT 55
#define LOAD_IDLE_BYTES UINT64_C(10000000) /* per second: without a reference, below both … */
#define LOAD_IDLE_IOS 50 /* … is idle */

/* The highest known capability of this repository: the larger of the 95th percentile of others'
 * work in 28 days and the median of our own runs. 0: not known. */
struct load_reference {
	uint64_t bytes_per_sec;
	uint64_t ios_per_sec;
};

/* Others' work in percent of the reference, at most 255: the larger of the two. 0 without a
 * reference. */
unsigned load_work_percent(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference);

/* reference: NULL when there is none yet. */
enum load_class load_classify(const struct facts *facts, const struct load_reference *reference);

/* The same from rates alone. */
enum load_class load_classify_rates(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference);

#endif
