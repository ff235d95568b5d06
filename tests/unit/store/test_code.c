/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and histograms go into a column and come back; damage is noticed. */
#include "store/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/compress.h"
#include "base/error.h"
#include "fixture.h"
#include "test.h"

static void each_preset_comes_back_but_for_the_size_of_its_file(void **state)
{
	const struct workload_preset *preset;
	(void)state;

	for (size_t i = 0; (preset = workload_preset_at(i)); i++) {
		struct workload w = preset->workload;
		struct workload back = { .queue_depth = 99 };
		struct buf b = BUF_INIT(4096);
		struct buf again = BUF_INIT(4096);

		w.file_size_bytes = 12345678;
		assert_int_equal(code_workload(&w, &b), 0);
		assert_int_equal(code_read_workload(b.data, b.len, &back, NULL), 0);
		assert_string_equal(back.preset, preset->name);
		assert_int_equal(back.file_size_bytes, 0);
		assert_int_equal(code_workload(&back, &again), 0);
		assert_string_equal(buf_text(&b), buf_text(&again));
		buf_done(&b);
		buf_done(&again);
	}
}

static void every_option_comes_back(void **state)
{
	struct workload w = workload_preset_default()->workload;
	struct workload back;
	struct buf b = BUF_INIT(4096);
	(void)state;

	assert_int_equal(workload_set(&w, "block_size", "1M", NULL), 0);
	assert_int_equal(workload_set(&w, "write", "37", NULL), 0);
	assert_int_equal(workload_set(&w, "pattern", "mixed:42", NULL), 0);
	assert_int_equal(workload_set(&w, "queue_depth", "7", NULL), 0);
	assert_int_equal(workload_set(&w, "cache", "buffered", NULL), 0);
	assert_int_equal(workload_set(&w, "duration", "90s", NULL), 0);
	assert_int_equal(workload_set(&w, "warmup", "3s", NULL), 0);
	assert_int_equal(workload_set(&w, "max_bytes", "3G", NULL), 0);
	assert_int_equal(workload_set(&w, "max_ios", "777", NULL), 0);
	assert_int_equal(workload_set(&w, "seed", "4711", NULL), 0);
	assert_int_equal(workload_set(&w, "content", "compressible:30", NULL), 0);
	assert_int_equal(workload_set(&w, "timeout", "200s", NULL), 0);
	assert_int_equal(code_workload(&w, &b), 0);
	assert_int_equal(code_read_workload(b.data, b.len, &back, NULL), 0);
	assert_int_equal(back.block_size_bytes, 1 << 20);
	assert_int_equal(back.write_percent, 37);
	assert_int_equal(back.pattern, WORKLOAD_MIXED);
	assert_int_equal(back.random_percent, 42);
	assert_int_equal(back.queue_depth, 7);
	assert_int_equal(back.cache, WORKLOAD_BUFFERED);
	assert_int_equal(back.duration_usec, 90000000);
	assert_int_equal(back.warmup_ios, 0);
	assert_int_equal(back.warmup_usec, 3000000);
	assert_int_equal(back.max_bytes, UINT64_C(3) << 30);
	assert_int_equal(back.max_ios, 777);
	assert_true(back.has_seed);
	assert_int_equal(back.seed, 4711);
	assert_int_equal(back.content, WORKLOAD_CONTENT_COMPRESSIBLE);
	assert_int_equal(back.compressible_percent, 30);
	assert_int_equal(back.timeout_usec, 200000000);
	buf_done(&b);
}

static void damaged_workloads_are_refused(void **state)
{
	static const char *const damaged[] = { "", "{", "[]x", "{\"block_size\":\"7\"}",
		"{\"preset\":\"no-such\"}", "{\"queue_depth\":\"0\"}",
		"{\"write\":\"1\",\"write\":\"2\"}" };
	struct workload w;
	(void)state;

	for (size_t i = 0; i < sizeof(damaged) / sizeof(damaged[0]); i++) {
		struct error error = { "" };
		assert_int_equal(
			code_read_workload(damaged[i], strlen(damaged[i]), &w, &error), -EUCLEAN);
		assert_non_null(strstr(error.text, "workload: "));
	}
}

