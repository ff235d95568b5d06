/* SPDX-License-Identifier: Apache-2.0 */
/* What the rules keep of runs and series comes back by series, in the order of time. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "fixture.h"
#include "model/workload.h"
#include "store/store.h"
#include "test.h"

#define SAMPLES_MAX 8

struct samples {
	size_t count;
	uint8_t first_bytes[SAMPLES_MAX];
	enum run_operation operations[SAMPLES_MAX];
	uint64_t latencies[SAMPLES_MAX]; /* 0: none came with it */
};

static int collect(void *data, const struct store_sample *sample)
{
	struct samples *s = data;

	assert_true(s->count < SAMPLES_MAX);
	assert_int_equal(sample->len, 2);
	s->first_bytes[s->count] = *(const uint8_t *)sample->bytes;
	s->operations[s->count] = sample->operation;
	s->latencies[s->count] = sample->latency ? sample->latency->count : 0;
	s->count++;
	return 0;
}

static void read_key(struct fixture *f, char key[static WORKLOAD_SERIES_KEY_MAX + 1])
{
	struct run *run = fixture_run(f, 1, "nas1", "active-full");
	struct buf b = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&run->workload, &b);
	(void)snprintf(key, WORKLOAD_SERIES_KEY_MAX + 1, "%s", buf_text(&b));
	buf_done(&b);
	free(run);
}

