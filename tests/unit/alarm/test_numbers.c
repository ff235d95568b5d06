/* SPDX-License-Identifier: Apache-2.0 */
/* The building blocks of the rules: logarithms, selection, load, shape, drift, windows. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/alarm.h"
#include "alarm/drift.h"
#include "alarm/lane.h"
#include "alarm/load.h"
#include "alarm/octave.h"
#include "alarm/select.h"
#include "alarm/sense.h"
#include "alarm/shape.h"
#include "base/clock.h"

#define HOUR_USEC INT64_C(3600000000)

static void an_octave_is_a_factor_of_two(void **unused)
{
	static const struct {
		uint64_t value;
		int32_t octaves;
	} cases[] = {
		{ 0, 0 },
		{ 1, 0 },
		{ 2, 1024 },
		{ 3, 1623 },
		{ 1024, 10240 },
		{ 1000000, 20410 },
		{ UINT64_C(1) << 40, 40960 },
		{ UINT64_MAX, 65535 },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(octave_from(cases[i].value), cases[i].octaves);
}

static void a_value_comes_back_to_a_thousandth(void **unused)
{
	(void)unused;
	for (uint64_t value = 2000; value < UINT64_C(1) << 45; value += value / 7) {
		uint64_t again = octave_to(octave_from(value));
		uint64_t off = again > value ? again - value : value - again;
		assert_in_range(off, 0, value / 1000);
	}
	assert_int_equal(octave_to(-1), 0);
	assert_true(octave_to(64 * OCTAVE) == UINT64_MAX);
	assert_int_equal(octave_to(10 * OCTAVE), 1024);
}

#define SELECTED_MAX 513

static void selection_finds_what_sorting_would(void **unused)
{
	uint16_t values[SELECTED_MAX];
	uint32_t next = 12345;

	(void)unused;
	for (size_t count = 1; count <= SELECTED_MAX; count += 16) {
		for (size_t place = 0; place < count; place += 5) {
			size_t shift = 16 + count % 9; /* from few equal values to many */
			for (size_t i = 0; i < count; i++) {
				next = next * 1664525 + 1013904223;
				values[i] = (uint16_t)(next >> shift);
			}
			uint16_t found = select_place(values, count, place);
			size_t less = 0;
			size_t equal = 0;
			for (size_t i = 0; i < count; i++) {
				less += values[i] < found;
				equal += values[i] == found;
			}
			assert_true(less <= place && place < less + equal);
		}
	}
	uint16_t four[] = { 4, 1, 3, 2 };
	assert_int_equal(select_median(four, 4), 2);
	assert_int_equal(select_percentile(four, 4, 95), 4);
	assert_int_equal(select_percentile(four, 4, 0), 1);
}

static void load_goes_by_completed_work(void **unused)
{
	static const struct load_reference reference = { 200000000, 1000 };
	static const struct {
		uint64_t bytes;
		uint64_t ios;
		const struct load_reference *reference;
		enum load_class load;
	} cases[] = {
		{ 9999999, 49, NULL, LOAD_IDLE },
		{ 10000000, 0, NULL, LOAD_LIGHT },
		{ 0, 50, NULL, LOAD_LIGHT },
		{ 29999999, 149, &reference, LOAD_IDLE },
		{ 30000000, 0, &reference, LOAD_LIGHT },
		{ 0, 150, &reference, LOAD_LIGHT },
		{ 109999999, 0, &reference, LOAD_LIGHT },
		{ 110000000, 0, &reference, LOAD_HEAVY },
		{ 0, 550, &reference, LOAD_HEAVY },
		{ UINT64_MAX, UINT64_MAX, &reference, LOAD_HEAVY },
	};
	const struct facts unknown = { .has_counters = false, .others_bytes_per_sec = 1 << 30 };

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct facts facts = {
			.has_counters = true,
			.others_bytes_per_sec = cases[i].bytes,
			.others_ios_per_sec = cases[i].ios,
		};
		assert_int_equal(load_classify(&facts, cases[i].reference), cases[i].load);
	}
	assert_int_equal(load_classify(&unknown, &reference), LOAD_UNKNOWN);
}

/* This many of 1000 I/Os are hits around 0.4 ms, the others misses around 8 ms. */
static struct histogram *new_mixture(unsigned hits, unsigned percent)
{
	struct histogram *h = calloc(1, sizeof(*h));

