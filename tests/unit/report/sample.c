/* SPDX-License-Identifier: Apache-2.0 */
/* Known runs and a known present. */
#include "sample.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"

#define BLOCK_BYTES (UINT64_C(512) << 10)

static struct run *new_run(const char *preset)
{
	struct run *run = run_new("nas1", preset);

	if (!run)
		abort();
	run->workload = workload_preset_find(preset)->workload;
	run->workload.file_size_bytes = UINT64_C(1) << 30;
	run->started_usec = SAMPLE_STARTED_USEC;
	run->identity = (struct identity){
		.fs_type = "ext4",
		.source = "/dev/sdb1",
		.mount_point = "/backup/nas1",
		.fs_uuid = "2f6b3e0c-93d4-4a53-8a0e-5f4f7a0c2d11",
		.is_mount = true,
		.sector_bytes = 512,
		.size_bytes = UINT64_C(2) << 40,
		.free_bytes = UINT64_C(800) << 30,
		.options = { .mount = "rw,noatime", .fs = "rw,stripe=128" },
		.has_device = true,
		.device = {
			.name = "sdb1",
			.disk = "sdb",
			.rotational = DEVICE_ROTATIONAL_YES,
			.write_cache = "write back",
			.logical_block_bytes = 512,
			.physical_block_bytes = 4096,
			.model = "WDC WD40EFRX-68W",
			.scheduler = "mq-deadline",
			.write_copies = 1,
			.has_all_leaves = true,
			.leaf_count = 1,
			.leaves = { { 8, 16, "sdb" } },
		},
	};
	run->facts = (struct facts){
		.has_counters = true,
		.others_bytes_per_sec = UINT64_C(12) << 20,
		.others_ios_per_sec = 340,
		.has_pressure = true,
		.pressure_some_basis_points = 4150,
		.pressure_full_basis_points = 905,
	};
	return run;
}

static void set_measured(struct run *run)
{
	run->trust = RUN_TRUST_DIRECT | RUN_TRUST_SHORT;
	run->engine = WORKLOAD_ENGINE_IO_URING;
	run->has_registered_buffers = true;
	run->file_bytes = UINT64_C(1) << 30;
	run->file_target_bytes = UINT64_C(1) << 30;
}

static void add_ios(struct run *run, enum run_operation operation, unsigned count,
	uint64_t first_nsec, uint64_t step_nsec)
{
	struct run_operation_result *o = &run->operations[operation];

	for (unsigned i = 0; i < count; i++)
		histogram_add(&o->latency, first_nsec + i * step_nsec);
	o->ios += count;
	o->bytes += count * BLOCK_BYTES;
}

struct run *sample_run(void)
{
	struct run *run = new_run("reverse-incremental");

	set_measured(run);
	run->id = 4711;
	run->start_delay_usec = 1500;
	run->duration_nsec = 1623 * NSEC_PER_MSEC;
	run->setup_nsec = 12 * NSEC_PER_MSEC;
	run->setup_longest_nsec = 5 * NSEC_PER_MSEC;
	run->setup_step = RUN_SETUP_OPEN;
	run->measured_nsec = 1500 * NSEC_PER_MSEC;
	run->cpu_user_nsec = 15 * NSEC_PER_MSEC;
	run->cpu_system_nsec = 45 * NSEC_PER_MSEC;
	add_ios(run, RUN_READ, 40, 3970 * NSEC_PER_USEC, 100 * NSEC_PER_USEC);
	add_ios(run, RUN_WRITE, 80, 7800 * NSEC_PER_USEC, 200 * NSEC_PER_USEC);
	/* One full second: 28 reads and 52 writes in it. */
	run->iops[RUN_READ] = (struct run_iops){ 1, 28, 28 * 28 };
	run->iops[RUN_WRITE] = (struct run_iops){ 1, 52, 52 * 52 };
	run->iops[RUN_OPERATIONS] = (struct run_iops){ 1, 80, 80 * 80 };
	run->operations[RUN_READ].active_nsec = 400 * NSEC_PER_MSEC;
	run->operations[RUN_WRITE].active_nsec = 1250 * NSEC_PER_MSEC;
	return run;
}

struct run *sample_write_run(void)
{
	struct run *run = new_run("active-full");

	set_measured(run);
	run->id = 4712;
	run->started_usec += 60 * (int64_t)USEC_PER_SEC;
	run->duration_nsec = 1250 * NSEC_PER_MSEC;
	run->measured_nsec = 1200 * NSEC_PER_MSEC;
	add_ios(run, RUN_WRITE, 120, 20 * NSEC_PER_MSEC, 0);
	run->operations[RUN_WRITE].active_nsec = 1200 * NSEC_PER_MSEC;
	return run;
}

struct run *sample_failed_run(enum run_status status, int error_number, const char *reason)
{
	struct run *run = new_run("active-full");

	run_fail(run, status, error_number, "%s", reason);
	run->duration_nsec = 3 * NSEC_PER_MSEC;
	if (status == RUN_NOT_MOUNTED)
		run->identity = (struct identity){ .is_mount = false };
	return run;
}

