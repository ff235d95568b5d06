/* SPDX-License-Identifier: Apache-2.0 */
/* One worker from spawn to reaping, driven by the loop: feeds supervise_life with what the
 * descriptors say and hands the finished run to the pipeline, once. */
#ifndef REPOPROBE_DAEMON_LAUNCH_H
#define REPOPROBE_DAEMON_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct admission;
struct daemon;
struct exclusion_place;
struct present_probe;
struct present_repository;
struct worker_note;

/* Spawns the worker; a failure to do so is a finished run (skipped) too. */
void launch_start(struct daemon *d, struct present_repository *repository,
	struct present_probe *probe, const struct admission *admission);

/* Waits for a worker that an earlier daemon left: it holds its repository until it is gone. */
void launch_adopt(struct daemon *d, const struct worker_note *note);

/* For the next daemon: a line for each worker that is not reaped yet. */
void launch_note_all(const struct daemon *d, struct buf *b);

/* Looks after workers that the loop cannot watch, which is to be asked for every second or so. */
void launch_poll(struct daemon *d);

/* Reaps children that are no workers: orphans that the kernel gave to us. */
void launch_reap_strangers(const struct daemon *d);

/* Workers that occupy one of parallel_runs: neither killed nor stuck. */
size_t launch_occupied(const struct daemon *d);

/* Where they are at work: at most max of them, lent until the next start or end. */
size_t launch_places(const struct daemon *d, struct exclusion_place *ret, size_t max);

/* After a reload: a repository that left the configuration and came back has its worker still. */
void launch_mark_all(struct daemon *d);

/* At stop: kills all. Their runs are dropped, not judged. */
void launch_kill_all(struct daemon *d);
/* Is there one to wait for a moment longer? Not for those that are stuck. */
bool launch_may_end(const struct daemon *d);
/* Frees what is left; unreaped workers are left to init. */
void launch_done(struct daemon *d);

#endif
