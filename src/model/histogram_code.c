/* SPDX-License-Identifier: Apache-2.0 */
/* A histogram as bytes, for the wire and the database: a version byte, then varints
 *   count [sum  squares-low  squares-high  min  max-min  buckets  export-buckets]
 * with all in brackets left out while count is 0. A bucket list is the number of buckets in use,
 * then for each the empty ones skipped before it and its own count. */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/histogram.h"

#define CODE_VERSION 1

static void encode_buckets(const uint64_t *buckets, size_t count, struct buf *b)
{
	size_t used = 0;
	for (size_t i = 0; i < count; i++)
		used += buckets[i] != 0;
	buf_add_varint(b, used);

	size_t skipped = 0;
	for (size_t i = 0; i < count; i++) {
		if (buckets[i] == 0) {
			skipped++;
			continue;
		}
		buf_add_varint(b, skipped);
		buf_add_varint(b, buckets[i]);
		skipped = 0;
	}
}

void histogram_encode(const struct histogram *h, struct buf *b)
{
	buf_add_u8(b, CODE_VERSION);
	buf_add_varint(b, h->count);
	if (h->count == 0)
		return;
	buf_add_varint(b, h->sum_nsec);
	buf_add_varint(b, (uint64_t)h->sum_squares_nsec2);
	buf_add_varint(b, (uint64_t)(h->sum_squares_nsec2 >> 64));
	buf_add_varint(b, h->min_nsec);
	buf_add_varint(b, h->max_nsec - h->min_nsec);
	encode_buckets(h->buckets, HISTOGRAM_BUCKETS, b);
	encode_buckets(h->export_buckets, HISTOGRAM_EXPORT_BUCKETS, b);
}

/* Reads one list into zeroed buckets. */
static bool decode_buckets(struct buf_reader *r, uint64_t *buckets, size_t count)
{
	uint64_t used = buf_read_varint(r);
	size_t next = 0;

	if (used == 0 || used > count)
		return false;
	for (uint64_t i = 0; i < used; i++) {
		uint64_t skipped = buf_read_varint(r);
		uint64_t value = buf_read_varint(r);
		if (r->error < 0 || skipped >= count - next || value == 0)
			return false;
		next += (size_t)skipped;
		buckets[next++] = value;
		if (next == count && i + 1 < used)
			return false;
	}
	return true;
}

/* Whether they add up to `total`, begin at bucket `first` and end at bucket `last`. */
static bool are_buckets_possible(
	const uint64_t *buckets, size_t count, uint64_t total, size_t first, size_t last)
{
	uint64_t left = total;

	for (size_t i = 0; i < count; i++) {
		bool is_outside = i < first || i > last;
		if (buckets[i] > (is_outside ? 0 : left))
			return false;
		left -= buckets[i];
	}
	return left == 0 && buckets[first] > 0 && buckets[last] > 0;
}

/* True for every set of latencies: N·min ≤ Σx ≤ N·max, min·Σx ≤ Σx² ≤ max·Σx, (Σx)² ≤ N·Σx². */
static bool are_sums_possible(const struct histogram *h)
{
	unsigned __int128 count = h->count;
	unsigned __int128 sum = h->sum_nsec;

	return sum >= count * h->min_nsec && sum <= count * h->max_nsec &&
		h->sum_squares_nsec2 >= sum * h->min_nsec &&
		h->sum_squares_nsec2 <= sum * h->max_nsec &&
		h->sum_squares_nsec2 >= sum * sum / count;
}

int histogram_check_all_but_buckets(const struct histogram *h, struct error *reterr)
{
	if (h->count == 0)
		return 0;
	if (h->min_nsec > h->max_nsec || !are_sums_possible(h))
		return error_set(reterr, -EBADMSG, "histogram sums contradict its extremes");
	if (!are_buckets_possible(h->export_buckets, HISTOGRAM_EXPORT_BUCKETS, h->count,
		    histogram_export_bucket(h->min_nsec), histogram_export_bucket(h->max_nsec)))
		return error_set(reterr, -EBADMSG, "histogram export buckets contradict its count");
	return 0;
}

int histogram_check(const struct histogram *h, struct error *reterr)
{
	if (h->count > 0 && h->min_nsec <= h->max_nsec &&
		!are_buckets_possible(h->buckets, HISTOGRAM_BUCKETS, h->count,
			histogram_bucket(h->min_nsec), histogram_bucket(h->max_nsec)))
		return error_set(reterr, -EBADMSG, "histogram buckets contradict its count");
	return histogram_check_all_but_buckets(h, reterr);
}

static int decode_content(struct buf_reader *r, struct histogram *h, struct error *reterr)
{
	h->sum_nsec = buf_read_varint(r);
	h->sum_squares_nsec2 = buf_read_varint(r);
	h->sum_squares_nsec2 |= (unsigned __int128)buf_read_varint(r) << 64;
	h->min_nsec = buf_read_varint(r);
	uint64_t spread = buf_read_varint(r);
	if (r->error < 0)
		return error_set(reterr, -EBADMSG, "histogram is cut short");
	if (spread > UINT64_MAX - h->min_nsec)
		return error_set(reterr, -EBADMSG, "histogram maximum does not fit");
	h->max_nsec = h->min_nsec + spread;
	if (!decode_buckets(r, h->buckets, HISTOGRAM_BUCKETS) ||
		!decode_buckets(r, h->export_buckets, HISTOGRAM_EXPORT_BUCKETS))
		return error_set(reterr, -EBADMSG, "histogram buckets are cut short");
	return histogram_check(h, reterr);
}

int histogram_decode(const uint8_t *data, size_t len, struct histogram *ret, struct error *reterr)
{
	struct buf_reader reader = BUF_READER(data, len);
	uint8_t version = buf_read_u8(&reader);
	uint64_t count = buf_read_varint(&reader);
	int r = 0;

	if (reader.error < 0)
		return error_set(reterr, -EBADMSG, "histogram is cut short");
	if (version != CODE_VERSION)
		return error_set(reterr, -EBADMSG, "histogram has unknown version %u", version);
	/* Too big for a stack, and *ret must stay as it is on failure. */
	struct histogram *h = calloc(1, sizeof(*h));
	if (!h)
		return -ENOMEM;
	h->count = count;
	if (count > 0)
		r = decode_content(&reader, h, reterr);
	if (r == 0 && reader.pos != reader.len)
		r = error_set(reterr, -EBADMSG, "histogram is followed by other bytes");
	if (r == 0)
		*ret = *h;
	free(h);
	return r;
}
