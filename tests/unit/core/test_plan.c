/* SPDX-License-Identifier: Apache-2.0 */
/* Intervals, confirming runs and clocks that jump: simulated, a second at a time. */
#include "test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/plan.h"
#include "core/present.h"

#define BOOT_NSEC (UINT64_C(200000) * NSEC_PER_SEC)
#define START_USEC INT64_C(1796065200000000)
#define PROBES 3
#define INTERVAL_SECONDS 300
#define HOUR_SECONDS 3600
#define DAY_SECONDS 86400

static char names[PROBES][2] = { "a", "b", "c" };
static struct config_probe probes[PROBES] = {
	{ .name = names[0], .interval_usec = INTERVAL_SECONDS * USEC_PER_SEC },
	{ .name = names[1], .interval_usec = INTERVAL_SECONDS * USEC_PER_SEC },
	{ .name = names[2], .interval_usec = INTERVAL_SECONDS * USEC_PER_SEC },
};
static struct config_repository repository = { .name = names[0],
	.path = names[0],
	.is_splay_auto = true,
	.probe_count = PROBES,
	.probes = probes };
static const struct config config = { .repository_count = 1, .repositories = &repository };

struct world {
	struct present *present;
	uint64_t now_nsec;
	int64_t now_usec;
	unsigned starts;
	unsigned confirmations;
};

static void world_init(struct world *w)
{
	*w = (struct world){ .now_nsec = BOOT_NSEC, .now_usec = START_USEC };
	w->present = present_new(&config, NULL, w->now_nsec, w->now_usec);
	assert_non_null(w->present);
}

static struct present_probe *first(const struct world *w)
{
	return &w->present->repositories[0].probes[0];
}

/* What the dispatcher does, with runs that are over at once. */
static void dispatch(struct world *w)
{
	struct present_repository *of;
	struct present_probe *probe;

	(void)plan_follow_clock(w->present, w->now_nsec, w->now_usec);
	while ((probe = plan_choose(w->present, w->now_nsec, NULL, 0, &of)) != NULL) {
		w->starts++;
		w->confirmations += plan_is_confirmation(probe);
		plan_pass(probe, w->now_nsec, w->now_usec);
	}
}

/* monotonic and realtime pass at their own pace, then it goes on by seconds. */
static void pass(struct world *w, int64_t monotonic_seconds, int64_t realtime_seconds)
{
	w->now_nsec += (uint64_t)(monotonic_seconds * (int64_t)NSEC_PER_SEC);
	w->now_usec += realtime_seconds * (int64_t)USEC_PER_SEC;
	dispatch(w);
}

static unsigned count_starts(struct world *w, unsigned seconds)
{
	unsigned before = w->starts;

	for (unsigned i = 0; i < seconds; i++)
		pass(w, 1, 1);
	return w->starts - before;
}

static void each_probe_runs_once_an_interval(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	dispatch(&w);
	assert_int_equal(w.starts, PROBES);
	(void)count_starts(&w, 2 * INTERVAL_SECONDS);
	assert_int_equal(count_starts(&w, 10 * INTERVAL_SECONDS), 10 * PROBES);
	present_free(w.present);
}

