/* SPDX-License-Identifier: Apache-2.0 */
/* One bad row hides no other: in every table and every column, values that no version writes are
 * put into the rows of one repository, and all that is known of the other comes back as it was. */
#include <errno.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "fixture.h"
#include "store/retention.h"
#include "store/rollup.h"
#include "store/tend.h"
#include "test.h"

#define DATABASE_MAX (16 << 20)
#define DIGEST_MAX (1 << 20)
#define RUNS 4 /* of each repository, one an hour; the last is not merged yet */
#define GOOD "nas1"
#define BAD "nas2"
#define MERGED_USEC (FIXTURE_START_USEC + 3 * ROLLUP_HOUR_USEC)
#define LATER_USEC (FIXTURE_START_USEC + 10 * ROLLUP_DAY_USEC)

/* Which rows of a table are the second repository's. A table without such rows is NULL. */
#define SERIES_OF_BAD                                                                              \
	"(SELECT s.id FROM series AS s JOIN target AS t ON t.id = s.target WHERE t.name = '" BAD   \
	"')"
#define TARGET_OF_BAD "(SELECT t.id FROM target AS t WHERE t.name = '" BAD "')"
#define RUNS_OF_BAD "(SELECT r.id FROM run AS r WHERE r.series IN " SERIES_OF_BAD ")"
#define INCIDENT_OF_BAD "(SELECT i.id FROM incident AS i WHERE i.target = " TARGET_OF_BAD ")"
static const struct {
	const char *name;
	const char *where;
} tables[] = {
	{ "meta", "key = 'watched'" },
	{ "target", "name = '" BAD "'" },
	{ "identity", "target = " TARGET_OF_BAD },
	{ "workload", "id = (SELECT max(workload) FROM run WHERE series IN " SERIES_OF_BAD ")" },
	{ "series", "target = " TARGET_OF_BAD },
	{ "run", "id = (SELECT max(id) FROM run WHERE series IN " SERIES_OF_BAD ")" },
	{ "run_operation", "run = (SELECT max(id) FROM run WHERE series IN " SERIES_OF_BAD ")" },
	{ "incident", "target = " TARGET_OF_BAD },
	{ "incident_event", "incident = " INCIDENT_OF_BAD },
	{ "outbox", "incident = " INCIDENT_OF_BAD },
	{ "first_identity", "target = " TARGET_OF_BAD },
	{ "budget", "target = " TARGET_OF_BAD },
	{ "mute", "repository = '" BAD "'" },
	{ "baseline", "series = " SERIES_OF_BAD },
	{ "hour", "id = (SELECT min(id) FROM hour WHERE id >> 24 = " SERIES_OF_BAD ")" },
	{ "hour_operation", "id >> 26 = " SERIES_OF_BAD },
	{ "hour_due", "series = " SERIES_OF_BAD },
	{ "day", "id >> 24 = " SERIES_OF_BAD },
	{ "day_operation", "id >> 26 = " SERIES_OF_BAD },
	{ "day_due", "series = " SERIES_OF_BAD },
};
#define TABLES (sizeof(tables) / sizeof(tables[0]))

static const struct {
	const char *type;
	const char *value;
} spoils[] = {
	{ "INTEGER", "-9223372036854775808" },
	{ "INTEGER", "9223372036854775807" },
	{ "TEXT", "printf('%.*c', 5000, 'x')" },
	{ "TEXT", "CAST(x'610062' AS TEXT)" },
	{ "BLOB", "x'ff'" },
	{ "BLOB", "zeroblob(70000)" },
};

/* --- What there is -------------------------------------------------------- */

static struct run *new_run(struct fixture *f, int64_t id)
{
	bool is_bad = id % 2 == 0;
	struct run *run = fixture_run(f, id, is_bad ? BAD : GOOD, "active-full");

	run->started_usec = FIXTURE_START_USEC + (id - 1) / 2 * ROLLUP_HOUR_USEC;
	/* Nothing that both refer to: what is spoiled is the one's alone. */
	run->workload.queue_depth = is_bad ? 3 : 2;
	(void)snprintf(run->identity.source, sizeof(run->identity.source), "/dev/%d", is_bad);
	return run;
}

