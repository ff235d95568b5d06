/* SPDX-License-Identifier: Apache-2.0 */
/* Few values: Hoare's selection with the middle value as pivot. Many: counting, first by their
 * upper halves, then by the lower halves of those that share the upper one: two passes without
 * data-dependent branches. */
#include "alarm/select.h"

#include <assert.h>

#define HALVES 256
#define COUNTING_MIN 256 /* for fewer values the counters cost more than the values */

static void swap(uint16_t *a, uint16_t *b)
{
	uint16_t kept = *a;

	*a = *b;
	*b = kept;
}

/* Finds the counter that holds the rank; the rank within that counter remains in *place. */
static unsigned find_half(const uint32_t counters[HALVES], size_t *place)
{
	unsigned half = 0;

	while (*place >= counters[half])
		*place -= counters[half++];
	return half;
}

static uint16_t count_place(const uint16_t *values, size_t count, size_t place)
{
	uint32_t uppers[HALVES] = { 0 };
	uint32_t lowers[HALVES] = { 0 };

	for (size_t i = 0; i < count; i++)
		uppers[values[i] / HALVES]++;
	unsigned upper = find_half(uppers, &place);
	for (size_t i = 0; i < count; i++)
		lowers[values[i] % HALVES] += values[i] / HALVES == upper;
	return (uint16_t)(upper * HALVES + find_half(lowers, &place));
}

uint16_t select_place(uint16_t *values, size_t count, size_t place)
{
	size_t low = 0;
	size_t high = count;

	assert(place < count);
	if (count >= COUNTING_MIN)
		return count_place(values, count, place);
	while (high - low > 1) {
		uint16_t pivot = values[low + (high - low) / 2];
		size_t less = low; /* values before it are smaller */
		size_t more = high; /* values from it on are greater */
		for (size_t i = low; i < more;) {
			if (values[i] < pivot)
				swap(&values[i++], &values[less++]);
			else if (values[i] > pivot)
				swap(&values[i], &values[--more]);
			else
				i++;
		}
		if (place >= less && place < more)
			return pivot;
		if (place < less)
			high = less;
		else
			low = more;
	}
	return values[low];
}

uint16_t select_median(uint16_t *values, size_t count)
{
	return select_place(values, count, (count - 1) / 2);
}

uint16_t select_percentile(uint16_t *values, size_t count, unsigned percent)
{
	size_t rank = (count * percent + 99) / 100;

	return select_place(values, count, rank > 0 ? rank - 1 : 0);
}
