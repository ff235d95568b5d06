/* SPDX-License-Identifier: Apache-2.0 */
/* A token bucket of size one, and a count of I/Os to the next pause. */
#include "probe/pace.h"

#include "base/clock.h"

#define CATCH_UP_NSEC_MAX (2 * NSEC_PER_MSEC) /* limit of the compensation for a late timer */

static uint64_t interval_of(const struct workload *w)
{
	uint64_t by_ios = w->rate_ios_per_sec > 0 ? NSEC_PER_SEC / w->rate_ios_per_sec : 0;
	uint64_t by_bytes = w->rate_bytes_per_sec > 0
		? (uint64_t)w->block_size_bytes * NSEC_PER_SEC / w->rate_bytes_per_sec
		: 0;

	return by_ios > by_bytes ? by_ios : by_bytes;
}

void pace_init(struct pace *p, const struct workload *workload, uint32_t index, uint64_t now_nsec)
{
	uint32_t burst_ios = workload->burst_ios > 0 ? workload->burst_ios : 1;

	*p = (struct pace){
		.interval_nsec = interval_of(workload),
		.think_nsec = workload->think_time_usec * NSEC_PER_USEC,
		.burst_ios = burst_ios,
		.left_ios = burst_ios,
	};
	p->due_nsec = now_nsec + p->interval_nsec / workload->threads * index;
}

uint64_t pace_due_nsec(const struct pace *p)
{
	return p->think_nsec > 0 && p->left_ios == 0 ? PACE_WHEN_DRAINED : p->due_nsec;
}

void pace_submitted(struct pace *p, uint64_t now_nsec)
{
	uint64_t late_nsec = now_nsec > p->due_nsec ? now_nsec - p->due_nsec : 0;
	uint64_t made_up_nsec =
		p->interval_nsec < CATCH_UP_NSEC_MAX ? p->interval_nsec : CATCH_UP_NSEC_MAX;

	if (late_nsec < made_up_nsec)
		made_up_nsec = late_nsec;
	p->due_nsec = now_nsec + p->interval_nsec - made_up_nsec;
	if (p->left_ios > 0)
		p->left_ios--;
}

void pace_drained(struct pace *p, uint64_t now_nsec)
{
	if (p->think_nsec == 0 || p->left_ios > 0)
		return;
	p->left_ios = p->burst_ios;
	if (p->due_nsec < now_nsec + p->think_nsec)
		p->due_nsec = now_nsec + p->think_nsec;
}
