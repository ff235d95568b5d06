/* SPDX-License-Identifier: Apache-2.0 */
/* When the next I/O of a thread may go: rate, IOPS and think time of a workload. Pure: the time is
 * an argument. */
#ifndef REPOPROBE_PROBE_PACE_H
#define REPOPROBE_PROBE_PACE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/workload.h"

#define PACE_WHEN_DRAINED UINT64_MAX

struct pace {
	uint64_t interval_nsec; /* between I/Os; 0: unlimited */
	uint64_t due_nsec;
	uint64_t think_nsec; /* after each burst; 0: none */
	uint32_t burst_ios;
	uint32_t left_ios; /* of this burst */
};

/* Thread `index` of workload->threads. Each gets the whole rate, as in diskspd and fio; their first
 * I/Os are spread over one interval. */
void pace_init(struct pace *p, const struct workload *workload, uint32_t index, uint64_t now_nsec);

/* False: every I/O may follow at once, and no other function here needs to be called. */
static inline bool pace_is_limited(const struct pace *p)
{
	return p->interval_nsec > 0 || p->think_nsec > 0;
}

/* When the next I/O may be submitted; PACE_WHEN_DRAINED: after all I/Os in flight have completed
 * and pace_drained was called. */
uint64_t pace_due_nsec(const struct pace *p);

/* An I/O was submitted at this time. If it was late, the next is due that much earlier, but by at
 * most one interval or 2 ms, whichever is less: time lost to a stall is not made up. */
void pace_submitted(struct pace *p, uint64_t now_nsec);

/* No I/O is in flight: the think time after a finished burst begins. */
void pace_drained(struct pace *p, uint64_t now_nsec);

#endif
