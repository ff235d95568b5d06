/* SPDX-License-Identifier: Apache-2.0 */
/* The histogram against independent definitions: buckets listed individually, percentiles, means
 * and deviations from the sorted raw values. */
#include "model/histogram.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "test.h"

#define VALUES 5000

/* xorshift64*: the tests are repeatable. */
static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed >> 12;
	*seed ^= *seed << 25;
	*seed ^= *seed >> 27;
	return *seed * UINT64_C(2685821657736338717);
}

/* Log-uniform from 1 ns to 2^bits ns. */
static uint64_t random_latency(uint64_t *seed, unsigned bits)
{
	unsigned shift = (unsigned)(next_random(seed) % bits);

	return (UINT64_C(1) << shift) + (next_random(seed) & ((UINT64_C(1) << shift) - 1));
}

static struct histogram *new_histogram(void)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	return h;
}

/* fio's buckets by definition: one per nanosecond below 128, then 64 per power of two. */
struct bucket {
	uint64_t first;
	uint64_t width;
};

static struct bucket *list_buckets(void)
{
	struct bucket *list = calloc(HISTOGRAM_BUCKETS, sizeof(*list));
	size_t n = 0;

	assert_non_null(list);
	for (uint64_t v = 0; v < 128; v++)
		list[n++] = (struct bucket){ v, 1 };
	for (uint64_t power = 128; n < HISTOGRAM_BUCKETS; power *= 2)
		for (uint64_t i = 0; i < 64; i++)
			list[n++] = (struct bucket){ power + i * (power / 64), power / 64 };
	assert_int_equal(n, HISTOGRAM_BUCKETS);
	return list;
}

static size_t bucket_by_list(const struct bucket *list, uint64_t value)
{
	size_t i = 0;

	while (i + 1 < HISTOGRAM_BUCKETS && list[i + 1].first <= value)
		i++;
	return i;
}

static uint64_t name_by_list(const struct bucket *list, size_t i)
{
	return list[i].first + list[i].width / 2;
}

static void every_bucket_begins_and_ends_where_its_definition_says(void **state)
{
	struct bucket *list = list_buckets();
	(void)state;

	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++) {
		assert_int_equal(histogram_bucket(list[i].first), i);
		assert_int_equal(histogram_bucket(list[i].first + list[i].width - 1), i);
		assert_int_equal(histogram_bucket_nsec(i), name_by_list(list, i));
		assert_int_equal(histogram_bucket(histogram_bucket_nsec(i)), i);
	}
	assert_int_equal(list[HISTOGRAM_BUCKETS - 1].first + list[HISTOGRAM_BUCKETS - 1].width,
		UINT64_C(1) << 40);
	assert_int_equal(histogram_bucket(UINT64_C(1) << 40), HISTOGRAM_BUCKETS - 1);
	assert_int_equal(histogram_bucket(UINT64_MAX), HISTOGRAM_BUCKETS - 1);
	free(list);
}

static void random_values_land_in_the_listed_bucket(void **state)
{
	struct bucket *list = list_buckets();
	uint64_t seed = 7;
	(void)state;

	for (int i = 0; i < 20000; i++) {
		uint64_t value = random_latency(&seed, 44);
		assert_int_equal(histogram_bucket(value), bucket_by_list(list, value));
	}
	free(list);
}

static void buckets_are_named_as_fio_names_them(void **state)
{
	(void)state;
	/* Keys of a real fio 3.33 json+ file, and the last bucket of its 29 groups. */
	assert_int_equal(histogram_bucket_nsec(127), 127);
	assert_int_equal(histogram_bucket_nsec(128), 129);
	assert_int_equal(histogram_bucket_nsec(histogram_bucket(10000)), 10048);
	assert_int_equal(histogram_bucket_nsec(29 * 64 - 1), UINT64_C(17112760320));
}

