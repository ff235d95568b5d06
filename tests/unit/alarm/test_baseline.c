/* SPDX-License-Identifier: Apache-2.0 */
/* Samples and the baselines built from them. */
#include "test.h"

#include <stdlib.h>

#include "alarm/baseline.h"
#include "alarm/octave.h"
#include "alarm/samples.h"

#define MINUTES_A_DAY 1440
#define STEP_MINUTES 5
#define BEGIN_MINUTE UINT32_C(29459520) /* a Monday at midnight */
#define USEC_PER_MINUTE INT64_C(60000000)
#define SAMPLES_MAX (BASELINE_DAYS * MINUTES_A_DAY / STEP_MINUTES)

struct fixture {
	size_t count;
	struct baseline_sample samples[SAMPLES_MAX];
	struct baseline baseline;
};

static struct fixture *new_fixture(void)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	return f;
}

static int64_t usec_of(uint32_t minute)
{
	return (int64_t)minute * USEC_PER_MINUTE;
}

static struct baseline_sample *add(struct fixture *f, uint32_t minute, uint64_t average_nsec,
	uint64_t others_bytes, bool is_learned)
{
	struct baseline_sample *sample = &f->samples[f->count++];

	*sample = (struct baseline_sample){
		.minute = minute,
		.hour_of_week = (uint8_t)baseline_hour_of_week(usec_of(minute), 0),
		.is_learned = is_learned,
		.others_bytes = (uint16_t)octave_from(others_bytes),
		.others_ios = 0,
	};
	for (size_t i = 0; i < BASELINE_METRICS; i++)
		sample->values[i] = (uint16_t)octave_from(average_nsec);
	sample->values[BASELINE_THROUGHPUT] = (uint16_t)octave_from(200000000);
	sample->values[BASELINE_FAST] = BASELINE_UNKNOWN;
	return sample;
}

static void build(struct fixture *f, const struct baseline *previous, uint32_t minute)
{
	const struct baseline_source source = {
		.samples = f->samples,
		.count = f->count,
		.previous = previous,
		.now_usec = usec_of(minute),
	};

	assert_int_equal(baseline_build(&source, &f->baseline), 0);
}

/* 4 ms plus or minus a tenth, for this many days. Returns the minute after. */
static uint32_t add_days(struct fixture *f, uint32_t minute, unsigned days, uint64_t nsec)
{
	for (unsigned i = 0; i < days * MINUTES_A_DAY / STEP_MINUTES; i++, minute += STEP_MINUTES)
		add(f, minute, nsec * (95 + i % 11) / 100, 0, true);
	return minute;
}

static void assert_near(int32_t octaves, uint64_t nsec)
{
	uint64_t value = octave_to(octaves);

	assert_in_range(value, nsec - nsec / 50, nsec + nsec / 50);
}

static void there_is_no_normal_before_36_runs(void **unused)
{
	struct fixture *f = new_fixture();
	uint32_t minute = BEGIN_MINUTE;

	(void)unused;
	for (int i = 0; i < 35; i++, minute += STEP_MINUTES)
		add(f, minute, 4000000, 0, true);
	build(f, NULL, minute);
	assert_false(baseline_has(&f->baseline, BASELINE_AVERAGE, LOAD_IDLE));
	assert_false(baseline_has(NULL, BASELINE_AVERAGE, LOAD_IDLE));
	add(f, minute, 4000000, 0, true);
	build(f, NULL, minute);
	assert_true(baseline_has(&f->baseline, BASELINE_AVERAGE, LOAD_IDLE));
	assert_true(baseline_has(&f->baseline, BASELINE_AVERAGE, LOAD_UNKNOWN));
	assert_false(baseline_has(&f->baseline, BASELINE_AVERAGE, LOAD_HEAVY));
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].median, 4000000);
	free(f);
}