static struct histogram *histogram_of(size_t buckets, size_t each)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	for (size_t i = 0; i < buckets; i++)
		for (size_t j = 0; j < each; j++)
			histogram_add(h, histogram_bucket_nsec(700 + i * 3 + (i * i + j) % 3));
	return h;
}

static void histograms_of_any_size_come_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 2, 50, 500 };
	(void)state;

	for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct histogram *h = histogram_of(sizes[i], 3);
		struct histogram *back = histogram_of(1, 1);
		struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);

		assert_int_equal(code_histogram(h, &b), 0);
		assert_int_equal(code_read_histogram(b.data, b.len, back, NULL), 0);
		assert_memory_equal(h, back, sizeof(*h));
		buf_done(&b);
		free(h);
		free(back);
	}
}

/* Latencies as real ones: bell-shaped in their logarithm, some far out. */
static struct histogram *histogram_like(struct fixture *f, unsigned ios, uint64_t latency_nsec)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	for (unsigned i = 0; i < ios; i++) {
		uint64_t latency = latency_nsec;
		for (int j = 0; j < 8; j++)
			latency = latency * (80 + fixture_random(f) % 51) / 100;
		if (fixture_random(f) % 50 == 0)
			latency *= 2 + fixture_random(f) % 30;
		histogram_add(h, latency);
	}
	return h;
}

static void assert_comes_back(const struct histogram *h, size_t *ret_len, unsigned encoding)
{
	struct histogram *back = histogram_of(1, 1);
	struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct error error = { "" };

	assert_int_equal(code_histogram(h, &b), 0);
	assert_int_equal(b.data[0], encoding);
	if (code_read_histogram(b.data, b.len, back, &error) < 0)
		fail_msg("%s", error.text);
	assert_memory_equal(h, back, sizeof(*h));
	*ret_len = b.len;
	buf_done(&b);
	free(back);
}

static void real_histograms_come_back_in_few_bytes(void **state)
{
	static const struct {
		const char *name;
		unsigned ios;
		uint64_t latency_nsec;
		size_t max_bytes;
	} cases[] = {
		{ "one I/O", 1, 5000000, 24 },
		{ "nanoseconds", 3000, 40, 130 },
		{ "active-full", 120, 8000000, 70 },
		{ "active-full on a slow disk", 64, UINT64_C(400000000), 64 },
		{ "random-4k, reads", 2867, 2000000, 240 },
		{ "random-4k, writes", 1229, 5000000, 190 },
		{ "an hour of it", 34400, 2000000, 420 },
		{ "a day of it", 825000, 2000000, 800 },
		{ "half a minute", 100, UINT64_C(20000000000), 90 },
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct histogram *h = histogram_like(*state, cases[i].ios, cases[i].latency_nsec);
		size_t len;
		assert_comes_back(h, &len, 2);
		print_message("# %s: %zu bytes\n", cases[i].name, len);
		assert_in_range(len, 1, cases[i].max_bytes);
		free(h);
	}
}

/* Values at the bounds of Prometheus' buckets and of ours, where rounding would show. */
static void what_lies_at_a_bound_stays_on_its_side(void **state)
{
	struct histogram *h = calloc(1, sizeof(*h));
	size_t len;
	(void)state;

	assert_non_null(h);
	for (size_t i = 0; i + 1 < HISTOGRAM_EXPORT_BUCKETS; i++)
		for (uint64_t j = 0; j < 3 + i % 3; j++)
			histogram_add(h, histogram_export_bound_nsec(i) + j - 1);
	for (size_t i = 0; i < HISTOGRAM_BUCKETS - 100; i += 7)
		histogram_add(h, histogram_bucket_nsec(i));
	assert_comes_back(h, &len, 2);
	free(h);
}

