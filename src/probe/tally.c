/* SPDX-License-Identifier: Apache-2.0 */
/* Busy time and I/Os per second, of several threads together. */
#include "probe/tally.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define SECONDS_FIRST 64
#define SECONDS_MAX ((size_t)1 << 17) /* a workload's timeout is at most a day */

void activity_init(struct activity *a)
{
	*a = (struct activity){ .lock = PTHREAD_MUTEX_INITIALIZER };
}

void activity_done(struct activity *a)
{
	(void)pthread_mutex_destroy(&a->lock); /* not locked */
}

void activity_begin(struct activity *a, enum run_operation operation, uint64_t now_nsec)
{
	(void)pthread_mutex_lock(&a->lock); /* cannot fail */
	/* Threads do not arrive in the order of their clock readings. */
	if (now_nsec < a->of[operation].end_nsec)
		now_nsec = a->of[operation].end_nsec;
	if (a->of[operation].threads++ == 0 || now_nsec < a->of[operation].since_nsec)
		a->of[operation].since_nsec = now_nsec;
	(void)pthread_mutex_unlock(&a->lock);
}

void activity_end(struct activity *a, enum run_operation operation, uint64_t now_nsec)
{
	(void)pthread_mutex_lock(&a->lock); /* cannot fail */
	if (now_nsec > a->of[operation].end_nsec)
		a->of[operation].end_nsec = now_nsec;
	if (--a->of[operation].threads == 0)
		a->of[operation].total_nsec +=
			a->of[operation].end_nsec - a->of[operation].since_nsec;
	(void)pthread_mutex_unlock(&a->lock);
}

void seconds_init(struct seconds *s, uint64_t origin_nsec)
{
	*s = (struct seconds){ .origin_nsec = origin_nsec };
}

void seconds_done(struct seconds *s)
{
	free(s->ios);
	*s = (struct seconds){ 0 };
}

static void grow(struct seconds *s, size_t least)
{
	size_t capacity = s->capacity > 0 ? s->capacity : SECONDS_FIRST;

	while (capacity < least)
		capacity *= 2;
	void *more = capacity > SECONDS_MAX ? NULL : realloc(s->ios, capacity * sizeof(*s->ios));
	if (!more) {
		s->is_lost = true;
		return;
	}
	s->ios = more;
	memset(s->ios + s->capacity, 0, (capacity - s->capacity) * sizeof(*s->ios));
	s->capacity = capacity;
}

void seconds_enter(struct seconds *s, uint64_t now_nsec)
{
	uint64_t age_nsec = now_nsec > s->origin_nsec ? now_nsec - s->origin_nsec - 1 : 0;

	s->current = (size_t)(age_nsec / NSEC_PER_SEC);
	s->end_nsec = s->origin_nsec + (s->current + 1) * NSEC_PER_SEC;
	if (s->current >= s->capacity)
		grow(s, s->current + 1);
}

static void add_second(struct run_iops *iops, uint64_t ios)
{
	unsigned __int128 squares = (unsigned __int128)ios * ios + iops->squares;

	iops->seconds++;
	iops->ios += ios;
	iops->squares = squares > UINT64_MAX ? UINT64_MAX : (uint64_t)squares;
}

void seconds_merge(struct seconds *into, const struct seconds *from)
{
	if (from->capacity > into->capacity)
		grow(into, from->capacity);
	into->is_lost |= from->is_lost;
	for (size_t second = 0; second < from->capacity && !into->is_lost; second++)
		for (size_t k = 0; k < RUN_OPERATIONS; k++)
			into->ios[second][k] += from->ios[second][k];
}

void seconds_report(
	const struct seconds *s, uint32_t count, struct run_iops ret[RUN_OPERATIONS + 1])
{
	static const uint32_t none[RUN_OPERATIONS];

	memset(ret, 0, (RUN_OPERATIONS + 1) * sizeof(*ret));
	for (uint32_t second = 0; second < count && !s->is_lost; second++) {
		const uint32_t *ios = second < s->capacity ? s->ios[second] : none;
		uint64_t total = 0;
		for (size_t k = 0; k < RUN_OPERATIONS; k++) {
			add_second(&ret[k], ios[k]);
			total += ios[k];
		}
		add_second(&ret[RUN_OPERATIONS], total);
	}
}
