/* SPDX-License-Identifier: Apache-2.0 */
/* The workers that a daemon noted in its state directory, and which of them are still there. */
#ifndef REPOPROBE_SUPERVISE_NOTES_H
#define REPOPROBE_SUPERVISE_NOTES_H

#include <stddef.h>
#include <stdint.h>

#include "model/worker_note.h"

struct error;
struct supervise_worker;

#define NOTES_FILE_NAME "workers" /* in the state directory */

/* Of this boot of the machine. Returns 0 or -errno. */
int notes_boot_id(char ret[WORKER_NOTE_BOOT_ID_LEN + 1]);

/* The start of a process, as in its note. -ESRCH: there is none. */
int notes_start_ticks(uint64_t pid, uint64_t *ret);

/* Reads the file: a malloc'ed array of those whose process lives still. No file, and one of an
 * earlier boot, is none of them. -EBADMSG, -EFBIG and others come with a sentence. */
int notes_read(const char *path, struct worker_note **ret, size_t *ret_count, struct error *reterr);

/* Takes hold of a process that is not our child: its pidfd can be watched and killed, and its end
 * is told by supervise_reap. -ESRCH: it is gone, or no worker. */
int notes_adopt(const struct worker_note *note, struct supervise_worker *ret);

#endif
