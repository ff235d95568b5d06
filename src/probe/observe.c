/* SPDX-License-Identifier: Apache-2.0 */
/* Limits the rate of progress messages. */
#include "probe/observe.h"

bool observe_is_due(const struct observe *o, uint64_t now_nsec, enum job_phase phase)
{
	bool is_same_phase = o->has_told && o->phase == phase;

	return o->observer && !(is_same_phase && now_nsec - o->told_nsec < OBSERVE_INTERVAL_NSEC);
}

void observe_tell(struct observe *o, uint64_t now_nsec, const struct job_progress *progress)
{
	if (!observe_is_due(o, now_nsec, progress->phase))
		return;
	o->has_told = true;
	o->phase = progress->phase;
	o->told_nsec = now_nsec;
	o->observer->progress(o->observer->data, progress);
}

bool observe_is_cancelled(const struct observe *o)
{
	return o->observer && o->observer->is_cancelled &&
		o->observer->is_cancelled(o->observer->data);
}
