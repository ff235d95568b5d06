/* SPDX-License-Identifier: Apache-2.0 */
/* The alarm's part of a repository's state and sentence. Private to snapshot.c. */
#ifndef REPOPROBE_MODEL_SNAPSHOT_ALARM_H
#define REPOPROBE_MODEL_SNAPSHOT_ALARM_H

#include <stdint.h>

#include "model/alarm_state.h"

struct buf;

/* The highest level of anything that fires. alarm may be NULL. */
enum alarm_level snapshot_alarm_level(const struct alarm_state *alarm);

/* Describes the worst alarm and lists the others. At least one must fire. */
void snapshot_alarm_explain(const struct alarm_state *alarm, struct buf *b);

/* "18:05 UTC", preceded by the date unless it is that of `other_usec`. */
void snapshot_add_time(struct buf *b, int64_t usec, int64_t other_usec);

#endif
