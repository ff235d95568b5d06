/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a history as the daemon would have, by the store's own writer, and says what it took:
 *   history ingest PATH PRESET RUNS
 *     a batch a run, as the daemon submits them
 *   history make PATH REPOSITORIES DAYS RAW_DAYS KEEP_RUNS_DAYS
 *     active-full, reverse-incremental and random-4k each 5 minutes until now, tended day by day.
 *     Before the RAW_DAYS last days one run an hour stands for twelve: its histograms are sums of
 *     twelve, so that hours and days are as they would be. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "store/store.h"

#define POOL 128 /* different results of each kind; the next run has one of them */
#define BATCH_RUNS 300
#define QUEUE_MAX 256
#define WAITING_RUNS 1500 /* at once, in all batches */
#define HOUR_USEC (INT64_C(3600) * 1000000)
#define DAY_USEC (24 * HOUR_USEC)
#define INTERVAL_USEC (INT64_C(300) * 1000000)
#define RUNS_AN_HOUR 12

/* What a run of a preset does on an array that is in use: I/Os, and their usual latency. */
static const struct kind {
	const char *preset;
	struct {
		unsigned ios;
		uint64_t latency_nsec;
	} operations[RUN_OPERATIONS];
} kinds[] = {
	{ "active-full", { { 0, 0 }, { 128, 8000000 } } },
	{ "reverse-incremental", { { 42, 6000000 }, { 86, 9000000 } } },
	{ "random-4k", { { 2867, 1500000 }, { 1229, 3000000 } } },
	{ "transform", { { 64, 6000000 }, { 64, 9000000 } } },
	{ "restore", { { 128, 6000000 }, { 0, 0 } } },
	{ "heartbeat", { { 100, 400000 }, { 100, 700000 } } },
};
#define KINDS (sizeof(kinds) / sizeof(kinds[0]))
#define MADE_KINDS 3

struct making {
	uint64_t seed;
	struct store_writer *writer;
	struct histogram *pools[KINDS][RUN_OPERATIONS]; /* POOL each */
	int64_t next_id;
	uint64_t submitted;
	uint64_t finished;
	uint64_t max_waiting; /* batches */
};

static uint64_t random_number(struct making *m)
{
	m->seed ^= m->seed >> 12;
	m->seed ^= m->seed << 25;
	m->seed ^= m->seed >> 27;
	return m->seed * UINT64_C(0x2545F4914F6CDD1D);
}

static double random_part(struct making *m)
{
	return ((double)(random_number(m) >> 11) + 0.5) / 9007199254740992.0;
}

/* Log-normal, with one I/O in fifty that waits for others. */
static uint64_t random_latency(struct making *m, uint64_t usual_nsec)
{
	double normal = sqrt(-2 * log(random_part(m))) * cos(6.283185307 * random_part(m));
	double latency = (double)usual_nsec * exp(0.45 * normal);

	if (random_number(m) % 50 == 0)
		latency *= 2 + 6 * random_part(m);
	return (uint64_t)latency;
}

static int fill_pools(struct making *m, size_t count)
{
	for (size_t k = 0; k < count; k++)
		for (size_t o = 0; o < RUN_OPERATIONS; o++) {
			m->pools[k][o] = calloc(POOL, sizeof(struct histogram));
			if (!m->pools[k][o])
				return -1;
			for (size_t i = 0; i < POOL; i++)
				for (unsigned n = 0; n < kinds[k].operations[o].ios; n++)
					histogram_add(&m->pools[k][o][i],
						random_latency(
							m, kinds[k].operations[o].latency_nsec));
		}
	return 0;
}

static void set_target(struct making *m, struct run *run)
{
	struct identity *identity = &run->identity;

	(void)snprintf(identity->fs_type, sizeof(identity->fs_type), "xfs");
	(void)snprintf(identity->source, sizeof(identity->source), "/dev/sdb1");
	(void)snprintf(identity->mount_point, sizeof(identity->mount_point), "/backup");
	identity->is_mount = true;
	identity->sector_bytes = 4096;
	identity->size_bytes = UINT64_C(8001563222016);
	identity->free_bytes = UINT64_C(3000000000000) + random_number(m) % 1000000000;
	run->facts.has_counters = true;
	run->facts.others_bytes_per_sec = random_number(m) % 200000000;
	run->facts.others_ios_per_sec = random_number(m) % 2000;
	run->facts.has_pressure = true;
	run->facts.pressure_some_basis_points = (uint32_t)(random_number(m) % 5000);
	run->facts.pressure_full_basis_points = run->facts.pressure_some_basis_points / 2;
}

