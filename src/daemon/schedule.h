/* SPDX-License-Identifier: Apache-2.0 */
/* When a probe is due. Pure: instants are arguments. */
#ifndef REPOPROBE_DAEMON_SCHEDULE_H
#define REPOPROBE_DAEMON_SCHEDULE_H

#include <stdbool.h>
#include <stdint.h>

/* Slots stand on a grid of realtime: multiples of the interval since 1970, moved by the splay. So a
 * restart keeps the phase, and probes of many repositories do not meet. */
struct schedule {
	uint64_t interval_usec; /* at least 1 s */
	uint64_t splay_usec; /* below interval_usec */
};

/* The splay of a probe: by its names over the interval, or the given one (modulo the interval). */
uint64_t schedule_splay_usec(const char *repository, const char *probe, uint64_t interval_usec,
	bool is_auto, uint64_t usec);

/* How long until the next slot that is at least min_usec away: in (min, min + interval]. The caller
 * adds it to a monotonic instant, so a clock step moves a slot by at most one interval. */
uint64_t schedule_delay_usec(const struct schedule *s, int64_t now_usec, uint64_t min_usec);

#endif