static void add_present(struct batch *batch, bool is_bad)
{
	const char *name = is_bad ? BAD : GOOD;
	const struct saved_budget budget = { 1000, 100 + is_bad, FIXTURE_START_USEC };
	struct first_identity first = { .wanted = 7, .seen = { .is_set = true } };
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	struct mute mute = { .id = 1 + is_bad, .mode = MUTE_MESSAGES, .until_usec = LATER_USEC };
	struct incident_event event = fixture_event(1 + is_bad, 0);
	struct incident_event second = fixture_event(1 + is_bad, 1);
	struct message message;

	(void)snprintf(first.repository, sizeof(first.repository), "%s", name);
	(void)snprintf(alarm->repository, sizeof(alarm->repository), "%s", name);
	(void)snprintf(mute.repository, sizeof(mute.repository), "%s", name);
	(void)snprintf(event.repository, sizeof(event.repository), "%s", name);
	(void)snprintf(second.repository, sizeof(second.repository), "%s", name);
	message = fixture_message(&second);
	alarm->incident_id = event.incident_id;
	alarm->incident_opened_usec = event.opened_usec;
	alarm->incident_level = ALARM_CRITICAL;
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(batch_add_event(batch, &second), 0);
	assert_int_equal(batch_add_message(batch, &message), 0);
	assert_int_equal(batch_add_alarm(batch, alarm), 0);
	assert_int_equal(batch_add_first_identity(batch, &first), 0);
	assert_int_equal(batch_add_budget(batch, name, &budget), 0);
	assert_int_equal(batch_add_mute(batch, &mute), 0);
	free(alarm);
}

static void add_learned(struct batch *batch, const struct run *run)
{
	struct saved_baseline baseline = { .operation = RUN_WRITE, .built_usec = 5, .anchor = 6 };
	struct buf key = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);

	workload_series_key(&run->workload, &key);
	(void)snprintf(baseline.repository, sizeof(baseline.repository), "%s", run->repository);
	(void)snprintf(baseline.probe, sizeof(baseline.probe), "%s", run->probe);
	(void)snprintf(baseline.key, sizeof(baseline.key), "%s", buf_text(&key));
	assert_int_equal(batch_add_baseline(batch, &baseline), 0);
	assert_int_equal(batch_add_sample(batch, run->id, RUN_WRITE, "ab", 2), 0);
	buf_done(&key);
}