static int compare(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a;
	uint64_t y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

/* values gets `count` sorted latencies, h the same ones. */
static void fill(struct histogram *h, uint64_t *values, size_t count, uint64_t seed)
{
	for (size_t i = 0; i < count; i++) {
		values[i] = random_latency(&seed, 36);
		histogram_add(h, values[i]);
	}
	qsort(values, count, sizeof(*values), compare);
}

static uint64_t clamped(uint64_t value, uint64_t min, uint64_t max)
{
	if (value < min)
		return min;
	return value > max ? max : value;
}

static void percentiles_are_those_of_the_sorted_values(void **state)
{
	static const size_t counts[] = { 1, 2, 3, 10, 99, 100, 101, 1000, VALUES };
	static const uint64_t parts[] = { 1, 10000000, 250000000, 500000000, 750000000, 900000000,
		950000000, 990000000, 999000000, 999900000, 999999999, 1000000000 };
	uint64_t *values = calloc(VALUES, sizeof(*values));
	struct bucket *list = list_buckets();
	(void)state;

	assert_non_null(values);
	for (size_t c = 0; c < sizeof(counts) / sizeof(counts[0]); c++) {
		struct histogram *h = new_histogram();
		size_t n = counts[c];
		fill(h, values, n, c + 1);
		for (size_t p = 0; p < sizeof(parts) / sizeof(parts[0]); p++) {
			/* ceil(p × N) in integers: N is small here. */
			uint64_t rank = (parts[p] * n + 999999999) / 1000000000;
			uint64_t exact = values[rank - 1];
			uint64_t name = name_by_list(list, bucket_by_list(list, exact));
			uint64_t answer = histogram_percentile_nsec(h, parts[p]);
			/* The largest value is known exactly; the others by their bucket. */
			assert_int_equal(answer,
				rank == n ? exact : clamped(name, values[0], values[n - 1]));
			/* And therefore within 1/128 of the true value. */
			uint64_t error = answer > exact ? answer - exact : exact - answer;
			assert_true(error * 128 <= exact);
		}
		assert_int_equal(histogram_percentile_nsec(h, 0), values[0]);
		assert_int_equal(histogram_percentile_nsec(h, UINT64_MAX),
			histogram_percentile_nsec(h, 1000000000));
		free(h);
	}
	free(list);
	free(values);
}

static void mean_and_deviation_are_exact(void **state)
{
	uint64_t *values = calloc(VALUES, sizeof(*values));
	struct histogram *h = new_histogram();
	long double sum = 0;
	long double squares = 0;
	(void)state;

	assert_non_null(values);
	fill(h, values, VALUES, 99);
	for (size_t i = 0; i < VALUES; i++)
		sum += (long double)values[i];
	for (size_t i = 0; i < VALUES; i++) {
		long double distance = (long double)values[i] - sum / VALUES;
		squares += distance * distance;
	}
	assert_int_equal(histogram_mean_nsec(h), (uint64_t)(sum / VALUES + 0.5L));
	assert_int_equal(histogram_stddev_nsec(h), (uint64_t)(sqrtl(squares / VALUES) + 0.5L));
	assert_int_equal(h->min_nsec, values[0]);
	assert_int_equal(h->max_nsec, values[VALUES - 1]);
	assert_int_equal(h->count, VALUES);
	free(h);
	free(values);
}

static void small_sets_have_the_deviation_one_computes_by_hand(void **state)
{
	struct histogram *h = new_histogram();
	(void)state;

	assert_int_equal(histogram_mean_nsec(h), 0);
	assert_int_equal(histogram_stddev_nsec(h), 0);
	assert_int_equal(histogram_percentile_nsec(h, 500000000), 0);
	histogram_add(h, 2000000);
	assert_int_equal(histogram_mean_nsec(h), 2000000);
	assert_int_equal(histogram_stddev_nsec(h), 0);
	histogram_add(h, 4000000);
	assert_int_equal(histogram_mean_nsec(h), 3000000);
	assert_int_equal(histogram_stddev_nsec(h), 1000000); /* population, not sample */
	free(h);
}

static void merging_is_the_same_as_adding_everything(void **state)
{
	struct histogram *all = new_histogram();
	struct histogram *merged = new_histogram();
	struct histogram *part = new_histogram();
	struct histogram *empty = new_histogram();
	uint64_t seed = 5;
	(void)state;

	for (int i = 0; i < 300; i++) {
		uint64_t value = random_latency(&seed, 36);
		histogram_add(all, value);
		histogram_add(i % 3 == 0 ? part : merged, value);
	}
	histogram_merge(merged, part);
	histogram_merge(merged, empty);
	assert_memory_equal(merged, all, sizeof(*all));
	histogram_merge(empty, all);
	assert_memory_equal(empty, all, sizeof(*all));
	free(empty);
	free(part);
	free(merged);
	free(all);
}

/* The shortest text that parses as the same number, with an exponent below 0.0001 and ".0" after
 * whole numbers: as written by Python and Go's Prometheus library. */
static void shortest(double value, char *text, size_t size)
{
	if (value >= 1) {
		assert_true(snprintf(text, size, "%.1f", value) < (int)size);
		return;
	}
	for (int digits = 1; digits <= 17; digits++) {
		assert_true(snprintf(text, size, "%.*g", digits, value) < (int)size);
		if (strtod(text, NULL) == value)
			return;
	}
}

static void export_labels_are_the_canonical_text_of_their_bounds(void **state)
{
	static const double steps[] = { 1, 1.5, 2, 3, 5, 7 };
	char text[32];
	(void)state;

	for (size_t i = 0; i + 1 < HISTOGRAM_EXPORT_BUCKETS; i++) {
		uint64_t bound = histogram_export_bound_nsec(i);
		size_t decade = i / 6;
		double expected = steps[i % 6] * pow(10, (double)decade + 4);
		assert_int_equal(bound, (uint64_t)(expected + 0.5));
		shortest((double)bound / 1e9, text, sizeof(text));
		assert_string_equal(histogram_export_label(i), text);
	}
	assert_int_equal(
		histogram_export_bound_nsec(HISTOGRAM_EXPORT_BUCKETS - 2), UINT64_C(100000000000));
	assert_int_equal(histogram_export_bound_nsec(HISTOGRAM_EXPORT_BUCKETS - 1), UINT64_MAX);
	assert_string_equal(histogram_export_label(HISTOGRAM_EXPORT_BUCKETS - 1), "+Inf");
}

static void a_value_on_an_export_bound_is_still_below_it(void **state)
{
	(void)state;
	for (size_t i = 0; i + 1 < HISTOGRAM_EXPORT_BUCKETS; i++) {
		struct histogram *h = new_histogram();
		histogram_add(h, histogram_export_bound_nsec(i));
		histogram_add(h, histogram_export_bound_nsec(i) + 1);
		assert_int_equal(h->export_buckets[i], 1);
		assert_int_equal(h->export_buckets[i + 1], 1);
		free(h);
	}
	assert_int_equal(histogram_export_bucket(0), 0);
	assert_int_equal(histogram_export_bucket(UINT64_MAX), HISTOGRAM_EXPORT_BUCKETS - 1);
}

static void expect_round_trip(const struct histogram *h)
{
	struct buf b = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct histogram *back = new_histogram();
	struct error error = { 0 };

	histogram_encode(h, &b);
	assert_int_equal(b.error, 0);
	memset(back, 0xff, sizeof(*back));
	assert_int_equal(histogram_decode((const uint8_t *)b.data, b.len, back, &error), 0);
	assert_string_equal(error.text, "");
	assert_memory_equal(back, h, sizeof(*h));
	free(back);
	buf_done(&b);
}

static void histograms_survive_encoding(void **state)
{
	struct histogram *h = new_histogram();
	uint64_t seed = 3;
	(void)state;

	expect_round_trip(h);
	histogram_add(h, 0);
	expect_round_trip(h);
	for (int i = 0; i < VALUES; i++)
		histogram_add(h, random_latency(&seed, 40));
	expect_round_trip(h);
	histogram_add(h, UINT64_C(1) << 42);
	expect_round_trip(h);
	free(h);
	h = new_histogram();
	histogram_add(h, UINT64_MAX);
	expect_round_trip(h);
	free(h);
}

static void a_run_of_128_ios_is_encoded_in_less_than_400_bytes(void **state)
{
	struct histogram *h = new_histogram();
	struct buf b = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	uint64_t seed = 11;
	(void)state;

	/* A disk's latencies: one power of two around 8 ms. */
	for (int i = 0; i < 128; i++)
		histogram_add(h, 6000000 + next_random(&seed) % 8000000);
	histogram_encode(h, &b);
	assert_int_equal(b.error, 0);
	assert_in_range(b.len, 1, 399);
	buf_done(&b);
	free(h);
}

static void the_fullest_histogram_fits_the_named_maximum(void **state)
{
	struct histogram *h = new_histogram();
	struct buf b = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	(void)state;

	memset(h, 0xff, sizeof(*h));
	h->min_nsec = 0;
	histogram_encode(h, &b);
	assert_int_equal(b.error, 0);
	assert_true(b.len > UINT64_C(10) * HISTOGRAM_BUCKETS);
	buf_done(&b);
	free(h);
}

/* The fields of a valid encoding, so that each can be corrupted. */
struct code {
	uint8_t version;
	uint64_t count, sum, squares_low, squares_high, min, spread;
	uint64_t used, skipped, in_bucket;
	uint64_t export_used, export_skipped, export_in_bucket;
};

/* Three I/Os of exactly 100 ns: bucket 100, export bucket 0. */
static const struct code good_code = { .version = 1,
	.count = 3,
	.sum = 300,
	.squares_low = 30000,
	.min = 100,
	.used = 1,
	.skipped = 100,
	.in_bucket = 3,
	.export_used = 1,
	.export_in_bucket = 3 };

static int decode_code(const struct code *code, struct histogram *h)
{
	struct buf b = BUF_INIT(256);
	struct error error = { 0 };

	buf_add_u8(&b, code->version);
	const uint64_t fields[] = { code->count, code->sum, code->squares_low, code->squares_high,
		code->min, code->spread, code->used, code->skipped, code->in_bucket,
		code->export_used, code->export_skipped, code->export_in_bucket };
	for (size_t i = 0; i < sizeof(fields) / sizeof(fields[0]); i++)
		buf_add_varint(&b, fields[i]);
	assert_int_equal(b.error, 0);
	int r = histogram_decode((const uint8_t *)b.data, b.len, h, &error);
	assert_int_equal(error.text[0] != '\0', r < 0);
	buf_done(&b);
	return r;
}

static void a_field_that_contradicts_another_is_refused(void **state)
{
	struct code bad[] = { good_code, good_code, good_code, good_code, good_code, good_code,
		good_code, good_code, good_code, good_code, good_code, good_code, good_code,
		good_code, good_code, good_code, good_code, good_code };
	struct histogram *h = new_histogram();
	(void)state;

	assert_int_equal(decode_code(&good_code, h), 0);
	assert_int_equal(h->count, 3);
	assert_int_equal(h->buckets[100], 3);
	struct histogram *before = new_histogram();
	*before = *h;
	bad[0].version = 2;
	bad[1].count = 4;
	bad[2].count = 2;
	bad[3].sum = 299;
	bad[4].sum = 301;
	bad[5].squares_low = 29999;
	bad[6].squares_low = 30001;
	bad[7].squares_high = 1;
	bad[8].min = 99;
	bad[9].spread = 1;
	bad[10].spread = UINT64_MAX;
	bad[11].used = 0;
	bad[12].used = 2;
	bad[13].skipped = 99;
	bad[14].skipped = HISTOGRAM_BUCKETS;
	bad[15].in_bucket = UINT64_MAX;
	bad[16].export_skipped = 1;
	bad[17].export_in_bucket = 0;
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(decode_code(&bad[i], h), -EBADMSG);
	assert_memory_equal(h, before, sizeof(*h));
	free(before);
	free(h);
}

static void every_truncation_and_every_extra_byte_is_refused(void **state)
{
	struct histogram *h = new_histogram();
	struct histogram *back = new_histogram();
	struct buf b = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct error error;
	(void)state;

	histogram_add(h, 1000);
	histogram_add(h, 90000);
	histogram_add(h, 5000000);
	histogram_encode(h, &b);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(
			histogram_decode((const uint8_t *)b.data, len, back, &error), -EBADMSG);
	buf_add_u8(&b, 0);
	assert_int_equal(b.error, 0);
	assert_int_equal(histogram_decode((const uint8_t *)b.data, b.len, back, &error), -EBADMSG);
	buf_done(&b);
	free(back);
	free(h);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_bucket_begins_and_ends_where_its_definition_says),
		cmocka_unit_test(random_values_land_in_the_listed_bucket),
		cmocka_unit_test(buckets_are_named_as_fio_names_them),
		cmocka_unit_test(percentiles_are_those_of_the_sorted_values),
		cmocka_unit_test(mean_and_deviation_are_exact),
		cmocka_unit_test(small_sets_have_the_deviation_one_computes_by_hand),
		cmocka_unit_test(merging_is_the_same_as_adding_everything),
		cmocka_unit_test(export_labels_are_the_canonical_text_of_their_bounds),
		cmocka_unit_test(a_value_on_an_export_bound_is_still_below_it),
		cmocka_unit_test(histograms_survive_encoding),
		cmocka_unit_test(a_run_of_128_ios_is_encoded_in_less_than_400_bytes),
		cmocka_unit_test(the_fullest_histogram_fits_the_named_maximum),
		cmocka_unit_test(a_field_that_contradicts_another_is_refused),
		cmocka_unit_test(every_truncation_and_every_extra_byte_is_refused),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
