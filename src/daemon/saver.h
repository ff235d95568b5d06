/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps one small file as it was last told to be, by a thread of its own: the disk below the state
 * directory may be the one that hangs, and the loop must not hang with it. */
#ifndef REPOPROBE_DAEMON_SAVER_H
#define REPOPROBE_DAEMON_SAVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct saver;

/* Returns 0 or -errno. */
int saver_start(const char *path, struct saver **ret);

/* The file is to hold this from now on; no bytes: it is to be removed. What was to be written
 * before, and is not yet, is forgotten. Replaced in one step, but not synchronised: nobody needs
 * it after a crash of the machine. Returns 0 or -ENOMEM. */
int saver_submit(struct saver *saver, const void *data, size_t len);

/* Why the newest attempt failed (-errno), or 0. */
int saver_error(struct saver *saver);

/* Waits at most limit_nsec for what is left to do. A thread that sits in the kernel is left behind
 * with what it uses. Returns false when the file is not as it should be. Accepts NULL. */
bool saver_stop(struct saver *saver, uint64_t limit_nsec);

#endif
