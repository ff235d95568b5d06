/* SPDX-License-Identifier: Apache-2.0 */
/* Runs are read back as they were written; filters, order and limits; damage is an error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "fixture.h"
#include "store/store.h"
#include "test.h"

#define COLLECTED_MAX 200

struct collected {
	size_t count;
	size_t stop_at; /* answer 7 at that many; 0: never */
	int64_t ids[COLLECTED_MAX];
	struct run *last; /* a copy, to be freed */
};

static int collect_run(void *data, const struct run *run)
{
	struct collected *c = data;

	assert_true(c->count < COLLECTED_MAX);
	c->ids[c->count++] = run->id;
	free(c->last);
	c->last = malloc(sizeof(*run));
	memcpy(c->last, run, sizeof(*run));
	return c->count == c->stop_at ? 7 : 0;
}

static struct run *read_one(struct fixture *f, int64_t id)
{
	const struct store_run_filter filter = { .id = id };
	struct collected c = { 0 };
	struct error error = { "" };

	assert_int_equal(store_read_runs(fixture_reader(f), &filter, collect_run, &c, &error), 0);
	assert_int_equal(c.count, 1);
	return c.last;
}

/* The ids a filter finds, as "3 2 1". */
static void assert_ids(
	struct fixture *f, const struct store_run_filter *filter, const char *expected)
{
	struct collected c = { 0 };
	struct error error = { "" };
	char text[512] = "";

	int r = store_read_runs(fixture_reader(f), filter, collect_run, &c, &error);
	if (r < 0)
		fail_msg("%d: %s", r, error.text);
	for (size_t i = 0; i < c.count; i++) {
		size_t len = strlen(text);
		(void)snprintf(text + len, sizeof(text) - len, "%s%lld", i > 0 ? " " : "",
			(long long)c.ids[i]);
	}
	assert_string_equal(text, expected);
	free(c.last);
}

static struct run *copy_of(const struct run *run)
{
	struct run *copy = malloc(sizeof(*copy));

	memcpy(copy, run, sizeof(*copy));
	return copy;
}

static void assert_comes_back(struct fixture *f, struct run *run)
{
	struct run *expected = copy_of(run);

	fixture_commit_run(f, run);
	struct run *back = read_one(f, expected->id);
	fixture_assert_equal_runs(back, expected);
	free(back);
	free(expected);
}

static void a_run_comes_back_with_every_field(void **state)
{
	struct fixture *f = *state;
	struct run *run = fixture_run(f, 41, "nas ümlaut; --", "it's \"quoted\"");

	fixture_add_latencies(f, run, RUN_READ, 333, UINT64_C(450000));
	run_fail(run, RUN_STALLED, ETIMEDOUT, "%d I/Os were still out after 60 s", 2);
	run->skip = RUN_SKIP_BUDGET;
	run->trust = RUN_TRUST_FALLBACK | RUN_TRUST_WARMING;
	run->engine = WORKLOAD_ENGINE_THREADS;
	run->workload = workload_preset_find("random-4k")->workload;
	run->workload.has_seed = true;
	run->workload.seed = 99;
	run->workload.file_size_bytes = UINT64_C(64) << 20;
	run->file_bytes = UINT64_C(512) << 20;
	run->file_target_bytes = UINT64_C(1) << 40;
	run->layout_bytes = UINT64_C(128) << 20;
	run->outstanding_ios = 2;
	run->operations[RUN_WRITE].errors = 3;
	run->has_registered_buffers = true;
	run->iops[RUN_READ] = (struct run_iops){ 3, 300, 30200 };
	run->iops[RUN_WRITE] = (struct run_iops){ 3, 0, 0 }; /* none in a whole second */
	run->iops[RUN_OPERATIONS] = (struct run_iops){ 3, 300, 30200 };
	run->operations[RUN_WRITE].ios -= 5; /* the stalled ones have a latency and no end */
	fixture_open(f);
	assert_comes_back(f, run);
}

