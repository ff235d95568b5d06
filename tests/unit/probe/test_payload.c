/* SPDX-License-Identifier: Apache-2.0 */
/* Content of the buffers: fresh, incompressible, and still while its I/O is out. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/compress.h"
#include "probe/payload.h"

#define SEED UINT64_C(0x1234567890abcdef)

static const struct workload writer = {
	.block_size_bytes = 65536,
	.write_percent = 100,
	.threads = 1,
	.content = WORKLOAD_CONTENT_RANDOM,
};

static size_t compressed_size(const void *data, size_t len)
{
	struct buf b = BUF_INIT(1 << 26);

	assert_int_equal(compress_zlib(data, len, 9, &b), 0);
	size_t size = b.len;
	buf_done(&b);
	return size;
}

static int compare_units(const void *a, const void *b)
{
	return memcmp(a, b, PAYLOAD_UNIT_BYTES);
}

/* How many of the units occur more than once. Sorts them. */
static size_t count_repeats(uint8_t *data, size_t len)
{
	size_t units = len / PAYLOAD_UNIT_BYTES;
	size_t repeats = 0;

	qsort(data, units, PAYLOAD_UNIT_BYTES, compare_units);
	for (size_t i = 1; i < units; i++)
		repeats += compare_units(data + (i - 1) * PAYLOAD_UNIT_BYTES,
				   data + i * PAYLOAD_UNIT_BYTES) == 0;
	return repeats;
}

static void content_cannot_be_compressed(void **state)
{
	size_t len = 4 << 20;
	uint8_t *data = malloc(len);

	(void)state;
	assert_non_null(data);
	payload_fill(data, len, SEED, 0);
	assert_true(compressed_size(data, len) >= len);
	free(data);
}

static void no_unit_repeats_within_a_run_or_across_runs(void **state)
{
	size_t len = 4 << 20;
	uint8_t *data = malloc(3 * len);

	(void)state;
	assert_non_null(data);
	payload_fill(data, len, SEED, 0);
	payload_fill(data + len, len, SEED, len / PAYLOAD_UNIT_BYTES);
	payload_fill(data + 2 * len, len, SEED + 1000000, 0);
	assert_int_equal(count_repeats(data, 3 * len), 0);
	free(data);
}

static void same_number_same_content(void **state)
{
	uint8_t a[PAYLOAD_UNIT_BYTES];
	uint8_t b[2 * PAYLOAD_UNIT_BYTES];

	(void)state;
	payload_fill(a, sizeof(a), SEED, 41);
	payload_fill(b, sizeof(b), SEED, 40);
	assert_memory_equal(a, b + PAYLOAD_UNIT_BYTES, sizeof(a));
}

static uint32_t take(struct payload *p, bool is_write)
{
	bool is_made;

	return payload_take(p, is_write, &is_made);
}

/* Writes 64 blocks through two slots, as the loop does, and keeps what was written. */
static uint8_t *write_blocks(struct payload *p, size_t blocks, bool does_work)
{
	uint8_t *all = malloc(blocks * p->block_bytes);

	assert_non_null(all);
	for (size_t i = 0; i < blocks; i++) {
		uint32_t buffer = take(p, true);
		memcpy(all + i * p->block_bytes, payload_data(p, buffer), p->block_bytes);
		payload_give(p, buffer);
		while (does_work && payload_has_work(p))
			payload_work(p);
	}
	return all;
}

static void every_write_is_fresh_whether_there_was_time_or_not(void **state)
{
	(void)state;
	for (int does_work = 0; does_work < 2; does_work++) {
		struct payload p;
		assert_int_equal(payload_init(&p, &writer, 2, SEED), 0);
		uint8_t *all = write_blocks(&p, 64, does_work);
		size_t len = 64 * (size_t)p.block_bytes;
		assert_true(compressed_size(all, len) >= len);
		assert_int_equal(count_repeats(all, len), 0);
		free(all);
		payload_done(&p);
	}
}

static void what_is_out_stays_as_it_is(void **state)
{
	struct payload p;
	uint8_t *copy = malloc(writer.block_size_bytes);

	(void)state;
	assert_int_equal(payload_init(&p, &writer, 2, SEED), 0);
	uint32_t out = take(&p, true);
	assert_non_null(copy);
	memcpy(copy, payload_data(&p, out), writer.block_size_bytes);
	for (int i = 0; i < 20; i++) {
		uint32_t other = take(&p, true);
		assert_int_not_equal(other, out);
		payload_give(&p, other);
		while (payload_has_work(&p))
			payload_work(&p);
	}
	assert_memory_equal(copy, payload_data(&p, out), writer.block_size_bytes);
	free(copy);
	payload_done(&p);
}

