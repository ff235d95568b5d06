/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes per day: how the bucket fills, what a run may cost, when a plan is too large. */
#include "test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "model/budget.h"
#include "model/run.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define DAY_SECONDS UINT64_C(86400)
#define NOW_NSEC (UINT64_C(1000) * NSEC_PER_SEC)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static void a_new_budget_holds_a_tenth_of_the_day(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 50 * GIB, NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), 5 * GIB);
	assert_int_equal(budget_most_bytes(50 * GIB), 5 * GIB);
	budget_fill(&b, NOW_NSEC + DAY_SECONDS * NSEC_PER_SEC);
	assert_int_equal(budget_left_bytes(&b), 5 * GIB);
}

static void what_was_taken_flows_in_again_evenly(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 864 * MIB, NOW_NSEC);
	budget_take(&b, 80 * MIB);
	budget_fill(&b, NOW_NSEC + 1000 * NSEC_PER_SEC);
	assert_int_equal(budget_left_bytes(&b), 864 * MIB / 10 - 80 * MIB + 10 * MIB);
	budget_fill(&b, NOW_NSEC + 100 * NSEC_PER_SEC); /* a clock that goes back gives nothing */
	assert_int_equal(budget_left_bytes(&b), 864 * MIB / 10 - 80 * MIB + 10 * MIB);
}

static void asking_often_neither_gains_nor_loses_a_byte(void **state)
{
	struct budget often;
	struct budget once;
	uint64_t now = NOW_NSEC;

	(void)state;
	budget_init(&often, 100000007, NOW_NSEC);
	budget_take(&often, 10000000);
	once = often;
	for (size_t i = 0; i < 1000000; i++) {
		now += 7777777;
		budget_fill(&often, now);
	}
	budget_fill(&once, now);
	assert_in_range(budget_left_bytes(&once), 8000000, 9999999); /* not full yet */
	assert_in_range(
		budget_left_bytes(&often), budget_left_bytes(&once) - 1, budget_left_bytes(&once));
}

/* Greedy for a simulated week: each byte is taken as soon as it is available. */
static void no_day_spends_more_than_its_budget_and_a_tenth(void **state)
{
	const uint64_t run_bytes = 64 * MIB;
	uint64_t spent[7] = { 0 };
	struct budget b;

	(void)state;
	budget_init(&b, 10 * GIB, 0);
	for (uint64_t second = 0; second < COUNT(spent) * DAY_SECONDS; second++) {
		budget_fill(&b, second * NSEC_PER_SEC);
		if (budget_left_bytes(&b) < run_bytes)
			continue;
		budget_take(&b, run_bytes);
		spent[second / DAY_SECONDS] += run_bytes;
	}
	assert_in_range(spent[0], 10 * GIB, 11 * GIB);
	for (size_t i = 1; i < COUNT(spent); i++)
		assert_in_range(spent[i], 10 * GIB - run_bytes, 10 * GIB + run_bytes);
}

static void what_was_reserved_and_not_written_comes_back(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 10 * GIB, NOW_NSEC);
	budget_take(&b, 192 * MIB);
	budget_settle(&b, 192 * MIB, 64 * MIB);
	assert_int_equal(budget_left_bytes(&b), GIB - 64 * MIB);
	/* Bytes beyond the reservation are a debt that is repaid over time. */
	budget_settle(&b, 0, GIB);
	assert_int_equal(budget_left_bytes(&b), 0);
	assert_int_equal(b.level_bytes, -(int64_t)(64 * MIB));
	budget_fill(&b, NOW_NSEC + DAY_SECONDS * NSEC_PER_SEC / 10);
	assert_int_equal(budget_left_bytes(&b), GIB - 64 * MIB);
	/* An absurd number does not overflow anything. */
	budget_settle(&b, UINT64_MAX, UINT64_MAX);
	assert_int_equal(b.level_bytes, -(int64_t)GIB);
	budget_settle(&b, 0, INT64_MAX);
	budget_settle(&b, 0, INT64_MAX);
	assert_int_equal(b.level_bytes, -(int64_t)GIB);
}

static void a_restart_gives_only_what_the_time_between_does(void **state)
{
	static const struct {
		int64_t level;
		int64_t age_seconds;
		int64_t expected;
	} cases[] = {
		{ 0, 0, 0 },
		{ 0, 8640, 1 << 30 }, /* a tenth of a day */
		{ 0, 4320, 1 << 29 },
		{ 1 << 29, 86400 * 365, 1 << 30 },
		{ -(1 << 30), 8640, 0 },
		{ 1 << 20, -5, 1 << 20 }, /* the clock went back */
		{ INT64_MAX, 0, 1 << 30 }, /* the budget was larger */
		{ 7, INT64_MAX / 1000000, 1 << 30 },
	};
	struct budget b;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		budget_restore(&b, 10 * GIB, cases[i].level,
			cases[i].age_seconds * (int64_t)USEC_PER_SEC, NOW_NSEC);
		if (b.level_bytes != cases[i].expected)
			fail_msg("case %zu: %jd", i, (intmax_t)b.level_bytes);
		assert_int_equal(b.filled_nsec, NOW_NSEC);
	}
}

