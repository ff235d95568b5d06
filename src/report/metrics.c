/* SPDX-License-Identifier: Apache-2.0 */
/* The body of /metrics: one table of families, each with a name, a type, a help text and the source
 * of its samples. Counters start at zero with the process and exist from the first scrape on;
 * gauges whose value is not known yet are omitted. */
#include <stddef.h>
#include <string.h>

#include "report/exposition.h"
#include "report/metrics_probe.h"
#include "report/report.h"

/* The samples of an item come from the first of these that is set: an emitter, which writes them
 * all; a function, which returns one value, or false when it is unknown; else a uint64_t member of
 * the item's snapshot, probe or operation. Values are multiplied by 10^-digits. */
struct family {
	const char *name;
	const char *type;
	const char *help;
	enum metrics_scope scope;
	unsigned digits;
	void (*emit)(
		const struct metrics_item *item, enum metrics_scope scope, struct exposition *x);
	bool (*value)(const struct metrics_item *item, uint64_t *ret);
	size_t offset;
};

/* --- Facts -------------------------------------------------------------- */

static void emit_build_info(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "version", item->snapshot->version);
	exposition_label(x, "compiler", __VERSION__);
	exposition_value(x, 1, 0);
}

static void emit_repository_info(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	const struct identity *identity = item->repository->identity;

	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "kind", "filesystem");
	exposition_label(x, "fstype", identity ? identity->fs_type : "");
	exposition_label(x, "path", item->repository->path);
	exposition_value(x, 1, 0);
}

static void emit_repository_state(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	for (unsigned i = 0; i < REPOSITORY_STATES; i++) {
		metrics_begin_sample(item, scope, "", x);
		exposition_label(x, "state", repository_state_name((enum repository_state)i));
		exposition_value(x, item->repository->state == (enum repository_state)i, 0);
	}
}

static bool repository_size(const struct metrics_item *item, uint64_t *ret)
{
	const struct identity *identity = item->repository->identity;

	if (!identity || identity->size_bytes == 0)
		return false;
	*ret = identity->size_bytes;
	return true;
}

static bool repository_free(const struct metrics_item *item, uint64_t *ret)
{
	const struct identity *identity = item->repository->identity;

	if (!identity || identity->size_bytes == 0)
		return false;
	*ret = identity->free_bytes;
	return true;
}

/* --- The daemon itself -------------------------------------------------- */

static void emit_notifications(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "channel", "journal");
	exposition_value(x, item->snapshot->notifications, 0);
}

static void emit_notification_failures(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "channel", "journal");
	exposition_value(x, item->snapshot->notification_failures, 0);
}

static bool reload_success(const struct metrics_item *item, uint64_t *ret)
{
	*ret = item->snapshot->is_reload_ok;
	return true;
}

static bool reload_time(const struct metrics_item *item, uint64_t *ret)
{
	*ret = (uint64_t)item->snapshot->reload_usec;
	return item->snapshot->reload_usec != 0;
}

static bool process_start(const struct metrics_item *item, uint64_t *ret)
{
	*ret = (uint64_t)item->snapshot->started_usec;
	return true;
}

/* --- The table, in the order of output ---------------------------------- */

