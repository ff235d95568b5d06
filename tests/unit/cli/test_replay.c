/* SPDX-License-Identifier: Apache-2.0 */
/* When a rule fires and clears on runs in a row. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"
#include "base/clock.h"
#include "cli/replay.h"

#define CYCLES 200
#define MINUTE ((int64_t)(60 * USEC_PER_SEC))
#define START INT64_C(1796061600000000)

struct fixture {
	struct replay *replay;
	struct run *run;
	int minutes;
	bool is_trouble; /* the runs are not learned from */
	int64_t since_usec;
};

static struct fixture begin_later(const char *when, uint8_t hits, uint8_t window, int64_t from_usec)
{
	struct custom_rule rule = {
		.hold = { hits, window }, .clear_runs = 2, .level = ALARM_WARNING
	};
	struct fixture f = { .run = run_new("nas1", "active-full") };

	assert_int_equal(condition_parse_relative(when, &rule.when, NULL), 0);
	f.replay = replay_new(&rule, from_usec);
	assert_true(f.replay && f.run);
	return f;
}

static struct fixture begin(const char *when, uint8_t hits, uint8_t window)
{
	return begin_later(when, hits, window, 0);
}

static void end(struct fixture *f)
{
	replay_free(f->replay);
	free(f->run);
}

/* What the daemon kept of the run. */
static struct replay_lesson lesson_of(const struct fixture *f, enum run_operation operation)
{
	const struct histogram *h = &f->run->operations[operation].latency;
	struct replay_lesson lesson = { .has_sample = h->count > 0, .since_usec = f->since_usec };

	memset(lesson.sample.values, 0xff, sizeof(lesson.sample.values));
	lesson.sample.minute = (uint32_t)(f->run->started_usec / MINUTE);
	lesson.sample.is_learned = !f->is_trouble;
	lesson.sample.others_bytes = BASELINE_UNKNOWN;
	lesson.sample.others_ios = BASELINE_UNKNOWN;
	if (h->count > 0)
		lesson.sample.values[BASELINE_AVERAGE] =
			(uint16_t)octave_from(h->sum_nsec / h->count);
	return lesson;
}

static int hand_in(const struct fixture *f)
{
	const struct replay_lesson lessons[RUN_OPERATIONS] = {
		[RUN_READ] = lesson_of(f, RUN_READ),
		[RUN_WRITE] = lesson_of(f, RUN_WRITE),
	};

	return replay_take(f->replay, f->run, lessons);
}

/* A run of so many writes; each takes the same. */
static void take(struct fixture *f, unsigned milliseconds, unsigned ios)
{
	struct run_operation_result *o = &f->run->operations[RUN_WRITE];

	memset(o, 0, sizeof(*o));
	for (unsigned i = 0; i < ios; i++)
		histogram_add(&o->latency, milliseconds * NSEC_PER_MSEC);
	o->ios = ios;
	f->run->started_usec = START + f->minutes++ * MINUTE;
	assert_int_equal(hand_in(f), 0);
}

static void assert_firing(
	const struct fixture *f, size_t i, int64_t fired_minute, int64_t cleared_minute)
{
	struct replay_firing firing;

	assert_true(replay_firing(f->replay, i, &firing));
	assert_string_equal(firing.repository, "nas1");
	assert_string_equal(firing.probe, "active-full");
	assert_int_equal(firing.operation, RUN_WRITE);
	assert_int_equal(firing.fired_usec, START + fired_minute * MINUTE);
	assert_int_equal(
		firing.cleared_usec, cleared_minute < 0 ? 0 : START + cleared_minute * MINUTE);
}

static size_t count(const struct fixture *f)
{
	struct replay_firing firing;
	size_t n = 0;

	while (replay_firing(f->replay, n, &firing))
		n++;
	return n;
}

static void it_fires_when_the_hold_is_reached_and_clears_after_good_runs(void **unused)
{
	static const unsigned milliseconds[] = { 5, 30, 5, 5, 30, 30, 5, 30, 5, 5, 30, 5, 30 };
	struct fixture f = begin("write avg > 20ms", 2, 3);
	struct replay_firing firing;

	(void)unused;
	for (size_t i = 0; i < sizeof(milliseconds) / sizeof(milliseconds[0]); i++)
		take(&f, milliseconds[i], 10);
	assert_int_equal(count(&f), 2);
	assert_firing(&f, 0, 5, 9);
	assert_firing(&f, 1, 12, -1); /* fires still */
	assert_true(replay_firing(f.replay, 0, &firing));
	assert_int_equal(firing.value, 30 * NSEC_PER_MSEC);
	assert_int_equal(replay_judged(f.replay), 13);
	end(&f);
}

