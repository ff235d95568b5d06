/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar slots in the present: nothing at the start, once after a sleep or a step of the clock,
 * and never twice. Time is two numbers here: monotonic and realtime. */
#include "test.h"

#include <stdlib.h>

#include "base/calendar.h"
#include "base/clock.h"
#include "base/parse.h"
#include "base/zone.h"
#include "core/plan.h"
#include "core/present.h"

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define BOOT_NSEC (UINT64_C(1000) * NSEC_PER_SEC)
#define MINUTE_USEC (60 * (int64_t)USEC_PER_SEC)
#define HOUR_USEC (60 * MINUTE_USEC)
#define DAY_USEC (24 * HOUR_USEC)

static char probe_name[] = "daily-deep";
static char repository_name[] = "nas1";
static char path[] = "/mnt/nas1";

struct world {
	struct calendar *calendar;
	struct config_probe probe;
	struct config_repository repository;
	struct config config;
	struct present *present;
	uint64_t now_nsec;
	int64_t now_usec;
};

static int64_t instant(const char *text)
{
	int64_t usec = 0;

	assert_int_equal(parse_instant(text, 0, &usec, NULL), 0);
	return usec;
}

static struct calendar *calendar_of(const char *text)
{
	const struct zone_places places = { .directory = "/nonexistent", .local = BERLIN };
	struct calendar *calendar = NULL;

	assert_int_equal(calendar_parse(text, &places, &calendar, NULL), 0);
	return calendar;
}

static void world_init(struct world *w, const char *schedule, uint64_t splay_usec, const char *now)
{
	*w = (struct world){
		.calendar = calendar_of(schedule),
		.now_nsec = BOOT_NSEC,
		.now_usec = instant(now),
	};
	w->probe = (struct config_probe){
		.name = probe_name,
		.interval_usec = 86400 * USEC_PER_SEC,
		.schedule = w->calendar,
	};
	w->repository = (struct config_repository){
		.name = repository_name,
		.path = path,
		.is_splay_auto = splay_usec == 0,
		.splay_usec = splay_usec,
		.probe_count = 1,
		.probes = &w->probe,
	};
	w->config = (struct config){ .repository_count = 1, .repositories = &w->repository };
	w->present = present_new(&w->config, NULL, w->now_nsec, w->now_usec);
	assert_non_null(w->present);
}

static void world_done(struct world *w)
{
	present_free(w->present);
	calendar_free(w->calendar);
}

static struct present_probe *probe_of(struct world *w)
{
	return &w->present->repositories[0].probes[0];
}

/* Both clocks go on, realtime by the step more. */
static void pass(struct world *w, int64_t usec, int64_t step_usec)
{
	w->now_nsec += (uint64_t)usec * NSEC_PER_USEC;
	w->now_usec += usec + step_usec;
	(void)plan_follow_clock(w->present, w->now_nsec, w->now_usec);
}

/* As dispatch does: starts what is due and plans the next. */
static bool start(struct world *w)
{
	struct present_repository *repository;
	struct present_probe *probe = plan_choose(w->present, w->now_nsec, NULL, 0, &repository);

	if (probe)
		plan_next(probe, w->now_nsec, w->now_usec, HOUR_USEC);
	return probe != NULL;
}

/* How many runs start while so much time goes by, looked at once a second or less often. */
static unsigned count_starts(struct world *w, int64_t usec, int64_t step_usec)
{
	unsigned starts = 0;

	for (int64_t gone = 0; gone < usec; gone += step_usec) {
		pass(w, step_usec, 0);
		starts += start(w);
	}
	return starts;
}

static void calendar_is_not_started_at_once(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T12:00:00Z");
	assert_false(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T17:00:00Z"));
	assert_int_equal(probe_of(&w)->due_nsec, BOOT_NSEC + 5 * HOUR_USEC * NSEC_PER_USEC);
	assert_int_equal(plan_next_due_nsec(w.present, w.now_nsec), probe_of(&w)->due_nsec);
	assert_int_equal(plan_spacing_usec(probe_of(&w)), DAY_USEC);
	world_done(&w);
}

static void one_run_comes_for_each_slot(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 02:30", 0, "2026-03-20T12:00:00Z");
	/* Over the beginning and the end of summer time. */
	assert_int_equal(count_starts(&w, 260 * DAY_USEC, 97 * (int64_t)USEC_PER_SEC), 260);
	world_done(&w);
}

static void slot_is_started_on_time_and_its_distance_shown(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "Mon..Fri 20:00", 0, "2026-11-27T18:59:00Z"); /* a Friday */
	pass(&w, MINUTE_USEC - 1, 0);
	assert_false(start(&w));
	assert_int_equal(plan_spacing_usec(probe_of(&w)), 3 * DAY_USEC);
	pass(&w, 1, 0);
	assert_true(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T19:00:00Z"));
	assert_int_equal(plan_spacing_usec(probe_of(&w)), DAY_USEC);
	world_done(&w);
}

static void only_a_splay_that_is_given_moves_slots(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 36 * HOUR_USEC, "2026-11-30T12:00:00Z");
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-12-01T05:00:00Z"));
	assert_int_equal(count_starts(&w, 10 * DAY_USEC, MINUTE_USEC), 10);
	world_done(&w);
}