static void trouble_and_what_is_old_are_not_learned(void **unused)
{
	struct fixture *f = new_fixture();
	uint32_t minute = BEGIN_MINUTE;

	(void)unused;
	for (int i = 0; i < 100; i++)
		add(f, minute - 29 * MINUTES_A_DAY + (uint32_t)i, 90000000, 0, true);
	for (int i = 0; i < 100; i++, minute += STEP_MINUTES)
		add(f, minute, i % 2 ? 4000000 : 50000000, 0, i % 2);
	build(f, NULL, minute);
	assert_int_equal(f->baseline.sample_count, 100);
	assert_int_equal(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].count, 50);
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].median, 4000000);
	free(f);
}

static void busy_hours_have_a_normal_of_their_own(void **unused)
{
	struct fixture *f = new_fixture();
	uint32_t minute = BEGIN_MINUTE;
	struct baseline_sample now = { .others_bytes = (uint16_t)octave_from(180000000) };

	(void)unused;
	for (int i = 0; i < 400; i++, minute += STEP_MINUTES) {
		bool is_busy = i % 4 == 0;
		add(f, minute, is_busy ? 12000000 : 4000000, is_busy ? 180000000 : 1000, true);
	}
	build(f, NULL, minute);
	assert_in_range(f->baseline.reference.bytes_per_sec, 190000000, 210000000);
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].median, 4000000);
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_HEAVY].median, 12000000);
	assert_near(baseline_reference(&f->baseline, LOAD_HEAVY, &now), 12000000);
	assert_near(baseline_reference(&f->baseline, LOAD_IDLE, &now), 4000000);
	free(f);
}

static void what_recurs_at_an_hour_of_the_week_is_normal_then(void **unused)
{
	struct fixture *f = new_fixture();
	uint32_t minute = BEGIN_MINUTE;
	struct baseline_sample saturday = { .hour_of_week = 5 * 24 + 3 };
	struct baseline_sample tuesday = { .hour_of_week = 1 * 24 + 3 };

	(void)unused;
	for (unsigned i = 0; i < 28 * MINUTES_A_DAY / STEP_MINUTES; i++, minute += STEP_MINUTES) {
		unsigned hour = baseline_hour_of_week(usec_of(minute), 0);
		bool is_patrol = hour >= 5 * 24 + 1 && hour < 5 * 24 + 6;
		bool was_trouble = i > 3000 && i < 3050;
		/* Without knowing that the patrol recurs, it does not count as normal. */
		add(f, minute, is_patrol || was_trouble ? 9000000 : 4000000, 0, !is_patrol);
	}
	build(f, NULL, minute);
	assert_near(baseline_reference(&f->baseline, LOAD_IDLE, &saturday), 9000000);
	assert_near(baseline_reference(&f->baseline, LOAD_IDLE, &tuesday), 4000000);
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].median, 4000000);
	free(f);
}

static void the_anchor_stays_when_everything_gets_slower(void **unused)
{
	struct fixture *f = new_fixture();
	uint32_t minute = add_days(f, BEGIN_MINUTE, 13, 4000000);
	struct baseline first;

	(void)unused;
	build(f, NULL, minute);
	assert_int_equal(f->baseline.anchor, 0);
	minute = add_days(f, minute, 1, 4000000);
	build(f, &f->baseline, minute);
	assert_near(f->baseline.anchor, 4000000);
	first = f->baseline;
	f->count = 0;
	minute = add_days(f, minute + 28 * MINUTES_A_DAY, 20, 7000000);
	build(f, &first, minute);
	assert_near(f->baseline.normals[BASELINE_AVERAGE][LOAD_IDLE].median, 7000000);
	assert_int_equal(f->baseline.anchor, first.anchor);
	f->count = 0;
	minute = add_days(f, minute + 28 * MINUTES_A_DAY, 20, 3000000);
	build(f, &first, minute);
	assert_near(f->baseline.anchor, 3000000);
	free(f);
}

