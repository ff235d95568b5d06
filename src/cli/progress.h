/* SPDX-License-Identifier: Apache-2.0 */
/* The one line that tells of a running run, on a terminal, and is gone at the end. */
#ifndef REPOPROBE_CLI_PROGRESS_H
#define REPOPROBE_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "model/job.h"

struct buf;

struct progress_line {
	int fd; /* of the terminal; -1: show nothing */
	uint64_t started_nsec;
	bool is_shown;
};

/* fd is asked whether it is a terminal. */
void progress_init(struct progress_line *line, int fd, uint64_t now_nsec);
/* Shows the line, from half a second after the start on. progress NULL: the phase is not known yet.
 */
void progress_show(
	struct progress_line *line, const struct job_progress *progress, uint64_t now_nsec);
void progress_erase(struct progress_line *line);

/* The text: "measuring: 43 %, 2.1 s" or "laying out the probe file: 412 MiB of 1 GiB (40 %), 3.2
 * s". */
void progress_text(const struct job_progress *progress, uint64_t elapsed_nsec, struct buf *b);

#endif