/* What the daemon counts: all of the run. */
static void count_run(struct snapshot_probe *probe, const struct run *run)
{
	probe->runs++;
	probe->last_run = run;
	probe->last_measured = run;
	probe->last_success_usec =
		run->started_usec + (int64_t)(run->duration_nsec / NSEC_PER_USEC);
	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct run_operation_result *o = &run->operations[i];
		struct snapshot_operation *counter = &probe->operations[i];
		counter->bytes += o->bytes;
		counter->active_nsec += o->active_nsec;
		counter->errors += o->errors;
		counter->latency_count += o->latency.count;
		counter->latency_sum_nsec += o->latency.sum_nsec;
		for (size_t k = 0; k < HISTOGRAM_EXPORT_BUCKETS; k++)
			counter->latency_buckets[k] += o->latency.export_buckets[k];
	}
}

static void init_probe(struct snapshot_probe *probe, const char *preset_name)
{
	const struct workload_preset *preset = workload_preset_find(preset_name);

	probe->name = preset->name;
	probe->workload = &preset->workload;
	probe->interval_usec = preset->interval_usec;
	probe->limit.limit_nsec = preset->limit_usec * NSEC_PER_USEC;
	probe->limit.limit_critical_nsec = preset->limit_critical_usec * NSEC_PER_USEC;
	probe->next_run_usec = SAMPLE_STARTED_USEC + (int64_t)preset->interval_usec;
}

static void init_alarm(struct alarm_state *alarm)
{
	(void)snprintf(alarm->repository, sizeof(alarm->repository), "nas1");
	alarm->incident_id = 12;
	alarm->incident_opened_usec = SAMPLE_STARTED_USEC - 600 * (int64_t)USEC_PER_SEC;
	alarm->incident_level = ALARM_WARNING;
	alarm->incident_changes = 1;
	alarm->series_count = 2;
	alarm->series[0] = (struct alarm_series){
		.probe = "reverse-incremental",
		.operation = RUN_READ,
		.judged_runs = 1,
		.value_nsec = 5920000,
		.limit_nsec = 20 * NSEC_PER_MSEC,
	};
	alarm->series[1] = (struct alarm_series){
		.probe = "active-full",
		.operation = RUN_WRITE,
		.warning_bits = 3,
		.judged_runs = 3,
		.level = ALARM_WARNING,
		.since_usec = alarm->incident_opened_usec,
		.value_nsec = 20 * NSEC_PER_MSEC,
		.limit_nsec = 15 * NSEC_PER_MSEC,
		.judged_usec = SAMPLE_STARTED_USEC + 61 * (int64_t)USEC_PER_SEC,
		.rules[ALARM_RULE_LIMIT].level = ALARM_WARNING,
	};
}

static void init_snapshot(struct snapshot *snapshot)
{
	*snapshot = (struct snapshot){
		.version = "0.1.0",
		.now_usec = SAMPLE_STARTED_USEC + 90 * (int64_t)USEC_PER_SEC,
		.started_usec = SAMPLE_STARTED_USEC - 3600 * (int64_t)USEC_PER_SEC,
		.revision = 77,
		.is_reload_ok = true,
		.reload_usec = SAMPLE_STARTED_USEC - 3600 * (int64_t)USEC_PER_SEC,
		.database_bytes = 123456,
		.database_write_failures = 2,
		.database_queue_length = 3,
		.database_lost = 7,
		.log_lost_lines = 11,
		.notifications = 5,
		.notification_failures = 1,
		.notification_queue_length = 4,
		.process = {
			.cpu_nsec = 1234567890,
			.open_fds = 21,
			.max_fds = 1024,
			.resident_bytes = 9 << 20,
			.virtual_bytes = 99 << 20,
		},
	};
}

struct sample *sample_new(void)
{
	struct sample *s = calloc(1, sizeof(*s));

	if (!s)
		abort();
	s->runs[0] = sample_run();
	s->runs[1] = sample_write_run();
	init_probe(&s->probes[0], "reverse-incremental");
	init_probe(&s->probes[1], "active-full");
	init_probe(&s->probes[2], "heartbeat");
	count_run(&s->probes[0], s->runs[0]);
	count_run(&s->probes[1], s->runs[1]);
	init_alarm(&s->alarm);
	s->identity = s->runs[0]->identity;
	s->facts = s->runs[0]->facts;
	s->repositories[0] = (struct snapshot_repository){
		.name = "nas1",
		.path = "/backup/nas1",
		.state = REPOSITORY_WARNING,
		.reason = "write average 20 ms, limit 15 ms",
		.alarm = &s->alarm,
		.identity = &s->identity,
		.facts = &s->facts,
		.probe_count = 2,
		.probes = &s->probes[0],
	};
	s->repositories[1] = (struct snapshot_repository){
		.name = "tape",
		.path = "/backup/tape",
		.state = REPOSITORY_UNKNOWN,
		.reason = "no result yet",
		.probe_count = 1,
		.probes = &s->probes[2],
	};
	init_snapshot(&s->snapshot);
	s->snapshot.repositories = s->repositories;
	s->snapshot.repository_count = 2;
	return s;
}

void sample_free(struct sample *sample)
{
	free(sample->runs[0]);
	free(sample->runs[1]);
	free(sample);
}
