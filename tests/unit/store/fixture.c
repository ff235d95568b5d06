/* SPDX-License-Identifier: Apache-2.0 */
/* Directories, connections and sample values of the store's tests. */
#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <poll.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/error.h"
#include "base/parse.h"
#include "test.h"

#define WAIT_MSEC 20000

int fixture_set_up(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	if (!f)
		return -1;
	f->seed = 1;
	(void)snprintf(f->directory, sizeof(f->directory), "/tmp/repoprobe-store-XXXXXX");
	if (!mkdtemp(f->directory))
		return -1;
	(void)snprintf(f->path, sizeof(f->path), "%s/history.db", f->directory);
	*state = f;
	return 0;
}

/* With copies and what was set aside. */
static void remove_files(const char *directory)
{
	DIR *files = opendir(directory);
	struct dirent *entry;

	while (files && (entry = readdir(files)))
		if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
			(void)unlinkat(dirfd(files), entry->d_name, 0);
	if (files)
		(void)closedir(files);
}

int fixture_tear_down(void **state)
{
	struct fixture *f = *state;

	fixture_close(f);
	remove_files(f->directory);
	int r = rmdir(f->directory);
	free(f);
	return r;
}

size_t fixture_find(const struct fixture *f, const char *pattern, char *ret_path, size_t size)
{
	DIR *files = opendir(f->directory);
	struct dirent *entry;
	size_t count = 0;

	assert_non_null(files);
	while ((entry = readdir(files))) {
		if (fnmatch(pattern, entry->d_name, 0) != 0)
			continue;
		count++;
		(void)snprintf(ret_path, size, "%s/%s", f->directory, entry->d_name);
	}
	(void)closedir(files);
	return count;
}

void fixture_open(struct fixture *f)
{
	struct error error = { "" };
	int r = store_writer_open(f->path, 64, &f->writer, &error);

	if (r < 0)
		fail_msg("%d: %s", r, error.text);
}

void fixture_close(struct fixture *f)
{
	f->reader = store_reader_close(f->reader);
	(void)store_writer_close(f->writer, UINT64_C(20000000000));
	f->writer = NULL;
}

struct store_reader *fixture_reader(struct fixture *f)
{
	struct error error = { "" };

	if (!f->reader && store_reader_open(f->path, &f->reader, &error) < 0)
		fail_msg("%s", error.text);
	return f->reader;
}

struct batch *fixture_take(struct fixture *f, int *ret_error)
{
	struct pollfd pollfd = { .fd = store_writer_fd(f->writer), .events = POLLIN };

	struct batch *batch;

	/* It is readable after a failed attempt, too. */
	do
		assert_int_equal(poll(&pollfd, 1, WAIT_MSEC), 1);
	while (!(batch = store_writer_take(f->writer, ret_error)));
	return batch;
}

int fixture_commit(struct fixture *f, struct batch *batch)
{
	int error;

	assert_int_equal(store_writer_submit(f->writer, batch), 0);
	assert_ptr_equal(fixture_take(f, &error), batch);
	batch_free(batch);
	return error;
}

