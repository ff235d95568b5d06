/* SPDX-License-Identifier: Apache-2.0 */
/* One run as text for a terminal. Tables have the columns, units and row names of DiskSpd's text
 * output, so that numbers can be compared side by side. */
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "report/context.h"
#include "report/report.h"
#include "report/text.h"

#define LABEL_WIDTH 14
#define OPTION_TEXT_MAX 128
#define SETUP_TOLD_NSEC UINT64_C(100000000) /* a step before the I/O is reported from here on */
#define BILLION UINT64_C(1000000000)
#define NSEC_PER_MSEC_REAL 1e6
#define NSEC_PER_SEC_REAL 1e9
#define BYTES_PER_MIB_REAL 1048576.0

/* --- Parameters --------------------------------------------------------- */

static void add_label(struct buf *b, const char *label)
{
	text_add_padded(b, label, LABEL_WIDTH);
}

static void add_title(const struct run *run, struct buf *b)
{
	text_add_clean(b, run->probe[0] != '\0' ? run->probe : run->workload.preset);
	if (run->repository[0] != '\0') {
		buf_add_text(b, " on ");
		text_add_clean(b, run->repository);
	}
	if (run->id > 0)
		buf_printf(b, ", run %" PRId64, run->id);
	buf_add_text(b, "\n\n");
}

static void add_status(const struct run *run, struct buf *b)
{
	add_label(b, "status:");
	buf_add_text(b, run_status_name(run->status));
	if (run->skip != RUN_SKIP_NONE)
		buf_printf(b, " (%s)", run_skip_name(run->skip));
	else if (run->error_number > 0)
		buf_printf(b, " (%s)", errno_name(run->error_number));
	buf_add_char(b, '\n');
	if (run->reason[0] != '\0') {
		add_label(b, "reason:");
		text_add_clean(b, run->reason);
		buf_add_char(b, '\n');
	}
	add_label(b, "started:");
	text_add_time(b, run->started_usec);
	buf_add_text(b, " UTC\n");
}

/* ", block_size=64K" if the option differs from the preset. */
static void add_difference(const struct workload *w, const struct workload *preset, const char *key,
	struct buf *b, const char **separator)
{
	struct buf mine = BUF_INIT(OPTION_TEXT_MAX);
	struct buf theirs = BUF_INIT(OPTION_TEXT_MAX);

	if (workload_get(w, key, &mine) == 0 && workload_get(preset, key, &theirs) == 0 &&
		strcmp(buf_text(&mine), buf_text(&theirs)) != 0) {
		buf_printf(b, "%s%s=%s", *separator, key, buf_text(&mine));
		*separator = " ";
	}
	buf_done(&mine);
	buf_done(&theirs);
}

/* The preset and the options that differ from it; the file's size has its own line. */
static void add_preset(const struct workload *w, struct buf *b)
{
	const struct workload_preset *preset = workload_preset_find(w->preset);
	const struct workload_option *option;
	const char *separator = ", but ";

	if (!preset)
		return;
	add_label(b, "preset:");
	buf_add_text(b, preset->name);
	for (size_t i = 0; (option = workload_option_at(i)) != NULL; i++)
		if (strcmp(option->key, "preset") != 0 && strcmp(option->key, "file_size") != 0)
			add_difference(w, &preset->workload, option->key, b, &separator);
	buf_add_char(b, '\n');
}

static void add_bounds(const struct workload *w, struct buf *b)
{
	const char *separator = "";

	add_label(b, "bounds:");
	if (w->max_bytes > 0) {
		format_size(b, w->max_bytes);
		separator = " or ";
	}
	if (w->max_ios > 0) {
		buf_printf(b, "%s%" PRIu64 " I/Os", separator, w->max_ios);
		separator = " or ";
	}
	if (w->duration_usec > 0) {
		buf_add_text(b, separator);
		format_duration(b, w->duration_usec);
	}
	buf_add_text(b, ", warm-up ");
	if (w->warmup_usec > 0)
		format_duration(b, w->warmup_usec);
	else
		buf_printf(b, "%" PRIu64 " I/Os", w->warmup_ios);
	buf_add_text(b, ", timeout ");
	format_duration(b, w->timeout_usec);
	buf_add_char(b, '\n');
}