static void each_repository_has_its_own_identity_and_size(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t id = 1; id <= 4; id++) {
		struct run *run = fixture_run(f, id, id % 2 ? "nas1" : "nas2", "active-full");
		run->identity.size_bytes += (uint64_t)id; /* nas1's and nas2's drift apart */
		assert_comes_back(f, run);
	}
}

static void every_kind_of_device_comes_back(void **state)
{
	struct fixture *f = *state;
	static const enum device_rotational answers[] = { DEVICE_ROTATIONAL_UNKNOWN,
		DEVICE_ROTATIONAL_NO, DEVICE_ROTATIONAL_YES };

	fixture_open(f);
	for (int64_t id = 1; id <= 3; id++) {
		struct run *run = fixture_run(f, id, "nas1", "active-full");
		run->identity.device.rotational = answers[id - 1];
		assert_comes_back(f, run);
	}
	struct run *run = fixture_run(f, 4, "nas1", "active-full");
	run->identity.device = (struct device_info){
		.name = "dm-3",
		.mapped_name = "vg0-backup",
		.array_level = "raid6",
		.array_action = "resync",
		.backing_file = "/images/one",
		.leaf_count = DEVICE_LEAVES_MAX,
	};
	for (size_t i = 0; i < DEVICE_LEAVES_MAX; i++)
		(void)snprintf(run->identity.device.leaves[i].name, DEVICE_NAME_MAX, "sd%zu", i);
	assert_comes_back(f, run);
	run = fixture_run(f, 5, "nas1", "active-full");
	run->identity.device = (struct device_info){ .name = "x" };
	assert_comes_back(f, run);
	run = fixture_run(f, 6, "nas1", "active-full");
	run->identity.has_device = false;
	run->identity.device = (struct device_info){ .name = "" };
	memset(&run->identity.options, 0, sizeof(run->identity.options));
	assert_comes_back(f, run);
}

static void facts_that_are_not_known_are_not_zero(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int64_t id = 1; id <= 4; id++) {
		struct run *run = fixture_run(f, id, "nas1", "active-full");
		run->facts = (struct facts){ .has_counters = id % 2 == 0, .has_pressure = id > 2 };
		assert_comes_back(f, run);
	}
	assert_int_equal(fixture_sql_integer(f, "SELECT count(others_mib_per_s) FROM runs_v"), 2);
	assert_int_equal(fixture_sql_integer(f, "SELECT count(others_iops) FROM runs_v"), 2);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT sum(pressure_some_percent = 0) FROM runs_v"), 2);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(pressure_full_percent) FROM runs_v"), 2);
}

static void a_view_shows_the_longest_step_of_the_setup(void **state)
{
	struct fixture *f = *state;
	struct buf sql = BUF_INIT(4096);
	char *text;

	fixture_open(f);
	for (int64_t id = 1; id <= RUN_SETUP_STEPS; id++) {
		struct run *run = fixture_run(f, id, "nas1", "active-full");
		run->setup_step = (enum run_setup_step)(id - 1);
		run->setup_longest_nsec = run->setup_step == RUN_SETUP_NONE
			? 0
			: UINT64_C(25000000000) + (uint64_t)id;
		assert_comes_back(f, run);
		buf_printf(&sql, "%s%s", id > 1 ? "," : "",
			run_setup_step_name((enum run_setup_step)(id - 1)));
	}
	text = fixture_sql_text(f,
		"SELECT group_concat(coalesce(setup_step, ''), ',') FROM"
		" (SELECT setup_step FROM runs_v ORDER BY id)");
	assert_string_equal(text, buf_text(&sql));
	free(text);
	assert_int_equal(fixture_sql_integer(f, "SELECT sum(setup_longest_ms = 25000) FROM runs_v"),
		RUN_SETUP_STEPS - 1);
	assert_int_equal(fixture_sql_integer(
				 f, "SELECT count(*) FROM runs_v WHERE setup_longest_ms IS NULL"),
		1);
	buf_done(&sql);
}

