/* SPDX-License-Identifier: Apache-2.0 */
/* The code of a histogram: count, sum, squares; smallest, largest; the buckets between these; the
 * cuts of Prometheus' buckets. One walk serves both ways, so they cannot part. */
#include "store/code_bins.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/histogram.h"
#include "store/bits.h"

#define COUNT_MAX (UINT64_C(1) << 40) /* so that sums of squares stay below 2^127 */
#define DIFFERENCE_BITS 66 /* of what a sum is off, so that the same holds */
#define SQUARES_BITS 126
#define BUCKET_BITS 12
#define VALUE_MAX (UINT64_C(1) << 40)

/* Averages are in sixteenths, and each value seen moves them by a fraction. Tuned on runs of every
 * preset and on log-normal ones. */
#define ONE UINT64_C(16)
#define SPARSE_BELOW 14
#define AVERAGE_SHIFT 2
#define ERROR_SHIFT 3
#define ERROR_FIRST (2 * ONE)
#define GAP_SHIFT 2

/* --- What is expected next ---------------------------------------------- */

struct expectation {
	uint64_t average; /* of a bucket */
	uint64_t error; /* of how far it is from the average, as folded */
	uint64_t gap; /* of how many empty ones are skipped, where the average is small */
};

static uint64_t moved(uint64_t average, uint64_t value, unsigned shift)
{
	uint64_t target = value * ONE;

	if (target >= average)
		return average + ((target - average) >> shift);
	return average - ((average - target) >> shift);
}

static unsigned rice_shift(uint64_t average)
{
	return average < 2 * ONE ? 0 : 63U - (unsigned)__builtin_clzll(average / ONE);
}

static bool is_sparse(const struct expectation *e)
{
	return e->average < SPARSE_BELOW;
}

static uint64_t expected(const struct expectation *e)
{
	return (e->average + ONE / 2) / ONE;
}

static void note_gap(struct expectation *e, uint64_t gap)
{
	e->gap = moved(e->gap, gap, GAP_SHIFT);
	for (uint64_t i = 0; i < gap; i++)
		e->average = moved(e->average, 0, AVERAGE_SHIFT);
}

static void note_value(struct expectation *e, uint64_t value)
{
	e->average = moved(e->average, value, AVERAGE_SHIFT);
}

static void note_error(struct expectation *e, uint64_t folded)
{
	e->error = moved(e->error, folded, ERROR_SHIFT);
}

static unsigned error_shift(const struct expectation *e)
{
	return rice_shift(e->error * 3 / 4);
}

/* Differences in the order 0, -1, 1, -2, 2, …, and what is more than twice as expected as it is. */
static uint64_t fold(uint64_t value, uint64_t center)
{
	if (value > 2 * center)
		return value;
	return value >= center ? 2 * (value - center) : 2 * (center - value) - 1;
}

static uint64_t unfold(uint64_t folded, uint64_t center)
{
	if (folded > 2 * center)
		return folded;
	return folded % 2 == 0 ? center + folded / 2 : center - (folded + 1) / 2;
}

/* --- Buckets from the first in use to the last -------------------------- */

static void put_buckets(struct bits_writer *w, const uint64_t *buckets, size_t first, size_t last)
{
	struct expectation e = { .error = ERROR_FIRST, .gap = ONE };

	for (size_t i = first; i <= last; i++) {
		if (!is_sparse(&e)) {
			uint64_t folded = fold(buckets[i], expected(&e));
			bits_put_rice(w, folded, error_shift(&e));
			note_error(&e, folded);
			note_value(&e, buckets[i]);
			continue;
		}
		uint64_t gap = 0;
		for (; buckets[i] == 0; i++) /* the last is not empty */
			gap++;
		bits_put_rice(w, gap, rice_shift(e.gap));
		bits_put_rice(w, buckets[i] - 1, 0);
		note_gap(&e, gap);
		note_value(&e, buckets[i]);
	}
}

static bool get_buckets(
	struct bits_reader *r, uint64_t *buckets, uint64_t count, size_t first, size_t last)
{
	struct expectation e = { .error = ERROR_FIRST, .gap = ONE };
	uint64_t left = count;