static void add_file(const struct run *run, struct buf *b)
{
	uint64_t bytes = run->file_bytes > 0 ? run->file_bytes : run->workload.file_size_bytes;

	if (bytes == 0)
		return;
	add_label(b, "file:");
	format_size_rounded(b, bytes);
	if (run->file_target_bytes > bytes) {
		buf_add_text(b, ", growing to ");
		format_size_rounded(b, run->file_target_bytes);
	}
	if (run->layout_bytes > 0) {
		buf_add_text(b, ", ");
		format_size_rounded(b, run->layout_bytes);
		buf_add_text(b, " of it laid out in this run");
	}
	buf_add_char(b, '\n');
}

static void add_target(const struct identity *identity, struct buf *b)
{
	if (identity->fs_type[0] == '\0')
		return;
	add_label(b, "target:");
	text_add_clean(b, identity->fs_type);
	if (identity->source[0] != '\0') {
		buf_add_text(b, " on ");
		text_add_clean(b, identity->source);
	}
	if (identity->mount_point[0] != '\0') {
		buf_add_text(b, " at ");
		text_add_clean(b, identity->mount_point);
	}
	if (identity->size_bytes > 0) {
		buf_add_text(b, ", ");
		format_size_rounded(b, identity->free_bytes);
		buf_add_text(b, " free of ");
		format_size_rounded(b, identity->size_bytes);
	}
	buf_add_char(b, '\n');
	add_label(b, "device:");
	context_describe_device(b, identity);
	buf_add_char(b, '\n');
}

/* Adds nothing for a run that did not reach its file system. */
static void add_others(const struct run *run, struct buf *b)
{
	if (run->identity.fs_type[0] == '\0')
		return;
	add_label(b, "others:");
	context_describe_others(b, &run->facts);
	buf_add_char(b, '\n');
}

static double seconds(uint64_t nsec)
{
	return (double)nsec / NSEC_PER_SEC_REAL;
}

static void add_times(const struct run *run, struct buf *b)
{
	if (run->duration_nsec == 0 && run->measured_nsec == 0)
		return;
	add_label(b, "time:");
	if (run->measured_nsec > 0)
		buf_printf(b, "%.3f s measured", seconds(run->measured_nsec));
	else
		buf_add_text(b, "nothing measured");
	if (run->setup_nsec > 0)
		buf_printf(b, ", %.3f s to set up", seconds(run->setup_nsec));
	if (run->setup_longest_nsec >= SETUP_TOLD_NSEC)
		buf_printf(b, " (%s took %.3f s)", run_setup_step_text(run->setup_step),
			seconds(run->setup_longest_nsec));
	if (run->duration_nsec > 0)
		buf_printf(b, ", %.3f s in all", seconds(run->duration_nsec));
	buf_add_char(b, '\n');
}

static void add_parameters(const struct run *run, struct buf *b)
{
	add_preset(&run->workload, b);
	add_label(b, "workload:");
	workload_describe(&run->workload, b);
	buf_add_char(b, '\n');
	add_bounds(&run->workload, b);
	if (run->engine != WORKLOAD_ENGINE_AUTO) {
		add_label(b, "engine:");
		buf_add_text(b, run_engine_name(run->engine));
		if (run->engine == WORKLOAD_ENGINE_IO_URING)
			buf_add_text(b,
				run->has_registered_buffers
					? ", registered buffers"
					: ", plain buffers (the memory-lock limit is small)");
		buf_add_char(b, '\n');
	}
	add_file(run, b);
	add_target(&run->identity, b);
	add_others(run, b);
	add_times(run, b);
}

/* --- Results ------------------------------------------------------------ */