static void a_view_shows_device_and_options(void **state)
{
	struct fixture *f = *state;
	char *text;

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
	struct run *run = fixture_run(f, 2, "nas1", "active-full");
	run->identity.has_device = false;
	memset(&run->identity.options, 0, sizeof(run->identity.options));
	fixture_commit_run(f, run);
	run = fixture_run(f, 3, "nas1", "active-full");
	run->identity.device = (struct device_info){ .name = "loop0" };
	fixture_commit_run(f, run);
	text = fixture_sql_text(f,
		"SELECT group_concat(concat, '|') FROM (SELECT coalesce(device, '-') || ','"
		" || coalesce(device_model, '-') || ',' || coalesce(device_rotational, '-') || ','"
		" || coalesce(device_write_cache, '-') || ',' || coalesce(device_scheduler, '-')"
		" || ',' || coalesce(mount_options, '-') || ',' || coalesce(fs_options, '-')"
		" AS concat FROM runs_v ORDER BY id)");
	assert_string_equal(text,
		"sdb1,WDC WD40EFRX-68W,1,write back,mq-deadline,rw,noatime,rw"
		"|-,-,-,-,-,-,-|loop0,-,-,-,-,rw,noatime,rw");
	free(text);
}

static void a_run_that_never_began_comes_back_empty(void **state)
{
	struct fixture *f = *state;
	struct run *run = run_new("nas1", "active-full");

	run->id = 1;
	run->started_usec = FIXTURE_START_USEC;
	run_fail(run, RUN_NOT_MOUNTED, 0, "nothing is mounted at /backup");
	fixture_open(f);
	assert_comes_back(f, run);
}

static void an_operation_that_only_failed_comes_back(void **state)
{
	struct fixture *f = *state;
	struct run *run = fixture_run(f, 1, "nas1", "active-full");

	memset(run->operations, 0, sizeof(run->operations));
	run->operations[RUN_READ].errors = 1;
	run_fail(run, RUN_ERROR, EIO, "reading failed");
	fixture_open(f);
	assert_comes_back(f, run);
}

static void every_status_and_preset_comes_back(void **state)
{
	struct fixture *f = *state;

	fixture_open(f);
	for (int i = 0; i < RUN_STATUSES; i++) {
		struct run *run = fixture_run(f, i + 1, "nas1", "p");
		run->status = (enum run_status)i;
		run->skip = (enum run_skip)(i % RUN_SKIPS);
		const struct workload_preset *preset = workload_preset_at((size_t)i);
		if (preset)
			run->workload = preset->workload;
		assert_comes_back(f, run);
	}
}

static void more_workloads_than_are_cached_come_back(void **state)
{
	struct fixture *f = *state;
	const struct store_run_filter filter = { .limit = COLLECTED_MAX };
	struct batch *batch = batch_new();
	struct collected c = { 0 };

	fixture_open(f);
	for (int64_t id = 1; id <= 80; id++) {
		struct run *run = fixture_run(f, id, "nas1", "active-full");
		run->workload.max_ios = 1000 + (uint64_t)(id % 40);
		assert_int_equal(batch_add_run(batch, run), 0);
	}
	assert_int_equal(fixture_commit(f, batch), 0);
	for (int64_t id = 80; id > 0; id--) {
		struct run *run = read_one(f, id);
		assert_int_equal(run->workload.max_ios, 1000 + id % 40);
		free(run);
	}
	assert_int_equal(store_read_runs(fixture_reader(f), &filter, collect_run, &c, NULL), 0);
	assert_int_equal(c.count, 80);
	assert_int_equal(c.last->workload.max_ios, 1001);
	free(c.last);
}

/* Runs 1 to 8: odd ones of nas1, even ones of nas2; 5 to 8 of heartbeat. Run 7 has another
 * workload. Runs 7 and 8 start at the same time, and run 2 started last of all. */
static void write_eight_runs(struct fixture *f)
{
	fixture_open(f);
	for (int64_t id = 1; id <= 8; id++) {
		struct run *run = fixture_run(
			f, id, id % 2 ? "nas1" : "nas2", id <= 4 ? "active-full" : "heartbeat");
		run->started_usec = id == 2 ? 900 : id == 8 ? 107 : 100 + id;
		if (id == 7)
			run->workload.block_size_bytes *= 2;
		fixture_commit_run(f, run);
	}
}