static void what_the_bits_cannot_tell_is_deflated_or_plain(void **state)
{
	struct histogram *empty = calloc(1, sizeof(*empty));
	struct histogram *late = histogram_of(500, 3);
	struct histogram *huge = histogram_of(1, 1);
	size_t len;
	(void)state;

	assert_comes_back(empty, &len, 0);
	histogram_add(late, UINT64_C(1) << 41); /* past the last bucket */
	assert_comes_back(late, &len, 1);
	/* More values than a day of probing has. */
	uint64_t value = huge->min_nsec;
	huge->count = UINT64_C(1) << 41;
	huge->sum_nsec = huge->count * value;
	huge->sum_squares_nsec2 = (unsigned __int128)huge->sum_nsec * value;
	huge->buckets[histogram_bucket(value)] = huge->count;
	huge->export_buckets[histogram_export_bucket(value)] = huge->count;
	assert_comes_back(huge, &len, 1);
	free(empty);
	free(late);
	free(huge);
}

static void histograms_of_the_first_version_are_read(void **state)
{
	struct histogram *h = histogram_like(*state, 500, 3000000);
	struct histogram *back = histogram_of(1, 1);
	struct buf plain = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct buf deflated = BUF_INIT(HISTOGRAM_ENCODED_MAX);

	buf_add_u8(&plain, 0);
	buf_add_u8(&deflated, 1);
	histogram_encode(h, &plain);
	assert_int_equal(compress_zlib(plain.data + 1, plain.len - 1, 9, &deflated), 0);
	assert_int_equal(code_read_histogram(plain.data, plain.len, back, NULL), 0);
	assert_memory_equal(h, back, sizeof(*h));
	memset(back, 0, sizeof(*back));
	assert_int_equal(code_read_histogram(deflated.data, deflated.len, back, NULL), 0);
	assert_memory_equal(h, back, sizeof(*h));
	buf_done(&plain);
	buf_done(&deflated);
	free(h);
	free(back);
}

/* Every length cut is refused. A byte changed is refused, or makes a histogram that passed all
 * checks and is itself one that can be kept. */
static void damaged_histograms_are_refused_or_consistent(void **state)
{
	struct histogram *h = histogram_like(*state, 120, 3000000);
	struct histogram *back = histogram_of(1, 1);
	struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct error error = { "" };
	size_t refused = 0;
	size_t len;

	assert_int_equal(code_histogram(h, &b), 0);
	for (len = 0; len < b.len; len++) {
		char *cut = malloc(len + 1);
		memcpy(cut, b.data, len);
		assert_int_equal(code_read_histogram(cut, len, back, &error), -EUCLEAN);
		assert_non_null(strstr(error.text, "histogram: "));
		free(cut);
	}
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] = (char)(b.data[i] ^ 0x5a);
		int r = code_read_histogram(b.data, b.len, back, &error);
		if (r == 0)
			assert_comes_back(back, &len, 2);
		else
			assert_int_equal(r, -EUCLEAN);
		refused += r < 0;
		b.data[i] = (char)(b.data[i] ^ 0x5a);
	}
	assert_in_range(refused, b.len / 2, b.len);
	buf_done(&b);
	free(h);
	free(back);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_preset_comes_back_but_for_the_size_of_its_file),
		cmocka_unit_test(every_option_comes_back),
		cmocka_unit_test(damaged_workloads_are_refused),
		cmocka_unit_test(histograms_of_any_size_come_back),
		TEST(real_histograms_come_back_in_few_bytes),
		cmocka_unit_test(what_lies_at_a_bound_stays_on_its_side),
		cmocka_unit_test(what_the_bits_cannot_tell_is_deflated_or_plain),
		TEST(histograms_of_the_first_version_are_read),
		TEST(damaged_histograms_are_refused_or_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
