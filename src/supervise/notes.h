/* SPDX-License-Identifier: Apache-2.0 */
/* The workers that a daemon recorded in its state directory, and which of them still run. */
#ifndef REPOPROBE_SUPERVISE_NOTES_H
#define REPOPROBE_SUPERVISE_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "model/worker_note.h"

struct error;
struct supervise_worker;

#define NOTES_FILE_NAME "workers" /* in the state directory */

/* The boot id of this boot. Returns 0 or -errno. */
int notes_boot_id(char ret[WORKER_NOTE_BOOT_ID_LEN + 1]);

/* The start time of a process, as in its note. -ESRCH: no such process. */
int notes_start_ticks(uint64_t pid, uint64_t *ret);

/* Reads the file and returns a malloc'ed array of the notes whose process still runs. A missing
 * file, or one of an earlier boot, gives none. -EBADMSG, -EFBIG and others come with a sentence. */
int notes_read(const char *path, struct worker_note **ret, size_t *ret_count, struct error *reterr);

/* Opens a process that is not our child: its pidfd can be watched and killed, and its end is
 * reported by supervise_reap. -ESRCH: it has ended, or is not a worker. */
int notes_adopt(const struct worker_note *note, struct supervise_worker *ret);

#endif
