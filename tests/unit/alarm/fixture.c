/* SPDX-License-Identifier: Apache-2.0 */
/* Runs, slots and the resulting events. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>

#include "alarm/octave.h"
#include "alarm/sense.h"
#include "fixture.h"

void set_normal(
	struct fixture *f, enum baseline_metric metric, enum load_class load, int32_t median)
{
	f->baseline.normals[metric][load] = (struct baseline_normal){
		.median = median,
		.spread = metric == BASELINE_FAST ? 100 : 103,
		.low = median - 200,
		.high = median + 200,
		.count = 1000,
	};
}

struct fixture *new_fixture(void)
{
	static const uint64_t after[] = { 60000000, 120000000 };
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	(void)snprintf(f->state.repository, sizeof(f->state.repository), "nas1");
	f->limit = (struct rule_limit){ .limit_nsec = 15000000, .limit_critical_nsec = 30000000 };
	f->sense = sense_from(RULE_DEFAULT, false, after, 2);
	f->has_baseline = true;
	f->interval_usec = (uint64_t)SLOT_USEC;
	f->now_usec = BEGIN_USEC;
	f->next_id = 1;
	f->events = (struct buf)BUF_INIT(4096);
	f->baseline.built_usec = 1;
	f->baseline.reference = (struct load_reference){ 200000000, 1000 };
	for (size_t metric = BASELINE_AVERAGE; metric <= BASELINE_P99; metric++) {
		set_normal(f, (enum baseline_metric)metric, LOAD_IDLE, octave_from(NORMAL_NSEC));
		set_normal(f, (enum baseline_metric)metric, LOAD_HEAVY, octave_from(10000000));
	}
	set_normal(f, BASELINE_THROUGHPUT, LOAD_IDLE, octave_from(200000000));
	return f;
}

void free_fixture(struct fixture *f)
{
	buf_done(&f->events);
	free(f);
}

void note_events(struct fixture *f)
{
	for (size_t i = 0; i < f->outcome.event_count; i++) {
		const struct incident_event *e = &f->outcome.events[i];
		buf_printf(&f->events, "%s%s %s %s", f->events.len > 0 ? "; " : "",
			incident_change_name(e->change), alarm_reason_name(e->reason),
			alarm_level_name(e->level));
		if (e->change == INCIDENT_OPENED)
			f->next_id++;
	}
}

struct run *new_run(const struct fixture *f)
{
	struct run *run = run_new("nas1", "active-full");
	const uint64_t others[] = { 0, 60000000, 150000000, 0 };

	assert_non_null(run);
	run->status = RUN_OK;
	run->measured_nsec = NSEC_PER_SEC;
	run->facts.has_counters = f->load != LOAD_UNKNOWN;
	run->facts.others_bytes_per_sec = others[f->load];
	return run;
}

void take(struct fixture *f, struct run *run, bool is_confirmation)
{
	const struct baseline *b = f->has_baseline ? &f->baseline : NULL;
	const struct alarm_input input = {
		.run = run,
		.facts = &run->facts,
		.limit = f->limit,
		.sense = f->sense,
		.interval_usec = f->interval_usec,
		.is_muted = f->is_muted,
		.is_confirmation = is_confirmation,
		.baselines = { b, b },
		.user_rules = f->user_rules,
		.user_rule_count = f->user_rule_count,
		.now_usec = f->now_usec,
		.next_incident_id = f->next_id,
	};

	assert_int_equal(alarm_step(&f->state, &input, &f->outcome), 0);
	note_events(f);
	free(run);
}

struct run *new_read(const struct fixture *f, uint64_t nsec, uint64_t bytes_per_sec)
{
	struct run *run = new_run(f);
	struct run_operation_result *o = &run->operations[RUN_READ];

	for (int i = 0; i < IOS; i++)
		histogram_add(&o->latency, nsec);
	o->ios = IOS;
	o->bytes = bytes_per_sec;
	return run;
}

void slot_with(struct fixture *f, uint64_t nsec, uint64_t bytes_per_sec)
{
	int64_t slot_usec = f->now_usec;

	take(f, new_read(f, nsec, bytes_per_sec), false);
	while (f->outcome.confirm_at_usec != 0) {
		assert_true(f->outcome.confirm_at_usec > f->now_usec);
		f->now_usec = f->outcome.confirm_at_usec;
		take(f, new_read(f, nsec, bytes_per_sec), true);
	}
	f->now_usec = slot_usec + SLOT_USEC;
}

void slots(struct fixture *f, int count, uint64_t msec)
{
	for (int i = 0; i < count; i++)
		slot_with(f, msec * NSEC_PER_MSEC, 200000000);
}

void failed(struct fixture *f, enum run_status status, bool is_confirmation)
{
	struct run *run = new_run(f);

	run->status = status;
	if (status == RUN_SKIPPED)
		run->skip = RUN_SKIP_BUSY;
	take(f, run, is_confirmation);
}

void assert_events(struct fixture *f, const char *expected)
{
	assert_string_equal(buf_text(&f->events), expected);
	buf_done(&f->events);
	f->events = (struct buf)BUF_INIT(4096);
}

void tick(struct fixture *f, int64_t started_usec)
{
	const struct alarm_tick tick = {
		.now_usec = f->now_usec,
		.started_usec = started_usec,
		.next_incident_id = f->next_id,
	};

	alarm_tick(&f->state, &tick, &f->outcome);
	note_events(f);
}
