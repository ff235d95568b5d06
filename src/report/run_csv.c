/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as CSV (RFC 4180), with the names and units of the JSON form. An unknown value is an empty
 * field: a failed run has no numbers, never zeros. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "report/report.h"

static const char *const run_columns[] = {
	"id",
	"repository",
	"probe",
	"started",
	"status",
	"skip",
	"reason",
	"trust",
	"engine",
	"block_size_bytes",
	"duration_seconds",
	"measured_seconds",
	"setup_seconds",
	"setup_longest_seconds",
	"setup_step",
};

static const char *const operation_columns[] = {
	"ios",
	"bytes",
	"errors",
	"avg_seconds",
	"stddev_seconds",
	"min_seconds",
	"p50_seconds",
	"p95_seconds",
	"p99_seconds",
	"p99.9_seconds",
	"max_seconds",
	"throughput_bytes_per_second",
	"iops",
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

void report_run_csv_header(struct buf *b)
{
	for (size_t i = 0; i < COUNT(run_columns); i++)
		buf_printf(b, "%s%s", i > 0 ? "," : "", run_columns[i]);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		for (size_t k = 0; k < COUNT(operation_columns); k++)
			buf_printf(b, ",%s_%s", run_operation_name((enum run_operation)i),
				operation_columns[k]);
	buf_add_text(b, "\r\n");
}

static void add_text(struct buf *b, const char *text)
{
	if (!strpbrk(text, ",\"\r\n")) {
		buf_add_utf8(b, text);
		return;
	}
	buf_add_char(b, '"');
	for (const char *rest = text; *rest;) {
		size_t len = strcspn(rest, "\"");
		buf_add(b, rest, len);
		rest += len;
		if (*rest == '"') {
			buf_add_text(b, "\"\"");
			rest++;
		}
	}
	buf_add_char(b, '"');
}

static void add_seconds(struct buf *b, uint64_t nsec)
{
	buf_printf(b, ",%" PRIu64 ".%09" PRIu64, nsec / NSEC_PER_SEC, nsec % NSEC_PER_SEC);
}

static void add_trust(struct buf *b, uint32_t trust)
{
	bool is_first = true;

	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++) {
		if (!(trust & (1U << bit)))
			continue;
		buf_printf(b, "%s%s", is_first ? "" : " ", run_trust_name(bit));
		is_first = false;
	}
}

static void add_commas(struct buf *b, size_t count)
{
	for (size_t i = 0; i < count; i++)
		buf_add_char(b, ',');
}

static void add_latency(struct buf *b, const struct histogram *h)
{
	static const uint64_t percentiles[] = { 500000000, 950000000, 990000000, 999000000 };

	if (h->count == 0) {
		add_commas(b, 4 + COUNT(percentiles));
		return;
	}
	add_seconds(b, histogram_mean_nsec(h));
	add_seconds(b, histogram_stddev_nsec(h));
	add_seconds(b, h->min_nsec);
	for (size_t i = 0; i < COUNT(percentiles); i++)
		add_seconds(b, histogram_percentile_nsec(h, percentiles[i]));
	add_seconds(b, h->max_nsec);
}

static void add_operation(
	struct buf *b, const struct run *run, const struct run_operation_result *o)
{
	if (o->ios == 0 && o->errors == 0 && o->latency.count == 0) {
		add_commas(b, COUNT(operation_columns));
		return;
	}
	buf_printf(b, ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, o->ios, o->bytes, o->errors);
	add_latency(b, &o->latency);
	if (o->ios > 0 && run->measured_nsec > 0)
		buf_printf(b, ",%" PRIu64 ",%.3f", run_throughput_bytes_per_sec(run, o),
			run_iops(run, o));
	else
		add_commas(b, 2);
}

void report_run_csv_line(const struct run *run, struct buf *b)
{
	buf_printf(b, "%" PRId64 ",", run->id);
	add_text(b, run->repository);
	buf_add_char(b, ',');
	add_text(b, run->probe);
	buf_add_char(b, ',');
	format_instant(b, run->started_usec);
	buf_printf(b, ",%s,%s,", run_status_name(run->status), run_skip_name(run->skip));
	add_text(b, run->reason);
	buf_add_char(b, ',');
	add_trust(b, run->trust);
	buf_printf(
		b, ",%s,", run->engine == WORKLOAD_ENGINE_AUTO ? "" : run_engine_name(run->engine));
	if (run->workload.block_size_bytes > 0)
		buf_printf(b, "%" PRIu64, (uint64_t)run->workload.block_size_bytes);
	add_seconds(b, run->duration_nsec);
	if (run->measured_nsec > 0)
		add_seconds(b, run->measured_nsec);
	else
		add_commas(b, 1);
	add_seconds(b, run->setup_nsec);
	if (run->setup_step != RUN_SETUP_NONE)
		add_seconds(b, run->setup_longest_nsec);
	else
		add_commas(b, 1);
	buf_printf(b, ",%s", run_setup_step_name(run->setup_step));
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		add_operation(b, run, &run->operations[i]);
	buf_add_text(b, "\r\n");
}
