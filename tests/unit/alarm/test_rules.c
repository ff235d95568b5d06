/* SPDX-License-Identifier: Apache-2.0 */
/* Rules that compare with a normal: what fires, what confirms it, what clears it. */
#include "test.h"

#include <stdlib.h>
#include <string.h>

#include "alarm/octave.h"
#include "alarm/peer.h"
#include "alarm/series.h"
#include "fixture.h"

static void slower_than_normal_fires_below_the_limit(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 3, 7); /* 1.75 times */
	assert_events(f, "");
	slots(f, 1, 9);
	assert_events(f, "");
	slot_with(f, 9 * NSEC_PER_MSEC, 200000000);
	assert_events(f, "opened relative warning");
	slots(f, 5, 5);
	assert_events(f, "");
	slots(f, 1, 5);
	assert_events(f, "cleared relative warning");
	free_fixture(f);
}

static void the_evidence_says_what_was_normal(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 1, 9);
	take(f, new_read(f, 9000000, 200000000), false);
	take(f, new_read(f, 9000000, 200000000), true);
	assert_int_equal(f->outcome.event_count, 0); /* one of two runs is missing */
	take(f, new_read(f, 9000000, 200000000), true);
	assert_int_equal(f->outcome.event_count, 1);
	const struct alarm_evidence *e = &f->outcome.events[0].evidence;
	assert_int_equal(e->rule, ALARM_RULE_RELATIVE);
	assert_int_equal(e->value, 9000000);
	assert_in_range(e->normal, NORMAL_NSEC - 10000, NORMAL_NSEC + 10000);
	assert_int_equal(e->normal_runs, 1000);
	assert_int_equal(e->load, LOAD_IDLE);
	assert_int_equal(e->confirmations, 2);
	assert_int_equal(e->agreed, 2);
	assert_int_equal(e->cause, ALARM_CAUSE_PATH);
	free_fixture(f);
}

static void a_spike_whose_confirmations_are_clean_is_none(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	for (int i = 0; i < 9; i++) {
		int64_t slot_usec = f->now_usec;
		take(f, new_read(f, 50000000, 200000000), false);
		assert_int_equal(f->outcome.confirm_at_usec, slot_usec + MINUTE_USEC);
		assert_false(f->outcome.samples[RUN_READ].is_learned);
		f->now_usec = f->outcome.confirm_at_usec;
		take(f, new_read(f, NORMAL_NSEC, 200000000), true);
		assert_int_equal(f->outcome.confirm_at_usec, slot_usec + 2 * MINUTE_USEC);
		f->now_usec = f->outcome.confirm_at_usec;
		take(f, new_read(f, NORMAL_NSEC, 200000000), true);
		assert_int_equal(f->outcome.confirm_at_usec, 0);
		f->now_usec = slot_usec + SLOT_USEC;
	}
	assert_events(f, "");
	free_fixture(f);
}

static void one_run_of_a_slot_may_be_less_slow_but_not_normal(void **unused)
{
	static const struct {
		uint64_t third_nsec;
		const char *events;
	} cases[] = {
		{ 6500000, "opened relative warning" }, /* 1.6 times: no alarm on its own */
		{ 5000000, "" },
		{ NORMAL_NSEC, "" },
	};

	(void)unused;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fixture *f = new_fixture();
		slots(f, 1, 9);
		take(f, new_read(f, 9000000, 200000000), false);
		take(f, new_read(f, 9000000, 200000000), true);
		take(f, new_read(f, cases[i].third_nsec, 200000000), true);
		assert_int_equal(f->outcome.confirm_at_usec, 0);
		assert_events(f, cases[i].events);
		free_fixture(f);
	}
}

static void three_times_slower_needs_no_third_slot_under_load(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->load = LOAD_HEAVY;
	slots(f, 2, 25);
	assert_events(f, "");
	slots(f, 1, 25);
	assert_events(f, "opened relative warning");
	free_fixture(f);

	f = new_fixture();
	f->load = LOAD_HEAVY;
	slots(f, 2, 35);
	assert_events(f, "opened relative warning");
	free_fixture(f);
}

static void a_confirmation_that_never_came_ends_with_the_next_slot(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	take(f, new_read(f, 9000000, 200000000), false);
	assert_true(f->outcome.confirm_at_usec != 0);
	f->now_usec += SLOT_USEC;
	slots(f, 1, 9);
	assert_events(f, "opened relative warning");
	free_fixture(f);
}

static void what_is_normal_under_load_is_no_alarm_there(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->load = LOAD_HEAVY;
	slots(f, 30, 12);
	assert_events(f, "");
	f->load = LOAD_IDLE;
	slots(f, 2, 12);
	assert_events(f, "opened relative warning");
	free_fixture(f);
}

