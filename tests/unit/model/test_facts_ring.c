/* SPDX-License-Identifier: Apache-2.0 */
/* facts_ring: which samples cover a run, and whose I/O is subtracted. */
#include <stdlib.h>

#include "model/facts.h"
#include "test.h"

#define SECOND UINT64_C(1000000000)
#define MIB UINT64_C(1048576)

static const struct device_info vda = {
	.major = 254,
	.name = "vda",
	.disk = "vda",
	.write_copies = 1,
	.has_all_leaves = true,
	.leaf_count = 1,
	.leaves = { { .major = 254, .name = "vda" } },
};

/* A disk that receives one request of a MiB per second. */
static struct facts_sample sample_at(uint64_t nsec, uint64_t more_bytes)
{
	uint64_t mib = nsec * MIB / SECOND;
	struct facts_sample s = {
		.monotonic_nsec = nsec,
		.has_disk = true,
		.disk = { .writes = 1000 + nsec / SECOND, .write_bytes = mib + more_bytes },
	};

	s.leaves = s.disk;
	return s;
}

static void fill(struct facts_ring *ring, uint64_t from_sec, uint64_t to_sec, uint64_t more_bytes)
{
	for (uint64_t t = from_sec; t <= to_sec; t += 10) {
		struct facts_sample s = sample_at(t * SECOND, more_bytes);
		facts_ring_add(ring, &s);
	}
}

static int make_ring(void **state)
{
	struct facts_ring *ring = calloc(1, sizeof(*ring));

	if (!ring)
		return -1;
	facts_ring_set_device(ring, &vda);
	*state = ring;
	return 0;
}

static int free_ring(void **state)
{
	free(*state);
	return 0;
}

static void add_span(struct facts_ring *ring, uint64_t begin_sec, uint64_t end_sec, uint64_t bytes)
{
	facts_ring_add_span(ring,
		&(struct facts_span){
			.begin_nsec = begin_sec * SECOND,
			.end_nsec = end_sec * SECOND,
			.is_known = true,
			.own = { .bytes = bytes, .ios = bytes / 524288 },
		});
}

static struct facts around(const struct facts_ring *ring, uint64_t begin_sec, uint64_t end_sec)
{
	return facts_ring_around(ring, begin_sec * SECOND, end_sec * SECOND);
}

static void a_run_is_seen_from_before_its_begin_to_after_its_end(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 200, 0);
	struct facts f = around(ring, 163, 168);
	assert_true(f.has_counters);
	assert_int_equal(f.interval_nsec, 40 * SECOND); /* from 130 to 170 */
	assert_int_equal(f.others_bytes_per_sec, MIB);
	assert_int_equal(f.others_ios_per_sec, 1);
}

static void a_run_just_after_the_start_takes_what_there_is(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 110, 0);
	struct facts f = around(ring, 101, 106);
	assert_true(f.has_counters);
	assert_int_equal(f.interval_nsec, 10 * SECOND);
	assert_false(around(ring, 99, 106).has_counters); /* nothing before it */
	assert_true(around(ring, 100, 110).has_counters);
}

static void our_own_run_is_taken_off(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 160, 0);
	fill(ring, 170, 200, 64 * MIB);
	add_span(ring, 163, 168, 64 * MIB);
	struct facts f = around(ring, 163, 168);
	assert_true(f.has_counters);
	assert_int_equal(f.others_bytes_per_sec, MIB);
}

static void the_run_before_is_taken_off_as_far_as_it_reaches_in(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 120, 0);
	fill(ring, 130, 160, 32 * MIB);
	fill(ring, 170, 200, 96 * MIB);
	add_span(ring, 125, 135, 64 * MIB); /* half of it after 130 */
	add_span(ring, 163, 168, 32 * MIB);
	add_span(ring, 90, 130, 64 * MIB); /* ended as the window began */
	add_span(ring, 170, 200, 64 * MIB); /* began as it ended */
	struct facts f = around(ring, 163, 168);
	assert_true(f.has_counters);
	assert_int_equal(f.interval_nsec, 40 * SECOND);
	/* 40 MiB of others + 64 MiB of ours, less 32 + 32 MiB known as ours */
	assert_int_equal(f.others_bytes_per_sec, MIB);
}