	for (size_t i = first; i <= last && !r->is_short; i++) {
		if (!is_sparse(&e)) {
			uint64_t folded = bits_get_rice(r, error_shift(&e));
			buckets[i] = unfold(folded, expected(&e));
			note_error(&e, folded);
		} else {
			uint64_t gap = bits_get_rice(r, rice_shift(e.gap));
			if (gap > last - i)
				return false;
			i += gap;
			buckets[i] = bits_get_rice(r, 0) + 1;
			note_gap(&e, gap);
		}
		if (buckets[i] > left)
			return false;
		left -= buckets[i];
		note_value(&e, buckets[i]);
	}
	return left == 0 && !r->is_short && buckets[first] > 0 && buckets[last] > 0;
}

/* --- Smallest and largest ----------------------------------------------- */

static unsigned bucket_shift(size_t bucket)
{
	return bucket < (size_t)2 * HISTOGRAM_SUBBUCKETS ? 0
							 : (unsigned)(bucket >> HISTOGRAM_BITS) - 1;
}

static uint64_t bucket_first(size_t bucket)
{
	return histogram_bucket_nsec(bucket) >> bucket_shift(bucket) << bucket_shift(bucket);
}

static void put_value(struct bits_writer *w, uint64_t value)
{
	size_t bucket = histogram_bucket(value);

	bits_put(w, bucket, BUCKET_BITS);
	bits_put(w, value - bucket_first(bucket), bucket_shift(bucket));
}

static bool get_value(struct bits_reader *r, uint64_t *ret)
{
	size_t bucket = (size_t)bits_get(r, BUCKET_BITS);

	if (bucket >= HISTOGRAM_BUCKETS)
		return false;
	*ret = bucket_first(bucket) + bits_get(r, bucket_shift(bucket));
	return true;
}

/* --- Sums --------------------------------------------------------------- */

struct sums {
	__int128 sum;
	__int128 squares;
};

/* As if each value were its bucket's middle. */
static struct sums middle_sums(const struct histogram *h, size_t first, size_t last)
{
	struct sums sums = { 0, 0 };

	for (size_t i = first; i <= last; i++) {
		uint64_t middle = histogram_bucket_nsec(i);
		__int128 part = (__int128)h->buckets[i] * middle;
		sums.sum += part;
		sums.squares += part * middle;
	}
	return sums;
}

/* Were all values moved by the same, so that the sum comes out. */
static __int128 expected_squares(const struct sums *middle, __int128 difference, uint64_t count)
{
	return middle->squares + 2 * difference * (middle->sum / count);
}

static unsigned __int128 fold_sign(__int128 value)
{
	unsigned __int128 twice = (unsigned __int128)value << 1;

	return value < 0 ? ~twice : twice;
}

static __int128 unfold_sign(unsigned __int128 folded)
{
	__int128 half = (__int128)(folded >> 1);

	return folded & 1 ? -half - 1 : half;
}

/* --- Prometheus' buckets ------------------------------------------------ */

/* Does the bound go through the bucket, and is not its last value? */
static bool is_cut(const struct histogram *h, size_t bucket, uint64_t bound_nsec)
{
	return h->buckets[bucket] > 0 && histogram_bucket(bound_nsec + 1) == bucket;
}

/* Values in buckets before one, bound by bound. */
struct cumulation {
	size_t bucket; /* all before it are counted */
	uint64_t count;
};

static void cumulate(struct cumulation *c, const struct histogram *h, size_t bucket)
{
	for (; c->bucket < bucket; c->bucket++)
		c->count += h->buckets[c->bucket];
}

static unsigned width_of(uint64_t max)
{
	return 64U - (unsigned)__builtin_clzll(max);
}

/* Answers how many of the bucket's values are within the bound, given those of the export buckets
 * up to it; false when that is impossible. */
static bool find_cut(const struct histogram *h, size_t bucket, uint64_t bound_nsec, uint64_t before,
	uint64_t within, uint64_t *ret)
{
	uint64_t all = h->buckets[bucket];

	if (within < before || within - before > all)
		return false;
	*ret = within - before;
	return is_cut(h, bucket, bound_nsec) || *ret == all;
}

static bool put_cuts(struct bits_writer *w, const struct histogram *h)
{
	struct cumulation c = { 0, 0 };
	uint64_t within = 0;

	for (size_t i = 0; i + 1 < HISTOGRAM_EXPORT_BUCKETS; i++) {
		uint64_t bound = histogram_export_bound_nsec(i);
		size_t bucket = histogram_bucket(bound);
		uint64_t cut;
		within += h->export_buckets[i];
		cumulate(&c, h, bucket);
		if (!find_cut(h, bucket, bound, c.count, within, &cut))
			return false;
		if (is_cut(h, bucket, bound))
			bits_put(w, cut, width_of(h->buckets[bucket]));
	}
	return true;
}

