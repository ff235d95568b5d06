/* SPDX-License-Identifier: Apache-2.0 */
/* What several threads measure together and no sum of theirs would tell: the time during which at
 * least one I/O was out, and how many were complete in each second. */
#ifndef REPOPROBE_PROBE_TALLY_H
#define REPOPROBE_PROBE_TALLY_H

#include <pthread.h>
#include <stddef.h>

#include "model/run.h"

/* The time that an operation was at work, over all threads. Each thread says when its first I/O of
 * it goes out and when its last is back. */
struct activity {
	pthread_mutex_t lock;
	struct {
		uint32_t threads; /* with at least one out */
		uint64_t since_nsec;
		uint64_t end_nsec; /* of the time before; nothing earlier counts again */
		uint64_t total_nsec;
	} of[RUN_OPERATIONS];
};

void activity_init(struct activity *a);
void activity_done(struct activity *a);
void activity_begin(struct activity *a, enum run_operation operation, uint64_t now_nsec);
void activity_end(struct activity *a, enum run_operation operation, uint64_t now_nsec);

/* One thread's I/Os by the second of the measurement in which they were complete. */
struct seconds {
	uint64_t origin_nsec;
	uint64_t end_nsec; /* of the second that is being counted */
	uint32_t (*ios)[RUN_OPERATIONS]; /* by second */
	size_t capacity;
	size_t current;
	bool is_lost; /* there was no memory for a second */
};

/* To be told in order of time. A second begins just after its first instant and ends with its last,
 * so that an I/O of a second that began with it is of that second. */
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

/* Adds another thread's to these, second by second. */
void seconds_merge(struct seconds *into, const struct seconds *from);

/* The first `count` seconds by operation, then of both. Zeroes when a count was lost. */
void seconds_report(
	const struct seconds *s, uint32_t count, struct run_iops ret[RUN_OPERATIONS + 1]);

#endif
