/* SPDX-License-Identifier: Apache-2.0 */
/* What becomes of each kind of change, and that a batch is all or nothing. */
#include "store/write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "fixture.h"
#include "test.h"

static int64_t count(const struct fixture *f, const char *table)
{
	char query[256];

	(void)snprintf(query, sizeof(query), "SELECT count(*) FROM %s", table);
	return fixture_sql_integer(f, query);
}

static void runs_of_one_kind_share_all_but_their_own_row(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t id = 1; id <= 5; id++) {
		struct run *run = fixture_run(f, id, "nas1", "active-full");
		/* None of this makes it another series, workload or identity. */
		run->identity.size_bytes += (uint64_t)id * 4096;
		run->file_bytes = (uint64_t)id << 26;
		run->workload.file_size_bytes = run->file_bytes;
		fixture_commit_run(f, run);
	}
	assert_int_equal(count(f, "run"), 5);
	assert_int_equal(count(f, "run_operation"), 5);
	assert_int_equal(count(f, "target"), 1);
	assert_int_equal(count(f, "series"), 1);
	assert_int_equal(count(f, "workload"), 1);
	assert_int_equal(count(f, "identity"), 1);
}

static int gather_budget(void *data, const char *repository, const struct saved_budget *budget)
{
	struct saved_budget *sum = data;

	assert_string_equal(repository, sum->day_bytes == 0 ? "nas1" : "nas2");
	sum->day_bytes += budget->day_bytes;
	sum->level_bytes += budget->level_bytes;
	sum->saved_usec += budget->saved_usec;
	return 0;
}

static void a_budget_is_kept_and_replaced(void **state)
{
	static const struct {
		const char *repository;
		struct saved_budget budget;
	} changes[] = {
		{ "nas1", { 1000, 100, 1 } },
		{ "nas2", { 5000, -70, 2 } },
		{ "nas1", { 2000, 30, 40 } },
	};
	struct fixture *f = *state;
	struct store_reader *reader;
	struct saved_budget sum = { 0 };
	char longer[RUN_NAME_MAX + 2];

	fixture_open(f);
	for (size_t i = 0; i < sizeof(changes) / sizeof(changes[0]); i++) {
		struct batch *batch = batch_new();
		assert_non_null(batch);
		assert_int_equal(
			batch_add_budget(batch, changes[i].repository, &changes[i].budget), 0);
		memset(longer, 'x', sizeof(longer) - 1);
		longer[sizeof(longer) - 1] = '\0';
		assert_int_equal(
			batch_add_budget(batch, longer, &changes[i].budget), -ENAMETOOLONG);
		fixture_commit(f, batch);
	}
	assert_int_equal(count(f, "budget"), 2);
	assert_int_equal(store_reader_open(f->path, &reader, NULL), 0);
	assert_int_equal(store_read_budgets(reader, gather_budget, &sum, NULL), 0);
	assert_int_equal(sum.day_bytes, 7000);
	assert_int_equal(sum.level_bytes, -40);
	assert_int_equal(sum.saved_usec, 42);
	store_reader_close(reader);
}

static void the_watched_are_those_of_the_last_word(void **state)
{
	static const char *const words[] = { "\n", "\nnas1\nnas 2\n", "\nnas 2\n" };
	struct fixture *f = *state;

	fixture_open(f);
	for (size_t i = 0; i <= sizeof(words) / sizeof(words[0]); i++) {
		struct buf names = BUF_INIT(100);
		struct store_reader *reader;
		assert_int_equal(store_reader_open(f->path, &reader, NULL), 0);
		assert_int_equal(store_read_watched(reader, &names, NULL), 0);
		assert_string_equal(buf_text(&names), i > 0 ? words[i - 1] : "");
		store_reader_close(reader);
		buf_done(&names);
		if (i == sizeof(words) / sizeof(words[0]))
			break;
		struct batch *batch = batch_new();
		assert_non_null(batch);
		assert_int_equal(batch_add_watched(batch, words[i]), 0);
		fixture_commit(f, batch);
	}
}

