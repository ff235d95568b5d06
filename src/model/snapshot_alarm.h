/* SPDX-License-Identifier: Apache-2.0 */
/* What a repository's alarm makes of its state, and how that is said. Private to snapshot.c. */
#ifndef REPOPROBE_MODEL_SNAPSHOT_ALARM_H
#define REPOPROBE_MODEL_SNAPSHOT_ALARM_H

#include <stdint.h>

#include "model/alarm_state.h"

struct buf;

/* The highest level that anything of it fires at. alarm may be NULL. */
enum alarm_level snapshot_alarm_level(const struct alarm_state *alarm);

/* The worst of it in words, and the names of what else fires. Something does. */
void snapshot_alarm_explain(const struct alarm_state *alarm, struct buf *b);

/* "18:05 UTC", with the date in front unless it is that of `other_usec`. */
void snapshot_add_time(struct buf *b, int64_t usec, int64_t other_usec);

#endif