	assert_non_null(h);
	for (unsigned i = 0; i < 1000; i++) {
		uint64_t nsec = i < hits ? 400000 + i * 200 : 6000000 + i * 5000;
		histogram_add(h, nsec * percent / 100);
	}
	return h;
}

static void a_valley_lies_between_hits_and_misses(void **unused)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct histogram *h = new_mixture(300, 100);

	(void)unused;
	assert_non_null(shape);
	for (int i = 0; i < 35; i++)
		shape_add(shape, h);
	assert_int_equal(shape_valley_nsec(shape), 0); /* too early */
	shape_add(shape, h);
	uint64_t valley = shape_valley_nsec(shape);
	assert_in_range(valley, 500000, 7000000);
	assert_int_equal(shape_share_below(h, valley), 3000);
	free(h);
	h = new_mixture(20, 100);
	assert_int_equal(shape_share_below(h, valley), 200);
	free(h);
	free(shape);
}

static void one_hump_has_no_valley(void **unused)
{
	struct shape *shape = calloc(1, sizeof(*shape));
	struct histogram *h = new_mixture(0, 100);

	(void)unused;
	assert_non_null(shape);
	for (int i = 0; i < 50; i++)
		shape_add(shape, h);
	assert_int_equal(shape_valley_nsec(shape), 0);
	free(h);
	free(shape);
}

static enum drift_verdict walk_hours(
	struct alarm_drift *drift, int64_t *now_usec, int hours, int32_t ratio)
{
	enum drift_verdict found = DRIFT_NONE;

	for (int hour = 0; hour < hours; hour++) {
		for (int run = 0; run < 12; run++) {
			if (drift_add(drift, ratio, *now_usec) == DRIFT_FOUND)
				found = DRIFT_FOUND;
			*now_usec += HOUR_USEC / 12;
		}
	}
	return found;
}

static void drift_is_found_after_most_of_half_a_day_and_three_checks(void **unused)
{
	struct alarm_drift drift = { .hour = 0 };
	int64_t now_usec = 0;

	(void)unused;
	assert_int_equal(walk_hours(&drift, &now_usec, 48, OCTAVE_1_25), DRIFT_NONE);
	assert_int_equal(walk_hours(&drift, &now_usec, 9, OCTAVE_1_35), DRIFT_NONE);
	assert_int_equal(walk_hours(&drift, &now_usec, 2, OCTAVE_1_35), DRIFT_FOUND);
}

static void a_drift_goes_on_after_an_incident(void **unused)
{
	struct alarm_drift drift = { .hour = 0 };
	int64_t now_usec = 0;

	(void)unused;
	assert_int_equal(walk_hours(&drift, &now_usec, 9, OCTAVE_1_35), DRIFT_NONE);
	int64_t opened_usec = now_usec;
	(void)walk_hours(&drift, &now_usec, 3, OCTAVE_3);
	drift_forget(&drift, opened_usec, now_usec);
	assert_int_equal(drift.hour_count, 8); /* without the one it opened in */
	assert_int_equal(walk_hours(&drift, &now_usec, 4, OCTAVE_1_35), DRIFT_FOUND);
	drift_forget(&drift, 0, now_usec);
	assert_int_equal(drift.hour_count, 0);
}

static void five_slow_hours_of_a_night_are_no_drift(void **unused)
{
	struct alarm_drift drift = { .hour = 0 };
	int64_t now_usec = 0;

	(void)unused;
	for (int night = 0; night < 7; night++) {
		assert_int_equal(walk_hours(&drift, &now_usec, 5, OCTAVE_2), DRIFT_NONE);
		assert_int_equal(walk_hours(&drift, &now_usec, 19, 0), DRIFT_NONE);
	}
}

/* The newest slot is on the right. */
static enum alarm_level level_of(enum alarm_rule rule, const char *slots)
{
	struct alarm_rule_state state = { .bits = 0 };
	const struct rule_sense sense = { .hold = { 0, 0 } };

	for (; *slots != '\0'; slots++)
		lane_push(&state, *slots != '.', *slots == 'C');
	return lane_level(&state, rule, &sense);
}

