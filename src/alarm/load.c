/* SPDX-License-Identifier: Apache-2.0 */
/* Work of others against what the repository can do. */
#include "alarm/load.h"

static bool reaches(uint64_t rate, uint64_t reference, unsigned percent)
{
	return reference > 0 &&
		(unsigned __int128)rate * 100 >= (unsigned __int128)reference * percent;
}

enum load_class load_classify_rates(
	uint64_t bytes_per_sec, uint64_t ios_per_sec, const struct load_reference *reference)
{
	if (!reference || (reference->bytes_per_sec == 0 && reference->ios_per_sec == 0))
		return bytes_per_sec < LOAD_IDLE_BYTES && ios_per_sec < LOAD_IDLE_IOS ? LOAD_IDLE
										      : LOAD_LIGHT;
	if (reaches(bytes_per_sec, reference->bytes_per_sec, LOAD_HEAVY_PERCENT) ||
		reaches(ios_per_sec, reference->ios_per_sec, LOAD_HEAVY_PERCENT))
		return LOAD_HEAVY;
	if (reaches(bytes_per_sec, reference->bytes_per_sec, LOAD_LIGHT_PERCENT) ||
		reaches(ios_per_sec, reference->ios_per_sec, LOAD_LIGHT_PERCENT))
		return LOAD_LIGHT;
	return LOAD_IDLE;
}

enum load_class load_classify(const struct facts *facts, const struct load_reference *reference)
{
	if (!facts->has_counters)
		return LOAD_UNKNOWN;
	return load_classify_rates(
		facts->others_bytes_per_sec, facts->others_ios_per_sec, reference);
}