static void a_bound_keeps_the_series_and_a_block_size_starts_another(void **state)
{
	struct fixture *f = *state;
	struct run *run;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	run = fixture_run(f, 2, "nas1", "active-full");
	run->workload.duration_usec *= 2;
	fixture_commit_run(f, run);
	assert_int_equal(count(f, "series"), 1);
	assert_int_equal(count(f, "workload"), 2);
	run = fixture_run(f, 3, "nas1", "active-full");
	run->workload.block_size_bytes *= 2;
	fixture_commit_run(f, run);
	assert_int_equal(count(f, "series"), 2);
	assert_int_equal(count(f, "workload"), 3);
}

static void another_file_system_is_another_identity(void **state)
{
	struct fixture *f = *state;
	struct run *run;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	run = fixture_run(f, 2, "nas1", "active-full");
	run->identity.fs_uuid[0] = 'f';
	run->status = RUN_WRONG_TARGET;
	fixture_commit_run(f, run);
	fixture_commit_run(f, fixture_run(f, 3, "nas1", "active-full"));
	assert_int_equal(count(f, "identity"), 2);
	assert_int_equal(fixture_sql_integer(
				 f, "SELECT count(DISTINCT identity) FROM run WHERE id IN (1, 3)"),
		1);
}

static void a_run_is_stored_once(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(1, 0);

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 7, "nas1", "active-full"));
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(batch_add_run(batch, fixture_run(f, 7, "other", "heartbeat")), 0);
	assert_int_equal(fixture_commit(f, batch), -EEXIST);
	/* Nothing of that batch is there. */
	assert_int_equal(count(f, "run"), 1);
	assert_int_equal(count(f, "run_operation"), 1);
	assert_int_equal(count(f, "target"), 1);
	assert_int_equal(count(f, "incident"), 0);
	/* And the writer goes on. */
	fixture_commit_run(f, fixture_run(f, 8, "nas1", "active-full"));
	assert_int_equal(count(f, "run"), 2);
}

static void runs_without_an_id_or_a_time_are_refused(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int i = 0; i < 3; i++) {
		struct batch *batch = batch_new();
		struct run *run = fixture_run(f, i - 1, "nas1", "active-full");
		if (i == 2)
			run->started_usec = -1;
		assert_int_equal(batch_add_run(batch, run), 0);
		assert_int_equal(fixture_commit(f, batch), -EINVAL);
	}
	assert_int_equal(count(f, "run"), 0);
}

static void a_number_that_sqlite_cannot_hold_fails_its_batch(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct run *run = fixture_run(f, 1, "nas1", "active-full");

	run->operations[RUN_WRITE].bytes = UINT64_MAX;
	fixture_open(f);
	assert_int_equal(batch_add_run(batch, run), 0);
	assert_int_equal(fixture_commit(f, batch), -ERANGE);
	assert_int_equal(count(f, "run"), 0);
	assert_int_equal(count(f, "target"), 0);
}

