/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of slots. Knows no probe and no clock. */
#include "daemon/schedule.h"

#include "base/buf.h"
#include "base/hash.h"

#define NAMES_MAX 512

uint64_t schedule_splay_usec(const char *repository, const char *probe, uint64_t interval_usec,
	bool is_auto, uint64_t usec)
{
	if (interval_usec == 0)
		return 0;
	if (!is_auto)
		return usec % interval_usec;

	struct buf names = BUF_INIT(NAMES_MAX);
	buf_printf(&names, "%s/%s", repository, probe);
	uint64_t splay = hash_text(buf_text(&names)) % interval_usec;
	buf_done(&names);
	return splay;
}

uint64_t schedule_delay_usec(const struct schedule *s, int64_t now_usec, uint64_t min_usec)
{
	uint64_t earliest = (uint64_t)(now_usec > 0 ? now_usec : 0) + min_usec;
	uint64_t into = (earliest + s->interval_usec - s->splay_usec) % s->interval_usec;

	return min_usec + s->interval_usec - into;
}