static bool get_cuts(struct bits_reader *r, struct histogram *h)
{
	struct cumulation c = { 0, 0 };
	uint64_t before = 0;

	for (size_t i = 0; i + 1 < HISTOGRAM_EXPORT_BUCKETS; i++) {
		uint64_t bound = histogram_export_bound_nsec(i);
		size_t bucket = histogram_bucket(bound);
		uint64_t cut = h->buckets[bucket];
		cumulate(&c, h, bucket);
		if (is_cut(h, bucket, bound))
			cut = bits_get(r, width_of(cut));
		if (cut > h->buckets[bucket] || c.count + cut < before)
			return false;
		h->export_buckets[i] = c.count + cut - before;
		before = c.count + cut;
	}
	if (before > h->count)
		return false;
	h->export_buckets[HISTOGRAM_EXPORT_BUCKETS - 1] = h->count - before;
	return true;
}

/* --- All of it ---------------------------------------------------------- */

static bool put_sums(struct bits_writer *w, const struct histogram *h, size_t first, size_t last)
{
	struct sums middle = middle_sums(h, first, last);
	__int128 difference = (__int128)h->sum_nsec - middle.sum;

	if (fold_sign(difference) >> DIFFERENCE_BITS > 0)
		return false;
	__int128 squares =
		(__int128)h->sum_squares_nsec2 - expected_squares(&middle, difference, h->count);
	bits_put_number(w, fold_sign(difference));
	bits_put_number(w, fold_sign(squares));
	return true;
}

int code_bins(const struct histogram *h, struct buf *b)
{
	struct bits_writer w = { .buf = b };
	size_t before = b->len;

	if (h->count == 0 || h->count > COUNT_MAX || h->max_nsec >= VALUE_MAX ||
		histogram_check(h, NULL) < 0)
		return -ERANGE;
	size_t first = histogram_bucket(h->min_nsec);
	size_t last = histogram_bucket(h->max_nsec);
	bits_put_number(&w, h->count);
	put_value(&w, h->min_nsec);
	put_value(&w, h->max_nsec);
	put_buckets(&w, h->buckets, first, last);
	bool is_told = put_sums(&w, h, first, last) && put_cuts(&w, h);
	bits_end(&w);
	if (b->error < 0)
		return b->error;
	if (!is_told)
		b->len = before;
	return is_told ? 0 : -ERANGE;
}

/* The sums have no bound of their own here: what is impossible is refused by the check of all. */
static bool get_sums(struct bits_reader *r, struct histogram *h, size_t first, size_t last)
{
	struct sums middle = middle_sums(h, first, last);
	unsigned __int128 difference = bits_get_number(r);
	unsigned __int128 squares = bits_get_number(r);

	if (difference >> DIFFERENCE_BITS > 0 || squares >> SQUARES_BITS > 0)
		return false;
	__int128 sum = middle.sum + unfold_sign(difference);
	__int128 total =
		unfold_sign(squares) + expected_squares(&middle, unfold_sign(difference), h->count);
	if (sum < 0 || sum > (__int128)UINT64_MAX || total < 0)
		return false;
	h->sum_nsec = (uint64_t)sum;
	h->sum_squares_nsec2 = (unsigned __int128)total;
	return true;
}

static bool get_all(struct bits_reader *r, struct histogram *h)
{
	unsigned __int128 count = bits_get_number(r);

	if (count == 0 || count > COUNT_MAX || !get_value(r, &h->min_nsec) ||
		!get_value(r, &h->max_nsec) || h->max_nsec < h->min_nsec)
		return false;
	h->count = (uint64_t)count;
	size_t first = histogram_bucket(h->min_nsec);
	size_t last = histogram_bucket(h->max_nsec);
	return get_buckets(r, h->buckets, h->count, first, last) && get_sums(r, h, first, last) &&
		get_cuts(r, h) && bits_is_at_end(r);
}

int code_read_bins(const uint8_t *data, size_t len, struct histogram *ret, struct error *reterr)
{
	struct bits_reader reader = { .data = data, .len = len };
	int r;

	memset(ret, 0, sizeof(*ret));
	if (get_all(&reader, ret))
		r = histogram_check_all_but_buckets(ret, reterr);
	else
		r = error_set(reterr, -EBADMSG, "histogram cannot be decoded");
	if (r < 0)
		memset(ret, 0, sizeof(*ret));
	return r;
}