static void a_given_limit_is_honoured_after_an_hour_under_load(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->load = LOAD_HEAVY;
	slots(f, 9, 16);
	assert_events(f, "");
	slots(f, 1, 16);
	assert_events(f, "opened limit warning");
	free_fixture(f);

	f = new_fixture();
	f->limit.is_auto = true;
	f->load = LOAD_HEAVY;
	slots(f, 40, 16);
	assert_events(f, "");
	free_fixture(f);
}

static void a_limit_near_the_normal_does_not_chatter_unless_it_is_strict(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->limit.limit_nsec = 4500000;
	slots(f, 8, 5);
	assert_events(f, "");
	free_fixture(f);

	f = new_fixture();
	f->limit.limit_nsec = 4500000;
	f->sense.is_limit_strict = true;
	slots(f, 2, 5);
	assert_events(f, "opened limit warning");
	free_fixture(f);
}

static void back_to_normal_just_below_the_limit_clears(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	set_normal(f, BASELINE_AVERAGE, LOAD_IDLE, octave_from(14000000));
	set_normal(f, BASELINE_P95, LOAD_IDLE, octave_from(14000000));
	slots(f, 3, 14);
	slots(f, 3, 40);
	assert_events(f, "opened limit critical; joined relative critical");
	slots(f, 6, 14);
	assert_events(f, "cleared relative critical");
	free_fixture(f);
}

static void without_counters_nothing_is_critical(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->has_baseline = false;
	f->load = LOAD_UNKNOWN;
	slots(f, 4, 100);
	assert_events(f, "opened limit warning");
	free_fixture(f);

	f = new_fixture();
	f->has_baseline = false;
	slots(f, 4, 100);
	assert_events(f, "opened limit critical");
	free_fixture(f);
}

static void somewhat_slower_for_an_hour_fires(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 9, 6);
	assert_events(f, "");
	slots(f, 1, 6);
	assert_events(f, "opened slow warning");
	slots(f, 10, 6);
	assert_events(f, "");
	slots(f, 6, 4);
	assert_events(f, "cleared slow warning");
	free_fixture(f);
}

static void lost_throughput_alone_fires_fast(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slot_with(f, NORMAL_NSEC, 80000000);
	slot_with(f, NORMAL_NSEC, 80000000);
	assert_events(f, "opened throughput warning");
	for (int i = 0; i < 6; i++)
		slot_with(f, NORMAL_NSEC, 190000000);
	assert_events(f, "cleared throughput warning");
	free_fixture(f);
}

static void fewer_fast_ones_are_a_lost_cache(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->baseline.valley_nsec = 1000000;
	set_normal(f, BASELINE_FAST, LOAD_IDLE, 3000);
	set_normal(f, BASELINE_AVERAGE, LOAD_IDLE, octave_from(2900000));
	set_normal(f, BASELINE_P50, LOAD_IDLE, octave_from(2900000));
	for (int slot = 0; slot < 2; slot++) {
		int64_t slot_usec = f->now_usec;
		bool is_confirmation = false;
		do {
			struct run *run = new_read(f, NORMAL_NSEC, 200000000);
			for (int i = 0; i < IOS / 20; i++)
				histogram_add(&run->operations[RUN_READ].latency, 300000);
			take(f, run, is_confirmation);
			is_confirmation = true;
			if (f->outcome.confirm_at_usec != 0)
				f->now_usec = f->outcome.confirm_at_usec;
		} while (f->outcome.confirm_at_usec != 0);
		f->now_usec = slot_usec + SLOT_USEC;
	}
	assert_events(f, "opened tail warning");
	assert_int_equal(f->outcome.events[0].evidence.rule, ALARM_RULE_CACHE);
	assert_int_equal(f->outcome.events[0].evidence.cause, ALARM_CAUSE_CACHE);
	assert_int_equal(f->outcome.events[0].evidence.normal, 3000);
	assert_in_range(f->outcome.events[0].evidence.value, 470, 480);
	free_fixture(f);
}

static void a_peer_that_is_faster_shows_what_is_slow_from_the_start(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->has_baseline = false;
	f->sense.confirmations = 0;
	for (int i = 0; i < 2; i++) {
		struct run *run = new_read(f, 9000000, 200000000);
		const struct alarm_input input = {
			.run = run,
			.facts = &run->facts,
			.limit = f->limit,
			.peers_nsec = { 4000000, 0 },
			.now_usec = f->now_usec += SLOT_USEC,
			.next_incident_id = 1,
		};
		assert_int_equal(alarm_step(&f->state, &input, &f->outcome), 0);
		note_events(f);
		free(run);
	}
	assert_events(f, "opened peer warning");
	free_fixture(f);
}

