/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by spawner.c and process.c. Private to supervise. */
#ifndef REPOPROBE_SUPERVISE_SPAWNER_H
#define REPOPROBE_SUPERVISE_SPAWNER_H

#include <sys/types.h>

struct supervise_spawner;

/* process.c: starts the program with child_fd as its fd 3, from the calling thread. */
int process_start(const char *path, int child_fd, pid_t *ret_pid);

/* spawner.c: the same from the spawner's thread; waits for it. */
int spawner_ask(struct supervise_spawner *spawner, const char *path, int child_fd, pid_t *ret_pid);

#endif
