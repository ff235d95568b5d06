/* SPDX-License-Identifier: Apache-2.0 */
/* The arithmetic of bytes per day in integers: frequent calls gain or lose nothing. */
#include "model/budget.h"

#include "base/clock.h"
#include "model/run.h"
#include "model/workload.h"

#define DAY_NSEC (UINT64_C(86400) * NSEC_PER_SEC)

uint64_t budget_most_bytes(uint64_t day_bytes)
{
	return day_bytes > 0 ? day_bytes / BUDGET_SHARES : UINT64_MAX;
}

void budget_init(struct budget *b, uint64_t day_bytes, uint64_t now_nsec)
{
	*b = (struct budget){
		.day_bytes = day_bytes,
		.level_bytes = (int64_t)(day_bytes / BUDGET_SHARES),
		.filled_nsec = now_nsec,
	};
}

/* The bytes that flow in during a time, limited to the room left. */
static uint64_t inflow_bytes(const struct budget *b, uint64_t nsec)
{
	int64_t most_bytes = (int64_t)(b->day_bytes / BUDGET_SHARES);
	unsigned __int128 bytes = (unsigned __int128)nsec * b->day_bytes / DAY_NSEC;
	uint64_t room_bytes =
		b->level_bytes < most_bytes ? (uint64_t)most_bytes - (uint64_t)b->level_bytes : 0;

	return bytes < room_bytes ? (uint64_t)bytes : room_bytes;
}

void budget_restore(struct budget *b, uint64_t day_bytes, int64_t level_bytes, int64_t age_usec,
	uint64_t now_nsec)
{
	budget_init(b, day_bytes, now_nsec);
	if (level_bytes < b->level_bytes)
		b->level_bytes = level_bytes;
	uint64_t age = age_usec > 0 ? (uint64_t)age_usec : 0;
	uint64_t nsec = age < UINT64_MAX / NSEC_PER_USEC ? age * NSEC_PER_USEC : UINT64_MAX;
	b->level_bytes += (int64_t)inflow_bytes(b, nsec);
}

void budget_set_day(struct budget *b, uint64_t day_bytes, uint64_t now_nsec)
{
	if (b->day_bytes == day_bytes)
		return;
	if (b->day_bytes == 0) {
		budget_init(b, day_bytes, now_nsec);
		return;
	}
	budget_fill(b, now_nsec);
	b->day_bytes = day_bytes;
	int64_t most_bytes = (int64_t)(day_bytes / BUDGET_SHARES);
	if (b->level_bytes > most_bytes)
		b->level_bytes = most_bytes;
}

void budget_fill(struct budget *b, uint64_t now_nsec)
{
	uint64_t nsec = now_nsec > b->filled_nsec ? now_nsec - b->filled_nsec : 0;
	uint64_t bytes = inflow_bytes(b, nsec);

	if (b->day_bytes == 0)
		return;
	b->level_bytes += (int64_t)bytes;
	/* A remainder of less than a byte is carried over. */
	if (b->level_bytes >= (int64_t)(b->day_bytes / BUDGET_SHARES))
		b->filled_nsec += nsec;
	else
		b->filled_nsec +=
			(uint64_t)(((unsigned __int128)bytes * DAY_NSEC + b->day_bytes - 1) /
				b->day_bytes);
}

uint64_t budget_left_bytes(const struct budget *b)
{
	if (b->day_bytes == 0)
		return UINT64_MAX;
	return b->level_bytes > 0 ? (uint64_t)b->level_bytes : 0;
}

void budget_take(struct budget *b, uint64_t bytes)
{
	budget_settle(b, 0, bytes);
}

void budget_settle(struct budget *b, uint64_t reserved_bytes, uint64_t written_bytes)
{
	int64_t level;

	if (b->day_bytes == 0)
		return;
	/* A number from a worker may be large. */
	if (reserved_bytes > INT64_MAX || written_bytes > INT64_MAX ||
		__builtin_sub_overflow(
			b->level_bytes + (int64_t)reserved_bytes, (int64_t)written_bytes, &level))
		level = -(int64_t)(b->day_bytes / BUDGET_SHARES);
	b->level_bytes = level;
}

/* --- Planned bytes ------------------------------------------------------ */

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

uint64_t budget_run_bytes(const struct workload *w)
{
	uint64_t bytes = UINT64_MAX;

	if (w->max_bytes > 0)
		bytes = w->max_bytes / w->block_size_bytes * w->block_size_bytes;
	if (w->max_ios > 0 && multiply(w->max_ios, w->block_size_bytes) < bytes)
		bytes = multiply(w->max_ios, w->block_size_bytes);
	/* A fresh run ends when its file is full. */
	if (w->is_fresh && w->file_size_bytes > 0 && w->file_size_bytes < bytes)
		bytes = w->file_size_bytes / w->block_size_bytes * w->block_size_bytes;
	return bytes;
}

uint64_t budget_run_written_bytes(const struct workload *w)
{
	uint64_t bytes = budget_run_bytes(w);

	if (bytes == UINT64_MAX)
		return w->write_percent > 0 ? UINT64_MAX : 0;
	return bytes / 100 * w->write_percent + bytes % 100 * w->write_percent / 100;
}

uint64_t budget_spent_bytes(const struct run *run, uint64_t reserved_bytes)
{
	if (run->has_own && run->status != RUN_STUCK)
		return run->own.written_bytes;
	return run->status == RUN_SKIPPED && run->skip != RUN_SKIP_IN_USE ? 0 : reserved_bytes;
}

uint64_t budget_stretch_usec(uint64_t interval_usec, uint64_t interval_bytes,
	uint64_t calendar_bytes, uint64_t day_bytes)
{
	if (day_bytes == 0)
		return interval_usec;
	uint64_t left_bytes = calendar_bytes < day_bytes / 2 ? day_bytes - calendar_bytes
							     : day_bytes - day_bytes / 2;
	if (interval_bytes <= left_bytes)
		return interval_usec;
	/* In whole seconds, rounded up. */
	unsigned __int128 usec = (unsigned __int128)interval_usec * interval_bytes;
	unsigned __int128 seconds = (usec + (unsigned __int128)left_bytes * USEC_PER_SEC - 1) /
		((unsigned __int128)left_bytes * USEC_PER_SEC);
	return seconds < UINT64_MAX / USEC_PER_SEC ? (uint64_t)seconds * USEC_PER_SEC : UINT64_MAX;
}
