/* SPDX-License-Identifier: Apache-2.0 */
/* The brake on progress messages. */
#include "probe/observe.h"

void observe_tell(struct observe *o, uint64_t now_nsec, const struct job_progress *progress)
{
	bool is_same_phase = o->has_told && o->phase == progress->phase;

	if (!o->observer || (is_same_phase && now_nsec - o->told_nsec < OBSERVE_INTERVAL_NSEC))
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
