/* SPDX-License-Identifier: Apache-2.0 */
/* A mean histogram and its valley. */
#include "alarm/shape.h"

#define MILLION UINT64_C(1000000)
#define RUNS_MIN 36
#define SIDE_MIN_SHARE (MILLION * 4 / 100) /* share of the I/Os on either side of a valley */
#define DEPTH_PERCENT 45 /* a valley is below this share of the lower peak beside it */

void shape_add(struct shape *shape, const struct histogram *latency)
{
	if (latency->count == 0)
		return;
	if (shape->runs < SHAPE_RUNS)
		shape->runs++;
	for (size_t i = 0; i < SHAPE_BUCKETS; i++) {
		uint64_t ios = 0;
		for (size_t k = 0; k < SHAPE_FINE; k++)
			ios += latency->buckets[i * SHAPE_FINE + k];
		int64_t share = (int64_t)(ios * MILLION / latency->count);
		int64_t before = shape->buckets[i];
		shape->buckets[i] = (uint32_t)(before + (share - before) / (int64_t)shape->runs);
	}
}

/* Smoothed, so that a single empty bucket is not a valley. */
static uint64_t height(const struct shape *shape, size_t i)
{
	uint64_t sum = 2 * (uint64_t)shape->buckets[i];

	if (i > 0)
		sum += shape->buckets[i - 1];
	if (i + 1 < SHAPE_BUCKETS)
		sum += shape->buckets[i + 1];
	return sum;
}

uint64_t shape_valley_nsec(const struct shape *shape)
{
	uint64_t peaks_after[SHAPE_BUCKETS + 1];
	uint64_t peak_before = 0;
	uint64_t mass_before = 0;
	uint64_t mass = 0;
	uint64_t best_percent = DEPTH_PERCENT;
	size_t best_first = 0;
	size_t best_last = 0;

	if (shape->runs < RUNS_MIN)
		return 0;
	peaks_after[SHAPE_BUCKETS] = 0;
	for (size_t i = SHAPE_BUCKETS; i-- > 0;) {
		uint64_t h = height(shape, i);
		peaks_after[i] = h > peaks_after[i + 1] ? h : peaks_after[i + 1];
		mass += shape->buckets[i];
	}
	for (size_t i = 0; i + 1 < SHAPE_BUCKETS; i++) {
		uint64_t h = height(shape, i);
		uint64_t lower =
			peak_before < peaks_after[i + 1] ? peak_before : peaks_after[i + 1];
		mass_before += shape->buckets[i];
		if (h > peak_before)
			peak_before = h;
		if (lower == 0 || mass_before < SIDE_MIN_SHARE ||
			mass - mass_before < SIDE_MIN_SHARE)
			continue;
		uint64_t percent = h * 100 / lower;
		if (percent < best_percent) {
			best_percent = percent;
			best_first = i;
			best_last = i;
		} else if (percent == best_percent && best_last + 1 == i) {
			best_last = i; /* of a wide valley the middle is used */
		}
	}
	if (best_first == 0)
		return 0;
	return histogram_bucket_nsec((best_first + best_last) / 2 * SHAPE_FINE + SHAPE_FINE / 2);
}

uint32_t shape_share_below(const struct histogram *latency, uint64_t nsec)
{
	size_t end = histogram_bucket(nsec);
	uint64_t below = 0;

	if (latency->count == 0)
		return 0;
	for (size_t i = 0; i < end; i++)
		below += latency->buckets[i];
	return (uint32_t)(below * 10000 / latency->count);
}
