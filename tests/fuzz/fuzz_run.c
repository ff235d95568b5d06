/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers on their whole way: a worker's result, its decoder, the rules, the database, what is made
 * of it by hours and days, and all that is shown of it. What the decoder takes, nothing behind it
 * may refuse. The input is a list of changes (number, value) to a result. */
#include <errno.h>
#include <poll.h>
#include <stdint.h>
#include <string.h>

#include "alarm/alarm.h"
#include "alarm/sample_code.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "place.h"
#include "report/report.h"
#include "store/store.h"
#include "wire/wire.h"

#define START_USEC INT64_C(1790000000000000)
#define DAYS_USEC INT64_C(200000000000)
#define IOS 10
#define TEXT_MAX (1 << 20)
#define PATIENCE_MSEC 30000
#define RUNS 2 /* the same twice: sums */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* What a worker tells, then what the kernel's counters do: never reordered, for the corpus's sake.
 */
static const size_t told[] = {
	offsetof(struct run, identity.size_bytes),
	offsetof(struct run, identity.free_bytes),
	offsetof(struct run, file_bytes),
	offsetof(struct run, file_target_bytes),
	offsetof(struct run, layout_bytes),
	offsetof(struct run, setup_nsec),
	offsetof(struct run, setup_longest_nsec),
	offsetof(struct run, measured_nsec),
	offsetof(struct run, cpu_user_nsec),
	offsetof(struct run, cpu_system_nsec),
	offsetof(struct run, own.bytes),
	offsetof(struct run, own.ios),
	offsetof(struct run, own.synced_writes),
	offsetof(struct run, own.written_bytes),
	offsetof(struct run, operations[RUN_READ].bytes),
	offsetof(struct run, operations[RUN_READ].errors),
	offsetof(struct run, operations[RUN_READ].active_nsec),
	offsetof(struct run, operations[RUN_WRITE].bytes),
	offsetof(struct run, operations[RUN_WRITE].errors),
	offsetof(struct run, operations[RUN_WRITE].active_nsec),
	offsetof(struct run, iops[RUN_READ].ios),
	offsetof(struct run, iops[RUN_READ].squares),
	offsetof(struct run, iops[RUN_WRITE].ios),
	offsetof(struct run, iops[RUN_WRITE].squares),
	offsetof(struct run, iops[RUN_OPERATIONS].ios),
	offsetof(struct run, iops[RUN_OPERATIONS].squares),
	offsetof(struct run, workload.file_size_bytes),
	offsetof(struct run, workload.duration_usec),
	offsetof(struct run, workload.warmup_ios),
	offsetof(struct run, workload.warmup_usec),
	offsetof(struct run, workload.max_bytes),
	offsetof(struct run, workload.max_ios),
	offsetof(struct run, workload.rate_bytes_per_sec),
	offsetof(struct run, workload.rate_ios_per_sec),
	offsetof(struct run, workload.think_time_usec),
	offsetof(struct run, workload.seed),
	offsetof(struct run, workload.timeout_usec),
};
static const size_t seen[] = {
	offsetof(struct run, facts.others_bytes_per_sec),
	offsetof(struct run, facts.others_ios_per_sec),
	offsetof(struct run, facts.request_nsec),
	offsetof(struct run, facts.client_nsec),
	offsetof(struct run, facts.retransmissions),
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
/* Behind these: all latencies of an operation. */
#define FIRST_SEEN COUNT(told)
#define FIRST_LATENCY (COUNT(told) + COUNT(seen))

static void set_latencies(struct run *run, enum run_operation operation, uint64_t nsec)
{
	struct run_operation_result *o = &run->operations[operation];

	memset(&o->latency, 0, sizeof(o->latency));
	for (int i = 0; i < IOS; i++)
		histogram_add(&o->latency, nsec);
	o->ios = IOS;
}

static struct run *new_result(void)
{
	struct run *run = run_new("nas1", "p");

	need(run);
	run->status = RUN_OK;
	run->measured_nsec = UINT64_C(2500000000);
	run->setup_step = RUN_SETUP_OPEN;
	run->workload = workload_preset_default()->workload;
	run->has_own = true;
	run->facts.has_counters = true;
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		set_latencies(run, (enum run_operation)i, 4000000);
	memcpy(run->identity.fs_type, "ext4", 5);
	return run;
}

static void change(struct run *run, size_t number, uint64_t value)
{
	if (number < FIRST_SEEN)
		memcpy((char *)run + told[number], &value, sizeof(value));
	else if (number < FIRST_LATENCY)
		memcpy((char *)run + seen[number - FIRST_SEEN], &value, sizeof(value));
	else if (number < FIRST_LATENCY + RUN_OPERATIONS)
		set_latencies(run, (enum run_operation)(number - FIRST_LATENCY), value);
	if (run->iops[RUN_OPERATIONS].ios > 0)
		for (size_t i = 0; i <= RUN_OPERATIONS; i++)
			run->iops[i].seconds = 1;
}

/* A run as it comes out of the decoder; NULL: it refused. */
static struct run *decode(const struct run *sent)
{
	struct run *run = run_new("nas1", "p");
	struct buf message = BUF_INIT(WIRE_MESSAGE_MAX);

	need(run);
	wire_encode_result(sent, &message);
	need(message.error == 0);
	if (wire_decode_result((const uint8_t *)message.data, message.len, run, NULL) < 0) {
		free(run);
		run = NULL;
	}
	buf_done(&message);
	return run;
}

static void judge(const struct run *run, struct alarm_state *state, struct batch *batch)
{
	struct alarm_outcome *outcome = calloc(1, sizeof(*outcome));
	const struct alarm_input input = {
		.run = run,
		.facts = &run->facts,
		.limit = { .limit_nsec = 1000000, .limit_critical_nsec = 2000000 },
		.now_usec = run->started_usec,
		.next_incident_id = 1,
	};

	need(outcome && alarm_step(state, &input, outcome) == 0);
	for (size_t i = 0; i < outcome->event_count; i++)
		need(batch_add_event(batch, &outcome->events[i]) == 0);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		uint8_t code[SAMPLE_CODE_BYTES];
		if (!outcome->has_sample[i])
			continue;
		sample_code(&outcome->samples[i], code);
		need(batch_add_sample(batch, run->id, (enum run_operation)i, code, sizeof(code)) ==
			0);
	}
	need(batch_add_alarm(batch, state) == 0);
	free(outcome);
}