static void a_message_is_kept_once_however_often_it_is_added(void **state)
{
	struct fixture *f = *state;
	struct incident_event event = fixture_event(3, 0);
	struct message message = fixture_message(&event);

	fixture_open(f);
	for (int i = 0; i < 3; i++) {
		struct batch *batch = batch_new();
		message.text[0] = (char)('A' + i);
		assert_int_equal(batch_add_event(batch, &event), 0);
		assert_int_equal(batch_add_message(batch, &message), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
	}
	assert_int_equal(count(f, "outbox"), 1);
	assert_int_equal(count(f, "incident_event"), 1);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM outbox WHERE text GLOB 'A*'"), 1);
}

static void a_delivery_is_noted(void **state)
{
	struct fixture *f = *state;
	struct incident_event event = fixture_event(3, 0);
	struct message message = fixture_message(&event);
	struct batch *batch = batch_new();

	fixture_open(f);
	assert_int_equal(batch_add_message(batch, &message), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM outbox WHERE delivered_usec IS NULL"),
		1);
	batch = batch_new();
	assert_int_equal(batch_add_delivery(batch, message.key, 3000), 0);
	assert_int_equal(batch_add_delivery(batch, "journal/9/9", 3000), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM outbox WHERE delivered_usec = 3000"),
		1);
}

static void an_incident_rises_and_closes_with_its_events(void **state)
{
	struct fixture *f = *state;
	static const struct {
		enum incident_change change;
		enum alarm_level level;
		const char *expected;
	} steps[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, "level = 1 AND closed_usec IS NULL" },
		{ INCIDENT_WORSE, ALARM_CRITICAL, "level = 2 AND closed_usec IS NULL" },
		{ INCIDENT_CLEARED, ALARM_CRITICAL,
			"level = 2 AND closed_usec = opened_usec + 2e6" },
	};

	fixture_open(f);
	for (uint32_t i = 0; i < 3; i++) {
		struct batch *batch = batch_new();
		struct incident_event event = fixture_event(4, i);
		char query[128];

		event.change = steps[i].change;
		event.level = steps[i].level;
		assert_int_equal(batch_add_event(batch, &event), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
		(void)snprintf(
			query, sizeof(query), "incident WHERE id = 4 AND %s", steps[i].expected);
		assert_int_equal(count(f, query), 1);
	}
	assert_int_equal(count(f, "incident_event WHERE incident = 4"), 3);
}

/* The batch that opened it was lost. */
static void a_change_of_an_unknown_incident_makes_it_known(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(6, 2);
	struct message message = fixture_message(&event);
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));

	fixture_open(f);
	(void)snprintf(alarm->repository, sizeof(alarm->repository), "nas2");
	alarm->incident_id = 5;
	alarm->incident_opened_usec = 12345;
	alarm->incident_level = ALARM_WARNING;
	assert_int_equal(batch_add_alarm(batch, alarm), 0);
	assert_int_equal(batch_add_message(batch, &message), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		count(f, "incident WHERE id = 5 AND opened_usec = 12345 AND level = 1"), 1);
	assert_int_equal(count(f, "incident_event WHERE incident = 6 AND sequence = 2"), 1);
	assert_int_equal(count(f, "outbox"), 1);
	free(alarm);
}

static void an_event_without_an_incident_fails_its_batch(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(0, 0);

	fixture_open(f);
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(fixture_commit(f, batch), -EINVAL);
	assert_int_equal(count(f, "target"), 0);
}