static void another_size_of_day_gives_nothing_at_once(void **state)
{
	struct budget b;

	(void)state;
	budget_init(&b, 10 * GIB, NOW_NSEC);
	budget_take(&b, GIB / 2);
	budget_set_day(&b, 20 * GIB, NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), GIB / 2);
	budget_set_day(&b, GIB, NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), GIB / 10);
	budget_set_day(&b, 0, NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), UINT64_MAX);
	budget_take(&b, UINT64_MAX);
	budget_fill(&b, 2 * NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), UINT64_MAX);
	budget_set_day(&b, 10 * GIB, 2 * NOW_NSEC);
	assert_int_equal(budget_left_bytes(&b), GIB);
}

static void a_run_costs_its_bound_and_its_share_of_writes(void **state)
{
	static const struct {
		struct workload workload;
		uint64_t bytes;
		uint64_t written;
	} cases[] = {
		{ { .block_size_bytes = 4096, .write_percent = 100 }, UINT64_MAX, UINT64_MAX },
		{ { .block_size_bytes = 4096 }, UINT64_MAX, 0 },
		{ { .block_size_bytes = 4096, .write_percent = 50, .max_ios = 200 }, 819200,
			409600 },
		{ { .block_size_bytes = 4096,
			  .write_percent = 100,
			  .max_ios = 2,
			  .max_bytes = 9000 },
			8192, 8192 },
		{ { .block_size_bytes = 4096,
			  .write_percent = 100,
			  .max_bytes = 16 * MIB,
			  .file_size_bytes = MIB,
			  .is_fresh = true },
			MIB, MIB },
		{ { .block_size_bytes = 4096,
			  .write_percent = 100,
			  .max_bytes = 16 * MIB,
			  .file_size_bytes = MIB },
			16 * MIB, 16 * MIB },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		assert_int_equal(budget_run_bytes(&cases[i].workload), cases[i].bytes);
		assert_int_equal(budget_run_written_bytes(&cases[i].workload), cases[i].written);
	}
}

static void a_worker_that_never_told_counts_as_having_written_all(void **state)
{
	struct run *run = run_new("r", "p");

	(void)state;
	assert_non_null(run);
	run->has_own = true;
	run->own.written_bytes = 5;
	assert_int_equal(budget_spent_bytes(run, 100), 5);
	run->status = RUN_STUCK;
	assert_int_equal(budget_spent_bytes(run, 100), 100);
	run->status = RUN_TIMEOUT;
	run->has_own = false;
	assert_int_equal(budget_spent_bytes(run, 100), 100);
	run->status = RUN_SKIPPED;
	run->skip = RUN_SKIP_BUDGET;
	assert_int_equal(budget_spent_bytes(run, 100), 0);
	run->skip = RUN_SKIP_NONE; /* a fault of this host, before the worker began or later */
	assert_int_equal(budget_spent_bytes(run, 100), 0);
	run->has_own = true;
	assert_int_equal(budget_spent_bytes(run, 100), 5);
	free(run);
}

static void a_plan_that_is_too_much_makes_intervals_longer(void **state)
{
	static const struct {
		uint64_t interval_bytes;
		uint64_t calendar_bytes;
		uint64_t day_bytes;
		uint64_t expected_seconds;
	} cases[] = {
		{ 20, 1, 50, 300 },
		{ 49, 1, 50, 300 },
		{ 100, 0, 50, 600 },
		{ 100, 0, 0, 300 }, /* no budget */
		{ 100, 10, 50, 750 },
		{ 51, 0, 50, 306 },
		{ 50, 40, 50, 600 }, /* calendars take at most half from them */
		{ 1, 40, 50, 300 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++)
		assert_int_equal(budget_stretch_usec(300 * USEC_PER_SEC, cases[i].interval_bytes,
					 cases[i].calendar_bytes, cases[i].day_bytes),
			cases[i].expected_seconds * USEC_PER_SEC);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_budget_holds_a_tenth_of_the_day),
		cmocka_unit_test(what_was_taken_flows_in_again_evenly),
		cmocka_unit_test(asking_often_neither_gains_nor_loses_a_byte),
		cmocka_unit_test(no_day_spends_more_than_its_budget_and_a_tenth),
		cmocka_unit_test(what_was_reserved_and_not_written_comes_back),
		cmocka_unit_test(a_restart_gives_only_what_the_time_between_does),
		cmocka_unit_test(another_size_of_day_gives_nothing_at_once),
		cmocka_unit_test(a_run_costs_its_bound_and_its_share_of_writes),
		cmocka_unit_test(a_worker_that_never_told_counts_as_having_written_all),
		cmocka_unit_test(a_plan_that_is_too_much_makes_intervals_longer),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
