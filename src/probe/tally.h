/* SPDX-License-Identifier: Apache-2.0 */
/* Values of several threads that are not the sum of per-thread values: the time during which at
 * least one I/O was in flight, and the completions in each second. */
#ifndef REPOPROBE_PROBE_TALLY_H
#define REPOPROBE_PROBE_TALLY_H

#include <pthread.h>
#include <stddef.h>

#include "model/run.h"

/* The busy time of an operation over all threads. Each thread reports when its first I/O of the
 * operation starts and when its last completes. */
struct activity {
	pthread_mutex_t lock;
	struct {
		uint32_t threads; /* with at least one I/O in flight */
		uint64_t since_nsec;
		uint64_t end_nsec; /* time up to here is counted already */
		uint64_t total_nsec;
	} of[RUN_OPERATIONS];
};

void activity_init(struct activity *a);
void activity_done(struct activity *a);
void activity_begin(struct activity *a, enum run_operation operation, uint64_t now_nsec);
void activity_end(struct activity *a, enum run_operation operation, uint64_t now_nsec);

/* One thread's I/Os by the second of the measurement in which they completed. */
struct seconds {
	uint64_t origin_nsec;
	uint64_t end_nsec; /* of the current second */
	uint32_t (*ios)[RUN_OPERATIONS]; /* by second */
	size_t capacity;
	size_t current;
	bool is_lost; /* no memory for a second */
};

/* Completions must be added in order of time. A second excludes its first instant and includes its
 * last, so that an I/O that takes exactly the second belongs to it. */
void seconds_init(struct seconds *s, uint64_t origin_nsec);
void seconds_done(struct seconds *s);
void seconds_enter(struct seconds *s, uint64_t now_nsec);

static inline void seconds_add(struct seconds *s, enum run_operation operation, uint64_t now_nsec)
{
	if (now_nsec > s->end_nsec)
		seconds_enter(s, now_nsec);
	if (s->current < s->capacity)
		s->ios[s->current][operation]++;
}

/* Adds another thread's counts, second by second. */
void seconds_merge(struct seconds *into, const struct seconds *from);

/* The first `count` seconds of each operation, then of both. Zeroes when a count was lost. */
void seconds_report(
	const struct seconds *s, uint32_t count, struct run_iops ret[RUN_OPERATIONS + 1]);

#endif
