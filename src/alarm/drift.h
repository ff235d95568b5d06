/* SPDX-License-Identifier: Apache-2.0 */
/* Detects slow drift: compares the median of half a day of idle runs with the anchor. A baseline
 * that moves along with the fault would never show it. */
#ifndef REPOPROBE_ALARM_DRIFT_H
#define REPOPROBE_ALARM_DRIFT_H

#include "model/alarm_state.h"

enum drift_verdict {
	DRIFT_NOT_CHECKED, /* the hour is not over */
	DRIFT_NONE,
	DRIFT_FOUND,
};

/* Takes an idle run's ratio to the anchor (octaves); the first run of an hour triggers the check of
 * the previous hour. */
enum drift_verdict drift_add(struct alarm_drift *drift, int32_t anchor_ratio, int64_t now_usec);

/* Good enough to count towards clearing. */
bool drift_is_good(const struct alarm_drift *drift, int32_t anchor_ratio);

/* Drops the ratios gathered since then: the hours of an incident say nothing about the time after
 * it, but a drift that began before it continues. */
void drift_forget(struct alarm_drift *drift, int64_t since_usec, int64_t now_usec);

#endif
