/* SPDX-License-Identifier: Apache-2.0 */
/* The sequence of offsets and types. */
#include "test.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "probe/offsets.h"

#define KIB UINT64_C(1024)
#define MIB (KIB * 1024)
#define DRAWS 20000

static const struct workload sequential = {
	.block_size_bytes = 512 * 1024,
	.write_percent = 100,
	.pattern = WORKLOAD_SEQUENTIAL,
};

static void sequential_goes_on_block_by_block_and_wraps(void **state)
{
	struct offsets o;
	bool is_write;
	uint64_t size = 10 * MIB + 4096; /* the last 4096 bytes hold no whole block */

	(void)state;
	offsets_init(&o, &sequential, size, 7, 0);
	uint64_t last = offsets_next(&o, &is_write);
	assert_int_equal(last % (512 * KIB), 0);
	for (int i = 0; i < 100; i++) {
		uint64_t next = offsets_next(&o, &is_write);
		assert_int_equal(next, last + 2 * 512 * KIB > size ? 0 : last + 512 * KIB);
		assert_true(is_write);
		last = next;
	}
}

static void sequential_starts_where_the_seed_says(void **state)
{
	bool seen[20] = { false };
	int starts = 0;
	bool is_write;

	(void)state;
	for (uint64_t seed = 0; seed < 200; seed++) {
		struct offsets o;
		offsets_init(&o, &sequential, 10 * MIB, seed, 0);
		uint64_t block = offsets_next(&o, &is_write) / (512 * KIB);
		assert_true(block < 20);
		starts += !seen[block];
		seen[block] = true;
	}
	assert_true(starts > 15);
}

static void same_seed_same_sequence_other_seed_another(void **state)
{
	const struct workload w = {
		.block_size_bytes = 4096, .write_percent = 30, .pattern = WORKLOAD_RANDOM
	};
	struct offsets a;
	struct offsets b;
	struct offsets c;
	int differing = 0;

	(void)state;
	offsets_init(&a, &w, 64 * MIB, 1, 0);
	offsets_init(&b, &w, 64 * MIB, 1, 0);
	offsets_init(&c, &w, 64 * MIB, 2, 0);
	for (int i = 0; i < 1000; i++) {
		bool write_a;
		bool write_b;
		bool write_c;
		uint64_t offset = offsets_next(&a, &write_a);
		assert_int_equal(offset, offsets_next(&b, &write_b));
		assert_int_equal(write_a, write_b);
		differing += offset != offsets_next(&c, &write_c);
	}
	assert_true(differing > 990);
}

struct random_case {
	uint32_t block;
	uint32_t align; /* 0: the block */
	uint64_t size;
};