static void runs_are_found_newest_first(void **state)
{
	struct fixture *f = *state;

	write_eight_runs(f);
	assert_ids(f, &(struct store_run_filter){ 0 }, "2 8 7 6 5 4 3 1");
	assert_ids(f, &(struct store_run_filter){ .limit = 3 }, "2 8 7");
	assert_ids(f, &(struct store_run_filter){ .limit = SIZE_MAX }, "2 8 7 6 5 4 3 1");
	assert_ids(f, &(struct store_run_filter){ .repository = "nas1" }, "7 5 3 1");
	assert_ids(f, &(struct store_run_filter){ .probe = "heartbeat" }, "8 7 6 5");
	assert_ids(
		f, &(struct store_run_filter){ .repository = "nas1", .probe = "heartbeat" }, "7 5");
	assert_ids(f, &(struct store_run_filter){ .repository = "nas3" }, "");
	assert_ids(f, &(struct store_run_filter){ .from_usec = 105 }, "2 8 7 6 5");
	assert_ids(f, &(struct store_run_filter){ .to_usec = 105 }, "4 3 1");
	assert_ids(f, &(struct store_run_filter){ .from_usec = 103, .to_usec = 107 }, "6 5 4 3");
	assert_ids(f, &(struct store_run_filter){ .from_usec = 107, .to_usec = 103 }, "");
}

static void a_run_is_found_by_its_id(void **state)
{
	struct fixture *f = *state;

	write_eight_runs(f);
	assert_ids(f, &(struct store_run_filter){ .id = 5 }, "5");
	assert_ids(f, &(struct store_run_filter){ .id = 9 }, "");
	assert_ids(f, &(struct store_run_filter){ .id = -1 }, "");
	assert_ids(f, &(struct store_run_filter){ .id = 5, .repository = "nas1" }, "5");
	assert_ids(f, &(struct store_run_filter){ .id = 5, .repository = "nas2" }, "");
	assert_ids(f, &(struct store_run_filter){ .id = 5, .to_usec = 105 }, "");
}

static void the_newest_run_of_each_probe_is_one(void **state)
{
	struct fixture *f = *state;

	write_eight_runs(f);
	assert_ids(f, &(struct store_run_filter){ .is_newest_per_probe = true }, "2 8 7 3");
	assert_ids(f,
		&(struct store_run_filter){ .is_newest_per_probe = true, .repository = "nas1" },
		"7 3");
	assert_ids(f, &(struct store_run_filter){ .is_newest_per_probe = true, .to_usec = 107 },
		"6 5 4 3");
	assert_ids(f, &(struct store_run_filter){ .is_newest_per_probe = true, .limit = 1 }, "2");
}

static void a_limit_of_none_is_100_but_all_probes_are_all(void **state)
{
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct collected c = { 0 };
	char probe[32];

	fixture_open(f);
	for (int64_t id = 1; id <= 120; id++) {
		(void)snprintf(probe, sizeof(probe), "probe%d", (int)id);
		struct run *run = run_new("nas1", probe);
		run->id = id;
		run->started_usec = id;
		assert_int_equal(batch_add_run(batch, run), 0);
	}
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(store_read_runs(fixture_reader(f), &(struct store_run_filter){ 0 },
				 collect_run, &c, NULL),
		0);
	assert_int_equal(c.count, 100);
	assert_int_equal(c.ids[99], 21);
	c.count = 0;
	assert_int_equal(store_read_runs(fixture_reader(f),
				 &(struct store_run_filter){ .is_newest_per_probe = true },
				 collect_run, &c, NULL),
		0);
	assert_int_equal(c.count, 120);
	free(c.last);
}