static void windows_count_slots(void **unused)
{
	static const struct {
		enum alarm_rule rule;
		const char *slots;
		enum alarm_level level;
	} cases[] = {
		{ ALARM_RULE_RELATIVE, "x", ALARM_NONE },
		{ ALARM_RULE_RELATIVE, "xx", ALARM_WARNING },
		{ ALARM_RULE_RELATIVE, "x.x", ALARM_WARNING },
		{ ALARM_RULE_RELATIVE, "x..x", ALARM_NONE },
		{ ALARM_RULE_RELATIVE, "xx.", ALARM_NONE }, /* the newest must be bad */
		{ ALARM_RULE_RELATIVE, "Cx", ALARM_WARNING },
		{ ALARM_RULE_RELATIVE, "CC", ALARM_CRITICAL },
		{ ALARM_RULE_SLOW, "xxxxxxxxx", ALARM_NONE },
		{ ALARM_RULE_SLOW, "xxxxx..xxxxx", ALARM_WARNING },
		{ ALARM_RULE_SLOW, "xxxxx...xxxxx", ALARM_NONE },
		{ ALARM_RULE_STALL, "x...........x", ALARM_NONE },
		{ ALARM_RULE_STALL, "x..........x", ALARM_WARNING },
		{ ALARM_RULE_STALL, "xx", ALARM_NONE }, /* one short disturbance */
		{ ALARM_RULE_STALL, "xxx", ALARM_WARNING },
		{ ALARM_RULE_STALL, "x.xxx", ALARM_CRITICAL },
		{ ALARM_RULE_DRIFT, "x", ALARM_WARNING },
		{ ALARM_RULE_THROUGHPUT_HELD, "xxxxxxxxxxxxxxxxxxx", ALARM_NONE },
		{ ALARM_RULE_THROUGHPUT_HELD, "xxxxxxxxxxxxxxxxxxxx", ALARM_WARNING },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		if (level_of(cases[i].rule, cases[i].slots) != cases[i].level)
			fail_msg("%s", cases[i].slots);
}

static void presets_are_windows(void **unused)
{
	static const uint64_t after[] = { 60000000, 120000000 };
	enum rule_sensitivity sensitivity;

	(void)unused;
	struct rule_sense sense = sense_from(RULE_DEFAULT, false, after, 2);
	assert_int_equal(sense.hold.hits, 2);
	assert_int_equal(sense.hold.window, 3);
	assert_int_equal(sense.confirm_after_usec[1], 120000000);
	sense = sense_from(RULE_DEFAULT, true, after, 0);
	assert_int_equal(sense.hold.hits, 3);
	assert_int_equal(sense.hold.window, 5);
	assert_true(sense.is_limit_strict);
	assert_int_equal(sense_parse("very-quiet", &sensitivity), 0);
	sense = sense_from(sensitivity, false, after, 1);
	assert_int_equal(sense.hold.hits, 4);
	assert_string_equal(sense_name(RULE_QUIET), "quiet");
	assert_true(sense_parse("loud", &sensitivity) < 0);
}

static void clearing_takes_longer_with_each_reopening(void **unused)
{
	(void)unused;
	assert_int_equal(lane_clear_runs(6, 0), 6);
	assert_int_equal(lane_clear_runs(6, 1), 12);
	assert_int_equal(lane_clear_runs(6, 2), 24);
	assert_int_equal(lane_clear_runs(6, 200), 24);
	assert_int_equal(lane_clear_runs(3, 1), 6);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_octave_is_a_factor_of_two),
		cmocka_unit_test(a_value_comes_back_to_a_thousandth),
		cmocka_unit_test(selection_finds_what_sorting_would),
		cmocka_unit_test(load_goes_by_completed_work),
		cmocka_unit_test(a_valley_lies_between_hits_and_misses),
		cmocka_unit_test(one_hump_has_no_valley),
		cmocka_unit_test(drift_is_found_after_most_of_half_a_day_and_three_checks),
		cmocka_unit_test(a_drift_goes_on_after_an_incident),
		cmocka_unit_test(five_slow_hours_of_a_night_are_no_drift),
		cmocka_unit_test(windows_count_slots),
		cmocka_unit_test(presets_are_windows),
		cmocka_unit_test(clearing_takes_longer_with_each_reopening),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