static void add_iops_deviation(const struct run_iops *iops, struct buf *b)
{
	if (iops->seconds > 0)
		buf_printf(b, " | %10.2f", run_iops_stddev(iops));
	else
		buf_printf(b, " | %10s", "N/A");
}

static void add_table(const char *name, const struct run *run, const struct run_operation_result *o,
	const struct run_iops *iops, struct buf *b)
{
	static const char rule[] = "--------------------------------------------------------------"
				   "--------------------------------------";

	buf_printf(b, "\n%s\n%22s | %12s | %10s | %10s | %8s | %10s | %9s\n%s\n", name, "bytes",
		"I/Os", "MiB/s", "I/O per s", "AvgLat", "IopsStdDev", "LatStdDev", rule);
	if (o->ios == 0) {
		buf_printf(b, "total: %15s | %12s | %10s | %10s | %8s | %10s | %9s\n", "-", "-",
			"-", "-", "-", "-", "-");
		return;
	}
	buf_printf(b, "total: %15" PRIu64 " | %12" PRIu64 " | %10.2f | %10.2f | %8.3f", o->bytes,
		o->ios, (double)run_throughput_bytes_per_sec(run, o) / BYTES_PER_MIB_REAL,
		run_iops(run, o), (double)histogram_mean_nsec(&o->latency) / NSEC_PER_MSEC_REAL);
	add_iops_deviation(iops, b);
	buf_printf(
		b, " | %9.3f\n", (double)histogram_stddev_nsec(&o->latency) / NSEC_PER_MSEC_REAL);
}

/* The tables divide by the measured time; here idle time is excluded. */
static void add_active(const struct run *run, struct buf *b)
{
	const char *separator = "\nMiB/s while any were out: ";

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		const struct run_operation_result *o = &run->operations[i];

		if (o->ios == 0 || o->active_nsec == 0)
			continue;
		buf_printf(b, "%s%.2f of %ss (%.3f s)", separator,
			(double)run_active_throughput_bytes_per_sec(o) / BYTES_PER_MIB_REAL,
			run_operation_name((enum run_operation)i), seconds(o->active_nsec));
		separator = ", ";
	}
	if (separator[0] == ',')
		buf_add_char(b, '\n');
}

static void add_losses(const struct run *run, struct buf *b)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (run->operations[i].errors > 0)
			buf_printf(b, "\nerrors: %" PRIu64 " %ss failed\n",
				run->operations[i].errors,
				run_operation_name((enum run_operation)i));
	if (run->outstanding_ios > 0)
		buf_printf(b,
			"\nstalled: %u I/Os were still out at the end; "
			"they count with their age, a lower bound\n",
			run->outstanding_ios);
}

static void add_cpu(const struct run *run, struct buf *b)
{
	double measured = (double)run->measured_nsec;
	double user = (double)run->cpu_user_nsec;
	double system = (double)run->cpu_system_nsec;

	if (run->measured_nsec == 0)
		return;
	buf_printf(b, "\nCPU use: %.2f%% of one CPU (user %.2f%%, kernel %.2f%%)\n",
		(user + system) / measured * 100, user / measured * 100, system / measured * 100);
}

static const struct row {
	const char *name;
	uint64_t parts_per_billion; /* 0: the minimum, BILLION: the maximum */
} rows[] = {
	{ "min", 0 },
	{ "25th", 250000000 },
	{ "50th", 500000000 },
	{ "75th", 750000000 },
	{ "90th", 900000000 },
	{ "95th", 950000000 },
	{ "99th", 990000000 },
	{ "3-nines", 999000000 },
	{ "4-nines", 999900000 },
	{ "5-nines", 999990000 },
	{ "6-nines", 999999000 },
	{ "7-nines", 999999900 },
	{ "8-nines", 999999990 },
	{ "9-nines", 999999999 },
	{ "max", BILLION },
};