static void commit(struct store_writer *writer, struct batch *batch)
{
	struct pollfd finished = { .fd = store_writer_fd(writer), .events = POLLIN };
	struct batch *done = NULL;
	int error = -1;

	need(store_writer_submit(writer, batch) == 0);
	while (!done) {
		need(poll(&finished, 1, PATIENCE_MSEC) == 1);
		done = store_writer_take(writer, &error);
	}
	need(error == 0);
	batch_free(done);
}

/* Merges the hours and days, and waits for that. */
static void tend(struct store_writer *writer)
{
	const struct store_retention keep_all = { 0 };
	struct store_writer_status status;
	int left_msec = PATIENCE_MSEC;

	store_writer_tend(writer, &keep_all, START_USEC + DAYS_USEC);
	do {
		store_writer_status(writer, &status);
		(void)usleep(1000);
	} while (status.is_tending && left_msec-- > 0);
	need(!status.is_tending && status.tend_error[0] == '\0');
}

static void write_history(struct store_writer *writer, const struct run *sent)
{
	struct alarm_state *state = calloc(1, sizeof(*state));

	need(state);
	memcpy(state->repository, "nas1", 5);
	for (int64_t id = 1; id <= RUNS; id++) {
		struct batch *batch = batch_new();
		struct run *run = decode(sent);
		need(batch && run);
		run->id = id;
		run->started_usec = START_USEC + id;
		for (size_t i = 0; i < COUNT(seen); i++)
			memcpy((char *)run + seen[i], (const char *)sent + seen[i],
				sizeof(uint64_t));
		run->facts.has_counters = true;
		need(batch_add_run(batch, run) == 0);
		judge(run, state, batch);
		commit(writer, batch);
	}
	free(state);
	tend(writer);
}

/* Of no number that is shown is there a negative one, nor one that is none. */
static int show(void *data, const struct run *run)
{
	size_t *count = data;
	struct buf text = BUF_INIT(TEXT_MAX);

	(*count)++;
	need(json_dump(report_run_json(run), false, &text) == 0);
	need(!strstr(buf_text(&text), ":-") && !strstr(buf_text(&text), ": -"));
	need(!strstr(buf_text(&text), "nan") && !strstr(buf_text(&text), "inf"));
	buf_clear(&text);
	report_run_text(run, &text);
	report_run_xdisk(run, &text);
	report_run_fio_json(run, &text);
	report_run_list_line(run, &text);
	need(text.error == 0);
	buf_done(&text);
	return 0;
}

static void read_history(const char *path)
{
	const struct store_run_filter all = { .repository = "nas1", .probe = "p" };
	struct store_reader *reader = NULL;
	size_t count = 0;

	need(store_reader_open(path, &reader, NULL) == 0);
	need(store_read_runs(reader, &all, show, &count, NULL) == 0);
	need(count == RUNS);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct store_series_query query = {
			.repository = "nas1",
			.probe = "p",
			.operation = (enum run_operation)i,
			.max_points = 1,
		};
		struct store_series_point *points = NULL;
		need(store_read_series(reader, &query, &points, &count, NULL) == 0);
		free(points);
	}
	store_reader_close(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct buf_reader changes = BUF_READER(data, size);
	struct store_writer *writer = NULL;
	struct run *sent = new_result();
	struct place p;

	while (changes.error == 0 && changes.pos < changes.len) {
		size_t number = buf_read_u8(&changes);
		change(sent, number, buf_read_u64(&changes));
	}
	struct run *taken = decode(sent);
	if (taken) {
		place_init(&p);
		need(store_writer_open(p.path, 16, &writer, NULL) == 0);
		write_history(writer, sent);
		need(store_writer_close(writer, UINT64_MAX) == 0);
		read_history(p.path);
		place_done(&p);
	}
	free(taken);
	free(sent);
	return 0;
}
