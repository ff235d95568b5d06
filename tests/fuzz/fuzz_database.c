/* SPDX-License-Identifier: Apache-2.0 */
/* A history with mangled bytes: whatever is read or written then ends with an error or well, and
 * the writer can always go on, in this file or in a new one beside the kept one. The input is a
 * list of changes (page, offset in it, bytes to write) to a small but complete database that is
 * made once. */
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/fd.h"
#include "place.h"
#include "store/store.h"

#define DATABASE_MAX (4 << 20)
#define PAGE_BYTES 4096
#define RUNS 8
#define START_USEC INT64_C(1790000000000000)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct run *new_run(int64_t id)
{
	struct run *run = run_new("nas1", id % 2 ? "active-full" : "heartbeat");

	need(run);
	run->id = id;
	run->started_usec = START_USEC + id * 1000000;
	run->workload = workload_preset_default()->workload;
	run->measured_nsec = 1000000000;
	for (uint64_t i = 1; i <= 50; i++)
		histogram_add(&run->operations[RUN_WRITE].latency, i * 100000 * (uint64_t)id);
	run->operations[RUN_WRITE].ios = 50;
	run->operations[RUN_WRITE].bytes = 50 << 19;
	(void)snprintf(run->identity.fs_type, sizeof(run->identity.fs_type), "ext4");
	return run;
}

/* Waits until it is finished, one way or the other. */
static void submit(struct store_writer *writer, int64_t run_id)
{
	struct pollfd finished = { .fd = store_writer_fd(writer), .events = POLLIN };
	struct incident_event event = { .incident_id = run_id,
		.opened_usec = START_USEC,
		.time_usec = START_USEC,
		.repository = "nas1",
		.probe = "active-full" };
	struct message message = {
		.channel = "journal", .created_usec = START_USEC, .text = "x", .event = event
	};
	struct batch *batch = batch_new();
	struct batch *done = NULL;
	int error;

	(void)snprintf(message.key, sizeof(message.key), "journal/%lld/0", (long long)run_id);
	need(batch && batch_add_run(batch, new_run(run_id)) == 0);
	need(batch_add_event(batch, &event) == 0);
	need(batch_add_message(batch, &message) == 0);
	need(store_writer_submit(writer, batch) == 0);
	while (!done) {
		need(poll(&finished, 1, 30000) == 1);
		done = store_writer_take(writer, &error);
	}
	batch_free(done);
}

static void make_database(struct buf *ret)
{
	struct store_writer *writer = NULL;
	struct place p;

	place_init(&p);
	need(store_writer_open(p.path, 16, &writer, NULL) == 0);
	for (int64_t id = 1; id <= RUNS; id++)
		submit(writer, id);
	need(store_writer_close(writer, UINT64_MAX) == 0); /* with a checkpoint */
	need(fd_read_file(p.path, ret) == 0);
	place_done(&p);
}

static void mangle(struct buf *database, const uint8_t *data, size_t size)
{
	struct buf_reader changes = BUF_READER(data, size);

	while (changes.error == 0 && changes.pos < changes.len) {
		size_t at = buf_read_u16(&changes) * (size_t)PAGE_BYTES;
		at += buf_read_u16(&changes);
		size_t len = buf_read_u8(&changes);
		const uint8_t *bytes = buf_read_bytes(&changes, len);
		if (bytes && len > 0 && database->len > len)
			memcpy(database->data + at % (database->len - len), bytes, len);
	}
}

static int each_run(void *data, const struct run *run)
{
	(void)data;
	(void)run;
	return 0;
}

static int each_alarm(void *data, const struct alarm_state *state)
{
	(void)data;
	(void)state;
	return 0;
}

static int each_message(void *data, const struct message *message)
{
	(void)data;
	(void)message;
	return 0;
}

static int each_incident(void *data, const struct incident *incident)
{
	(void)data;
	(void)incident;
	return 0;
}

static int each_event(void *data, const struct incident_event *event)
{
	(void)data;
	(void)event;
	return 0;
}

static int each_point(void *data, const struct run_point *point)
{
	(void)data;
	(void)point;
	return 0;
}

/* Any answer will do. */
static void read_all(const char *path)
{
	const struct store_run_filter all = { .repository = "nas1", .probe = "active-full" };
	const struct store_series_query query = { .repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.max_points = 2 };
	const struct store_incident_filter incidents = { .repository = "nas1" };
	struct store_series_point *points = NULL;
	struct store_reader *reader = NULL;
	struct store_next_ids ids;
	size_t count;

	if (store_reader_open(path, &reader, NULL) < 0)
		return;
	(void)store_read_next_ids(reader, &ids, NULL);
	(void)store_read_runs(reader, &all, each_run, NULL, NULL);
	(void)store_read_points(reader, &all, each_point, NULL, NULL);
	(void)store_read_alarms(reader, each_alarm, NULL, NULL);
	(void)store_read_outbox(reader, each_message, NULL, NULL);
	(void)store_read_incidents(reader, &incidents, each_incident, NULL, NULL);
	(void)store_read_events(reader, 1, each_event, NULL, NULL);
	if (store_read_series(reader, &query, &points, &count, NULL) == 0)
		free(points);
	store_reader_close(reader);
}

static void write_some(const char *path)
{
	struct store_writer *writer = NULL;

	/* Refused is fine: it may say now that it is another program's. */
	if (store_writer_open(path, 16, &writer, NULL) < 0)
		return;
	submit(writer, RUNS + 1);
	submit(writer, RUNS + 2);
	(void)store_writer_close(writer, UINT64_C(10000000000));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct buf original = BUF_INIT(DATABASE_MAX); /* made once, for speed */
	struct buf database = BUF_INIT(DATABASE_MAX);
	struct place p;

	if (original.len == 0)
		make_database(&original);
	buf_add(&database, original.data, original.len);
	need(database.error == 0);
	mangle(&database, data, size);
	place_init(&p);
	int fd = open(p.path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	need(fd >= 0 && fd_write_all(fd, database.data, database.len) == 0);
	fd_close(fd);
	read_all(p.path);
	write_some(p.path);
	read_all(p.path);
	place_done(&p);
	buf_done(&database);
	return 0;
}