static void a_condition_without_operation_is_about_each(void **unused)
{
	struct fixture f = begin("avg > 20ms", 1, 1);
	struct replay_firing firing;

	(void)unused;
	histogram_add(&f.run->operations[RUN_READ].latency, 40 * NSEC_PER_MSEC);
	take(&f, 30, 1);
	assert_int_equal(count(&f), 2);
	assert_true(replay_firing(f.replay, 0, &firing));
	assert_int_equal(firing.operation, RUN_READ);
	end(&f);
	f = begin("read avg > 20ms", 1, 1);
	take(&f, 30, 1);
	assert_int_equal(count(&f), 0);
	assert_int_equal(replay_judged(f.replay), 0);
	end(&f);
}

static void a_percentile_is_that_of_the_window_together(void **unused)
{
	struct fixture f = begin("p95 > 20ms", 2, 2);

	(void)unused;
	take(&f, 30, 150); /* one run alone has too few of them: 200 are needed */
	assert_int_equal(count(&f), 0);
	take(&f, 30, 150);
	take(&f, 30, 150);
	assert_int_equal(count(&f), 1);
	end(&f);
}

/* Four minutes from one run to the next: more often, some are not kept. */
static void take_normal(struct fixture *f, unsigned runs, unsigned milliseconds)
{
	for (unsigned i = 0; i < runs; i++, f->minutes += 4)
		take(f, milliseconds, 10);
}

static void what_is_normal_is_learned_on_the_way(void **unused)
{
	struct fixture f = begin("avg > x3 normal", 2, 3);
	struct replay_firing firing;

	(void)unused;
	take_normal(&f, 35, 4);
	take_normal(&f, 1, 20); /* five times, but 36 runs make a normal */
	assert_int_equal(count(&f), 0);
	take_normal(&f, 20, 4);
	take_normal(&f, 2, 10);
	assert_int_equal(count(&f), 0);
	f.is_trouble = true;
	take_normal(&f, 6, 20);
	take_normal(&f, 2, 4);
	assert_int_equal(count(&f), 1);
	assert_true(replay_firing(f.replay, 0, &firing));
	assert_int_not_equal(firing.cleared_usec, 0);
	assert_int_equal(firing.value, 20 * NSEC_PER_MSEC);
	assert_in_range(firing.normal, 39 * NSEC_PER_MSEC / 10, 41 * NSEC_PER_MSEC / 10);
	end(&f);
}

/* Some runs at 4 ms; then it becomes slower for good. Returns how often it fired in three days
 * after that. */
static size_t fire_when_slower(bool is_learned, bool is_rebased)
{
	struct fixture f = begin("avg > x3 normal", 1, 1);

	take_normal(&f, 72, 4);
	f.is_trouble = !is_learned;
	f.since_usec = is_rebased ? START + f.minutes * MINUTE : 0;
	for (unsigned i = 0; i < CYCLES; i++) {
		take_normal(&f, 5, 20);
		take_normal(&f, 1, 1); /* two of these clear it */
		take_normal(&f, 1, 1);
	}
	size_t firings = count(&f);
	end(&f);
	return firings;
}

static void what_the_daemon_did_not_learn_from_is_not_learned(void **unused)
{
	(void)unused;
	assert_int_equal(fire_when_slower(false, false), CYCLES);
	assert_in_range(fire_when_slower(true, false), 1, CYCLES - 1);
}

static void what_came_before_a_rebaseline_counts_no_more(void **unused)
{
	(void)unused;
	assert_int_equal(fire_when_slower(true, true), 0);
}

static void earlier_runs_are_learned_from_alone(void **unused)
{
	struct fixture f = begin_later("avg > x3 normal", 1, 1, START + 205 * MINUTE);

	(void)unused;
	take_normal(&f, 40, 4);
	take_normal(&f, 1, 20); /* minute 200 */
	assert_int_equal(replay_judged(f.replay), 0);
	assert_int_equal(replay_runs(f.replay), 0);
	take_normal(&f, 1, 20);
	assert_int_equal(replay_judged(f.replay), 1);
	assert_int_equal(replay_runs(f.replay), 1);
	assert_int_equal(count(&f), 1);
	end(&f);
}

