/* SPDX-License-Identifier: Apache-2.0 */
/* Workers that the kernel does not let go, beyond the life of one: how long a repository rests
 * after such a worker, and the file of notes by which the next daemon knows them. */
#ifndef REPOPROBE_DAEMON_STUCK_H
#define REPOPROBE_DAEMON_STUCK_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;
struct error;
struct present_repository;

/* How long nothing starts on a repository once a stuck worker of it is gone, being the count-th (1,
 * 2 …) since the last ok run: a minute, doubled each time, at most an hour. */
uint64_t stuck_pause_usec(unsigned count);

/* The worker is gone: the repository rests, unless somebody asked for a run meanwhile. */
void stuck_begin_pause(struct present_repository *repository, uint64_t now_nsec, int64_t now_usec);

/* Reads what an earlier daemon noted, takes over the workers that are still there, and from now on
 * keeps the file as the list of workers is. Trouble with the file is logged and no more. */
int stuck_open(struct daemon *d, struct error *reterr);
void stuck_save(struct daemon *d);
/* The file then names who is left behind. */
void stuck_close(struct daemon *d, uint64_t limit_nsec);

#endif
