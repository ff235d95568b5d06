/* SPDX-License-Identifier: Apache-2.0 */
/* Compares the work of others with what the repository can do. */
#include "alarm/load.h"

#define PERCENT_MAX 255

static unsigned percent_of(uint64_t rate, uint64_t reference)
{
	if (reference == 0)
		return 0;
	if (rate > UINT64_MAX / 100)
		rate = UINT64_MAX / 100; /* no disk is this fast */
	uint64_t percent = rate * 100 / reference;
	return percent > PERCENT_MAX ? PERCENT_MAX : (unsigned)percent;
}

unsigned load_work_percent(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference)
{
	unsigned bytes = percent_of(bytes_per_sec, reference->bytes_per_sec);
	unsigned ios = percent_of(ios_per_sec, reference->ios_per_sec);

	return bytes > ios ? bytes : ios;
}

enum load_class load_classify_rates(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference)
{
	if (!reference || (reference->bytes_per_sec == 0 && reference->ios_per_sec == 0))
		return bytes_per_sec < LOAD_IDLE_BYTES && ios_per_sec < LOAD_IDLE_IOS ? LOAD_IDLE
										      : LOAD_LIGHT;
	unsigned percent = load_work_percent(bytes_per_sec, ios_per_sec, reference);
	if (percent >= LOAD_HEAVY_PERCENT)
		return LOAD_HEAVY;
	return percent >= LOAD_LIGHT_PERCENT ? LOAD_LIGHT : LOAD_IDLE;
}

enum load_class load_classify(const struct facts *facts, const struct load_reference *reference)
{
	if (!facts->has_counters)
		return LOAD_UNKNOWN;
	return load_classify_rates(
		facts->others_bytes_per_sec, facts->others_ios_per_sec, reference);
}
