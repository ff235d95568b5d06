/* SPDX-License-Identifier: Apache-2.0 */
/* Formats progress and redraws it on one line of a terminal. */
#include "cli/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/parse.h"

#define DELAY_NSEC (NSEC_PER_SEC / 2)
#define PAUSE_NSEC (NSEC_PER_SEC / 10)
#define LINE_BYTES_MAX 256
#define ERASE_LINE "\r\033[K"

/* Layout and growth count bytes; the unit of a measurement depends on its bounds. */
static bool counts_bytes(enum job_phase phase)
{
	return phase == JOB_PHASE_LAYOUT || phase == JOB_PHASE_GROWTH;
}

static unsigned percent_of(uint64_t done, uint64_t total)
{
	if (done >= total)
		return 100;
	return (unsigned)((unsigned __int128)done * 100 / total);
}

static void add_bytes(struct buf *b, uint64_t done, uint64_t total)
{
	format_size_rounded(b, done);
	buf_add_text(b, " of ");
	format_size_rounded(b, total);
	buf_printf(b, " (%u %%)", percent_of(done, total));
}

static void add_elapsed(struct buf *b, uint64_t elapsed_nsec)
{
	buf_printf(b, ", %" PRIu64 ".%" PRIu64 " s", elapsed_nsec / NSEC_PER_SEC,
		elapsed_nsec / (NSEC_PER_SEC / 10) % 10);
}

void progress_text(const struct job_progress *progress, uint64_t elapsed_nsec, struct buf *b)
{
	buf_add_text(b, progress ? job_phase_text(progress->phase) : "starting");
	if (progress && progress->total > 0) {
		buf_add_text(b, ": ");
		if (counts_bytes(progress->phase))
			add_bytes(b, progress->done, progress->total);
		else
			buf_printf(b, "%u %%", percent_of(progress->done, progress->total));
	}
	add_elapsed(b, elapsed_nsec);
}

void progress_init(struct progress_line *line, int fd, uint64_t now_nsec)
{
	*line = (struct progress_line){
		.fd = isatty(fd) ? fd : -1,
		.started_nsec = now_nsec,
	};
}

static void paint(struct progress_line *line, struct buf *b)
{
	(void)fd_write_all(line->fd, buf_text(b), b->len); /* only decoration */
	line->is_shown = true;
}

void progress_show(
	struct progress_line *line, const struct job_progress *progress, uint64_t now_nsec)
{
	uint64_t elapsed_nsec = now_nsec - line->started_nsec;
	struct buf b = BUF_INIT(LINE_BYTES_MAX);

	if (line->fd < 0 || elapsed_nsec < DELAY_NSEC)
		return;
	buf_add_text(&b, ERASE_LINE);
	progress_text(progress, elapsed_nsec, &b);
	paint(line, &b);
	buf_done(&b);
}

static bool is_time_to_show(struct progress_line *line, uint64_t now_nsec)
{
	if (line->fd < 0 || now_nsec - line->started_nsec < DELAY_NSEC ||
		now_nsec - line->shown_nsec < PAUSE_NSEC)
		return false;
	line->shown_nsec = now_nsec;
	return true;
}

void progress_show_percent(
	struct progress_line *line, const char *text, unsigned percent, uint64_t now_nsec)
{
	struct buf b = BUF_INIT(LINE_BYTES_MAX);

	if (!is_time_to_show(line, now_nsec))
		return;
	buf_printf(&b, ERASE_LINE "%s: %u %%", text, percent);
	add_elapsed(&b, now_nsec - line->started_nsec);
	paint(line, &b);
	buf_done(&b);
}

void progress_show_bytes(void *data, uint64_t done_bytes, uint64_t total_bytes)
{
	struct progress_bytes *bytes = data;
	uint64_t now_nsec = clock_monotonic_nsec(bytes->clock);
	uint64_t elapsed_nsec = now_nsec - bytes->line.started_nsec;
	struct buf b = BUF_INIT(LINE_BYTES_MAX);

	if (!is_time_to_show(&bytes->line, now_nsec))
		return;
	buf_printf(&b, ERASE_LINE "%s: ", bytes->text);
	add_bytes(&b, done_bytes, total_bytes);
	add_elapsed(&b, elapsed_nsec);
	paint(&bytes->line, &b);
	buf_done(&b);
}

void progress_erase(struct progress_line *line)
{
	if (!line->is_shown)
		return;
	(void)fd_write_all(line->fd, ERASE_LINE, sizeof(ERASE_LINE) - 1); /* only decoration */
	line->is_shown = false;
}