static void add_operation(struct making *m, struct run *run, size_t kind, size_t o, unsigned times)
{
	struct run_operation_result *result = &run->operations[o];

	if (kinds[kind].operations[o].ios == 0)
		return;
	for (unsigned i = 0; i < times; i++)
		histogram_merge(&result->latency, &m->pools[kind][o][random_number(m) % POOL]);
	result->ios = result->latency.count;
	result->bytes = result->ios * run->workload.block_size_bytes;
	result->active_nsec = result->latency.sum_nsec / run->workload.queue_depth;
	run->measured_nsec += result->active_nsec;
}

static struct run *make_run(
	struct making *m, size_t kind, const char *repository, int64_t started_usec, unsigned times)
{
	const struct workload_preset *preset = workload_preset_find(kinds[kind].preset);
	struct run *run = run_new(repository, kinds[kind].preset);

	if (!run || !preset)
		exit(1);
	run->id = m->next_id++;
	run->started_usec = started_usec + (int64_t)(random_number(m) % 1000000);
	run->start_delay_usec = random_number(m) % 3000;
	run->setup_nsec = 1000000 + random_number(m) % 2000000;
	run->trust = RUN_TRUST_DIRECT;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	run->has_registered_buffers = true;
	run->workload = preset->workload;
	run->workload.file_size_bytes = UINT64_C(1) << 30;
	run->file_bytes = run->file_target_bytes = run->workload.file_size_bytes;
	run->cpu_user_nsec = random_number(m) % 5000000;
	run->cpu_system_nsec = random_number(m) % 30000000;
	set_target(m, run);
	if (random_number(m) % 1000 == 0) {
		run->status = RUN_TIMEOUT;
		return run;
	}
	for (size_t o = 0; o < RUN_OPERATIONS; o++)
		add_operation(m, run, kind, o, times);
	run->duration_nsec = run->setup_nsec + run->measured_nsec + 3000000;
	return run;
}

static void take_finished(struct making *m)
{
	struct batch *batch;
	int error = 0;

	while ((batch = store_writer_take(m->writer, &error))) {
		batch_free(batch);
		m->finished++;
		if (error < 0) {
			(void)fprintf(stderr, "a batch failed: %s\n", errno_text(-error));
			exit(1);
		}
	}
}

static void pause_shortly(void)
{
	const struct timespec pause = { .tv_nsec = 200000 };

	(void)nanosleep(&pause, NULL); /* cut short by a signal at worst */
}

static void submit(struct making *m, struct batch *batch)
{
	while (m->submitted - m->finished >= m->max_waiting) {
		pause_shortly();
		take_finished(m);
	}
	(void)store_writer_submit(m->writer, batch); /* there is room */
	m->submitted++;
}

static void wait_for_all(struct making *m)
{
	while (m->finished < m->submitted) {
		pause_shortly();
		take_finished(m);
	}
}

static void tend(struct making *m, const struct store_retention *retention, int64_t now_usec)
{
	struct store_writer_status status;

	wait_for_all(m);
	store_writer_tend(m->writer, retention, now_usec);
	do {
		pause_shortly();
		store_writer_status(m->writer, &status);
	} while (status.is_tending);
	if (status.tend_error[0] != '\0')
		(void)fprintf(stderr, "tending failed: %s\n", status.tend_error);
}

static double seconds_since(uint64_t begin_nsec)
{
	const struct clock clock = clock_system();

	return (double)(clock_monotonic_nsec(&clock) - begin_nsec) / 1e9;
}

static struct batch *add_run(struct making *m, struct batch *batch, struct run *run)
{
	if (!batch)
		batch = batch_new();
	if (!batch || !run || batch_add_run(batch, run) < 0) {
		(void)fprintf(stderr, "no memory\n");
		exit(1);
	}
	if (m->next_id % BATCH_RUNS != 0)
		return batch;
	submit(m, batch);
	return NULL;
}

struct plan {
	int64_t repositories;
	int64_t days;
	int64_t raw_days;
	int64_t keep_runs_days;
};

static void make_slot(struct making *m, const struct plan *plan, int64_t time_usec, unsigned times,
	struct batch **batch)
{
	char name[32];

	for (int64_t i = 1; i <= plan->repositories; i++)
		for (size_t kind = 0; kind < MADE_KINDS; kind++) {
			(void)snprintf(name, sizeof(name), "repository-%d", (int)i);
			*batch = add_run(m, *batch, make_run(m, kind, name, time_usec, times));
		}
}

