/* SPDX-License-Identifier: Apache-2.0 */
/* One run as a row of IBM's XDISK with its header, so that it can be pasted below rows of that tool
 * (columns and units: reference workloads 4.3). XDISK does not document two columns, WrAvg and
 * WwAvg; here they are the means of the midpoints of the latency histogram's buckets, weighted by
 * their counts. rAvg and wAvg are exact. What did not happen is 0.0, as in XDISK. */
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "report/report.h"

#define CELL_MAX 32
#define COLUMNS 16
#define NSEC_PER_MSEC_REAL 1e6
#define BYTES_PER_MIB_REAL 1048576.0

struct row {
	size_t count;
	char cells[COLUMNS][CELL_MAX];
};

static const char *const names[COLUMNS] = { "BS", "Proc", "AIO", "read%", "IO", "Flag", "IO/s",
	"MB/s", "rMin-ms", "rMax-ms", "rAvg-ms", "WrAvg", "wMin-ms", "wMax-ms", "wAvg-ms",
	"WwAvg" };

static void end_cell(struct row *row, struct buf *b)
{
	char *cell = row->cells[row->count++];
	size_t len = b->len < CELL_MAX ? b->len : CELL_MAX - 1;

	memcpy(cell, buf_text(b), len);
	cell[len] = '\0';
	buf_clear(b);
}

static void add_number(struct row *row, uint64_t value, struct buf *b)
{
	buf_printf(b, "%" PRIu64, value);
	end_cell(row, b);
}

/* Three significant digits, as XDISK rounds; a whole number from `whole` on. */
static void add_rounded(struct row *row, double value, double whole, struct buf *b)
{
	int digits = 3;

	if (value >= whole)
		digits = 0;
	else if (value >= 10 || value <= 0)
		digits = 1;
	else if (value >= 1)
		digits = 2;
	buf_printf(b, "%.*f", digits, value);
	end_cell(row, b);
}

/* D: O_DIRECT, W: O_DSYNC, f: a sync after each write. */
static const char *flag_text(const struct run *run)
{
	static const char *const flags[] = {
		[WORKLOAD_DIRECT] = "-D",
		[WORKLOAD_DIRECT_DSYNC] = "-DW",
		[WORKLOAD_DSYNC] = "-W",
		[WORKLOAD_BUFFERED] = "-",
	};

	return run->trust & RUN_TRUST_FALLBACK ? "-f" : flags[run->workload.cache];
}

static void add_workload(struct row *row, const struct run *run, struct buf *b)
{
	const struct workload *w = &run->workload;

	format_size(b, w->block_size_bytes);
	end_cell(row, b);
	add_number(row, w->threads, b);
	add_number(row, w->queue_depth > 1 ? w->queue_depth : 0, b);
	add_number(row, w->write_percent < 100 ? 100U - w->write_percent : 0, b);
	buf_add_char(b, w->pattern == WORKLOAD_SEQUENTIAL ? 'S' : 'R');
	end_cell(row, b);
	buf_add_text(b, flag_text(run));
	end_cell(row, b);
}

static double weighted_mean_nsec(const struct histogram *h)
{
	unsigned __int128 sum = 0;

	if (h->count == 0)
		return 0;
	for (size_t i = 0; i < HISTOGRAM_BUCKETS; i++)
		sum += (unsigned __int128)h->buckets[i] * histogram_bucket_nsec(i);
	return (double)sum / (double)h->count;
}

static void add_latencies(struct row *row, const struct histogram *h, struct buf *b)
{
	const double values[] = {
		(double)h->min_nsec,
		(double)h->max_nsec,
		(double)histogram_mean_nsec(h),
		weighted_mean_nsec(h),
	};

	for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
		add_rounded(row, values[i] / NSEC_PER_MSEC_REAL, 100, b);
}

static void add_rates(struct row *row, const struct run *run, struct buf *b)
{
	double iops = 0;
	double bytes_per_sec = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++) {
		iops += run_iops(run, &run->operations[i]);
		bytes_per_sec += (double)run_throughput_bytes_per_sec(run, &run->operations[i]);
	}
	buf_printf(b, "%.0f", iops);
	end_cell(row, b);
	add_rounded(row, bytes_per_sec / BYTES_PER_MIB_REAL, 1000, b);
}

void report_run_xdisk(const struct run *run, struct buf *b)
{
	struct row row = { .count = 0 };
	struct buf cell = BUF_INIT(CELL_MAX);

	add_workload(&row, run, &cell);
	add_rates(&row, run, &cell);
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		add_latencies(&row, &run->operations[i].latency, &cell);
	buf_done(&cell);
	for (size_t i = 0; i < COLUMNS; i++)
		buf_printf(b, "%s%*s", i > 0 ? " " : "", (int)strlen(row.cells[i]), names[i]);
	buf_add_char(b, '\n');
	for (size_t i = 0; i < COLUMNS; i++)
		buf_printf(b, "%s%*s", i > 0 ? " " : "", (int)strlen(names[i]), row.cells[i]);
	buf_add_char(b, '\n');
}
