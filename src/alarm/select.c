/* SPDX-License-Identifier: Apache-2.0 */
/* Hoare's selection, with the middle value as pivot. */
#include "alarm/select.h"

#include <assert.h>

static void swap(uint16_t *a, uint16_t *b)
{
	uint16_t kept = *a;

	*a = *b;
	*b = kept;
}

uint16_t select_place(uint16_t *values, size_t count, size_t place)
{
	size_t low = 0;
	size_t high = count;

	assert(place < count);
	while (high - low > 1) {
		uint16_t pivot = values[low + (high - low) / 2];
		size_t less = low; /* values before it are less */
		size_t more = high; /* values from it on are more */
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
