/* SPDX-License-Identifier: Apache-2.0 */
/* A run as JSON, the same everywhere. What did not happen is absent or null, never zero. */
#include "report/run_json.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/json.h"
#include "report/context.h"
#include "report/report.h"

void run_json_add_count(struct json_t *object, const char *key, uint64_t value)
{
	json_add_integer(object, key, value > INT64_MAX ? INT64_MAX : (int64_t)value);
}

static const char *text_or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

static struct json_t *new_percentiles(const struct histogram *h)
{
	static const struct {
		const char *name;
		uint64_t parts_per_billion;
	} percentiles[] = {
		{ "p50", 500000000 },
		{ "p75", 750000000 },
		{ "p90", 900000000 },
		{ "p95", 950000000 },
		{ "p99", 990000000 },
		{ "p99.9", 999000000 },
		{ "p99.99", 999900000 },
	};
	struct json_t *object = json_new_object();

	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		json_add_seconds(object, percentiles[i].name,
			histogram_percentile_nsec(h, percentiles[i].parts_per_billion));
	return object;
}

static struct json_t *new_operation(
	const struct run *run, const struct run_operation_result *o, const struct run_iops *iops)
{
	const struct histogram *h = &o->latency;
	struct json_t *object = json_new_object();

	run_json_add_count(object, "ios", o->ios);
	run_json_add_count(object, "bytes", o->bytes);
	run_json_add_count(object, "errors", o->errors);
	if (h->count > 0) {
		json_add_seconds(object, "avg_seconds", histogram_mean_nsec(h));
		json_add_seconds(object, "stddev_seconds", histogram_stddev_nsec(h));
		json_add_seconds(object, "min_seconds", h->min_nsec);
		json_add_seconds(object, "max_seconds", h->max_nsec);
		json_add(object, "percentiles", new_percentiles(h));
	}
	if (o->ios > 0 && run->measured_nsec > 0) {
		run_json_add_count(object, "throughput_bytes_per_second",
			run_throughput_bytes_per_sec(run, o));
		json_add_real(object, "iops", run_iops(run, o));
		if (iops->seconds > 0)
			json_add_real(object, "iops_stddev", run_iops_stddev(iops));
	}
	if (o->ios > 0 && o->active_nsec > 0) {
		json_add_seconds(object, "active_seconds", o->active_nsec);
		run_json_add_count(object, "active_throughput_bytes_per_second",
			run_active_throughput_bytes_per_sec(o));
	}
	return object;
}

static bool has_happened(const struct run_operation_result *o)
{
	return o->ios > 0 || o->errors > 0 || o->latency.count > 0;
}

void run_json_add_operations(struct json_t *object, const struct run *run)
{
	struct json_t *operations = json_new_object();
	struct run_operation_result *total = malloc(sizeof(*total));

	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (has_happened(&run->operations[i]))
			json_add(operations, run_operation_name((enum run_operation)i),
				new_operation(run, &run->operations[i], &run->iops[i]));
	if (total) {
		run_total(run, total);
		total->active_nsec = 0; /* unknown for both together */
		if (has_happened(total))
			json_add(operations, "total",
				new_operation(run, total, &run->iops[RUN_OPERATIONS]));
	} else {
		json_add(operations, "total", NULL); /* json_dump then returns -ENOMEM */
	}
	json_add(object, "operations", operations);
	free(total);
}

static struct json_t *new_trust(const struct run *run)
{
	struct json_t *array = json_new_array();

	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++)
		if (run->trust & (1U << bit))
			json_append_text(array, run_trust_name(bit));
	return array;
}

void run_json_add_id(struct json_t *object, const struct run *run)
{
	if (run->id > 0)
		json_add_integer(object, "id", run->id);
	else
		json_add_null(object, "id");
}

void run_json_add_outcome(struct json_t *object, const struct run *run)
{
	json_add_instant(object, "started", run->started_usec);
	json_add_text(object, "status", run_status_name(run->status));
	json_add_text(object, "reason", text_or_null(run->reason));
	if (run->status == RUN_SKIPPED)
		json_add_text(object, "skip", text_or_null(run_skip_name(run->skip)));
	if (run->error_number > 0)
		json_add_text(object, "error", errno_name(run->error_number));
	json_add(object, "trust", new_trust(run));
	json_add_text(object, "engine",
		run->engine == WORKLOAD_ENGINE_AUTO ? NULL : run_engine_name(run->engine));
}

void run_json_add_setup(struct json_t *object, const struct run *run)
{
	json_add_seconds(object, "setup_seconds", run->setup_nsec);
	if (run->setup_step == RUN_SETUP_NONE) {
		json_add_null(object, "setup_longest_seconds");
		json_add_null(object, "setup_step");
		return;
	}
	json_add_seconds(object, "setup_longest_seconds", run->setup_longest_nsec);
	json_add_text(object, "setup_step", run_setup_step_name(run->setup_step));
}

static void add_identity(struct json_t *object, const struct identity *identity)
{
	json_add_text(object, "fs_type", text_or_null(identity->fs_type));
	json_add_text(object, "source", text_or_null(identity->source));
	json_add_text(object, "mount_point", text_or_null(identity->mount_point));
	json_add_text(object, "fs_uuid", text_or_null(identity->fs_uuid));
	if (identity->fs_type[0] != '\0')
		json_add_boolean(object, "is_mount", identity->is_mount);
	if (identity->sector_bytes > 0)
		json_add_integer(object, "sector_bytes", identity->sector_bytes);
	if (identity->size_bytes > 0) {
		run_json_add_count(object, "size_bytes", identity->size_bytes);
		run_json_add_count(object, "free_bytes", identity->free_bytes);
	}
}

static struct json_t *new_context(const struct run *run)
{
	struct json_t *object = json_new_object();

	add_identity(object, &run->identity);
	context_add_device(object, &run->identity);
	context_add_facts(object, &run->facts);
	run_json_add_count(object, "file_bytes", run->file_bytes);
	run_json_add_count(object, "file_target_bytes", run->file_target_bytes);
	run_json_add_count(object, "layout_bytes", run->layout_bytes);
	json_add_boolean(object, "is_confirmation", run->is_confirmation);
	json_add_seconds(object, "start_delay_seconds", run->start_delay_usec * 1000);
	run_json_add_setup(object, run);
	json_add_seconds(object, "measured_seconds", run->measured_nsec);
	json_add_seconds(object, "duration_seconds", run->duration_nsec);
	json_add_seconds(object, "cpu_user_seconds", run->cpu_user_nsec);
	json_add_seconds(object, "cpu_system_seconds", run->cpu_system_nsec);
	json_add_integer(object, "outstanding_ios", run->outstanding_ios);
	if (run->engine == WORKLOAD_ENGINE_IO_URING)
		json_add_boolean(object, "registered_buffers", run->has_registered_buffers);
	return object;
}

struct json_t *report_run_json(const struct run *run)
{
	struct json_t *object = json_new_object();

	run_json_add_id(object, run);
	json_add_text(object, "repository", text_or_null(run->repository));
	json_add_text(object, "probe", text_or_null(run->probe));
	run_json_add_outcome(object, run);
	json_add(object, "workload", workload_to_json(&run->workload));
	run_json_add_operations(object, run);
	json_add(object, "context", new_context(run));
	return object;
}
