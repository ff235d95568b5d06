/* SPDX-License-Identifier: Apache-2.0 */
/* The daemon's record of each of its workers, so that the next daemon recognises those that could
 * not be reaped: a text of one line per worker, valid for one boot of the machine. */
#ifndef REPOPROBE_MODEL_WORKER_NOTE_H
#define REPOPROBE_MODEL_WORKER_NOTE_H

#include <stddef.h>
#include <stdint.h>

#include "model/run.h"

struct buf;
struct error;

#define WORKER_NOTES_MAX 1024
#define WORKER_NOTES_BYTES_MAX (UINT32_C(1) << 20)
#define WORKER_NOTE_BOOT_ID_LEN 36 /* a UUID */

struct worker_note {
	uint64_t pid;
	uint64_t start_ticks; /* identifies, with the pid, a process within one boot */
	int64_t run_id; /* its stuck run in the history, 0: none */
	uint64_t started_nsec; /* monotonic, continuous for the whole boot */
	int64_t started_usec;
	int64_t stuck_since_usec; /* 0: not declared stuck */
	unsigned stuck_count; /* consecutive stuck runs of its repository without an ok run */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
};

/* The first lines; one line per worker follows. */
void worker_notes_begin(struct buf *b, const char *boot_id);
void worker_note_add(struct buf *b, const struct worker_note *note);

/* All or nothing: 0 and a malloc'ed array (NULL when there is none), or -EBADMSG (not in the format
 * above), -ENOMEM, each with a sentence. A text from another boot yields none. */
int worker_notes_parse(const char *text, const char *boot_id, struct worker_note **ret,
	size_t *ret_count, struct error *reterr);

/* /proc/PID/stat: the program's name, as far as the kernel stores it (15 bytes), and the start time
 * of the process in clock ticks since boot. Returns 0 or -EBADMSG. */
#define WORKER_NOTE_COMM_SIZE 64
int worker_note_read_stat(
	const char *text, char ret_comm[WORKER_NOTE_COMM_SIZE], uint64_t *ret_start_ticks);

#endif
