/* SPDX-License-Identifier: Apache-2.0 */
/* Workloads and histograms go into a column and come back; damage is noticed. */
#include "store/code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
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

static void a_histogram_is_deflated_only_where_that_is_shorter(void **state)
{
	struct histogram *small = histogram_of(1, 1);
	struct histogram *large = histogram_of(500, 3);
	struct buf plain = BUF_INIT(HISTOGRAM_ENCODED_MAX);
	struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);
	(void)state;

	histogram_encode(small, &plain);
	assert_int_equal(code_histogram(small, &b), 0);
	assert_int_equal(b.data[0], 0);
	assert_int_equal(b.len, plain.len + 1);
	buf_clear(&b);
	buf_clear(&plain);
	histogram_encode(large, &plain);
	assert_int_equal(code_histogram(large, &b), 0);
	assert_int_equal(b.data[0], 1);
	assert_true(b.len < plain.len);
	buf_done(&plain);
	buf_done(&b);
	free(small);
	free(large);
}

/* Every length cut, every byte changed: refused, or a histogram that passed all checks; no crash.
 */
static void damaged_histograms_are_refused_or_consistent(void **state)
{
	struct histogram *h = histogram_of(40, 3);
	struct histogram *back = histogram_of(1, 1);
	struct buf b = BUF_INIT(CODE_HISTOGRAM_MAX);
	struct error error = { "" };
	(void)state;

	assert_int_equal(code_histogram(h, &b), 0);
	assert_int_equal(b.data[0], 1);
	for (size_t len = 0; len < b.len; len++) {
		char *cut = malloc(len + 1);
		memcpy(cut, b.data, len);
		assert_int_equal(code_read_histogram(cut, len, back, &error), -EUCLEAN);
		assert_non_null(strstr(error.text, "histogram: "));
		free(cut);
	}
	for (size_t i = 0; i < b.len; i++) {
		b.data[i] = (char)(b.data[i] ^ 0x5a);
		assert_int_equal(code_read_histogram(b.data, b.len, back, &error), -EUCLEAN);
		b.data[i] = (char)(b.data[i] ^ 0x5a);
	}
	buf_done(&b);
	free(h);
	free(back);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_preset_comes_back_but_for_the_size_of_its_file),
		cmocka_unit_test(every_option_comes_back),
		cmocka_unit_test(damaged_workloads_are_refused),
		cmocka_unit_test(histograms_of_any_size_come_back),
		cmocka_unit_test(a_histogram_is_deflated_only_where_that_is_shorter),
		cmocka_unit_test(damaged_histograms_are_refused_or_consistent),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