static void make_all(struct making *m, const struct plan *plan)
{
	const struct clock clock = clock_system();
	const struct store_retention retention = {
		.keep_runs_usec = (uint64_t)(plan->keep_runs_days * DAY_USEC),
		.keep_hours_usec = UINT64_C(400) * DAY_USEC,
		.keep_days_usec = UINT64_C(3652) * DAY_USEC,
	};
	int64_t end = clock_realtime_usec(&clock) / HOUR_USEC * HOUR_USEC;
	int64_t raw = end - plan->raw_days * DAY_USEC;
	uint64_t begin_nsec = clock_monotonic_nsec(&clock);
	struct batch *batch = NULL;

	for (int64_t time = end - plan->days * DAY_USEC; time < end;) {
		bool is_raw = time >= raw;
		make_slot(m, plan, time, is_raw ? 1 : RUNS_AN_HOUR, &batch);
		time += is_raw ? INTERVAL_USEC : HOUR_USEC;
		if (time % DAY_USEC != 0 && time < end)
			continue;
		if (batch)
			submit(m, batch);
		batch = NULL;
		tend(m, &retention, time + INTERVAL_USEC);
	}
	(void)printf("runs %" PRId64 " seconds %.1f\n", m->next_id - 1, seconds_since(begin_nsec));
}

static void ingest(struct making *m, size_t kind, int64_t runs)
{
	const struct clock clock = clock_system();
	int64_t first_usec = clock_realtime_usec(&clock) - runs * INTERVAL_USEC / 100;
	uint64_t begin_nsec = clock_monotonic_nsec(&clock);
	char name[32];

	for (int64_t i = 0; i < runs; i++) {
		(void)snprintf(name, sizeof(name), "repository-%d", (int)(i % 100));
		struct batch *batch = batch_new();
		struct run *run = make_run(m, kind, name, first_usec + i / 100 * INTERVAL_USEC, 1);
		if (!batch || !run || batch_add_run(batch, run) < 0)
			exit(1);
		submit(m, batch);
	}
	wait_for_all(m);
	(void)printf("runs %" PRId64 " seconds %.2f\n", runs, seconds_since(begin_nsec));
}

static int read_numbers(char **arguments, size_t count, int64_t *ret)
{
	for (size_t i = 0; i < count; i++)
		if (!arguments[i] || parse_int(arguments[i], 1, INT32_MAX, &ret[i], NULL) < 0)
			return -1;
	return 0;
}

static int find_kind(const char *preset, size_t *ret)
{
	for (size_t i = 0; i < KINDS; i++)
		if (strcmp(kinds[i].preset, preset) == 0) {
			*ret = i;
			return 0;
		}
	return -1;
}

int main(int argc, char **argv)
{
	struct making m = { .seed = 42, .next_id = 1 };
	struct error error = { "" };
	int64_t numbers[4];
	size_t kind = 0;

	bool is_ingest = argc == 5 && strcmp(argv[1], "ingest") == 0 &&
		find_kind(argv[3], &kind) == 0 && read_numbers(argv + 4, 1, numbers) == 0;
	bool is_make = argc == 7 && strcmp(argv[1], "make") == 0 &&
		read_numbers(argv + 3, 4, numbers) == 0;
	if (!is_ingest && !is_make) {
		(void)fprintf(stderr,
			"history ingest PATH PRESET RUNS\n"
			"history make PATH REPOSITORIES DAYS RAW_DAYS KEEP_DAYS\n");
		return 2;
	}
	if (fill_pools(&m, is_make ? MADE_KINDS : KINDS) < 0 ||
		store_writer_open(argv[2], QUEUE_MAX, &m.writer, &error) < 0) {
		(void)fprintf(stderr, "%s\n", error.text);
		return 1;
	}
	m.max_waiting = is_ingest ? QUEUE_MAX / 2 : WAITING_RUNS / BATCH_RUNS;
	if (is_ingest)
		ingest(&m, kind, numbers[0]);
	else
		make_all(
			&m, &(const struct plan){ numbers[0], numbers[1], numbers[2], numbers[3] });
	(void)store_writer_close(m.writer, UINT64_C(600000000000)); /* all is written */
	for (size_t k = 0; k < KINDS; k++)
		for (size_t o = 0; o < RUN_OPERATIONS; o++)
			free(m.pools[k][o]);
	return 0;
}