/* The id is the minute of its start; both operations get a sample when has_read. */
static void commit(struct fixture *f, int64_t id, bool has_read, bool has_sample)
{
	struct batch *batch = batch_new();
	struct run *run = fixture_run(f, id, "nas1", "active-full");
	const uint8_t bytes[2] = { (uint8_t)id, 0 };

	run->started_usec = FIXTURE_START_USEC + id * 60000000;
	if (has_read)
		fixture_add_latencies(f, run, RUN_READ, 7, 1000);
	assert_int_equal(batch_add_run(batch, run), 0);
	if (has_sample)
		assert_int_equal(batch_add_sample(batch, id, RUN_WRITE, bytes, sizeof(bytes)), 0);
	if (has_read)
		assert_int_equal(batch_add_sample(batch, id, RUN_READ, bytes, sizeof(bytes)), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

static void samples_come_oldest_first_the_newest_with_their_latencies(void **state)
{
	struct fixture *f = *state;
	char key[WORKLOAD_SERIES_KEY_MAX + 1];
	struct store_sample_query query = {
		.repository = "nas1", .probe = "active-full", .key = key, .max_histograms = 2
	};
	struct samples found = { 0 };

	read_key(f, key);
	fixture_open(f);
	commit(f, 2, false, true);
	commit(f, 1, false, true); /* later, of an earlier start */
	commit(f, 3, true, true);
	commit(f, 4, false, false); /* not judged */
	commit(f, 5, false, true);
	query.from_usec = FIXTURE_START_USEC + 2 * INT64_C(60000000);
	assert_int_equal(store_read_samples(fixture_reader(f), &query, collect, &found, NULL), 0);
	assert_int_equal(found.count, 4);
	assert_int_equal(found.first_bytes[0], 2);
	assert_int_equal(found.first_bytes[1], 3);
	assert_int_equal(found.first_bytes[2], 3);
	assert_int_equal(found.first_bytes[3], 5);
	assert_int_equal(found.operations[1], RUN_READ);
	assert_int_equal(found.operations[2], RUN_WRITE);
	assert_int_equal(found.latencies[1], 0);
	assert_true(found.latencies[3] > 0);
}

struct paged {
	int64_t last_id;
	size_t count;
	size_t with_sample;
};

static int take_paged(
	void *data, const struct run *run, const struct store_judged judged[RUN_OPERATIONS])
{
	struct paged *p = data;

	assert_int_equal(run->id, p->last_id + 1);
	p->last_id = run->id;
	p->count++;
	assert_int_equal(judged[RUN_READ].sample_len, 0);
	if (judged[RUN_WRITE].sample_len > 0) {
		assert_int_equal(judged[RUN_WRITE].sample[0], run->id % 256);
		p->with_sample++;
	}
	return p->count == 700 ? 7 : 0;
}

static void judged_runs_come_each_once_however_many_pages_they_fill(void **state)
{
	struct fixture *f = *state;
	struct store_run_filter filter = { .repository = "nas1", .probe = "active-full" };
	struct paged found = { 0 };

	fixture_open(f);
	for (int64_t id = 1; id <= 600; id++)
		commit(f, id, false, id % 2 == 0);
	assert_int_equal(
		store_read_judged(fixture_reader(f), &filter, take_paged, &found, NULL), 0);
	assert_int_equal(found.count, 600);
	assert_int_equal(found.with_sample, 300);
	found = (struct paged){ .last_id = 99, .count = 600 };
	filter.from_usec = FIXTURE_START_USEC + 100 * INT64_C(60000000);
	assert_int_equal(
		store_read_judged(fixture_reader(f), &filter, take_paged, &found, NULL), 7);
	assert_int_equal(found.last_id, 199);
	filter.probe = "none";
	assert_int_equal(
		store_read_judged(fixture_reader(f), &filter, take_paged, &found, NULL), 0);
}

static void another_workload_is_another_series(void **state)
{
	struct fixture *f = *state;
	char key[WORKLOAD_SERIES_KEY_MAX + 1];
	struct store_sample_query query = {
		.repository = "nas1", .probe = "active-full", .key = "another", .max_histograms = 9
	};
	struct samples found = { 0 };
	struct saved_baseline baselines[RUN_OPERATIONS];
	struct error error = { "" };

	read_key(f, key);
	fixture_open(f);
	commit(f, 1, false, true);
	assert_int_equal(
		store_read_samples(fixture_reader(f), &query, collect, &found, &error), -ENOENT);
	assert_int_equal(
		store_read_baselines(fixture_reader(f), &query, baselines, &error), -ENOENT);
	query.key = key;
	assert_int_equal(store_read_baselines(fixture_reader(f), &query, baselines, &error), 0);
	assert_int_equal(baselines[RUN_WRITE].built_usec, 0);
}

static void a_baseline_replaces_the_one_before(void **state)
{
	struct fixture *f = *state;
	struct saved_baseline baseline = {
		.operation = RUN_WRITE,
		.built_usec = 77,
		.anchor = -20480,
		.anchor_usec = 55,
		.valley_nsec = 400000,
		.since_usec = 33,
	};
	struct saved_baseline found[RUN_OPERATIONS];
	const struct store_sample_query query = {
		.repository = "nas1", .probe = "active-full", .key = baseline.key
	};

	read_key(f, baseline.key);
	(void)snprintf(baseline.repository, sizeof(baseline.repository), "nas1");
	(void)snprintf(baseline.probe, sizeof(baseline.probe), "active-full");
	fixture_open(f);
	for (int i = 0; i < 2; i++) {
		struct batch *batch = batch_new();
		baseline.built_usec++;
		assert_int_equal(batch_add_baseline(batch, &baseline), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
	}
	assert_int_equal(store_read_baselines(fixture_reader(f), &query, found, NULL), 0);
	assert_int_equal(found[RUN_WRITE].built_usec, 79);
	assert_int_equal(found[RUN_WRITE].anchor, -20480);
	assert_int_equal(found[RUN_WRITE].anchor_usec, 55);
	assert_int_equal(found[RUN_WRITE].valley_nsec, 400000);
	assert_int_equal(found[RUN_WRITE].since_usec, 33);
	assert_int_equal(found[RUN_READ].built_usec, 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(*) FROM baseline"), 1);
}

static void an_acknowledgement_is_kept_with_its_incident(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incident_event event = fixture_event(3, 0);
	struct acknowledgement a = {
		.incident_id = 3, .time_usec = 12, .uid = 1000, .text = "the shelf is on its way"
	};

	fixture_open(f);
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(batch_add_acknowledgement(batch, &a), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(fixture_sql_integer(f, "SELECT acknowledged_usec FROM incident"), 12);
	assert_int_equal(fixture_sql_integer(f, "SELECT acknowledged_uid FROM incident"), 1000);
	char *text = fixture_sql_text(f, "SELECT acknowledged_text FROM incident");
	assert_string_equal(text, a.text);
	free(text);
}

static void a_reopened_incident_is_open_and_else_closed_ones_stay_closed(void **state)
{
	struct fixture *f = *state;
	struct incident_event event = fixture_event(3, 0);
	static const struct {
		enum incident_change change;
		int64_t is_open;
	} steps[] = {
		{ INCIDENT_OPENED, 1 },
		{ INCIDENT_CLEARED, 0 },
		{ INCIDENT_WORSE, 0 }, /* one that came late */
		{ INCIDENT_REOPENED, 1 },
		{ INCIDENT_CLEARED, 0 },
	};

	fixture_open(f);
	for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
		struct batch *batch = batch_new();
		event.sequence = (uint32_t)i;
		event.change = steps[i].change;
		assert_int_equal(batch_add_event(batch, &event), 0);
		assert_int_equal(fixture_commit(f, batch), 0);
		assert_int_equal(fixture_sql_integer(f, "SELECT closed_usec IS NULL FROM incident"),
			steps[i].is_open);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			samples_come_oldest_first_the_newest_with_their_latencies, fixture_set_up,
			fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			judged_runs_come_each_once_however_many_pages_they_fill, fixture_set_up,
			fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			another_workload_is_another_series, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			a_baseline_replaces_the_one_before, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(an_acknowledgement_is_kept_with_its_incident,
			fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			a_reopened_incident_is_open_and_else_closed_ones_stay_closed,
			fixture_set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
