/* SPDX-License-Identifier: Apache-2.0 */
/* Words progress and paints it over and over on one line of a terminal. */
#include "cli/progress.h"

#include <inttypes.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/parse.h"

#define DELAY_NSEC (NSEC_PER_SEC / 2)
#define LINE_BYTES_MAX 256
#define ERASE_LINE "\r\033[K"

/* Layout and growth count bytes; what a measurement counts depends on its bounds. */
static bool counts_bytes(enum job_phase phase)
{
	return phase == JOB_PHASE_LAYOUT || phase == JOB_PHASE_GROWTH;
}

static unsigned percent_of(const struct job_progress *progress)
{
	if (progress->done >= progress->total)
		return 100;
	return (unsigned)((unsigned __int128)progress->done * 100 / progress->total);
}

void progress_text(const struct job_progress *progress, uint64_t elapsed_nsec, struct buf *b)
{
	buf_add_text(b, progress ? job_phase_text(progress->phase) : "starting");
	if (progress && progress->total > 0) {
		bool is_bytes = counts_bytes(progress->phase);

		buf_add_text(b, ": ");
		if (is_bytes) {
			format_size_rounded(b, progress->done);
			buf_add_text(b, " of ");
			format_size_rounded(b, progress->total);
		}
		buf_printf(b, is_bytes ? " (%u %%)" : "%u %%", percent_of(progress));
	}
	buf_printf(b, ", %" PRIu64 ".%" PRIu64 " s", elapsed_nsec / NSEC_PER_SEC,
		elapsed_nsec / (NSEC_PER_SEC / 10) % 10);
}

void progress_init(struct progress_line *line, int fd, uint64_t now_nsec)
{
	*line = (struct progress_line){
		.fd = isatty(fd) ? fd : -1,
		.started_nsec = now_nsec,
	};
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
	(void)fd_write_all(line->fd, buf_text(&b), b.len); /* only decoration */
	line->is_shown = true;
	buf_done(&b);
}

void progress_erase(struct progress_line *line)
{
	if (!line->is_shown)
		return;
	(void)fd_write_all(line->fd, ERASE_LINE, sizeof(ERASE_LINE) - 1); /* only decoration */
	line->is_shown = false;
}
