/* SPDX-License-Identifier: Apache-2.0 */
/* When a probe is due. Pure: instants are arguments. */
#ifndef REPOPROBE_CORE_SCHEDULE_H
#define REPOPROBE_CORE_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

struct calendar;

#define SCHEDULE_NEVER INT64_MAX

/* A clock put back by no more than this repeats no slot of a calendar. */
#define SCHEDULE_BACK_MAX_USEC (INT64_C(3600) * 1000000)

/* Either a grid of realtime: multiples of the interval since 1970, moved by the splay. So a restart
 * keeps the phase, and probes of many repositories do not meet. Or the instants of a calendar,
 * moved by the splay. */
struct schedule {
	uint64_t interval_usec; /* at least 1 s; of a calendar its average */
	uint64_t splay_usec; /* below interval_usec unless there is a calendar */
	const struct calendar *calendar; /* NULL: the interval counts; lent by the configuration */
};

/* The splay of a probe: by its names over the interval, or the given one (modulo the interval). */
uint64_t schedule_splay_usec(const char *repository, const char *probe, uint64_t interval_usec,
	bool is_auto, uint64_t usec);

/* How long until the next slot of an interval that is at least min_usec away: in (min, min +
 * interval]. The caller adds it to a monotonic instant, so a clock step moves a slot by at most one
 * interval. */
uint64_t schedule_delay_usec(const struct schedule *s, int64_t now_usec, uint64_t min_usec);

/* The first slot after an instant, or SCHEDULE_NEVER. */
int64_t schedule_next_usec(const struct schedule *s, int64_t after_usec);

/* From where to look for a calendar's next slot, when all up to done_usec are done: from there,
 * also when the clock was put back a little since; from now when it was put back by more, because
 * then it was wrong before. */
int64_t schedule_look_from_usec(int64_t now_usec, int64_t done_usec);

/* Do both mean the same slots? */
bool schedule_is_equal(const struct schedule *a, const struct schedule *b);

#endif
