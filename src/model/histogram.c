/* SPDX-License-Identifier: Apache-2.0 */
/* Records, merges and evaluates a latency histogram. */
#include "model/histogram.h"

#include <assert.h>

_Static_assert(HISTOGRAM_BUCKETS == HISTOGRAM_GROUPS * HISTOGRAM_SUBBUCKETS, "all groups whole");

#define EXACT_BUCKETS 128 /* one per nanosecond: the first two groups */

/* 1-1.5-2-3-5-7 × decades. The label is the shortest text of the bound in seconds as Prometheus 3
 * writes it (%g, ".0" appended to whole numbers), so that no upgrade of either side renames a
 * series. */
static const struct {
	uint64_t bound_nsec;
	const char *label;
} export_buckets[HISTOGRAM_EXPORT_BUCKETS] = {
	{ UINT64_C(10000), "1e-05" },
	{ UINT64_C(15000), "1.5e-05" },
	{ UINT64_C(20000), "2e-05" },
	{ UINT64_C(30000), "3e-05" },
	{ UINT64_C(50000), "5e-05" },
	{ UINT64_C(70000), "7e-05" },
	{ UINT64_C(100000), "0.0001" },
	{ UINT64_C(150000), "0.00015" },
	{ UINT64_C(200000), "0.0002" },
	{ UINT64_C(300000), "0.0003" },
	{ UINT64_C(500000), "0.0005" },
	{ UINT64_C(700000), "0.0007" },
	{ UINT64_C(1000000), "0.001" },
	{ UINT64_C(1500000), "0.0015" },
	{ UINT64_C(2000000), "0.002" },
	{ UINT64_C(3000000), "0.003" },
	{ UINT64_C(5000000), "0.005" },
	{ UINT64_C(7000000), "0.007" },
	{ UINT64_C(10000000), "0.01" },
	{ UINT64_C(15000000), "0.015" },
	{ UINT64_C(20000000), "0.02" },
	{ UINT64_C(30000000), "0.03" },
	{ UINT64_C(50000000), "0.05" },
	{ UINT64_C(70000000), "0.07" },
	{ UINT64_C(100000000), "0.1" },
	{ UINT64_C(150000000), "0.15" },
	{ UINT64_C(200000000), "0.2" },
	{ UINT64_C(300000000), "0.3" },
	{ UINT64_C(500000000), "0.5" },
	{ UINT64_C(700000000), "0.7" },
	{ UINT64_C(1000000000), "1.0" },
	{ UINT64_C(1500000000), "1.5" },
	{ UINT64_C(2000000000), "2.0" },
	{ UINT64_C(3000000000), "3.0" },
	{ UINT64_C(5000000000), "5.0" },
	{ UINT64_C(7000000000), "7.0" },
	{ UINT64_C(10000000000), "10.0" },
	{ UINT64_C(15000000000), "15.0" },
	{ UINT64_C(20000000000), "20.0" },
	{ UINT64_C(30000000000), "30.0" },
	{ UINT64_C(50000000000), "50.0" },
	{ UINT64_C(70000000000), "70.0" },
	{ UINT64_C(100000000000), "100.0" },
	{ UINT64_MAX, "+Inf" },
};

uint64_t histogram_export_bound_nsec(size_t i)
{
	assert(i < HISTOGRAM_EXPORT_BUCKETS);
	return export_buckets[i].bound_nsec;
}

const char *histogram_export_label(size_t i)
{
	assert(i < HISTOGRAM_EXPORT_BUCKETS);
	return export_buckets[i].label;
}

size_t histogram_export_bucket(uint64_t latency_nsec)
{
	size_t low = 0;
	size_t high = HISTOGRAM_EXPORT_BUCKETS - 1;

	while (low < high) {
		size_t middle = (low + high) / 2;
		if (latency_nsec <= export_buckets[middle].bound_nsec)
			high = middle;
		else
			low = middle + 1;
	}
	return low;
}

size_t histogram_bucket(uint64_t latency_nsec)
{
	if (latency_nsec < EXACT_BUCKETS)
		return (size_t)latency_nsec;
	unsigned msb = 63U - (unsigned)__builtin_clzll(latency_nsec);
	unsigned shift = msb - HISTOGRAM_BITS;
	size_t sub = (size_t)(latency_nsec >> shift) & (HISTOGRAM_SUBBUCKETS - 1);
	size_t bucket = ((size_t)(shift + 1) << HISTOGRAM_BITS) + sub;
	return bucket < HISTOGRAM_BUCKETS ? bucket : HISTOGRAM_BUCKETS - 1;
}

