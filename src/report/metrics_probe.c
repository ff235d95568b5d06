/* SPDX-License-Identifier: Apache-2.0 */
/* Samples about probes and their operations, from the snapshot. */
#include "report/metrics_probe.h"

#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "report/exposition.h"

#define OPTION_TEXT_MAX 128
#define CUSTOMS_PER_PROBE_MAX 16 /* two series each, so that a probe has at most 210 in all */

void metrics_begin_sample(const struct metrics_item *item, enum metrics_scope scope,
	const char *suffix, struct exposition *x)
{
	exposition_sample(x, suffix);
	if (scope >= METRICS_REPOSITORY)
		exposition_label(x, "repository", item->repository->name);
	if (scope >= METRICS_PROBE)
		exposition_label(x, "probe", item->probe->name);
	if (scope >= METRICS_OPERATION)
		exposition_label(x, "operation", run_operation_name(item->operation));
}

void metrics_emit_probe_info(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	const struct workload *w = item->probe->workload;
	bool is_direct = w->cache == WORKLOAD_DIRECT || w->cache == WORKLOAD_DIRECT_DSYNC;
	struct buf pattern = BUF_INIT(OPTION_TEXT_MAX);

	(void)workload_get(w, "pattern", &pattern); /* the key exists */
	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "pattern", buf_text(&pattern));
	exposition_label_integer(x, "block_bytes", w->block_size_bytes);
	exposition_label_integer(x, "queue_depth", w->queue_depth);
	exposition_label(x, "direct", is_direct ? "true" : "false");
	exposition_value(x, 1, 0);
	buf_done(&pattern);
}

/* --- Runs --------------------------------------------------------------- */

void metrics_emit_probe_failures(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	for (unsigned i = 0; i < RUN_STATUSES; i++) {
		if (i == RUN_OK || i == RUN_SKIPPED)
			continue;
		metrics_begin_sample(item, scope, "", x);
		exposition_label(x, "reason", run_status_name((enum run_status)i));
		exposition_value(x, item->probe->failures[i], 0);
	}
}

void metrics_emit_probe_skips(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	for (unsigned i = RUN_SKIP_NONE + 1; i < RUN_SKIPS; i++) {
		metrics_begin_sample(item, scope, "", x);
		exposition_label(x, "reason", run_skip_name((enum run_skip)i));
		exposition_value(x, item->probe->skips[i], 0);
	}
}

void metrics_emit_probe_status(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	const struct run *run = item->probe->last_run;

	for (unsigned i = 0; i < RUN_STATUSES; i++) {
		metrics_begin_sample(item, scope, "", x);
		exposition_label(x, "status", run_status_name((enum run_status)i));
		exposition_value(x, run && run->status == (enum run_status)i, 0);
	}
}

/* The newest run that was not skipped, or NULL. */
static const struct run *finished_run(const struct metrics_item *item)
{
	const struct run *run = item->probe->last_run;

	return run && run->status != RUN_SKIPPED ? run : NULL;
}

bool metrics_probe_success(const struct metrics_item *item, uint64_t *ret)
{
	const struct run *run = finished_run(item);

	if (!run)
		return false;
	*ret = run->status == RUN_OK;
	return true;
}

bool metrics_probe_running(const struct metrics_item *item, uint64_t *ret)
{
	*ret = item->probe->is_running;
	return true;
}

bool metrics_probe_duration(const struct metrics_item *item, uint64_t *ret)
{
	const struct run *run = finished_run(item);

	if (!run)
		return false;
	*ret = run->duration_nsec;
	return true;
}

/* Unknown when the worker did not report it, for example because it was killed. */
bool metrics_probe_setup(const struct metrics_item *item, uint64_t *ret)
{
	const struct run *run = finished_run(item);

	if (!run || run->setup_step == RUN_SETUP_NONE)
		return false;
	*ret = run->setup_nsec;
	return true;
}

bool metrics_probe_last_run(const struct metrics_item *item, uint64_t *ret)
{
	const struct run *run = finished_run(item);

	if (!run)
		return false;
	*ret = (uint64_t)run->started_usec + run->duration_nsec / NSEC_PER_USEC;
	return true;
}

bool metrics_probe_last_success(const struct metrics_item *item, uint64_t *ret)
{
	*ret = (uint64_t)item->probe->last_success_usec;
	return item->probe->last_success_usec != 0;
}

bool metrics_probe_next_run(const struct metrics_item *item, uint64_t *ret)
{
	*ret = (uint64_t)item->probe->next_run_usec;
	return item->probe->next_run_usec != 0;
}

bool metrics_probe_start_delay(const struct metrics_item *item, uint64_t *ret)
{
	const struct run *run = finished_run(item);

	if (!run)
		return false;
	*ret = run->start_delay_usec;
	return true;
}

bool metrics_probe_stuck(const struct metrics_item *item, uint64_t *ret)
{
	int64_t since = item->probe->stuck_since_usec;
	int64_t now = item->snapshot->now_usec;

	*ret = since != 0 && now > since ? (uint64_t)(now - since) : 0;
	return true;
}

/* --- I/O ---------------------------------------------------------------- */