static void a_run_that_has_not_told_leaves_nothing_known(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 300, 0);
	facts_ring_add_span(
		ring, &(struct facts_span){ .begin_nsec = 150 * SECOND, .end_nsec = 160 * SECOND });
	assert_false(around(ring, 163, 168).has_counters);
	assert_true(around(ring, 193, 198).has_counters); /* from 160 on */
	assert_true(around(ring, 145, 150).has_counters); /* until 150 */
	assert_false(around(ring, 146, 151).has_counters);
}

static void samples_too_far_off_are_not_taken(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 110, 0);
	fill(ring, 200, 210, 0);
	assert_false(around(ring, 160, 165).has_counters); /* before: 110 */
	assert_false(around(ring, 115, 120).has_counters); /* after: 200 */
	assert_true(around(ring, 201, 206).has_counters);
	assert_false(around(ring, 205, 215).has_counters); /* not sampled yet */
}

static void the_ring_keeps_the_newest_samples(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 2000, 0);
	assert_int_equal(ring->sample_count, 191);
	assert_false(around(ring, 1300, 1990).has_counters);
	struct facts f = around(ring, 1400, 1990);
	assert_true(f.has_counters);
	assert_int_equal(f.interval_nsec, 620 * SECOND); /* from 1370, the oldest kept */
	assert_int_equal(f.others_bytes_per_sec, MIB);
}

static void forgotten_spans_are_doubtful_only_near_them(void **state)
{
	struct facts_ring *ring = *state;

	fill(ring, 100, 500, 0);
	for (uint64_t t = 100; t < 100 + FACTS_SPANS + 1; t++)
		add_span(ring, t, t + 1, 0);
	/* The oldest kept ended at 102, the dropped one at 101. */
	assert_false(around(ring, 130, 135).has_counters);
	assert_true(around(ring, 153, 158).has_counters);
}

static void a_sample_that_is_not_newer_is_dropped(void **state)
{
	struct facts_ring *ring = *state;
	struct facts_sample s = sample_at(120 * SECOND, 0);

	fill(ring, 100, 120, 0);
	facts_ring_add(ring, &s);
	s.monotonic_nsec -= SECOND;
	facts_ring_add(ring, &s);
	assert_int_equal(ring->sample_count, 3);
}

static void another_device_forgets_the_samples(void **state)
{
	struct facts_ring *ring = *state;
	struct device_info other = vda;

	fill(ring, 100, 200, 0);
	facts_ring_set_device(ring, &vda);
	assert_true(around(ring, 163, 168).has_counters);
	other.leaves[0].minor = 1;
	facts_ring_set_device(ring, &other);
	assert_false(around(ring, 163, 168).has_counters);
	fill(ring, 100, 200, 0);
	assert_true(around(ring, 163, 168).has_counters);
	facts_ring_set_device(ring, NULL);
	assert_false(around(ring, 163, 168).has_counters);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, make_ring, free_ring)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_run_is_seen_from_before_its_begin_to_after_its_end),
		TEST(a_run_just_after_the_start_takes_what_there_is),
		TEST(our_own_run_is_taken_off),
		TEST(the_run_before_is_taken_off_as_far_as_it_reaches_in),
		TEST(a_run_that_has_not_told_leaves_nothing_known),
		TEST(samples_too_far_off_are_not_taken),
		TEST(the_ring_keeps_the_newest_samples),
		TEST(forgotten_spans_are_doubtful_only_near_them),
		TEST(a_sample_that_is_not_newer_is_dropped),
		TEST(another_device_forgets_the_samples),
	};
	return cmocka_run_group_tests(tests, NULL, NULL);
}