uint64_t histogram_bucket_nsec(size_t bucket)
{
	assert(bucket < HISTOGRAM_BUCKETS);
	if (bucket < EXACT_BUCKETS)
		return bucket;
	unsigned shift = (unsigned)(bucket >> HISTOGRAM_BITS) - 1;
	uint64_t sub = bucket & (HISTOGRAM_SUBBUCKETS - 1);
	uint64_t first = (HISTOGRAM_SUBBUCKETS + sub) << shift;
	return first + (UINT64_C(1) << (shift - 1));
}

void histogram_add(struct histogram *h, uint64_t latency_nsec)
{
	if (h->count == 0 || latency_nsec < h->min_nsec)
		h->min_nsec = latency_nsec;
	if (latency_nsec > h->max_nsec)
		h->max_nsec = latency_nsec;
	h->count++;
	h->sum_nsec += latency_nsec;
	h->sum_squares_nsec2 += (unsigned __int128)latency_nsec * latency_nsec;
	h->buckets[histogram_bucket(latency_nsec)]++;
	h->export_buckets[histogram_export_bucket(latency_nsec)]++;
}

void histogram_merge(struct histogram *into, const struct histogram *from)
{
	if (from->count == 0)
		return;
	if (into->count == 0 || from->min_nsec < into->min_nsec)
		into->min_nsec = from->min_nsec;
	if (from->max_nsec > into->max_nsec)
		into->max_nsec = from->max_nsec;
	into->count += from->count;
	into->sum_nsec += from->sum_nsec;
	into->sum_squares_nsec2 += from->sum_squares_nsec2;
	size_t last = histogram_bucket(from->max_nsec);
	for (size_t i = histogram_bucket(from->min_nsec); i <= last; i++)
		into->buckets[i] += from->buckets[i]; /* none are outside */
	for (size_t i = 0; i < HISTOGRAM_EXPORT_BUCKETS; i++)
		into->export_buckets[i] += from->export_buckets[i];
}

static uint64_t clamp(uint64_t value, uint64_t min, uint64_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

uint64_t histogram_percentile_nsec(const struct histogram *h, uint64_t parts_per_billion)
{
	const uint64_t billion = UINT64_C(1000000000);
	uint64_t parts = clamp(parts_per_billion, 0, billion);
	uint64_t rank = (uint64_t)(((unsigned __int128)parts * h->count + (billion - 1)) / billion);
	uint64_t seen = 0;

	if (h->count == 0)
		return 0;
	if (rank == 0)
		return h->min_nsec;
	if (rank == h->count)
		return h->max_nsec; /* the last value is the maximum: known exactly */
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		seen += h->buckets[i];
		if (seen >= rank)
			return clamp(histogram_bucket_nsec(i), h->min_nsec, h->max_nsec);
	}
	return h->max_nsec;
}

bool histogram_can_tell(const struct histogram *h, uint64_t parts_per_billion)
{
	const uint64_t billion = UINT64_C(1000000000);

	if (parts_per_billion == 0 || parts_per_billion >= billion)
		return h->count > 0;
	return (unsigned __int128)h->count * (billion - parts_per_billion) >=
		10 * (unsigned __int128)billion;
}

uint64_t histogram_mean_nsec(const struct histogram *h)
{
	if (h->count == 0)
		return 0;
	return (uint64_t)(((unsigned __int128)h->sum_nsec + h->count / 2) / h->count);
}

/* The largest root with root² ≤ value, bit by bit: exact, unlike a double. */
static uint64_t square_root(unsigned __int128 value)
{
	uint64_t root = 0;

	for (uint64_t bit = UINT64_C(1) << 63; bit != 0; bit >>= 1) {
		uint64_t next = root | bit;
		if ((unsigned __int128)next * next <= value)
			root = next;
	}
	return root;
}

uint64_t histogram_stddev_nsec(const struct histogram *h)
{
	if (h->count == 0)
		return 0;
	/* N × Σ(x - mean)² = N Σx² - (Σx)²; dividing Σx² and (Σx)²/N by N apart would lose digits,
	 * and N Σx² can pass 128 bits: so subtract first, (Σx)²/N being at most Σx². */
	unsigned __int128 mean_part = (unsigned __int128)h->sum_nsec * h->sum_nsec / h->count;
	unsigned __int128 deviations =
		h->sum_squares_nsec2 > mean_part ? h->sum_squares_nsec2 - mean_part : 0;
	unsigned __int128 variance = (deviations + h->count / 2) / h->count;
	uint64_t root = square_root(variance);
	/* Nearest: (root + ½)² = root² + root + ¼. */
	return variance > (unsigned __int128)root * root + root ? root + 1 : root;
}
