/* SPDX-License-Identifier: Apache-2.0 */
/* Slowly slower: the median of half a day of idle runs against the anchor. A normal that moves
 * along with a fault would never see it. */
#ifndef REPOPROBE_ALARM_DRIFT_H
#define REPOPROBE_ALARM_DRIFT_H

#include "model/alarm_state.h"

enum drift_verdict {
	DRIFT_NOT_CHECKED, /* the hour is not over */
	DRIFT_NONE,
	DRIFT_FOUND,
};

/* Takes an idle run's ratio to the anchor (octaves); with the first run of an hour the one before
 * it is checked. */
enum drift_verdict drift_add(struct alarm_drift *drift, int32_t anchor_ratio, int64_t now_usec);

/* Good enough to count towards clearing. */
bool drift_is_good(const struct alarm_drift *drift, int32_t anchor_ratio);

/* Drops what was gathered since then: what the hours of an incident were like says nothing of the
 * time after it, but a drift that was under way before it goes on. */
void drift_forget(struct alarm_drift *drift, int64_t since_usec, int64_t now_usec);

#endif
