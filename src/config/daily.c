/* SPDX-License-Identifier: Apache-2.0 */
/* What a day of probing costs. */
#include "base/calendar.h"
#include "base/clock.h"
#include "config/config.h"

#define DAY_USEC (UINT64_C(86400) * USEC_PER_SEC)

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* At most, in whole blocks; UINT64_MAX when only time bounds a run. */
static uint64_t bytes_of_run(const struct workload *w)
{
	uint64_t bytes = UINT64_MAX;

	if (w->max_bytes > 0)
		bytes = w->max_bytes / w->block_size_bytes * w->block_size_bytes;
	if (w->max_ios > 0 && multiply(w->max_ios, w->block_size_bytes) < bytes)
		bytes = multiply(w->max_ios, w->block_size_bytes);
	return bytes;
}

static uint64_t percent_of(uint64_t bytes, unsigned percent)
{
	if (bytes == UINT64_MAX)
		return percent > 0 ? UINT64_MAX : 0;
	return bytes / 100 * percent + bytes % 100 * percent / 100;
}

/* Rounded up. Begun intervals count: a run a week still is one in that day. */
static uint64_t bytes_of_day(const struct config_probe *probe)
{
	uint64_t bytes = bytes_of_run(&probe->workload);

	if (!probe->schedule)
		return multiply(
			(DAY_USEC + probe->interval_usec - 1) / probe->interval_usec, bytes);
	if (bytes == UINT64_MAX)
		return UINT64_MAX;
	unsigned __int128 all = (unsigned __int128)bytes * calendar_count(probe->schedule);
	unsigned __int128 day = (all + CALENDAR_COUNT_DAYS - 1) / CALENDAR_COUNT_DAYS;
	return day < UINT64_MAX ? (uint64_t)day : UINT64_MAX;
}

void config_daily_bytes(
	const struct config_repository *repository, uint64_t *ret_written, uint64_t *ret_read)
{
	uint64_t written = 0;
	uint64_t read = 0;

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct config_probe *probe = &repository->probes[i];
		const struct workload *w = &probe->workload;
		uint64_t bytes = bytes_of_day(probe);
		uint64_t share = percent_of(bytes, w->write_percent);

		written = add(written, share);
		read = add(read,
			bytes == UINT64_MAX ? percent_of(bytes, 100U - w->write_percent)
					    : bytes - share);
	}
	*ret_written = written;
	*ret_read = read;
}
