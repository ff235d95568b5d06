/* SPDX-License-Identifier: Apache-2.0 */
/* One worker from spawn to reaping, driven by the loop: feeds supervise_life with what the
 * descriptors say and hands the finished run to the pipeline, once. */
#ifndef REPOPROBE_DAEMON_LAUNCH_H
#define REPOPROBE_DAEMON_LAUNCH_H

#include <stddef.h>
#include <stdint.h>

struct admission;
struct daemon;
struct exclusion_place;
struct live_probe;
struct live_repository;

/* Spawns the worker; a failure to do so is a finished run (error) too. */
void launch_start(struct daemon *d, struct live_repository *repository, struct live_probe *probe,
	const struct admission *admission);

/* Workers that occupy one of parallel_runs: neither killed nor stuck. */
size_t launch_occupied(const struct daemon *d);

/* Where they are at work: at most max of them, lent until the next start or end. */
size_t launch_places(const struct daemon *d, struct exclusion_place *ret, size_t max);

/* After a reload: a repository that left the configuration and came back has its worker still. */
void launch_mark_all(struct daemon *d);

/* At stop: kills all. Their runs are dropped, not judged. */
void launch_kill_all(struct daemon *d);
/* Frees what is left; unreaped workers are left to init. */
void launch_done(struct daemon *d);

#endif