/* Whatever the clocks do, nothing is made up for, and nothing stays away longer than usual. */
static void no_jump_of_a_clock_makes_a_storm_or_a_silence(void **state)
{
	static const struct {
		int64_t monotonic_seconds;
		int64_t realtime_seconds;
	} jumps[] = {
		{ 0, DAY_SECONDS }, /* suspended for a day, or the clock was set */
		{ 0, -DAY_SECONDS },
		{ 0, HOUR_SECONDS },
		{ 0, -HOUR_SECONDS },
		{ 0, 17 },
		{ 0, -17 },
		{ DAY_SECONDS,
			DAY_SECONDS }, /* a clock that counts suspension, or a stopped process */
		{ HOUR_SECONDS, -HOUR_SECONDS },
		{ HOUR_SECONDS, 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(jumps) / sizeof(jumps[0]); i++) {
		struct world w;
		world_init(&w);
		dispatch(&w);
		(void)count_starts(&w, 3 * INTERVAL_SECONDS);
		unsigned before = w.starts;
		pass(&w, jumps[i].monotonic_seconds, jumps[i].realtime_seconds);
		unsigned at_once = w.starts - before;
		unsigned after = count_starts(&w, INTERVAL_SECONDS);
		if (at_once > PROBES || after > 2 * PROBES || at_once + after < PROBES)
			fail_msg("jump %zu: %u at once, %u in the interval after", i, at_once,
				after);
		assert_in_range(count_starts(&w, 10 * INTERVAL_SECONDS), 10 * PROBES - PROBES,
			10 * PROBES + PROBES);
		present_free(w.present);
	}
}

static void the_time_that_is_shown_follows_a_clock_that_is_set(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	dispatch(&w);
	uint64_t due_nsec = first(&w)->due_nsec;
	int64_t due_usec = first(&w)->due_usec;
	pass(&w, 0, -DAY_SECONDS);
	assert_int_equal(first(&w)->due_nsec, due_nsec);
	assert_int_equal(first(&w)->due_usec, due_usec - DAY_SECONDS * (int64_t)USEC_PER_SEC);
	pass(&w, 0, 2 * (int64_t)DAY_SECONDS);
	assert_int_equal(first(&w)->due_nsec, due_nsec);
	assert_int_equal(first(&w)->due_usec, due_usec + DAY_SECONDS * (int64_t)USEC_PER_SEC);
	present_free(w.present);
}

static void a_confirming_run_comes_beside_the_slots_and_moves_none(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	dispatch(&w);
	struct present_probe *probe = first(&w);
	uint64_t due_nsec = probe->due_nsec;
	probe->confirm_nsec = w.now_nsec + 60 * NSEC_PER_SEC;
	assert_int_equal(plan_due_nsec(probe), probe->confirm_nsec);
	assert_int_equal(plan_next_due_nsec(w.present, w.now_nsec), probe->confirm_nsec);
	(void)count_starts(&w, 59);
	assert_int_equal(w.confirmations, 0);
	assert_int_equal(count_starts(&w, 1), 1);
	assert_int_equal(w.confirmations, 1);
	assert_int_equal(probe->confirm_nsec, 0);
	assert_int_equal(probe->due_nsec, due_nsec);
	assert_int_equal(plan_due_nsec(probe), due_nsec);
	/* One that comes after the slot waits for its own time. */
	probe->confirm_nsec = due_nsec + 5 * NSEC_PER_SEC;
	assert_false(plan_is_confirmation(probe));
	while (w.now_nsec < due_nsec)
		pass(&w, 1, 1);
	assert_int_equal(w.confirmations, 1);
	(void)count_starts(&w, 6);
	assert_int_equal(w.confirmations, 2);
	present_free(w.present);
}

static void a_confirming_run_is_forgotten_with_its_probe_alone(void **state)
{
	struct config_repository fewer = repository;
	const struct config next = { .repository_count = 1, .repositories = &fewer };
	struct world w;

	(void)state;
	world_init(&w);
	dispatch(&w);
	for (size_t i = 0; i < PROBES; i++)
		w.present->repositories[0].probes[i].confirm_nsec = w.now_nsec + NSEC_PER_SEC;
	fewer.probe_count = 1;
	struct present *present = present_new(&next, w.present, w.now_nsec, w.now_usec);
	present_free(w.present);
	w.present = present;
	assert_int_equal(count_starts(&w, 1), 1);
	assert_int_equal(w.confirmations, 1);
	present_free(w.present);
}

static void a_start_is_late_after_ten_seconds(void **state)
{
	struct run *run = run_new("a", "a");
	struct world w;

	(void)state;
	assert_non_null(run);
	world_init(&w);
	run->start_delay_usec = PRESENT_LATE_USEC;
	assert_int_equal(present_add_run(&w.present->repositories[0], first(&w), run), 0);
	assert_int_equal(first(&w)->late_starts, 0);
	run->start_delay_usec++;
	assert_int_equal(present_add_run(&w.present->repositories[0], first(&w), run), 0);
	assert_int_equal(first(&w)->late_starts, 1);
	present_free(w.present);
	free(run);
}

static void a_confirming_run_that_waited_too_long_is_given_up(void **state)
{
	struct world w;

	(void)state;
	world_init(&w);
	struct present_probe *probe = &w.present->repositories[0].probes[0];
	probe->confirm_nsec = w.now_nsec;
	plan_drop_late_confirmations(w.present, w.now_nsec + PLAN_CONFIRM_LATE_NSEC);
	assert_int_equal(probe->confirm_nsec, w.now_nsec);
	plan_drop_late_confirmations(w.present, w.now_nsec + PLAN_CONFIRM_LATE_NSEC + 1);
	assert_int_equal(probe->confirm_nsec, 0);
	present_free(w.present);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_probe_runs_once_an_interval),
		cmocka_unit_test(no_jump_of_a_clock_makes_a_storm_or_a_silence),
		cmocka_unit_test(the_time_that_is_shown_follows_a_clock_that_is_set),
		cmocka_unit_test(a_confirming_run_comes_beside_the_slots_and_moves_none),
		cmocka_unit_test(a_confirming_run_that_waited_too_long_is_given_up),
		cmocka_unit_test(a_confirming_run_is_forgotten_with_its_probe_alone),
		cmocka_unit_test(a_start_is_late_after_ten_seconds),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
