/* SPDX-License-Identifier: Apache-2.0 */
/* The progress line of a run on a terminal, erased at the end. */
#ifndef REPOPROBE_CLI_PROGRESS_H
#define REPOPROBE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

struct buf;
struct clock;

struct progress_line {
	int fd; /* the terminal; -1: show nothing */
	uint64_t started_nsec;
	bool is_shown;
	uint64_t shown_nsec; /* last shown by progress_show_bytes or _percent */
};

/* Shows nothing if fd is not a terminal. */
void progress_init(struct progress_line *line, int fd, uint64_t now_nsec);
/* Shows the line, starting 500 ms after the start. progress NULL: the phase is not known yet. */
void progress_show(
	struct progress_line *line, const struct job_progress *progress, uint64_t now_nsec);
void progress_erase(struct progress_line *line);

/* The same line for bytes of a total: "copying: 412 MiB of 1 GiB (40 %), 3.2 s". */
struct progress_bytes {
	struct progress_line line;
	const char *text;
	const struct clock *clock;
};
/* data: a struct progress_bytes. Redraws at most ten times a second. */
void progress_show_bytes(void *data, uint64_t done_bytes, uint64_t total_bytes);

/* The same line for percent of a total: "replaying: 43 %, 2.1 s". */
void progress_show_percent(
	struct progress_line *line, const char *text, unsigned percent, uint64_t now_nsec);

/* The text: "measuring: 43 %, 2.1 s" or "laying out the probe file: 412 MiB of 1 GiB (40 %), 3.2
 * s". */
void progress_text(const struct job_progress *progress, uint64_t elapsed_nsec, struct buf *b);

#endif