void fixture_commit_run(struct fixture *f, struct run *run)
{
	struct batch *batch = batch_new();

	assert_int_equal(batch_add_run(batch, run), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

struct sqlite3 *fixture_connect(const struct fixture *f)
{
	struct sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(f->path, &db), SQLITE_OK);
	return db;
}

void fixture_sql(const struct fixture *f, const char *text)
{
	struct sqlite3 *db = fixture_connect(f);

	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

char *fixture_sql_text(const struct fixture *f, const char *text)
{
	struct sqlite3 *db = fixture_connect(f);
	sqlite3_stmt *statement;
	char *answer = NULL;

	if (sqlite3_prepare_v2(db, text, -1, &statement, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_step(statement), SQLITE_ROW);
	if (sqlite3_column_type(statement, 0) != SQLITE_NULL)
		answer = strdup((const char *)sqlite3_column_text(statement, 0));
	assert_int_equal(sqlite3_finalize(statement), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return answer;
}

int64_t fixture_sql_integer(const struct fixture *f, const char *text)
{
	char *answer = fixture_sql_text(f, text);
	int64_t value = 0;

	assert_non_null(answer);
	assert_int_equal(parse_int(answer, INT64_MIN, INT64_MAX, &value, NULL), 0);
	free(answer);
	return value;
}

/* xorshift64*: the same numbers in each run of a test. */
uint64_t fixture_random(struct fixture *f)
{
	f->seed ^= f->seed >> 12;
	f->seed ^= f->seed << 25;
	f->seed ^= f->seed >> 27;
	return f->seed * UINT64_C(0x2545F4914F6CDD1D);
}

void fixture_add_latencies(struct fixture *f, struct run *run, enum run_operation operation,
	unsigned ios, uint64_t latency_nsec)
{
	struct run_operation_result *o = &run->operations[operation];

	for (unsigned i = 0; i < ios; i++) {
		/* A sum of four is bell-shaped; one in fifty takes two to five times as long. */
		uint64_t spread = 0;
		for (int j = 0; j < 4; j++)
			spread += fixture_random(f) % (latency_nsec / 2);
		uint64_t latency = latency_nsec / 2 + spread / 2;
		if (fixture_random(f) % 50 == 0)
			latency *= 2 + fixture_random(f) % 4;
		histogram_add(&o->latency, latency);
	}
	o->ios += ios;
	o->bytes += (uint64_t)ios * run->workload.block_size_bytes;
	o->active_nsec = o->latency.sum_nsec / 2;
	run->measured_nsec += o->active_nsec;
}

static void set_identity(struct identity *identity)
{
	(void)snprintf(identity->fs_type, sizeof(identity->fs_type), "ext4");
	(void)snprintf(identity->source, sizeof(identity->source), "/dev/sdb1");
	(void)snprintf(identity->mount_point, sizeof(identity->mount_point), "/backup");
	(void)snprintf(identity->fs_uuid, sizeof(identity->fs_uuid),
		"5b8e3f6a-8f0c-4f3e-9a55-0d2f6d1c7f10");
	identity->is_mount = true;
	identity->sector_bytes = 4096;
	identity->size_bytes = UINT64_C(8001563222016);
	(void)snprintf(identity->options.mount, sizeof(identity->options.mount), "rw,noatime");
	(void)snprintf(identity->options.fs, sizeof(identity->options.fs), "rw");
	identity->has_device = true;
	identity->device = (struct device_info){
		.name = "sdb1",
		.disk = "sdb",
		.rotational = DEVICE_ROTATIONAL_YES,
		.write_cache = "write back",
		.logical_block_bytes = 512,
		.physical_block_bytes = 4096,
		.request_max_bytes = 1310720,
		.model = "WDC WD40EFRX-68W",
		.scheduler = "mq-deadline",
		.queue_requests = 64,
		.leaf_count = 1,
		.leaves = { { .name = "sdb" } },
	};
}

/* A disk that others use as well, now more, now less. */
static void set_facts(struct fixture *f, struct facts *facts)
{
	facts->has_counters = true;
	facts->others_bytes_per_sec = fixture_random(f) % UINT64_C(200000000);
	facts->others_ios_per_sec = fixture_random(f) % 2000;
	facts->has_pressure = true;
	facts->pressure_some_basis_points = (uint32_t)(fixture_random(f) % (PRESSURE_ALL + 1));
	facts->pressure_full_basis_points = facts->pressure_some_basis_points / 2;
}

struct run *fixture_run(struct fixture *f, int64_t id, const char *repository, const char *probe)
{
	struct run *run = run_new(repository, probe);

	assert_non_null(run);
	run->id = id;
	run->started_usec = FIXTURE_START_USEC + id * INT64_C(60000000);
	run->start_delay_usec = fixture_random(f) % 300000;
	run->is_confirmation = fixture_random(f) % 2 == 1;
	run->setup_nsec = fixture_random(f) % UINT64_C(20000000);
	run->setup_longest_nsec = run->setup_nsec / 2;
	run->setup_step = (enum run_setup_step)(1 + id % (RUN_SETUP_STEPS - 1));
	run->status = RUN_OK;
	run->trust = RUN_TRUST_DIRECT;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	run->workload = workload_preset_default()->workload;
	run->workload.file_size_bytes = UINT64_C(1) << 30;
	run->file_bytes = UINT64_C(1) << 30;
	run->file_target_bytes = run->file_bytes;
	run->cpu_user_nsec = fixture_random(f) % UINT64_C(5000000);
	run->cpu_system_nsec = fixture_random(f) % UINT64_C(30000000);
	set_identity(&run->identity);
	set_facts(f, &run->facts);
	run->identity.free_bytes = UINT64_C(3000000000000) + fixture_random(f) % 1000000000;
	fixture_add_latencies(f, run, RUN_WRITE, 120, UINT64_C(8000000));
	run->duration_nsec = run->setup_nsec + run->measured_nsec + UINT64_C(50000000);
	return run;
}

static void assert_equal_operations(
	const struct run_operation_result *a, const struct run_operation_result *b)
{
	assert_int_equal(a->ios, b->ios);
	assert_int_equal(a->bytes, b->bytes);
	assert_int_equal(a->errors, b->errors);
	assert_int_equal(a->active_nsec, b->active_nsec);
	assert_memory_equal(&a->latency, &b->latency, sizeof(a->latency));
}

static void assert_equal_iops(const struct run_iops *a, const struct run_iops *b)
{
	assert_int_equal(a->seconds, b->seconds);
	assert_int_equal(a->ios, b->ios);
	assert_int_equal(a->squares, b->squares);
}

static void assert_equal_identities(const struct identity *a, const struct identity *b)
{
	assert_string_equal(a->fs_type, b->fs_type);
	assert_string_equal(a->source, b->source);
	assert_string_equal(a->mount_point, b->mount_point);
	assert_string_equal(a->fs_uuid, b->fs_uuid);
	assert_int_equal(a->is_mount, b->is_mount);
	assert_int_equal(a->sector_bytes, b->sector_bytes);
	assert_int_equal(a->size_bytes, b->size_bytes);
	assert_int_equal(a->free_bytes, b->free_bytes);
	assert_string_equal(a->options.mount, b->options.mount);
	assert_string_equal(a->options.fs, b->options.fs);
	assert_int_equal(a->has_device, b->has_device);
	assert_memory_equal(&a->device, &b->device, sizeof(a->device));
}

static void assert_equal_workloads(const struct workload *a, const struct workload *b)
{
	assert_string_equal(a->preset, b->preset);
	assert_int_equal(a->block_size_bytes, b->block_size_bytes);
	assert_int_equal(a->write_percent, b->write_percent);
	assert_int_equal(a->pattern, b->pattern);
	assert_int_equal(a->align_bytes, b->align_bytes);
	assert_int_equal(a->random_percent, b->random_percent);
	assert_int_equal(a->queue_depth, b->queue_depth);
	assert_int_equal(a->threads, b->threads);
	assert_int_equal(a->cache, b->cache);
	assert_int_equal(a->file_size_bytes, b->file_size_bytes);
	assert_int_equal(a->duration_usec, b->duration_usec);
	assert_int_equal(a->warmup_ios, b->warmup_ios);
	assert_int_equal(a->warmup_usec, b->warmup_usec);
	assert_int_equal(a->max_bytes, b->max_bytes);
	assert_int_equal(a->max_ios, b->max_ios);
	assert_int_equal(a->has_seed, b->has_seed);
	assert_int_equal(a->seed, b->seed);
	assert_int_equal(a->content, b->content);
	assert_int_equal(a->compressible_percent, b->compressible_percent);
	assert_int_equal(a->engine, b->engine);
	assert_int_equal(a->timeout_usec, b->timeout_usec);
}

void fixture_assert_equal_runs(const struct run *a, const struct run *b)
{
	assert_int_equal(a->id, b->id);
	assert_string_equal(a->repository, b->repository);
	assert_string_equal(a->probe, b->probe);
	assert_int_equal(a->started_usec, b->started_usec);
	assert_int_equal(a->start_delay_usec, b->start_delay_usec);
	assert_int_equal(a->is_confirmation, b->is_confirmation);
	assert_int_equal(a->duration_nsec, b->duration_nsec);
	assert_int_equal(a->setup_nsec, b->setup_nsec);
	assert_int_equal(a->setup_longest_nsec, b->setup_longest_nsec);
	assert_int_equal(a->setup_step, b->setup_step);
	assert_int_equal(a->measured_nsec, b->measured_nsec);
	assert_int_equal(a->status, b->status);
	assert_int_equal(a->skip, b->skip);
	assert_int_equal(a->error_number, b->error_number);
	assert_string_equal(a->reason, b->reason);
	assert_int_equal(a->trust, b->trust);
	assert_int_equal(a->engine, b->engine);
	assert_int_equal(a->file_bytes, b->file_bytes);
	assert_int_equal(a->file_target_bytes, b->file_target_bytes);
	assert_int_equal(a->layout_bytes, b->layout_bytes);
	assert_int_equal(a->outstanding_ios, b->outstanding_ios);
	assert_int_equal(a->cpu_user_nsec, b->cpu_user_nsec);
	assert_int_equal(a->cpu_system_nsec, b->cpu_system_nsec);
	assert_memory_equal(&a->facts, &b->facts, sizeof(a->facts));
	assert_equal_workloads(&a->workload, &b->workload);
	assert_equal_identities(&a->identity, &b->identity);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		assert_equal_operations(&a->operations[i], &b->operations[i]);
	for (size_t i = 0; i <= RUN_OPERATIONS; i++)
		assert_equal_iops(&a->iops[i], &b->iops[i]);
	assert_int_equal(a->has_registered_buffers, b->has_registered_buffers);
}

struct incident_event fixture_event(int64_t incident, uint32_t sequence)
{
	struct incident_event event = {
		.incident_id = incident,
		.sequence = sequence,
		.change = sequence == 0 ? INCIDENT_OPENED : INCIDENT_WORSE,
		.level = sequence == 0 ? ALARM_WARNING : ALARM_CRITICAL,
		.reason = ALARM_REASON_LIMIT,
		.time_usec = FIXTURE_START_USEC + (int64_t)sequence * 1000000,
		.opened_usec = FIXTURE_START_USEC,
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.value_nsec = UINT64_C(23900000),
		.limit_nsec = UINT64_C(15000000),
		.hits = 2,
		.window = 3,
	};

	return event;
}

struct message fixture_message(const struct incident_event *event)
{
	struct message message = {
		.channel = "journal",
		.created_usec = event->time_usec,
		.event = *event,
	};

	(void)snprintf(message.key, sizeof(message.key), "journal/%lld/%u",
		(long long)event->incident_id, event->sequence);
	(void)snprintf(message.text, sizeof(message.text),
		"nas1: writes of active-full take 23.9 ms on average, limit 15 ms");
	return message;
}