/* Reads of one of two repositories on the same storage, and the latency of its only peer. */
static void take_beside(struct fixture *f, uint64_t nsec, uint64_t peer_nsec)
{
	f->has_baseline = false;
	f->sense.confirmations = 0;
	for (int i = 0; i < 5; i++) {
		struct run *run = new_read(f, nsec, 200000000);
		const struct alarm_input input = {
			.run = run,
			.facts = &run->facts,
			.limit = f->limit,
			.peers_nsec = { peer_nsec, 0 },
			.now_usec = f->now_usec += SLOT_USEC,
			.next_incident_id = 1,
		};
		assert_int_equal(alarm_step(&f->state, &input, &f->outcome), 0);
		note_events(f);
		free(run);
	}
}

static void of_two_on_one_device_the_slower_is_told_and_the_other_is_not(void **unused)
{
	static const uint64_t nsec[2] = { 9000000, 4000000 };
	struct identity identity = {
		.has_device = true,
		.device = { .leaf_count = 1, .leaves = { { .major = 8, .minor = 0 } } },
	};
	const struct peer peers[2] = {
		{ &identity, "k", 1000, nsec[0] },
		{ &identity, "k", 1000, nsec[1] },
	};

	(void)unused;
	for (size_t i = 0; i < 2; i++) {
		struct fixture *f = new_fixture();
		take_beside(f, nsec[i], peer_median_nsec(peers, 2, i, 1000, 100));
		assert_events(f, i == 0 ? "opened peer warning" : "");
		free_fixture(f);
	}
}

static void coming_back_soon_reopens_and_three_times_flaps(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 3, 9);
	slots(f, 6, 4);
	assert_events(f, "opened relative warning; cleared relative warning");
	slots(f, 3, 9);
	slots(f, 6, 4);
	assert_events(f, "reopened relative warning");
	slots(f, 6, 4);
	assert_events(f, "cleared relative warning");
	slots(f, 3, 9);
	slots(f, 24, 4);
	assert_events(f, "reopened relative warning; cleared relative warning");
	slots(f, 3, 9);
	assert_events(f, "reopened relative warning; flapping relative warning");
	assert_int_equal(f->state.incident_id, 1);
	slots(f, 24, 4);
	f->now_usec += ALARM_REOPEN_USEC;
	slots(f, 3, 9);
	assert_events(f, "cleared relative warning; opened relative warning");
	assert_int_equal(f->state.incident_id, 2);
	free_fixture(f);
}

/* The normal of the last weeks has followed the drift. */
static void what_was_normal_at_first_shows_a_drift(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->baseline.anchor = octave_from(NORMAL_NSEC);
	set_normal(f, BASELINE_AVERAGE, LOAD_IDLE, octave_from(6000000));
	set_normal(f, BASELINE_P95, LOAD_IDLE, octave_from(6000000));
	slots(f, 96, 6); /* eight hours */
	assert_events(f, "");
	slots(f, 36, 6);
	assert_events(f, "opened drift warning");
	slots(f, 12, 4); /* an hour is no recovery */
	assert_events(f, "");
	slots(f, 24, 4);
	assert_events(f, "cleared drift warning");
	free_fixture(f);
}

static void trouble_is_not_learned(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	slots(f, 1, 4);
	assert_true(f->outcome.has_sample[RUN_READ]);
	assert_false(f->outcome.has_sample[RUN_WRITE]);
	assert_true(f->outcome.samples[RUN_READ].is_learned);
	slots(f, 2, 9);
	assert_false(f->outcome.samples[RUN_READ].is_learned);
	slots(f, 1, 4);
	assert_false(f->outcome.samples[RUN_READ].is_learned);
	free_fixture(f);
}

static void good_runs_make_a_first_normal_even_during_an_incident(void **unused)
{
	struct fixture *f = new_fixture();

	(void)unused;
	f->has_baseline = false;
	slots(f, 2, 40);
	assert_events(f, "opened limit critical");
	assert_false(f->outcome.samples[RUN_READ].is_learned);
	slots(f, 40, 14);
	assert_events(f, ""); /* not below 80 % of the limit, and not known to be normal */
	assert_true(f->outcome.samples[RUN_READ].is_learned);
	for (size_t metric = BASELINE_AVERAGE; metric <= BASELINE_P99; metric++)
		set_normal(f, (enum baseline_metric)metric, LOAD_IDLE, octave_from(14000000));
	f->has_baseline = true;
	slots(f, 6, 14);
	assert_events(f, "cleared limit critical");
	free_fixture(f);
}

