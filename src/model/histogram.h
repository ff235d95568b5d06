/* SPDX-License-Identifier: Apache-2.0 */
/* Latency histogram in nanoseconds: fio's layout (stat.h: 6 bits, 64 sub-buckets per power of two,
 * one bucket per nanosecond below 128) extended from 29 to 35 groups, so that it covers 1 ns to
 * 2^40 ns (18 minutes); error below 1/128. Sum and sum of squares are kept separately, so averages
 * are exact. Prometheus' buckets are counted at record time in a second small array. */
#ifndef REPOPROBE_MODEL_HISTOGRAM_H
#define REPOPROBE_MODEL_HISTOGRAM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct buf;
struct error;

#define HISTOGRAM_BITS 6
#define HISTOGRAM_SUBBUCKETS 64 /* 1 << HISTOGRAM_BITS */
#define HISTOGRAM_GROUPS 35
#define HISTOGRAM_BUCKETS 2240 /* groups × sub-buckets */

/* 1-1.5-2-3-5-7 per decade from 10 us to 100 s (43), then +Inf: ecosystem 1.3. Never changes. */
#define HISTOGRAM_EXPORT_BUCKETS 44

struct histogram {
	uint64_t count;
	uint64_t sum_nsec;
	unsigned __int128 sum_squares_nsec2;
	uint64_t min_nsec; /* 0 while count is 0 */
	uint64_t max_nsec;
	uint64_t buckets[HISTOGRAM_BUCKETS];
	uint64_t export_buckets[HISTOGRAM_EXPORT_BUCKETS]; /* not cumulative */
};

void histogram_add(struct histogram *h, uint64_t latency_nsec);
void histogram_merge(struct histogram *into, const struct histogram *from);

/* The bucket of a value (values beyond the last bucket are counted in it), and fio's representative
 * value of a bucket: its middle. */
size_t histogram_bucket(uint64_t latency_nsec);
uint64_t histogram_bucket_nsec(size_t bucket);

/* Percentile as defined by diskspd and fio: the smallest bucket whose cumulative count reaches
 * ceil(p × N), p in parts per billion (99.9 % = 999000000); the result is within [min, max]. 0 when
 * empty. */
uint64_t histogram_percentile_nsec(const struct histogram *h, uint64_t parts_per_billion);

/* True when at least ten values are beyond the percentile, which takes 10/(1-p) values; for a
 * percentile of 0 or 100 any number is enough. */
bool histogram_can_tell(const struct histogram *h, uint64_t parts_per_billion);

/* Exact mean, rounded to the nearest nanosecond; population standard deviation. 0 when empty. */
uint64_t histogram_mean_nsec(const struct histogram *h);
uint64_t histogram_stddev_nsec(const struct histogram *h);

/* Upper bound of an export bucket in nanoseconds (UINT64_MAX for the last) and its fixed label text
 * ("1e-05", "0.0001", "1.0", "+Inf"). */
uint64_t histogram_export_bound_nsec(size_t i);
const char *histogram_export_label(size_t i);
/* The first export bucket whose bound a value does not exceed. */
size_t histogram_export_bucket(uint64_t latency_nsec);

/* Checks the fields against each other: counts, order, min, max. -EBADMSG if inconsistent. */
int histogram_check(const struct histogram *h, struct error *reterr);
/* For callers that checked the buckets while decoding them. */
int histogram_check_all_but_buckets(const struct histogram *h, struct error *reterr);

/* Compact encoding of all of the above: a version byte, varints, runs of empty buckets skipped.
 * Decoding ends with histogram_check. */
#define HISTOGRAM_ENCODED_MAX 65536
void histogram_encode(const struct histogram *h, struct buf *b);
int histogram_decode(const uint8_t *data, size_t len, struct histogram *ret, struct error *reterr);

#endif