static void tend(struct fixture *f, const struct store_retention *retention, int64_t now_usec)
{
	const struct tending tending = { .retention = retention, .now_usec = now_usec };
	struct sqlite3 *db = fixture_connect(f);
	struct error error = { "" };
	bool has_more = true;

	assert_int_equal(sqlite3_exec(db, "PRAGMA foreign_keys = ON", NULL, NULL, NULL), SQLITE_OK);
	while (has_more)
		if (tend_step(db, &tending, &has_more, &error) < 0)
			fail_msg("%s", error.text);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void populate(struct fixture *f)
{
	static const struct store_retention keep_all = { 0 };

	fixture_open(f);
	for (int64_t id = 1; id <= 2 * (int64_t)RUNS; id++) {
		struct batch *batch = batch_new();
		struct run *run = new_run(f, id);
		assert_int_equal(batch_add_run(batch, run), 0);
		add_learned(batch, run);
		if (id <= 2)
			add_present(batch, id == 2);
		assert_int_equal(fixture_commit(f, batch), 0);
	}
	struct batch *batch = batch_new();
	assert_int_equal(batch_add_watched(batch, "\n" GOOD "\n" BAD "\n"), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	tend(f, &keep_all, MERGED_USEC + ROLLUP_DAY_USEC * 2);
	/* The last run is late: its hour and day are due again. */
	fixture_sql(f,
		"INSERT INTO hour_due SELECT max(started_usec) / 3600000000, series FROM run"
		" GROUP BY series;"
		"INSERT INTO day_due SELECT max(started_usec) / 86400000000, series FROM run"
		" GROUP BY series;"
		"PRAGMA wal_checkpoint(TRUNCATE)");
	fixture_close(f);
}

/* --- What comes back of the good one -------------------------------------- */

static int add_run(void *data, const struct run *run)
{
	if (strcmp(run->repository, GOOD) == 0)
		buf_printf(data, "run %lld %u %s %s %u %llu\n", (long long)run->id, run->status,
			run->reason, run->identity.source, run->workload.queue_depth,
			(unsigned long long)run->operations[RUN_WRITE].latency.sum_nsec);
	return 0;
}

static int add_judged(
	void *data, const struct run *run, const struct store_judged judged[RUN_OPERATIONS])
{
	if (strcmp(run->repository, GOOD) == 0)
		buf_printf(data, "judged %lld %zu\n", (long long)run->id,
			judged[RUN_WRITE].sample_len);
	return 0;
}

static int add_point(void *data, const struct run_point *point)
{
	buf_printf(data, "point %lld %llu\n", (long long)point->id,
		(unsigned long long)point->operations[RUN_WRITE].sum_nsec);
	return 0;
}

static int add_alarm(void *data, const struct alarm_state *state)
{
	if (strcmp(state->repository, GOOD) == 0)
		buf_printf(data, "alarm %lld %u\n", (long long)state->incident_id,
			state->incident_level);
	return 0;
}

static int add_first(void *data, const struct first_identity *first)
{
	if (strcmp(first->repository, GOOD) == 0)
		buf_printf(data, "first %lld\n", (long long)first->wanted);
	return 0;
}

static int add_budget(void *data, const char *repository, const struct saved_budget *budget)
{
	if (strcmp(repository, GOOD) == 0)
		buf_printf(data, "budget %lld\n", (long long)budget->level_bytes);
	return 0;
}

static int add_mute(void *data, const struct mute *mute)
{
	if (strcmp(mute->repository, GOOD) == 0)
		buf_printf(data, "mute %lld\n", (long long)mute->id);
	return 0;
}

static int add_message(void *data, const struct message *message)
{
	if (strcmp(message->event.repository, GOOD) == 0)
		buf_printf(data, "message %s\n", message->key);
	return 0;
}

static int add_event(void *data, const struct incident_event *event)
{
	buf_printf(data, "event %u %u\n", event->sequence, event->level);
	return 0;
}

static int add_incident(void *data, const struct incident *incident)
{
	if (strcmp(incident->repository, GOOD) == 0)
		buf_printf(data, "incident %lld %u\n", (long long)incident->id,
			incident->last_event.sequence);
	return 0;
}

static int add_sample(void *data, const struct store_sample *sample)
{
	buf_printf(data, "sample %zu %d\n", sample->len, sample->latency != NULL);
	return 0;
}

static int add_probe(void *data, const char *repository, const char *probe)
{
	if (strcmp(repository, GOOD) == 0)
		buf_printf(data, "probe %s\n", probe);
	return 0;
}

static void expect(int r, const struct error *error, const char *what, const char *spoil)
{
	if (r < 0)
		fail_msg("%s: %s: %d %s", spoil, what, r, error->text);
}

static void add_series(struct store_reader *reader, const char *repository, size_t points,
	struct buf *b, const char *spoil)
{
	const struct store_series_query query = {
		.repository = repository,
		.probe = "active-full",
		.operation = RUN_WRITE,
		.max_points = points,
	};
	struct store_series_point *list = NULL;
	struct store_heatmap *map = NULL;
	struct error error = { "" };
	size_t count = 0;

	int r = store_read_series(reader, &query, &list, &count, &error);
	if (r != -ENOENT || !b)
		expect(r == -ENOENT ? 0 : r, &error, "series", spoil);
	for (size_t i = 0; b && i < count; i++)
		buf_printf(b, "%u ok p99 %llu\n", list[i].runs[RUN_OK],
			(unsigned long long)list[i].p99_nsec);
	free(list);
	r = store_read_heatmap(reader, &query, &map, &error);
	expect(r == -ENOENT ? 0 : r, &error, "heatmap", spoil);
	if (b && r == 0)
		buf_printf(b, "%zu columns\n", map->column_count);
	if (r == 0)
		store_heatmap_free(map);
}

static void add_learned_of(
	struct store_reader *reader, const struct run *like, struct buf *b, const char *spoil)
{
	struct buf key = BUF_INIT(WORKLOAD_SERIES_KEY_MAX);
	struct saved_baseline baselines[RUN_OPERATIONS];
	struct buf ignored = BUF_INIT(DIGEST_MAX);
	struct error error = { "" };

	workload_series_key(&like->workload, &key);
	const struct store_sample_query query = {
		.repository = like->repository,
		.probe = like->probe,
		.key = buf_text(&key),
		.max_histograms = 10,
	};
	int r = store_read_samples(reader, &query, add_sample, b ? b : &ignored, &error);
	expect(r == -ENOENT && !b ? 0 : r, &error, "samples", spoil);
	r = store_read_baselines(reader, &query, baselines, &error);
	expect(r == -ENOENT && !b ? 0 : r, &error, "baselines", spoil);
	if (b)
		buf_printf(b, "anchor %d\n", baselines[RUN_WRITE].anchor);
	buf_done(&key);
	buf_done(&ignored);
}

/* All that is known of GOOD, by every reader; what is known of BAD is read as well. */
static char *digest(struct fixture *f, const char *spoil)
{
	static const struct store_run_filter all = { 0 };
	static const struct store_run_filter newest = { .is_newest_per_probe = true };
	static const struct store_run_filter good = { .repository = GOOD, .probe = "active-full" };
	static const struct store_incident_filter every = { .limit = SIZE_MAX };
	struct store_reader *reader = fixture_reader(f);
	struct buf b = BUF_INIT(DIGEST_MAX);
	struct error error = { "" };
	struct store_next_ids ids;

	expect(store_read_runs(reader, &all, add_run, &b, &error), &error, "runs", spoil);
	expect(store_read_runs(reader, &newest, add_run, &b, &error), &error, "newest", spoil);
	expect(store_read_judged(reader, &all, add_judged, &b, &error), &error, "judged", spoil);
	expect(store_read_points(reader, &good, add_point, &b, &error), &error, "points", spoil);
	expect(store_read_alarms(reader, add_alarm, &b, &error), &error, "alarms", spoil);
	expect(store_read_first_identities(reader, add_first, &b, &error), &error, "first", spoil);
	expect(store_read_budgets(reader, add_budget, &b, &error), &error, "budgets", spoil);
	expect(store_read_mutes(reader, 0, add_mute, &b, &error), &error, "mutes", spoil);
	expect(store_read_outbox(reader, add_message, &b, &error), &error, "outbox", spoil);
	expect(store_read_incidents(reader, &every, add_incident, &b, &error), &error, "incidents",
		spoil);
	expect(store_read_events(reader, 1, add_event, &b, &error), &error, "events", spoil);
	expect(store_read_probes(reader, add_probe, &b, &error), &error, "probes", spoil);
	expect(store_read_next_ids(reader, &ids, &error), &error, "ids", spoil);
	if (ids.run_id < 8 || ids.run_id > 100 || ids.incident_id < 2 || ids.mute_id < 2)
		fail_msg("%s: next run %lld", spoil, (long long)ids.run_id);
	for (size_t points = 1; points <= 100; points += 99) {
		add_series(reader, GOOD, points, &b, spoil);
		add_series(reader, BAD, points, NULL, spoil);
	}
	for (int64_t id = 1; id <= 2; id++) {
		struct run *like = new_run(f, id);
		add_learned_of(reader, like, id == 1 ? &b : NULL, spoil);
		free(like);
	}
	char *text = NULL;
	assert_int_equal(buf_take(&b, &text, NULL), 0);
	f->reader = store_reader_close(f->reader);
	return text;
}

/* --- Spoiling -------------------------------------------------------------- */

static void restore(const struct fixture *f, const struct buf *pristine)
{
	static const char *const logs[] = { "-wal", "-shm" };
	char path[128];

	for (size_t i = 0; i < 2; i++) {
		(void)snprintf(path, sizeof(path), "%s%s", f->path, logs[i]);
		(void)unlink(path);
	}
	/* In place and without a sync: it is done often. */
	FILE *file = fopen(f->path, "r+e");
	assert_non_null(file);
	assert_int_equal(ftruncate(fileno(file), (off_t)pristine->len), 0);
	assert_int_equal(fwrite(pristine->data, pristine->len, 1, file), 1);
	assert_int_equal(fclose(file), 0);
}

struct checked {
	size_t lines;
	const char *table;
	bool is_named;
};

static void note_line(void *data, const char *line)
{
	struct checked *c = data;
	char named[64];

	(void)snprintf(named, sizeof(named), "of table %s ", c->table);
	c->is_named |= strstr(line, named) != NULL;
	c->lines++;
}

/* The writer opens it where it is, writes a run of either, and tends it to the end. */
static void write_on(struct fixture *f, const char *spoil)
{
	static const struct store_retention keep_days = {
		.keep_runs_usec = 1,
		.keep_hours_usec = 1,
	};
	struct store_writer_status status;
	char found[128];

	fixture_open(f);
	store_writer_status(f->writer, &status);
	if (status.notice[0] != '\0' || fixture_find(f, "*corrupt*", found, sizeof(found)) > 0)
		fail_msg("%s: %s", spoil, status.notice);
	for (int64_t id = 101; id <= 102; id++) {
		struct batch *batch = batch_new();
		struct run *run = new_run(f, id);
		assert_int_equal(batch_add_run(batch, run), 0);
		int r = fixture_commit(f, batch);
		if (r < 0)
			fail_msg("%s: run %lld: %d", spoil, (long long)id, r);
	}
	fixture_close(f);
	for (int i = 0; i < 4; i++) /* a portion of what is old each */
		tend(f, &keep_days,
			LATER_USEC + 400 * ROLLUP_DAY_USEC + i * RETENTION_PORTION_USEC);
	assert_int_equal(
		fixture_sql_integer(f, "SELECT count(*) FROM run WHERE id IN (1, 101)"), 0);
	int64_t ok =
		fixture_sql_integer(f, "SELECT sum(ok) FROM days_v WHERE repository = '" GOOD "'");
	if (ok != RUNS + 1)
		fail_msg("%s: %lld runs of the other are merged", spoil, (long long)ok);
}

static void try_spoil(struct fixture *f, const struct buf *pristine, const char *before,
	size_t table, const char *column, size_t spoil, bool is_written)
{
	struct checked checked = { .table = tables[table].name };
	char text[1024];

	(void)snprintf(text, sizeof(text),
		"PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON;"
		"UPDATE OR IGNORE %s SET \"%s\" = %s WHERE %s",
		tables[table].name, column, spoils[spoil].value, tables[table].where);
	restore(f, pristine);
	fixture_sql(f, text);
	char *after = digest(f, text);
	if (strcmp(before, after) != 0)
		fail_msg("%s:\n%s\nwas\n%s", text, after, before);
	free(after);
	if (!is_written)
		return;
	(void)store_check(f->path, note_line, &checked, NULL); /* not every value is out of range */
	write_on(f, text);
}

/* Each column of a table in turn. Returns how many there were. */
static size_t spoil_table(
	struct fixture *f, const struct buf *pristine, const char *before, size_t table)
{
	char text[256];
	size_t count = 0;

	for (int column = 0;; column++) {
		(void)snprintf(text, sizeof(text),
			"SELECT group_concat(name || ' ' || type, ' ') FROM pragma_table_info('%s')"
			" WHERE cid = %d",
			tables[table].name, column);
		restore(f, pristine);
		char *described = fixture_sql_text(f, text);
		if (!described)
			return count;
		char *type = strchr(described, ' ');
		assert_non_null(type);
		*type++ = '\0';
		bool is_first = true; /* writing takes long */
		for (size_t i = 0; i < sizeof(spoils) / sizeof(spoils[0]); i++) {
			if (strcmp(spoils[i].type, type) != 0)
				continue;
			try_spoil(f, pristine, before, table, described, i, is_first);
			is_first = false;
		}
		free(described);
		count++;
	}
}

static void one_bad_row_hides_no_other(void **state)
{
	struct fixture *f = *state;
	struct buf pristine = BUF_INIT(DATABASE_MAX);
	size_t columns = 0;

	populate(f);
	assert_int_equal(fd_read_file(f->path, &pristine), 0);
	char *before = digest(f, "nothing");
	assert_non_null(strstr(before, "p99"));
	for (size_t i = 0; i < TABLES; i++)
		columns += spoil_table(f, &pristine, before, i);
	restore(f, &pristine);
	assert_int_equal(
		fixture_sql_integer(f,
			"SELECT count(*) FROM sqlite_schema AS s, pragma_table_info(s.name)"
			" WHERE s.type = 'table' AND s.name NOT LIKE 'sqlite_%'"),
		columns);
	free(before);
	buf_done(&pristine);
}

/* --- Naming ---------------------------------------------------------------- */

static void a_bad_row_is_named_once_and_by_the_check(void **state)
{
	static const struct {
		const char *table;
		const char *spoil;
	} cases[] = {
		{ "run", "UPDATE run SET reason = printf('%.*c', 300, 'x') WHERE id = 8" },
		{ "run_operation", "UPDATE run_operation SET histogram = x'ff' WHERE run = 8" },
		{ "run_operation", "UPDATE run_operation SET p99_nsec = -1 WHERE run = 8" },
		{ "target", "UPDATE target SET alarm = x'ff' WHERE name = '" BAD "'" },
		{ "series", "UPDATE series SET probe = printf('%.*c', 300, 'x') WHERE id = 2" },
		{ "workload", "UPDATE workload SET options = '{' WHERE id = 2" },
		{ "identity", "UPDATE identity SET device = '{' WHERE id = 2" },
		{ "incident", "UPDATE incident SET level = 9 WHERE id = 2" },
		{ "incident_event", "UPDATE incident_event SET hits = 300 WHERE incident = 2" },
		{ "outbox", "UPDATE outbox SET tries = -1 WHERE incident = 2" },
		{ "first_identity", "UPDATE first_identity SET is_mount = 2 WHERE target = 2" },
		{ "budget", "UPDATE budget SET day_bytes = -1 WHERE target = 2" },
		{ "mute", "UPDATE mute SET mode = 9 WHERE id = 2" },
		{ "baseline", "UPDATE baseline SET valley_nsec = -1 WHERE series = 2" },
		{ "hour", "UPDATE hour SET ok = -1 WHERE id >> 24 = 2" },
		{ "hour_operation",
			"UPDATE hour_operation SET histogram = x'ff' WHERE id >> 26 = 2" },
		{ "day_operation", "UPDATE day_operation SET sum_nsec = -1 WHERE id >> 26 = 2" },
	};
	struct fixture *f = *state;
	struct buf pristine = BUF_INIT(DATABASE_MAX);

	populate(f);
	fixture_sql(f,
		"DELETE FROM hour_due; DELETE FROM day_due;"
		"PRAGMA wal_checkpoint(TRUNCATE)");
	assert_int_equal(fd_read_file(f->path, &pristine), 0);
	struct checked sound = { .table = "run" };
	assert_int_equal(store_check(f->path, note_line, &sound, NULL), 0);
	assert_int_equal(sound.lines, 0);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct checked checked = { .table = cases[i].table };
		struct error error = { "" };
		restore(f, &pristine);
		fixture_sql(f, cases[i].spoil);
		int r = store_check(f->path, note_line, &checked, &error);
		if (r != -EUCLEAN || !checked.is_named)
			fail_msg("%s: %d %s", cases[i].spoil, r, error.text);
	}
	buf_done(&pristine);
}

static void readers_note_a_bad_row_once(void **state)
{
	struct fixture *f = *state;
	struct checked checked = { .table = "run" };
	struct store_bad_rows *bad_rows = store_bad_rows_new(note_line, &checked);
	const struct store_run_filter all = { 0 };
	struct buf b = BUF_INIT(DIGEST_MAX);

	populate(f);
	fixture_sql(f, "UPDATE run SET reason = printf('%.*c', 300, 'x') WHERE id IN (3, 8)");
	for (int i = 0; i < 3; i++) {
		store_reader_report(fixture_reader(f), bad_rows);
		assert_int_equal(store_read_runs(fixture_reader(f), &all, add_run, &b, NULL), 0);
	}
	assert_int_equal(checked.lines, 2);
	assert_true(checked.is_named);
	assert_int_equal(store_bad_rows_count(bad_rows), 2);
	f->reader = store_reader_close(f->reader);
	store_bad_rows_free(bad_rows);
	buf_done(&b);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_bad_row_is_named_once_and_by_the_check),
		TEST(readers_note_a_bad_row_once),
		TEST(one_bad_row_hides_no_other),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