static void a_write_after_a_read_holds_nothing_of_what_was_read(void **state)
{
	static const uint8_t zeroes[64];
	struct payload p;
	struct workload w = writer;

	(void)state;
	w.write_percent = 50;
	assert_int_equal(payload_init(&p, &w, 1, SEED), 0);
	for (int i = 0; i < 10; i++) {
		uint32_t buffer = take(&p, false);
		memset(payload_data(&p, buffer), 0, p.block_bytes);
		payload_give(&p, buffer);
		buffer = take(&p, true);
		for (size_t at = 0; at < p.block_bytes; at += sizeof(zeroes))
			assert_memory_not_equal(
				payload_data(&p, buffer) + at, zeroes, sizeof(zeroes));
		payload_give(&p, buffer);
	}
	payload_done(&p);
}

static void a_reader_makes_no_content(void **state)
{
	struct payload p;
	struct workload w = writer;

	(void)state;
	w.write_percent = 0;
	assert_int_equal(payload_init(&p, &w, 3, SEED), 0);
	assert_int_equal(p.count, 3);
	payload_give(&p, take(&p, false));
	assert_false(payload_has_work(&p));
	assert_int_equal(p.units, 0);
	payload_done(&p);
}

static void zero_is_zero_even_after_a_read(void **state)
{
	struct payload p;
	struct workload w = writer;

	(void)state;
	w.write_percent = 50;
	w.content = WORKLOAD_CONTENT_ZERO;
	assert_int_equal(payload_init(&p, &w, 1, SEED), 0);
	for (int i = 0; i < 4; i++) {
		uint32_t buffer = take(&p, false);
		memset(payload_data(&p, buffer), 0xff, p.block_bytes);
		payload_give(&p, buffer);
		buffer = take(&p, true);
		for (size_t at = 0; at < p.block_bytes; at++)
			assert_int_equal(payload_data(&p, buffer)[at], 0);
		payload_give(&p, buffer);
	}
	payload_done(&p);
}

static void compressible_content_shrinks_by_its_share_and_is_unique(void **state)
{
	static const uint8_t percents[] = { 0, 25, 50, 90, 100 };

	(void)state;
	for (size_t i = 0; i < sizeof(percents); i++) {
		struct payload p;
		struct workload w = writer;
		size_t len = 64 * (size_t)w.block_size_bytes;
		w.content = WORKLOAD_CONTENT_COMPRESSIBLE;
		w.compressible_percent = percents[i];
		assert_int_equal(payload_init(&p, &w, 2, SEED), 0);
		uint8_t *all = write_blocks(&p, 64, true);
		size_t size = compressed_size(all, len);
		size_t expected = len / 100 * (100U - percents[i]);
		assert_in_range(size, expected, expected + len / 50);
		assert_int_equal(count_repeats(all, len), 0);
		free(all);
		payload_done(&p);
	}
}

static void blocks_smaller_than_a_unit_are_fresh_too(void **state)
{
	struct payload p;
	struct workload w = writer;
	uint8_t last[512] = { 0 };

	(void)state;
	w.block_size_bytes = 512;
	assert_int_equal(payload_init(&p, &w, 4, SEED), 0);
	for (int i = 0; i < 100; i++) {
		uint32_t buffer = take(&p, true);
		assert_memory_not_equal(payload_data(&p, buffer), last, sizeof(last));
		memcpy(last, payload_data(&p, buffer), sizeof(last));
		payload_give(&p, buffer);
	}
	payload_done(&p);
}

/* Direct I/O wants pages; untouched ones would be one zero page, which NFS sends in small parts. */
static void buffers_are_whole_pages_of_their_own(void **state)
{
	static const uint32_t sizes[] = { 512, 4096, 65536, 524288 };
	size_t page = (size_t)sysconf(_SC_PAGESIZE);

	(void)state;
	for (size_t i = 0; i < 2 * sizeof(sizes) / sizeof(sizes[0]); i++) {
		struct payload p;
		struct workload w = writer;
		w.block_size_bytes = sizes[i / 2];
		w.write_percent = i % 2 ? 100 : 0;
		assert_int_equal(payload_init(&p, &w, 4, SEED), 0);
		for (uint32_t k = 0; k < p.count; k++)
			assert_int_equal((uintptr_t)payload_data(&p, k) % page, 0);
		uint8_t *resident = calloc(1, p.memory_bytes / page + 1);
		assert_non_null(resident);
		assert_int_equal(mincore(p.memory, p.memory_bytes, resident), 0);
		for (size_t k = 0; k < p.memory_bytes / page; k++)
			assert_true(resident[k] & 1);
		free(resident);
		payload_done(&p);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(content_cannot_be_compressed),
		cmocka_unit_test(no_unit_repeats_within_a_run_or_across_runs),
		cmocka_unit_test(same_number_same_content),
		cmocka_unit_test(every_write_is_fresh_whether_there_was_time_or_not),
		cmocka_unit_test(what_is_out_stays_as_it_is),
		cmocka_unit_test(a_write_after_a_read_holds_nothing_of_what_was_read),
		cmocka_unit_test(a_reader_makes_no_content),
		cmocka_unit_test(zero_is_zero_even_after_a_read),
		cmocka_unit_test(compressible_content_shrinks_by_its_share_and_is_unique),
		cmocka_unit_test(blocks_smaller_than_a_unit_are_fresh_too),
		cmocka_unit_test(buffers_are_whole_pages_of_their_own),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