static const struct family families[] = {
	{ "repoprobe_build_info", "gauge", "Version of the daemon, value is always 1.",
		METRICS_DAEMON, .emit = emit_build_info },
	{ "repoprobe_repository_info", "gauge", "Static facts of a repository, value is always 1.",
		METRICS_REPOSITORY, .emit = emit_repository_info },
	{ "repoprobe_repository_state", "gauge",
		"Whether a repository is in this state (1) or not (0).", METRICS_REPOSITORY,
		.emit = emit_repository_state },
	{ "repoprobe_probe_info", "gauge", "Static settings of a probe, value is always 1.",
		METRICS_PROBE, .emit = metrics_emit_probe_info },
	{ "repoprobe_probe_interval_seconds", "gauge",
		"Time between two runs of a probe in force; with a schedule, from its next slot to the one "
		"after it.",
		METRICS_PROBE, .offset = offsetof(struct snapshot_probe, interval_usec),
		.digits = METRICS_USEC_DIGITS },
	{ "repoprobe_probe_runs_total", "counter", "Finished probe runs, failed ones included.",
		METRICS_PROBE, .offset = offsetof(struct snapshot_probe, runs) },
	{ "repoprobe_probe_failures_total", "counter", "Failed probe runs by reason.",
		METRICS_PROBE, .emit = metrics_emit_probe_failures },
	{ "repoprobe_probe_skips_total", "counter", "Scheduled probe runs not started, by reason.",
		METRICS_PROBE, .emit = metrics_emit_probe_skips },
	{ "repoprobe_probe_late_starts_total", "counter",
		"Probe runs that started more than 10 s after they were due.", METRICS_PROBE,
		.offset = offsetof(struct snapshot_probe, late_starts) },
	{ "repoprobe_probe_status", "gauge",
		"Whether the last finished run ended with this status (1) or not (0).",
		METRICS_PROBE, .emit = metrics_emit_probe_status },
	{ "repoprobe_probe_success", "gauge",
		"Whether the last finished run succeeded (1) or failed (0).", METRICS_PROBE,
		.value = metrics_probe_success },
	{ "repoprobe_probe_running", "gauge", "Whether a run is in progress (1) or not (0).",
		METRICS_PROBE, .value = metrics_probe_running },
	{ "repoprobe_probe_stuck_seconds", "gauge",
		"How long a worker that cannot be ended has been stuck, 0 without one.",
		METRICS_PROBE, .value = metrics_probe_stuck, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_probe_duration_seconds", "gauge", "Wall time of the last finished run.",
		METRICS_PROBE, .value = metrics_probe_duration, .digits = METRICS_NSEC_DIGITS },
	{ "repoprobe_probe_setup_seconds", "gauge",
		"Time of the last finished run from the first touch of the repository to the first I/O.",
		METRICS_PROBE, .value = metrics_probe_setup, .digits = METRICS_NSEC_DIGITS },
	{ "repoprobe_probe_last_run_timestamp_seconds", "gauge",
		"Unix time when the last run finished.", METRICS_PROBE,
		.value = metrics_probe_last_run, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_probe_last_success_timestamp_seconds", "gauge",
		"Unix time when the last successful run finished.", METRICS_PROBE,
		.value = metrics_probe_last_success, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_probe_next_run_timestamp_seconds", "gauge",
		"Unix time when the next run is due.", METRICS_PROBE,
		.value = metrics_probe_next_run, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_probe_start_delay_seconds", "gauge",
		"How late the last run started against its schedule.", METRICS_PROBE,
		.value = metrics_probe_start_delay, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_io_latency_seconds", "histogram",
		"Latency of single probe I/O operations since start.", METRICS_OPERATION,
		.emit = metrics_emit_io_latency },
	{ "repoprobe_io_bytes_total", "counter", "Bytes moved by probe I/O since start.",
		METRICS_OPERATION, .offset = offsetof(struct snapshot_operation, bytes) },
	{ "repoprobe_io_active_seconds_total", "counter",
		"Wall time with probe I/O of this operation in flight since start.",
		METRICS_OPERATION, .offset = offsetof(struct snapshot_operation, active_nsec),
		.digits = METRICS_NSEC_DIGITS },
	{ "repoprobe_io_errors_total", "counter", "Failed single probe I/O operations since start.",
		METRICS_OPERATION, .offset = offsetof(struct snapshot_operation, errors) },
	{ "repoprobe_probe_latency_seconds", "gauge",
		"Latency statistic of the last run with numbers; do not average over time.",
		METRICS_OPERATION, .emit = metrics_emit_probe_latency },
	{ "repoprobe_probe_throughput_bytes_per_second", "gauge",
		"Throughput of the last run with numbers.", METRICS_OPERATION,
		.value = metrics_probe_throughput },
	{ "repoprobe_repository_size_bytes", "gauge",
		"Capacity of the file system of a repository.", METRICS_REPOSITORY,
		.value = repository_size },
	{ "repoprobe_repository_free_bytes", "gauge",
		"Space free for the daemon user in a repository.", METRICS_REPOSITORY,
		.value = repository_free },
	{ "repoprobe_alarm_firing", "gauge", "Whether an alarm fires at this level (1) or not (0).",
		METRICS_PROBE, .emit = metrics_emit_alarm_firing },
	{ "repoprobe_notifications_total", "counter", "Notifications handed to a channel.",
		METRICS_DAEMON, .emit = emit_notifications },
	{ "repoprobe_notification_failures_total", "counter",
		"Notifications that a channel could not deliver.", METRICS_DAEMON,
		.emit = emit_notification_failures },
	{ "repoprobe_notification_queue_length", "gauge", "Notifications waiting for delivery.",
		METRICS_DAEMON, .offset = offsetof(struct snapshot, notification_queue_length) },
	{ "repoprobe_config_last_reload_successful", "gauge",
		"Whether the last configuration load succeeded (1) or not (0).", METRICS_DAEMON,
		.value = reload_success },
	{ "repoprobe_config_last_reload_success_timestamp_seconds", "gauge",
		"Unix time of the last successful configuration load.", METRICS_DAEMON,
		.value = reload_time, .digits = METRICS_USEC_DIGITS },
	{ "repoprobe_database_size_bytes", "gauge",
		"Size of the history database with its write-ahead log.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, database_bytes) },
	{ "repoprobe_database_write_failures_total", "counter",
		"Failed writes to the history database.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, database_write_failures) },
	{ "repoprobe_database_queue_length", "gauge",
		"Results waiting in memory to be written to the history database.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, database_queue_length) },
	{ "repoprobe_database_lost_total", "counter",
		"Results that never reached the history database.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, database_lost) },
	{ "repoprobe_log_lost_lines_total", "counter",
		"Lines of the log that standard error did not take in time.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, log_lost_lines) },
	{ "repoprobe_database_rescues_total", "counter",
		"Times that files of the open history database were removed or replaced.",
		METRICS_DAEMON, .offset = offsetof(struct snapshot, database_rescues) },
	{ "repoprobe_database_bad_rows", "gauge",
		"Rows of the history database that were skipped for a value out of range.",
		METRICS_DAEMON, .offset = offsetof(struct snapshot, database_bad_rows) },
	{ "process_cpu_seconds_total", "counter",
		"Total user and system CPU time spent in seconds.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, process.cpu_nsec),
		.digits = METRICS_NSEC_DIGITS },
	{ "process_open_fds", "gauge", "Number of open file descriptors.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, process.open_fds) },
	{ "process_max_fds", "gauge", "Maximum number of open file descriptors.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, process.max_fds) },
	{ "process_virtual_memory_bytes", "gauge", "Virtual memory size in bytes.", METRICS_DAEMON,
		.offset = offsetof(struct snapshot, process.virtual_bytes) },
	{ "process_resident_memory_bytes", "gauge", "Resident memory size in bytes.",
		METRICS_DAEMON, .offset = offsetof(struct snapshot, process.resident_bytes) },
	{ "process_start_time_seconds", "gauge",
		"Start time of the process since unix epoch in seconds.", METRICS_DAEMON,
		.value = process_start, .digits = METRICS_USEC_DIGITS },
};

static uint64_t member(const struct family *family, const struct metrics_item *item)
{
	const void *base = item->snapshot;
	uint64_t value;

	if (family->scope == METRICS_PROBE)
		base = item->probe;
	else if (family->scope == METRICS_OPERATION)
		base = metrics_counters(item);
	memcpy(&value, (const char *)base + family->offset, sizeof(value));
	return value;
}

static void emit_item(
	const struct family *family, const struct metrics_item *item, struct exposition *x)
{
	uint64_t value;

	if (family->emit) {
		family->emit(item, family->scope, x);
		return;
	}
	if (!family->value)
		value = member(family, item);
	else if (!family->value(item, &value))
		return;
	metrics_begin_sample(item, family->scope, "", x);
	exposition_value(x, value, family->digits);
}

static void emit_probe(const struct family *family, struct metrics_item *item, struct exposition *x)
{
	if (family->scope == METRICS_PROBE) {
		emit_item(family, item, x);
		return;
	}
	for (unsigned i = 0; i < RUN_OPERATIONS; i++) {
		item->operation = (enum run_operation)i;
		if (i == RUN_READ ? workload_reads(item->probe->workload)
				  : workload_writes(item->probe->workload))
			emit_item(family, item, x);
	}
}

static void emit_family(
	const struct family *family, const struct snapshot *snapshot, struct exposition *x)
{
	struct metrics_item item = { .snapshot = snapshot };

	exposition_family(x, family->name, family->type, family->help);
	if (family->scope == METRICS_DAEMON) {
		emit_item(family, &item, x);
		return;
	}
	for (size_t i = 0; i < snapshot->repository_count; i++) {
		item.repository = &snapshot->repositories[i];
		if (family->scope == METRICS_REPOSITORY) {
			emit_item(family, &item, x);
			continue;
		}
		for (size_t k = 0; k < item.repository->probe_count; k++) {
			item.probe = &item.repository->probes[k];
			emit_probe(family, &item, x);
		}
	}
}

void report_metrics(const struct snapshot *snapshot, struct buf *b)
{
	struct exposition x = { .b = b };

	for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++)
		emit_family(&families[i], snapshot, &x);
}