static void builds_come_as_runs_double_and_then_daily(void **unused)
{
	const struct baseline unknown = { .built_usec = 1000, .sample_count = 40 };
	struct baseline few = unknown;
	const struct baseline many = { .built_usec = 1000, .sample_count = 4000 };
	const int64_t day_usec = INT64_C(86400000000);

	(void)unused;
	few.normals[BASELINE_AVERAGE][LOAD_IDLE].count = BASELINE_RUNS_MIN;
	assert_false(baseline_is_due(NULL, 35, 1));
	assert_true(baseline_is_due(NULL, 36, 1));
	assert_false(baseline_is_due(&unknown, 44, 2000));
	assert_true(baseline_is_due(&unknown, 45, 2000));
	assert_false(baseline_is_due(&few, 79, 2000));
	assert_true(baseline_is_due(&few, 80, 2000));
	assert_false(baseline_is_due(&many, 8000, 1000 + day_usec - 1));
	assert_true(baseline_is_due(&many, 8000, 1000 + day_usec));
	assert_true(baseline_is_due(&many, 8000, 999)); /* the clock went back */
}

static void weeks_begin_on_monday_in_local_time(void **unused)
{
	(void)unused;
	assert_int_equal(baseline_hour_of_week(usec_of(BEGIN_MINUTE), 0), 0);
	assert_int_equal(baseline_hour_of_week(usec_of(BEGIN_MINUTE) - 1, 0), 167);
	assert_int_equal(baseline_hour_of_week(usec_of(BEGIN_MINUTE), 3600), 1);
	assert_int_equal(baseline_hour_of_week(usec_of(BEGIN_MINUTE), -3600), 167);
	assert_int_equal(baseline_hour_of_week(0, 0), 3 * 24); /* a Thursday */
}

static void a_history_keeps_28_days_and_thins_out_faster_runs(void **unused)
{
	struct samples *kept = samples_new();
	struct histogram *latency = calloc(1, sizeof(*latency));
	struct fixture *f = new_fixture();

	(void)unused;
	assert_non_null(kept);
	assert_non_null(latency);
	histogram_add(latency, 4000000);
	assert_null(samples_baseline(kept));
	struct baseline_sample sample = *add(f, BEGIN_MINUTE, 4000000, 0, true);
	for (uint32_t i = 0; i < 40 * MINUTES_A_DAY; i++) {
		sample.minute = BEGIN_MINUTE + i;
		samples_add(kept, &sample, latency);
		int r = samples_refresh(kept, usec_of(sample.minute));
		assert_in_range(r, 0, 1);
	}
	assert_non_null(samples_baseline(kept));
	assert_int_equal(kept->count, SAMPLES_KEPT);
	assert_in_range(kept->baseline.sample_count, 10000, SAMPLES_KEPT);
	assert_true(
		usec_of(sample.minute) - kept->baseline.oldest_usec > 27 * INT64_C(86400000000));
	samples_restart(kept);
	assert_null(samples_baseline(kept));
	samples_free(kept);
	free(latency);
	free(f);
}

/* Runs in quick succession, as somebody starts them by hand. */
static void a_run_that_is_not_learned_keeps_frequent_runs_from_no_normal(void **unused)
{
	struct samples *kept = samples_new();
	struct fixture *f = new_fixture();

	(void)unused;
	assert_non_null(kept);
	struct baseline_sample sample = *add(f, BEGIN_MINUTE, 4000000, 0, true);
	for (unsigned i = 0; i < 60; i++) {
		sample.is_learned = i != 5;
		samples_add(kept, &sample, NULL);
		assert_in_range(samples_refresh(kept, usec_of(sample.minute)), 0, 1);
	}
	assert_true(baseline_has(samples_baseline(kept), BASELINE_AVERAGE, LOAD_IDLE));
	samples_free(kept);
	free(f);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(there_is_no_normal_before_36_runs),
		cmocka_unit_test(trouble_and_what_is_old_are_not_learned),
		cmocka_unit_test(busy_hours_have_a_normal_of_their_own),
		cmocka_unit_test(what_recurs_at_an_hour_of_the_week_is_normal_then),
		cmocka_unit_test(the_anchor_stays_when_everything_gets_slower),
		cmocka_unit_test(builds_come_as_runs_double_and_then_daily),
		cmocka_unit_test(weeks_begin_on_monday_in_local_time),
		cmocka_unit_test(a_history_keeps_28_days_and_thins_out_faster_runs),
		cmocka_unit_test(a_run_that_is_not_learned_keeps_frequent_runs_from_no_normal),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