static void a_callers_answer_stops_and_is_returned(void **state)
{
	struct fixture *f = *state;
	struct collected c = { .stop_at = 3 };

	write_eight_runs(f);
	assert_int_equal(store_read_runs(fixture_reader(f), &(struct store_run_filter){ 0 },
				 collect_run, &c, NULL),
		7);
	assert_int_equal(c.count, 3);
	free(c.last);
}

static void damaged_runs_are_skipped(void **state)
{
	static const char *const damages[] = {
		"UPDATE run SET status = 11",
		"UPDATE run SET status = -1",
		"UPDATE run SET skip = 6",
		"UPDATE run SET engine = 3",
		"UPDATE run SET trust = 512",
		"UPDATE run SET started_usec = -1",
		"UPDATE run SET duration_nsec = -1",
		"UPDATE run SET error_number = 1 << 40",
		"UPDATE run SET outstanding_ios = 1 << 32",
		"UPDATE run SET registered_buffers = 2",
		"UPDATE run SET iops_seconds = 1 << 32",
		"UPDATE run_operation SET iops_squares = -1",
		"UPDATE run SET reason = printf('%.*c', 256, 'x')",
		"UPDATE target SET name = printf('%.*c', 201, 'x')",
		"UPDATE series SET probe = printf('%.*c', 201, 'x')",
		"UPDATE workload SET options = '{'",
		"UPDATE workload SET options = '{\"queue_depth\": \"0\"}'",
		"UPDATE identity SET is_mount = 2",
		"UPDATE identity SET source = printf('%.*c', 256, 'x')",
		"UPDATE identity SET mount_options = printf('%.*c', 256, 'x')",
		"UPDATE identity SET device = '{'",
		"UPDATE identity SET device = '{\"queue_requests\": -1}'",
		"UPDATE identity SET device = '{\"disks\": [1]}'",
		"UPDATE run SET others_bytes_per_sec = -1",
		"UPDATE run SET pressure_some = 10001",
		"UPDATE run_operation SET operation = 2",
		"UPDATE run_operation SET ios = -1",
		"UPDATE run_operation SET histogram = x''",
		"UPDATE run_operation SET histogram = x'02'",
		"UPDATE run_operation SET histogram = x'0001'",
		"UPDATE run_operation SET histogram = x'01789c'",
		"UPDATE run_operation SET histogram = zeroblob(70000)",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct collected c = { 0 };
		struct error error = { "" };
		void *inner;

		assert_int_equal(fixture_set_up(&inner), 0);
		struct fixture *f = inner;
		fixture_open(f);
		fixture_commit_run(f, fixture_run(f, 1, "nas1", "active-full"));
		fixture_sql(f, damages[i]);
		int r = store_read_runs(fixture_reader(f), &(struct store_run_filter){ 0 },
			collect_run, &c, &error);
		/* What it refers to, and an operation of it, are not the run. */
		bool is_shown = strstr(damages[i], "workload") || strstr(damages[i], "identity") ||
			strstr(damages[i], "run_operation");
		if (r != 0 || c.count != is_shown)
			fail_msg("%s: answered %d, %zu", damages[i], r, c.count);
		free(c.last);
		assert_int_equal(fixture_tear_down(&inner), 0);
	}
	(void)state;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_run_comes_back_with_every_field),
		TEST(each_repository_has_its_own_identity_and_size),
		TEST(every_kind_of_device_comes_back),
		TEST(facts_that_are_not_known_are_not_zero),
		TEST(a_view_shows_device_and_options),
		TEST(a_view_shows_the_longest_step_of_the_setup),
		TEST(a_run_that_never_began_comes_back_empty),
		TEST(an_operation_that_only_failed_comes_back),
		TEST(every_status_and_preset_comes_back),
		TEST(more_workloads_than_are_cached_come_back),
		TEST(runs_are_found_newest_first),
		TEST(a_run_is_found_by_its_id),
		TEST(the_newest_run_of_each_probe_is_one),
		TEST(a_limit_of_none_is_100_but_all_probes_are_all),
		TEST(a_callers_answer_stops_and_is_returned),
		cmocka_unit_test(damaged_runs_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
