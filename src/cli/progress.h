/* SPDX-License-Identifier: Apache-2.0 */
/* The one line that tells of a running run, on a terminal, and is gone at the end. */
#ifndef REPOPROBE_CLI_PROGRESS_H
#define REPOPROBE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

struct buf;
struct clock;

struct progress_line {
	int fd; /* of the terminal; -1: show nothing */
	uint64_t started_nsec;
	bool is_shown;
	uint64_t shown_nsec; /* by progress_show_bytes and _percent */
};

/* fd is asked whether it is a terminal. */
void progress_init(struct progress_line *line, int fd, uint64_t now_nsec);
/* Shows the line, from half a second after the start on. progress NULL: the phase is not known yet.
 */
void progress_show(
	struct progress_line *line, const struct job_progress *progress, uint64_t now_nsec);
void progress_erase(struct progress_line *line);

/* The same line for bytes of a whole: "copying: 412 MiB of 1 GiB (40 %), 3.2 s". */
struct progress_bytes {
	struct progress_line line;
	const char *text;
	const struct clock *clock;
};
/* For a struct progress_bytes; at most ten times a second. */
void progress_show_bytes(void *data, uint64_t done_bytes, uint64_t total_bytes);

/* The same line for percent of a whole: "replaying: 43 %, 2.1 s". */
void progress_show_percent(
	struct progress_line *line, const char *text, unsigned percent, uint64_t now_nsec);

/* The text: "measuring: 43 %, 2.1 s" or "laying out the probe file: 412 MiB of 1 GiB (40 %), 3.2
 * s". */
void progress_text(const struct job_progress *progress, uint64_t elapsed_nsec, struct buf *b);

#endif