const struct snapshot_operation *metrics_counters(const struct metrics_item *item)
{
	return &item->probe->operations[item->operation];
}

void metrics_emit_io_latency(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	const struct snapshot_operation *o = metrics_counters(item);
	uint64_t count = 0;

	for (size_t i = 0; i < HISTOGRAM_EXPORT_BUCKETS; i++) {
		count += o->latency_buckets[i];
		metrics_begin_sample(item, scope, "_bucket", x);
		exposition_label(x, "le", histogram_export_label(i));
		exposition_value(x, count, 0);
	}
	metrics_begin_sample(item, scope, "_sum", x);
	exposition_value(x, o->latency_sum_nsec, METRICS_NSEC_DIGITS);
	metrics_begin_sample(item, scope, "_count", x);
	exposition_value(x, count, 0);
}

/* The operation in the newest run with numbers, or NULL when that run did not measure it. A later
 * failed run must not make the series vanish (ecosystem 1.1); its status has its own metric. */
static const struct run_operation_result *last_result(const struct metrics_item *item)
{
	const struct run *run = item->probe->last_measured;

	if (!run)
		return NULL;
	return run->operations[item->operation].latency.count > 0
		? &run->operations[item->operation]
		: NULL;
}

static void emit_statistic(const struct metrics_item *item, enum metrics_scope scope,
	const char *name, uint64_t nsec, struct exposition *x)
{
	metrics_begin_sample(item, scope, "", x);
	exposition_label(x, "stat", name);
	exposition_value(x, nsec, METRICS_NSEC_DIGITS);
}

void metrics_emit_probe_latency(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	static const struct {
		const char *name;
		uint64_t parts_per_billion;
	} percentiles[] = {
		{ "p50", 500000000 },
		{ "p95", 950000000 },
		{ "p99", 990000000 },
		{ "p99.9", 999000000 },
	};
	const struct run_operation_result *o = last_result(item);

	if (!o)
		return;
	emit_statistic(item, scope, "avg", histogram_mean_nsec(&o->latency), x);
	emit_statistic(item, scope, "min", o->latency.min_nsec, x);
	for (size_t i = 0; i < sizeof(percentiles) / sizeof(percentiles[0]); i++)
		emit_statistic(item, scope, percentiles[i].name,
			histogram_percentile_nsec(&o->latency, percentiles[i].parts_per_billion),
			x);
	emit_statistic(item, scope, "max", o->latency.max_nsec, x);
}

bool metrics_probe_throughput(const struct metrics_item *item, uint64_t *ret)
{
	const struct run_operation_result *o = last_result(item);

	if (!o)
		return false;
	*ret = run_throughput_bytes_per_sec(item->probe->last_measured, o);
	return true;
}

/* --- Alarms ------------------------------------------------------------- */

static void emit_firing(const struct metrics_item *item, enum metrics_scope scope, const char *name,
	enum alarm_level firing, struct exposition *x)
{
	for (unsigned level = ALARM_WARNING; level <= ALARM_CRITICAL; level++) {
		metrics_begin_sample(item, scope, "", x);
		exposition_label(x, "alarm", name);
		exposition_label(x, "level", alarm_level_name((enum alarm_level)level));
		exposition_value(x, firing == (enum alarm_level)level, 0);
	}
}

/* The [alarm NAME] rules, once they have been judged. One named like a built-in reason would make a
 * duplicate series, so it is merged into that reason's. */
static void emit_customs(const struct metrics_item *item, enum metrics_scope scope,
	const struct alarm_state *alarm, struct exposition *x)
{
	const char *probe = item->probe->name;
	enum alarm_reason reason;
	size_t count = 0;

	for (size_t i = 0; i < alarm->custom_count && count < CUSTOMS_PER_PROBE_MAX; i++) {
		const struct alarm_custom *custom = &alarm->customs[i];
		if (strcmp(custom->probe, probe) != 0 || alarm_custom_is_again(alarm, probe, i) ||
			(alarm_reason_parse(custom->name, &reason) == 0 &&
				reason != ALARM_REASON_CUSTOM))
			continue;
		emit_firing(item, scope, custom->name,
			alarm_custom_level(alarm, probe, custom->name), x);
		count++;
	}
}

static enum alarm_level firing_level(
	const struct alarm_state *alarm, const char *probe, enum alarm_reason reason)
{
	enum alarm_level level = alarm_state_level(alarm, probe, reason);
	enum alarm_level custom = alarm_custom_level(alarm, probe, alarm_reason_name(reason));

	return custom > level ? custom : level;
}

/* A reason has one level for a probe: when it is critical, its warning series is 0. */
void metrics_emit_alarm_firing(
	const struct metrics_item *item, enum metrics_scope scope, struct exposition *x)
{
	const struct alarm_state *alarm = item->repository->alarm;

	for (unsigned i = 0; i < ALARM_REASON_CUSTOM; i++) {
		enum alarm_reason reason = (enum alarm_reason)i;
		emit_firing(item, scope, alarm_reason_name(reason),
			alarm ? firing_level(alarm, item->probe->name, reason) : ALARM_NONE, x);
	}
	if (alarm)
		emit_customs(item, scope, alarm, x);
}
