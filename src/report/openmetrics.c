/* SPDX-License-Identifier: Apache-2.0 */
/* The families as rows of a table, each with the columns that define its series. */
#include "report/openmetrics.h"

#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "report/exposition.h"

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))
#define NSEC_DIGITS 9
#define USEC_PER_STAMP ((int64_t)USEC_PER_MSEC) /* Prometheus keeps milliseconds */

/* One series of a family and a probe. */
struct column {
	enum run_operation operation;
	bool has_operation;
	const char *stat; /* NULL: no such label */
	size_t offset; /* in struct run_point_operation; only for families that have stats */
};

struct family {
	const char *name;
	const char *unit; /* suffix of the name; NULL: none */
	const char *help;
	/* Returns false when the point has no such value. */
	bool (*value)(const struct run_point *point, const struct column *column, uint64_t *ret);
	unsigned digits;
	bool has_operations;
	bool has_stats;
};

static bool success(const struct run_point *point, const struct column *column, uint64_t *ret)
{
	(void)column;
	*ret = point->status == RUN_OK;
	return point->status != RUN_SKIPPED;
}

static bool duration(const struct run_point *point, const struct column *column, uint64_t *ret)
{
	(void)column;
	*ret = point->duration_nsec;
	return point->status != RUN_SKIPPED;
}

static bool throughput(const struct run_point *point, const struct column *column, uint64_t *ret)
{
	const struct run_point_operation *o = &point->operations[column->operation];

	if (!run_status_has_numbers(point->status) || o->ios == 0 || point->measured_nsec == 0)
		return false;
	*ret = (uint64_t)((unsigned __int128)o->bytes * NSEC_PER_SEC / point->measured_nsec);
	return true;
}

static bool latency(const struct run_point *point, const struct column *column, uint64_t *ret)
{
	const struct run_point_operation *o = &point->operations[column->operation];

	if (!run_status_has_numbers(point->status) || o->latencies == 0)
		return false;
	memcpy(ret, (const char *)o + column->offset, sizeof(*ret));
	if (column->offset == offsetof(struct run_point_operation, sum_nsec))
		*ret = (*ret + o->latencies / 2) / o->latencies;
	return true;
}

static const struct family families[] = {
	{ "repoprobe_probe_success", NULL, "Whether the run succeeded (1) or failed (0).", success,
		0, false, false },
	{ "repoprobe_probe_duration_seconds", "seconds", "Wall time of the run.", duration,
		NSEC_DIGITS, false, false },
	{ "repoprobe_probe_throughput_bytes_per_second", "bytes_per_second",
		"Throughput of the run.", throughput, 0, true, false },
	{ "repoprobe_probe_latency_seconds", "seconds",
		"Latency statistic of the run; do not average over time.", latency, NSEC_DIGITS,
		true, true },
};

static const struct {
	const char *name;
	size_t offset;
} stats[] = {
	{ "avg", offsetof(struct run_point_operation, sum_nsec) },
	{ "min", offsetof(struct run_point_operation, min_nsec) },
	{ "p50", offsetof(struct run_point_operation, p50_nsec) },
	{ "p95", offsetof(struct run_point_operation, p95_nsec) },
	{ "p99", offsetof(struct run_point_operation, p99_nsec) },
	{ "max", offsetof(struct run_point_operation, max_nsec) },
};

size_t openmetrics_families(void)
{
	return COUNT(families);
}

static void begin_sample(
	const struct openmetrics_probe *probe, const struct column *column, struct exposition *x)
{
	exposition_sample(x, "");
	exposition_label(x, "repository", probe->repository);
	exposition_label(x, "probe", probe->probe);
	if (column->has_operation)
		exposition_label(x, "operation", run_operation_name(column->operation));
	if (column->stat)
		exposition_label(x, "stat", column->stat);
}

/* Two runs that started in the same millisecond have one timestamp: only the first is written. */
static void add_column(const struct family *family, const struct openmetrics_probe *probe,
	const struct column *column, struct buf *b)
{
	struct exposition x = { .b = b, .name = family->name, .is_begun = true };
	int64_t last = -1;

	for (size_t i = 0; i < probe->count; i++) {
		const struct run_point *point = &probe->points[i];
		int64_t stamp = point->started_usec / USEC_PER_STAMP;
		uint64_t value;

		if (stamp <= last || !family->value(point, column, &value))
			continue;
		last = stamp;
		begin_sample(probe, column, &x);
		exposition_value_at(&x, value, family->digits, (uint64_t)stamp);
	}
}

static void add_operation(const struct family *family, const struct openmetrics_probe *probe,
	enum run_operation operation, struct buf *b)
{
	struct column column = { .operation = operation, .has_operation = true };

	if (!family->has_stats) {
		add_column(family, probe, &column, b);
		return;
	}
	for (size_t i = 0; i < COUNT(stats); i++) {
		column.stat = stats[i].name;
		column.offset = stats[i].offset;
		add_column(family, probe, &column, b);
	}
}

void openmetrics_begin(size_t family, struct buf *b)
{
	const struct family *f = &families[family];

	buf_printf(b, "# TYPE %s gauge\n", f->name);
	if (f->unit)
		buf_printf(b, "# UNIT %s %s\n", f->name, f->unit);
	buf_printf(b, "# HELP %s %s\n", f->name, f->help);
}

void openmetrics_add(size_t family, const struct openmetrics_probe *probe, struct buf *b)
{
	const struct family *f = &families[family];
	const struct column column = { 0 };

	if (!f->has_operations)
		add_column(f, probe, &column, b);
	for (size_t i = 0; f->has_operations && i < RUN_OPERATIONS; i++)
		add_operation(f, probe, (enum run_operation)i, b);
}

void openmetrics_end(struct buf *b)
{
	buf_add_text(b, "# EOF\n");
}