static void only_the_load_that_was_asked_for_counts(void **unused)
{
	static const struct {
		enum custom_load load;
		uint64_t others_bytes_per_sec;
		size_t firings;
	} cases[] = {
		{ CUSTOM_LOAD_ANY, 0, 1 },
		{ CUSTOM_LOAD_ANY, 500000000, 1 },
		{ CUSTOM_LOAD_IDLE, 0, 1 },
		{ CUSTOM_LOAD_IDLE, 500000000, 0 },
		{ CUSTOM_LOAD_BUSY, 0, 0 },
		{ CUSTOM_LOAD_BUSY, 500000000, 1 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture f = begin("avg > 20ms", 1, 1);
		struct custom_rule rule = {
			.hold = { 1, 1 },
			.clear_runs = 2,
			.level = ALARM_WARNING,
			.load = cases[i].load,
		};
		assert_int_equal(condition_parse("avg > 20ms", &rule.when, NULL), 0);
		replay_free(f.replay);
		f.replay = replay_new(&rule, 0);
		f.run->facts.has_counters = true;
		f.run->facts.others_bytes_per_sec = cases[i].others_bytes_per_sec;
		take(&f, 30, 10);
		assert_int_equal(count(&f), cases[i].firings);
		end(&f);
	}
}

static void what_an_alarm_would_not_judge_is_passed_over(void **unused)
{
	struct fixture f = begin("avg > 20ms", 1, 1);

	(void)unused;
	f.run->is_confirmation = true;
	take(&f, 30, 10);
	f.run->is_confirmation = false;
	f.run->trust = RUN_TRUST_WARMING;
	take(&f, 30, 10);
	f.run->trust = RUN_TRUST_CACHED;
	take(&f, 30, 10);
	f.run->trust = 0;
	f.run->status = RUN_ERROR;
	take(&f, 30, 10);
	assert_int_equal(count(&f), 0);
	end(&f);
	f = begin("errors > 0", 1, 1);
	f.run->operations[RUN_WRITE].errors = 1;
	f.run->status = RUN_ERROR; /* which tells of errors alone */
	f.run->started_usec = START;
	assert_int_equal(hand_in(&f), 0);
	assert_int_equal(count(&f), 1);
	end(&f);
}

static void each_probe_is_by_itself_and_firings_are_in_order(void **unused)
{
	struct fixture f = begin("avg > 20ms", 2, 2);
	struct replay_firing firing;

	(void)unused;
	f.minutes = 10;
	take(&f, 30, 10);
	take(&f, 30, 10); /* minute 11 */
	memcpy(f.run->repository, "nas2", sizeof("nas2"));
	f.minutes = 1;
	take(&f, 30, 10);
	assert_int_equal(count(&f), 1);
	take(&f, 30, 10); /* minute 2 */
	take(&f, 5, 10);
	take(&f, 5, 10);
	replay_end(f.replay);
	assert_int_equal(count(&f), 2);
	assert_true(replay_firing(f.replay, 0, &firing));
	assert_string_equal(firing.repository, "nas2");
	assert_int_equal(firing.cleared_usec, START + 4 * MINUTE);
	assert_firing(&f, 1, 11, -1);
	end(&f);
}

static void another_workload_begins_anew(void **unused)
{
	struct fixture f = begin("avg > 20ms", 2, 2);

	(void)unused;
	f.run->workload.block_size_bytes = 65536;
	take(&f, 30, 10);
	f.run->workload.block_size_bytes = 524288;
	take(&f, 30, 10);
	assert_int_equal(count(&f), 0);
	take(&f, 30, 10);
	assert_firing(&f, 0, 2, -1);
	f.run->workload.block_size_bytes = 65536;
	take(&f, 30, 10); /* what fired is over: nothing of it will ever come again */
	assert_firing(&f, 0, 2, 3);
	assert_int_equal(count(&f), 1);
	end(&f);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(it_fires_when_the_hold_is_reached_and_clears_after_good_runs),
		cmocka_unit_test(a_condition_without_operation_is_about_each),
		cmocka_unit_test(a_percentile_is_that_of_the_window_together),
		cmocka_unit_test(what_is_normal_is_learned_on_the_way),
		cmocka_unit_test(what_the_daemon_did_not_learn_from_is_not_learned),
		cmocka_unit_test(what_came_before_a_rebaseline_counts_no_more),
		cmocka_unit_test(each_probe_is_by_itself_and_firings_are_in_order),
		cmocka_unit_test(earlier_runs_are_learned_from_alone),
		cmocka_unit_test(only_the_load_that_was_asked_for_counts),
		cmocka_unit_test(what_an_alarm_would_not_judge_is_passed_over),
		cmocka_unit_test(another_workload_begins_anew),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