static void a_limit_that_is_crossed_back_and_forth_is_one_incident_at_most(void **unused)
{
	struct fixture *f = new_fixture();
	int opened = 0;

	(void)unused;
	for (int i = 0; i < 288; i++) {
		slot_with(f, i % 2 ? 14900000 : 15100000, 200000000);
		for (size_t k = 0; k < f->outcome.event_count; k++)
			opened += f->outcome.events[k].change == INCIDENT_OPENED;
	}
	assert_in_range(opened, 0, 1);
	free_fixture(f);
}

/* The slot that ends and the one that begins, in one alarm_step: the most events possible. */
static void all_rules_of_all_operations_fire_at_every_level_at_once(void **unused)
{
	const uint16_t all = JUDGE_BIT(ALARM_RULES) - 1;
	struct fixture *f = new_fixture();
	struct run *run = new_run(f);
	const struct alarm_input input = {
		.run = run, .now_usec = f->now_usec, .next_incident_id = 1, .sense = f->sense
	};
	struct step step = { .state = &f->state, .input = &input, .outcome = &f->outcome };
	struct alarm_state *state = &f->state;

	(void)unused;
	state->last_incident_id = 1;
	state->last_cleared_usec = f->now_usec;
	state->reopenings = ALARM_FLAPPING_REOPENINGS;
	state->series_count = RUN_OPERATIONS;
	state->probe_count = 1;
	step.probe = &state->probes[0];
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		state->series[i].operation = (enum run_operation)i;
		memcpy(state->series[i].probe, run->probe, sizeof(run->probe));
		for (size_t rule = 0; rule < ALARM_RULES; rule++)
			state->series[i].rules[rule] =
				(struct alarm_rule_state){ .bits = UINT32_MAX, .slots = 32 };
	}
	for (int is_critical = 0; is_critical < 2; is_critical++)
		for (size_t i = 0; i < RUN_OPERATIONS; i++) {
			struct alarm_slot_run slot = { .judged = all, .bad = all, .near = all };
			slot.critical = is_critical ? all : 0;
			for (size_t rule = 0; is_critical && rule < ALARM_RULES; rule++)
				state->series[i].rules[rule].critical_bits = UINT32_MAX;
			series_take(&step, (enum run_operation)i, &slot, all);
		}
	/* Each reason, most of them at both levels, and flapping. */
	assert_true(f->outcome.event_count > 20);
	assert_true(f->outcome.event_count <= ALARM_EVENTS_MAX - ALARM_CUSTOMS_MAX - 1);
	assert_int_equal(f->outcome.events[1].change, INCIDENT_FLAPPING);
	free(run);
	free_fixture(f);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(slower_than_normal_fires_below_the_limit),
		cmocka_unit_test(the_evidence_says_what_was_normal),
		cmocka_unit_test(a_spike_whose_confirmations_are_clean_is_none),
		cmocka_unit_test(one_run_of_a_slot_may_be_less_slow_but_not_normal),
		cmocka_unit_test(three_times_slower_needs_no_third_slot_under_load),
		cmocka_unit_test(a_confirmation_that_never_came_ends_with_the_next_slot),
		cmocka_unit_test(what_is_normal_under_load_is_no_alarm_there),
		cmocka_unit_test(a_given_limit_is_honoured_after_an_hour_under_load),
		cmocka_unit_test(a_limit_near_the_normal_does_not_chatter_unless_it_is_strict),
		cmocka_unit_test(back_to_normal_just_below_the_limit_clears),
		cmocka_unit_test(without_counters_nothing_is_critical),
		cmocka_unit_test(somewhat_slower_for_an_hour_fires),
		cmocka_unit_test(lost_throughput_alone_fires_fast),
		cmocka_unit_test(fewer_fast_ones_are_a_lost_cache),
		cmocka_unit_test(a_peer_that_is_faster_shows_what_is_slow_from_the_start),
		cmocka_unit_test(of_two_on_one_device_the_slower_is_told_and_the_other_is_not),
		cmocka_unit_test(coming_back_soon_reopens_and_three_times_flaps),
		cmocka_unit_test(what_was_normal_at_first_shows_a_drift),
		cmocka_unit_test(trouble_is_not_learned),
		cmocka_unit_test(good_runs_make_a_first_normal_even_during_an_incident),
		cmocka_unit_test(a_limit_that_is_crossed_back_and_forth_is_one_incident_at_most),
		cmocka_unit_test(all_rules_of_all_operations_fire_at_every_level_at_once),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
