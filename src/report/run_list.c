/* SPDX-License-Identifier: Apache-2.0 */
/* Runs as a table, one line each. Lines are written as runs are read, so the columns have fixed
 * widths; a longer name shifts the rest of its line. */
#include <inttypes.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "report/report.h"
#include "report/text.h"

#define CELL_TEXT_MAX 64
#define REPOSITORY_WIDTH 16
#define PROBE_WIDTH 19 /* of the longest preset */
#define STATUS_WIDTH 12

void report_run_list_header(struct buf *b)
{
	buf_printf(b, "%8s  %-19s  %-*s  %-*s  %-*s  %9s  %9s  %11s  %s\n", "RUN", "STARTED (UTC)",
		REPOSITORY_WIDTH, "REPOSITORY", PROBE_WIDTH, "PROBE", STATUS_WIDTH, "STATUS",
		"READ AVG", "WRITE AVG", "THROUGHPUT", "NOTES");
}

static void add_average(const struct run_operation_result *o, struct buf *b)
{
	struct buf cell = BUF_INIT(CELL_TEXT_MAX);

	if (o->latency.count > 0)
		format_latency(&cell, histogram_mean_nsec(&o->latency));
	else
		buf_add_char(&cell, '-');
	buf_printf(b, "%9s  ", buf_text(&cell));
	buf_done(&cell);
}

/* Both operations share the same time span, so their rates add up. */
static void add_throughput(const struct run *run, struct buf *b)
{
	struct buf cell = BUF_INIT(CELL_TEXT_MAX);
	uint64_t bytes_per_sec = 0;

	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		bytes_per_sec += run_throughput_bytes_per_sec(run, &run->operations[i]);
	if (bytes_per_sec > 0) {
		format_size_rounded(&cell, bytes_per_sec);
		buf_add_text(&cell, "/s");
	} else {
		buf_add_char(&cell, '-');
	}
	buf_printf(b, "%11s", buf_text(&cell));
	buf_done(&cell);
}

static void add_numbers(const struct run *run, struct buf *b)
{
	if (!run_status_has_numbers(run->status)) {
		buf_printf(b, "%9s  %9s  %11s", "-", "-", "-");
		return;
	}
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		add_average(&run->operations[i], b);
	add_throughput(run, b);
}

/* Adds what makes the numbers doubtful or replaces them; "direct" is expected and not noted. */
static void add_notes(const struct run *run, struct buf *b)
{
	const char *before_word = "  ";
	const char *before_reason = "  ";

	for (unsigned bit = 0; bit < RUN_TRUST_FLAGS; bit++) {
		uint32_t flag = 1U << bit;
		if (flag == RUN_TRUST_DIRECT || (run->trust & flag) == 0)
			continue;
		buf_printf(b, "%s%s", before_word, run_trust_name(bit));
		before_word = " ";
		before_reason = ": ";
	}
	if (run->skip != RUN_SKIP_NONE) {
		buf_printf(b, "%s%s", before_word, run_skip_name(run->skip));
		before_reason = ": ";
	}
	if (run->reason[0] != '\0') {
		buf_add_text(b, before_reason);
		text_add_clean(b, run->reason);
	}
}

void report_run_list_line(const struct run *run, struct buf *b)
{
	if (run->id > 0)
		buf_printf(b, "%8" PRId64 "  ", run->id);
	else
		buf_printf(b, "%8s  ", "-");
	text_add_time(b, run->started_usec);
	buf_add_text(b, "  ");
	text_add_padded(b, run->repository, REPOSITORY_WIDTH);
	buf_add_text(b, "  ");
	text_add_padded(b, run->probe, PROBE_WIDTH);
	buf_add_text(b, "  ");
	text_add_padded(b, run_status_name(run->status), STATUS_WIDTH);
	buf_add_text(b, "  ");
	add_numbers(run, b);
	add_notes(run, b);
	buf_add_char(b, '\n');
}
