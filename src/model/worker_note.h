/* SPDX-License-Identifier: Apache-2.0 */
/* What a daemon leaves behind about each of its workers, so that the next one knows those that the
 * kernel did not let go: a text of one line a worker, good for one boot of the machine. */
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
	uint64_t start_ticks; /* with the pid the name of one process within a boot */
	int64_t run_id; /* its stuck run in the history, 0: none is there */
	uint64_t started_nsec; /* monotonic, which goes on as long as the boot does */
	int64_t started_usec;
	int64_t stuck_since_usec; /* 0: it was not given up */
	unsigned stuck_count; /* of its repository, without an ok run between */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
};

/* The first lines; then a line for each. */
void worker_notes_begin(struct buf *b, const char *boot_id);
void worker_note_add(struct buf *b, const struct worker_note *note);

/* All or nothing: 0 and a malloc'ed array (NULL when there is none), or -EBADMSG (not what the
 * above wrote), -ENOMEM, each with a sentence. What was written in another boot is none. */
int worker_notes_parse(const char *text, const char *boot_id, struct worker_note **ret,
	size_t *ret_count, struct error *reterr);

/* /proc/PID/stat: the name of the program, as far as the kernel keeps it (15 bytes), and when the
 * process started, in clock ticks since the boot. Returns 0 or -EBADMSG. */
#define WORKER_NOTE_COMM_SIZE 64
int worker_note_read_stat(
	const char *text, char ret_comm[WORKER_NOTE_COMM_SIZE], uint64_t *ret_start_ticks);

#endif