static void machine_that_slept_over_many_slots_runs_once(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*:0/15", 0, "2026-11-30T12:01:00Z");
	pass(&w, MINUTE_USEC, 8 * HOUR_USEC); /* the monotonic clock stood still */
	assert_true(start(&w));
	assert_false(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T20:15:00Z"));
	assert_int_equal(count_starts(&w, HOUR_USEC, (int64_t)USEC_PER_SEC), 4);
	world_done(&w);
}

static void sleep_that_misses_no_slot_moves_none(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T12:00:00Z");
	pass(&w, MINUTE_USEC, 2 * HOUR_USEC);
	assert_false(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T17:00:00Z"));
	assert_int_equal(
		probe_of(&w)->due_nsec, w.now_nsec + (3 * HOUR_USEC - MINUTE_USEC) * NSEC_PER_USEC);
	world_done(&w);
}

static void how_late_it_is_counts_from_the_slot(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T16:50:00Z");
	pass(&w, MINUTE_USEC, 14 * MINUTE_USEC);
	assert_int_equal(w.now_nsec - probe_of(&w)->due_nsec, 5 * MINUTE_USEC * NSEC_PER_USEC);
	/* At most since the boot. */
	world_done(&w);
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T16:50:00Z");
	pass(&w, MINUTE_USEC, 1000 * DAY_USEC);
	assert_int_equal(probe_of(&w)->due_nsec, 0);
	assert_true(start(&w));
	assert_false(start(&w));
	world_done(&w);
}

static void clock_set_back_a_little_repeats_no_slot(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T16:59:59Z");
	pass(&w, (int64_t)USEC_PER_SEC, 0);
	assert_true(start(&w));
	pass(&w, (int64_t)USEC_PER_SEC, -10 * MINUTE_USEC);
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-12-01T17:00:00Z"));
	assert_int_equal(count_starts(&w, HOUR_USEC, (int64_t)USEC_PER_SEC), 0);
	world_done(&w);
}

static void clock_that_was_far_ahead_starts_over(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2036-11-30T12:00:00Z");
	pass(&w, (int64_t)USEC_PER_SEC, -3653 * DAY_USEC);
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T17:00:00Z"));
	assert_int_equal(count_starts(&w, 2 * DAY_USEC, MINUTE_USEC), 2);
	world_done(&w);
}

static void slow_corrections_of_the_clock_repeat_nothing(void **state)
{
	struct world w;
	unsigned starts = 0;

	(void)state;
	world_init(&w, "*-*-* *:00", 0, "2026-11-30T12:30:00Z");
	/* 500 ppm slower, for a day; looked at each second. */
	for (int i = 0; i < 86400; i++) {
		pass(&w, (int64_t)USEC_PER_SEC, -500);
		starts += start(&w);
	}
	assert_int_equal(starts, 24);
	world_done(&w);
}

static void slot_seen_a_moment_early_does_not_come_again(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T16:59:59Z");
	/* The monotonic clock is read after realtime, which so lags by 30 us. */
	w.now_nsec += USEC_PER_SEC * NSEC_PER_USEC;
	w.now_usec += (int64_t)USEC_PER_SEC - 30;
	assert_true(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-12-01T17:00:00Z"));
	world_done(&w);
}

static void run_asked_for_does_not_replace_the_slot(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T16:59:00Z");
	probe_of(&w)->due_nsec = w.now_nsec; /* as probe-now does */
	probe_of(&w)->due_usec = w.now_usec;
	pass(&w, (int64_t)USEC_PER_SEC, -5 * MINUTE_USEC);
	assert_true(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T17:00:00Z"));
	world_done(&w);
}

static void waiting_probe_skips_one_slot_at_a_time_and_a_long_sleep_once(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*:0/15", 0, "2026-11-30T12:01:00Z");
	w.present->repositories[0].place.has_worker = true;
	pass(&w, 15 * MINUTE_USEC, 0);
	assert_int_equal(probe_of(&w)->overlap_due_usec, instant("2026-11-30T12:30:00Z"));
	assert_int_equal(plan_next_due_nsec(w.present, w.now_nsec), probe_of(&w)->overlap_due_nsec);
	pass(&w, 0, 8 * HOUR_USEC);
	assert_true(probe_of(&w)->overlap_due_nsec <= w.now_nsec);
	plan_pass_overlap(probe_of(&w), w.now_nsec, w.now_usec);
	assert_int_equal(probe_of(&w)->overlap_due_usec, instant("2026-11-30T20:30:00Z"));
	assert_true(probe_of(&w)->overlap_due_nsec > w.now_nsec);
	world_done(&w);
}

static void calendar_that_has_ended_is_never_due(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "2026-11-30 18:00", 0, "2026-11-30T16:59:00Z");
	assert_int_equal(probe_of(&w)->overlap_due_usec, 0);
	assert_int_equal(
		plan_spacing_usec(probe_of(&w)), DAY_USEC); /* the average is all there is */
	pass(&w, MINUTE_USEC, 0);
	assert_true(start(&w));
	assert_int_equal(probe_of(&w)->due_usec, 0);
	assert_int_equal(count_starts(&w, 400 * DAY_USEC, HOUR_USEC), 0);
	assert_int_equal(plan_next_due_nsec(w.present, w.now_nsec), UINT64_MAX);
	world_done(&w);
}

static void reload_keeps_the_slot_unless_the_calendar_changed(void **state)
{
	struct world w;

	(void)state;
	world_init(&w, "*-*-* 18:00", 0, "2026-11-30T12:00:00Z");
	probe_of(&w)->due_nsec = w.now_nsec; /* asked for, and waiting */
	probe_of(&w)->due_usec = w.now_usec;

	struct calendar *same = calendar_of("18:00:00");
	w.probe.schedule = same;
	struct present *after = present_new(&w.config, w.present, w.now_nsec, w.now_usec);
	assert_non_null(after);
	present_free(w.present);
	w.present = after;
	calendar_free(w.calendar);
	w.calendar = same;
	assert_int_equal(probe_of(&w)->due_usec, w.now_usec);

	struct calendar *other = calendar_of("19:00");
	w.probe.schedule = other;
	after = present_new(&w.config, w.present, w.now_nsec, w.now_usec);
	assert_non_null(after);
	present_free(w.present);
	w.present = after;
	calendar_free(w.calendar);
	w.calendar = other;
	assert_int_equal(probe_of(&w)->due_usec, instant("2026-11-30T18:00:00Z"));

	w.probe.schedule = NULL;
	w.probe.interval_usec = 300 * USEC_PER_SEC;
	after = present_new(&w.config, w.present, w.now_nsec, w.now_usec);
	assert_non_null(after);
	present_free(w.present);
	w.present = after;
	assert_in_range(probe_of(&w)->due_usec, w.now_usec + 1, w.now_usec + 5 * MINUTE_USEC);
	assert_int_equal(plan_spacing_usec(probe_of(&w)), 5 * MINUTE_USEC);
	world_done(&w);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calendar_is_not_started_at_once),
		cmocka_unit_test(one_run_comes_for_each_slot),
		cmocka_unit_test(slot_is_started_on_time_and_its_distance_shown),
		cmocka_unit_test(only_a_splay_that_is_given_moves_slots),
		cmocka_unit_test(machine_that_slept_over_many_slots_runs_once),
		cmocka_unit_test(sleep_that_misses_no_slot_moves_none),
		cmocka_unit_test(how_late_it_is_counts_from_the_slot),
		cmocka_unit_test(clock_set_back_a_little_repeats_no_slot),
		cmocka_unit_test(clock_that_was_far_ahead_starts_over),
		cmocka_unit_test(slow_corrections_of_the_clock_repeat_nothing),
		cmocka_unit_test(slot_seen_a_moment_early_does_not_come_again),
		cmocka_unit_test(run_asked_for_does_not_replace_the_slot),
		cmocka_unit_test(waiting_probe_skips_one_slot_at_a_time_and_a_long_sleep_once),
		cmocka_unit_test(calendar_that_has_ended_is_never_due),
		cmocka_unit_test(reload_keeps_the_slot_unless_the_calendar_changed),
	};

	return cmocka_run_group_tests_name("present_calendar", tests, NULL, NULL);
}
