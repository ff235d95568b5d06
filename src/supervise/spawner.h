/* SPDX-License-Identifier: Apache-2.0 */
/* What spawner.c and process.c share. Private to supervise. */
#ifndef REPOPROBE_SUPERVISE_SPAWNER_H
#define REPOPROBE_SUPERVISE_SPAWNER_H

#include <sys/types.h>

struct supervise_spawner;

/* process.c: starts the program with child_fd as its fd 3, in the calling thread. */
int process_start(const char *path, int child_fd, pid_t *ret_pid);

/* spawner.c: the same in the spawner's thread, which is waited for. */
int spawner_ask(struct supervise_spawner *spawner, const char *path, int child_fd, pid_t *ret_pid);

#endif