static void random_offsets_are_aligned_inside_and_reach_both_ends(void **state)
{
	static const struct random_case cases[] = {
		{ 4096, 0, 64 * 4096 },
		{ 512 * 1024, 4096, 1024 * 1024 },
		{ 512 * 1024, 4096, 512 * 1024 }, /* one place only */
		{ 8192, 512, 100000 }, /* a size that is no multiple of anything */
		{ 12288, 0, 12288 * 7 + 4096 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct random_case *c = &cases[i];
		uint32_t align = c->align > 0 ? c->align : c->block;
		uint64_t last_place = (c->size - c->block) / align * align;
		struct workload w = { .block_size_bytes = c->block,
			.align_bytes = c->align,
			.pattern = WORKLOAD_RANDOM };
		struct offsets o;
		bool is_write;
		bool has_first = false;
		bool has_last = false;
		offsets_init(&o, &w, c->size, 3, 0);
		for (int k = 0; k < DRAWS; k++) {
			uint64_t offset = offsets_next(&o, &is_write);
			assert_int_equal(offset % align, 0);
			assert_true(offset + c->block <= c->size);
			assert_false(is_write);
			has_first |= offset == 0;
			has_last |= offset == last_place;
		}
		assert_true(has_first);
		assert_true(has_last);
	}
}

static void writes_have_their_share_and_do_not_alternate(void **state)
{
	static const uint8_t shares[] = { 0, 1, 30, 50, 67, 99, 100 };

	(void)state;
	for (size_t i = 0; i < sizeof(shares); i++) {
		struct workload w = { .block_size_bytes = 4096,
			.write_percent = shares[i],
			.pattern = WORKLOAD_RANDOM };
		struct offsets o;
		int writes = 0;
		int repeats = 0;
		bool last = false;
		offsets_init(&o, &w, MIB, 11, 0);
		for (int k = 0; k < DRAWS; k++) {
			bool is_write;
			(void)offsets_next(&o, &is_write);
			writes += is_write;
			repeats += is_write == last;
			last = is_write;
		}
		/* five standard deviations of the binomial distribution at 50 % */
		assert_in_range(
			writes + 354, DRAWS / 100 * shares[i], DRAWS / 100 * shares[i] + 2 * 354);
		if (shares[i] == 50)
			assert_in_range(repeats, DRAWS / 2 - 354, DRAWS / 2 + 354);
		if (shares[i] == 0 || shares[i] == 100)
			assert_int_equal(writes, DRAWS / 100 * shares[i]);
	}
}

static void threads_go_through_the_same_blocks_or_draw_their_own(void **state)
{
	struct workload w = sequential;
	struct offsets a;
	struct offsets b;
	bool is_write;
	int same = 0;

	(void)state;
	w.write_percent = 50;
	offsets_init(&a, &w, 10 * MIB, 7, 0);
	offsets_init(&b, &w, 10 * MIB, 7, 3);
	for (int i = 0; i < 100; i++) {
		bool is_write_too;
		assert_int_equal(offsets_next(&a, &is_write), offsets_next(&b, &is_write_too));
		same += is_write == is_write_too;
	}
	assert_in_range(same, 25, 75); /* but each draws its types */
	w.pattern = WORKLOAD_RANDOM;
	offsets_init(&a, &w, 10000 * MIB, 7, 1);
	offsets_init(&b, &w, 10000 * MIB, 7, 2);
	for (int i = 0; i < 100; i++)
		same += offsets_next(&a, &is_write) == offsets_next(&b, &is_write) ? 1000 : 0;
	assert_true(same < 5000);
	offsets_init(&a, &w, 10000 * MIB, 7, 1);
	offsets_init(&b, &w, 10000 * MIB, 7, 1);
	for (int i = 0; i < 100; i++)
		assert_int_equal(offsets_next(&a, &is_write), offsets_next(&b, &is_write));
}

static void a_fresh_file_is_written_from_its_beginning(void **state)
{
	struct workload w = sequential;
	bool is_write;

	(void)state;
	w.is_fresh = true;
	for (uint64_t seed = 0; seed < 50; seed++) {
		struct offsets o;
		offsets_init(&o, &w, 10 * MIB, seed, 0);
		for (uint64_t i = 0; i < 20; i++)
			assert_int_equal(offsets_next(&o, &is_write), i * 512 * KIB);
	}
}

/* Nothing here is narrower than 64 bits, nor loses the upper ones. */
static void offsets_reach_beyond_4_billion_blocks(void **state)
{
	const uint64_t size = (UINT64_C(1) << 62) + 12345; /* 2^50 blocks of 4096 */
	static const enum workload_pattern patterns[] = { WORKLOAD_SEQUENTIAL, WORKLOAD_RANDOM,
		WORKLOAD_MIXED };

	(void)state;
	for (size_t i = 0; i < 3; i++) {
		const struct workload w = {
			.block_size_bytes = 4096, .pattern = patterns[i], .random_percent = 50
		};
		uint64_t above = 0;
		uint64_t bits = 0;
		bool is_write;
		for (uint64_t seed = 0; seed < 100; seed++) {
			struct offsets o;
			offsets_init(&o, &w, size, seed, 0);
			for (int k = 0; k < 10; k++) {
				uint64_t block = offsets_next(&o, &is_write) / 4096;
				assert_true(block < UINT64_C(1) << 50);
				above += block >= UINT64_C(1) << 32;
				bits |= block;
			}
		}
		assert_true(above > 990);
		assert_int_equal(bits, (UINT64_C(1) << 50) - 1);
	}
}

static void a_stream_wraps_at_an_end_beyond_4_billion_blocks(void **state)
{
	const uint64_t blocks = (UINT64_C(1) << 33) + 5;
	struct offsets o;
	const struct workload w = { .block_size_bytes = 4096, .pattern = WORKLOAD_SEQUENTIAL };
	bool is_write;

	(void)state;
	offsets_init(&o, &w, blocks * 4096 + 100, 1, 0);
	o.next_bytes = (blocks - 2) * 4096;
	assert_int_equal(offsets_next(&o, &is_write), (blocks - 2) * 4096);
	assert_int_equal(offsets_next(&o, &is_write), (blocks - 1) * 4096);
	assert_int_equal(offsets_next(&o, &is_write), 0);
	assert_int_equal(offsets_next(&o, &is_write), 4096);
}

static void mixed_runs_go_on_sequentially_and_keep_their_type(void **state)
{
	const struct workload w = { .block_size_bytes = 4096,
		.write_percent = 50,
		.random_percent = 20,
		.pattern = WORKLOAD_MIXED };
	struct offsets o;
	bool last_type;
	int sequential_steps = 0;
	int types_changed_within = 0;

	(void)state;
	offsets_init(&o, &w, 1024 * MIB, 5, 0);
	uint64_t last = offsets_next(&o, &last_type);
	for (int k = 0; k < DRAWS; k++) {
		bool is_write;
		uint64_t offset = offsets_next(&o, &is_write);
		if (offset == last + 4096) {
			sequential_steps++;
			types_changed_within += is_write != last_type;
		}
		last = offset;
		last_type = is_write;
	}
	assert_in_range(sequential_steps, DRAWS * 8 / 10 - 354, DRAWS * 8 / 10 + 354);
	/* a jump that lands on the next block by chance is rarer than once in 200,000 draws */
	assert_true(types_changed_within <= 1);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sequential_goes_on_block_by_block_and_wraps),
		cmocka_unit_test(sequential_starts_where_the_seed_says),
		cmocka_unit_test(same_seed_same_sequence_other_seed_another),
		cmocka_unit_test(random_offsets_are_aligned_inside_and_reach_both_ends),
		cmocka_unit_test(writes_have_their_share_and_do_not_alternate),
		cmocka_unit_test(threads_go_through_the_same_blocks_or_draw_their_own),
		cmocka_unit_test(a_fresh_file_is_written_from_its_beginning),
		cmocka_unit_test(offsets_reach_beyond_4_billion_blocks),
		cmocka_unit_test(a_stream_wraps_at_an_end_beyond_4_billion_blocks),
		cmocka_unit_test(mixed_runs_go_on_sequentially_and_keep_their_type),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