static uint64_t row_nsec(const struct histogram *h, const struct row *row)
{
	if (row->parts_per_billion == 0)
		return h->min_nsec;
	if (row->parts_per_billion == BILLION)
		return h->max_nsec;
	return histogram_percentile_nsec(h, row->parts_per_billion);
}

/* Returns true when a cell was marked. */
static bool add_row(
	const struct row *row, const struct histogram *const *columns, size_t count, struct buf *b)
{
	bool has_mark = false;

	buf_printf(b, "%7s ", row->name);
	for (size_t i = 0; i < count; i++) {
		const struct histogram *h = columns[i];
		bool is_marked = h->count > 0 && !histogram_can_tell(h, row->parts_per_billion);

		if (h->count > 0)
			buf_printf(b, "| %10.3f", (double)row_nsec(h, row) / NSEC_PER_MSEC_REAL);
		else
			buf_printf(b, "| %10s", "-");
		if (is_marked)
			buf_add_char(b, '*');
		else if (i + 1 < count)
			buf_add_char(b, ' ');
		has_mark |= is_marked;
	}
	buf_add_char(b, '\n');
	return has_mark;
}

static void add_percentiles(const struct run *run, const struct histogram *total, struct buf *b)
{
	const struct histogram *columns[] = {
		&run->operations[RUN_READ].latency,
		&run->operations[RUN_WRITE].latency,
		total,
	};
	bool has_mark = false;

	buf_add_text(b,
		"\n  %-ile |  Read (ms) | Write (ms) | Total (ms)\n"
		"----------------------------------------------\n");
	for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		has_mark |= add_row(&rows[i], columns, sizeof(columns) / sizeof(columns[0]), b);
	if (has_mark)
		buf_add_text(b, "* fewer than 10/(1-p) I/Os: too few for this percentile\n");
}

static void add_results(const struct run *run, struct buf *b)
{
	struct run_operation_result *total = malloc(sizeof(*total));

	if (!total) {
		b->error = b->error < 0 ? b->error : -ENOMEM;
		return;
	}
	run_total(run, total);
	buf_add_text(b, "\nResults, latencies in milliseconds\n");
	add_table("Total IO", run, total, &run->iops[RUN_OPERATIONS], b);
	add_table("Read IO", run, &run->operations[RUN_READ], &run->iops[RUN_READ], b);
	add_table("Write IO", run, &run->operations[RUN_WRITE], &run->iops[RUN_WRITE], b);
	add_losses(run, b);
	add_active(run, b);
	add_cpu(run, b);
	add_percentiles(run, &total->latency, b);
	free(total);
}

/* --- Trust -------------------------------------------------------------- */

/* By bit, as in run_trust_name(): what the flag means for the numbers. */
static const char *const trust_meanings[RUN_TRUST_FLAGS] = {
	"O_DIRECT: the page cache of this host took no part",
	"through the page cache, as asked: memory of this host may have answered",
	"not direct, though asked for: the page cache took part; writes counted when on the disk",
	"too fast for a disk: a cache or memory probably answered",
	"the file system compresses: less than what was written may have reached the disk",
	"the block layer cut the requests: one I/O here was several on the device",
	"something was reduced: the size of the probe file, or the duration",
	"too few I/Os for the 99th percentile",
	"the probe file is still growing: judged by limit_critical and for stalls alone",
};

static void add_trust(const struct run *run, struct buf *b)
{
	buf_add_text(b, "\ntrust:");
	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++)
		if (run->trust & (1U << bit))
			buf_printf(b, " %s", run_trust_name(bit));
	buf_add_text(b, run->trust != 0 ? "\n" : " -\n");
	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++)
		if (run->trust & (1U << bit))
			buf_printf(b, "  %-11s  %s\n", run_trust_name(bit), trust_meanings[bit]);
}

void report_run_text(const struct run *run, struct buf *b)
{
	add_title(run, b);
	add_status(run, b);
	add_parameters(run, b);
	if (!run_status_has_numbers(run->status))
		return;
	add_results(run, b);
	add_trust(run, b);
}