static void a_late_duration_replaces_the_verdicts(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	assert_int_equal(batch_add_duration(batch, 1, 987654321), 0);
	assert_int_equal(batch_add_duration(batch, 2, 1), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT duration_nsec FROM run WHERE id = 1"), 987654321);
}

static void an_alarm_state_replaces_the_one_before(void **state)
{
	struct fixture *f = *state;
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	int64_t shortest = INT64_MAX;

	fixture_open(f);
	(void)snprintf(alarm->repository, sizeof(alarm->repository), "nas1");
	for (size_t series = 3; series > 0; series--) {
		struct batch *batch = batch_new();
		alarm->series_count = series;
		for (size_t i = 0; i < series; i++) {
			(void)snprintf(alarm->series[i].probe, sizeof(alarm->series[i].probe),
				"probe%zu", i);
			alarm->series[i].value_nsec = series;
		}
		assert_int_equal(batch_add_alarm(batch, alarm), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
		int64_t len = fixture_sql_integer(f, "SELECT length(alarm) FROM target");
		assert_true(len > 0 && len < shortest);
		shortest = len;
	}
	/* With nothing to remember there is no state. */
	struct batch *last = batch_new();
	alarm->series_count = 0;
	assert_int_equal(batch_add_alarm(last, alarm), 0);
	assert_int_equal(fixture_commit(f, last), 0);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM target WHERE alarm IS NULL"), 1);
	free(alarm);
}

static void operations_go_with_their_run_and_events_with_their_incident(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(4, 0);
	struct message message = fixture_message(&event);

	fixture_open(f);
	assert_int_equal(batch_add_run(batch, fixture_run(f, 1, "nas1", "active-full")), 0);
	assert_int_equal(batch_add_message(batch, &message), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	fixture_sql(f, "PRAGMA foreign_keys = ON; DELETE FROM run; DELETE FROM incident");
	assert_int_equal(count(f, "run_operation"), 0);
	assert_int_equal(count(f, "incident_event"), 0);
	assert_int_equal(count(f, "outbox"), 0);
}

/* --- What a run costs on disk (interfaces "Control socket and database") --- */

#define SIZED_RUNS 3000
#define SIZED_BATCH 100

struct sized_workload {
	const char *preset;
	unsigned ios[RUN_OPERATIONS];
	uint64_t latency_nsec;
	int64_t max_bytes;
};

/* As of a run that took five seconds. */
static void add_iops(struct run *run, uint64_t ios, struct run_iops *ret)
{
	struct run_iops *total = &run->iops[RUN_OPERATIONS];

	*ret = (struct run_iops){ 4, ios, ios * ios / 3 };
	total->seconds = 4;
	total->ios += ret->ios;
	total->squares += ret->squares;
}

static struct run *sized_run(struct fixture *f, int64_t id, const struct sized_workload *sized)
{
	char name[32];

	(void)snprintf(name, sizeof(name), "repository-%d", (int)(id % 10));
	struct run *run = fixture_run(f, id, name, sized->preset);
	memset(run->operations, 0, sizeof(run->operations));
	run->has_registered_buffers = true;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		add_iops(run, sized->ios[i], &run->iops[i]);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (sized->ios[i] > 0)
			fixture_add_latencies(
				f, run, (enum run_operation)i, sized->ios[i], sized->latency_nsec);
	return run;
}

static void assert_bytes_a_run(struct fixture *f, const struct sized_workload *sized)
{
	static const char size[] = "SELECT page_count * page_size FROM pragma_page_count,"
				   " pragma_page_size";

	fixture_open(f);
	int64_t empty = fixture_sql_integer(f, size);
	for (int64_t id = 1; id <= SIZED_RUNS;) {
		struct batch *batch = batch_new();
		for (int i = 0; i < SIZED_BATCH; i++, id++)
			assert_int_equal(batch_add_run(batch, sized_run(f, id, sized)), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
	}
	int64_t bytes = (fixture_sql_integer(f, size) - empty) / SIZED_RUNS;
	print_message("# %s: %lld bytes a run\n", sized->preset, (long long)bytes);
	assert_in_range(bytes, 100, sized->max_bytes);
}

static void a_run_of_one_operation_costs_at_most_400_bytes(void **state)
{
	static const struct sized_workload sized = { "active-full", { [RUN_WRITE] = 120 },
		UINT64_C(8000000), 400 };

	assert_bytes_a_run(*state, &sized);
}

static void a_run_of_two_operations_costs_at_most_650_bytes(void **state)
{
	static const struct sized_workload sized = { "reverse-incremental",
		{ [RUN_READ] = 40, [RUN_WRITE] = 80 }, UINT64_C(12000000), 650 };

	assert_bytes_a_run(*state, &sized);
}

/* 16M in I/Os of 4K make the widest histograms of all presets. */
static void a_run_of_random_4k_costs_at_most_650_bytes(void **state)
{
	static const struct sized_workload sized = { "random-4k",
		{ [RUN_READ] = 2867, [RUN_WRITE] = 1229 }, UINT64_C(2000000), 650 };

	assert_bytes_a_run(*state, &sized);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(runs_of_one_kind_share_all_but_their_own_row),
		TEST(a_budget_is_kept_and_replaced),
		TEST(the_watched_are_those_of_the_last_word),
		TEST(a_bound_keeps_the_series_and_a_block_size_starts_another),
		TEST(another_file_system_is_another_identity),
		TEST(a_run_is_stored_once),
		TEST(runs_without_an_id_or_a_time_are_refused),
		TEST(a_number_that_sqlite_cannot_hold_fails_its_batch),
		TEST(a_message_is_kept_once_however_often_it_is_added),
		TEST(a_delivery_is_noted),
		TEST(an_incident_rises_and_closes_with_its_events),
		TEST(a_change_of_an_unknown_incident_makes_it_known),
		TEST(an_event_without_an_incident_fails_its_batch),
		TEST(a_late_duration_replaces_the_verdicts),
		TEST(an_alarm_state_replaces_the_one_before),
		TEST(operations_go_with_their_run_and_events_with_their_incident),
		TEST(a_run_of_one_operation_costs_at_most_400_bytes),
		TEST(a_run_of_two_operations_costs_at_most_650_bytes),
		TEST(a_run_of_random_4k_costs_at_most_650_bytes),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
