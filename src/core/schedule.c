/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of slots. Knows no probe and no clock. */
#include "core/schedule.h"

#include <string.h>

#include "base/buf.h"
#include "base/calendar.h"
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

int64_t schedule_next_usec(const struct schedule *s, int64_t after_usec)
{
	int64_t splay_usec = (int64_t)s->splay_usec;
	int64_t usec;

	if (!s->calendar)
		return after_usec + (int64_t)schedule_delay_usec(s, after_usec, 0);
	if (calendar_next(s->calendar, after_usec - splay_usec, &usec) < 0)
		return SCHEDULE_NEVER;
	return usec + splay_usec;
}

int64_t schedule_look_from_usec(int64_t now_usec, int64_t done_usec)
{
	bool is_back = done_usec > now_usec && done_usec - now_usec <= SCHEDULE_BACK_MAX_USEC;

	return is_back ? done_usec : now_usec;
}

bool schedule_is_equal(const struct schedule *a, const struct schedule *b)
{
	if (!a->calendar || !b->calendar)
		return a->calendar == b->calendar && a->interval_usec == b->interval_usec &&
			a->splay_usec == b->splay_usec;
	return a->splay_usec == b->splay_usec &&
		strcmp(calendar_text(a->calendar), calendar_text(b->calendar)) == 0;
}
