/* SPDX-License-Identifier: Apache-2.0 */
/* Watches the disks below the repositories: reads the kernel's counters every few seconds and at
 * each run's end, and tells what others did while a run went on. Reads /proc alone. */
#ifndef REPOPROBE_DAEMON_SAMPLER_H
#define REPOPROBE_DAEMON_SAMPLER_H

#include <stdint.h>

struct daemon;
struct error;
struct present;
struct present_repository;
struct reading;
struct run;

/* --- Decided from readings (pure) --------------------------------------- */

/* A sample for each repository whose disk is known. -EBADMSG with a sentence when a text is not
 * what the kernel documents; then some samples lack something. */
int sampler_add(struct present *present, const struct reading *reading, struct error *reterr);

/* The readings at a run's begin (NULL, or none taken: they are in the ring) and end. */
struct sampler_readings {
	const struct reading *begin;
	const struct reading *end;
};

/* Takes what the worker said of the repository and of its own I/O and fills in run->facts. There
 * are no counters in them while somebody else of us is at work on the same disk, who has not told
 * yet how much he did. repository: NULL when it left the configuration. */
int sampler_judge(struct present *present, struct present_repository *repository,
	const struct sampler_readings *readings, struct run *run, struct error *reterr);

/* I/O of a worker that nobody will ever know: to all who share its disk. */
void sampler_add_unknown(
	struct present *present, const struct present_repository *of, uint64_t now_nsec);

/* --- Carried out for the daemon ----------------------------------------- */

/* Arms the timer. */
int sampler_start(struct daemon *d);

/* Everything there is to read, for a repository of which nothing is known. */
void sampler_read(struct daemon *d, struct reading *ret);

/* A run is over now. */
void sampler_conclude(struct daemon *d, struct present_repository *repository,
	const struct reading *begin, struct run *run);

/* A stuck worker came loose now, and with it what it had out. */
void sampler_note_release(struct daemon *d, const char *repository);

#endif
