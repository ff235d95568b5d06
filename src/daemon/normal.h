/* SPDX-License-Identifier: Apache-2.0 */
/* What is normal for each probe: samples of its last 28 days and the baselines made of them. After
 * a start the past is read from the database by the reader threads, while probing goes on. */
#ifndef REPOPROBE_DAEMON_NORMAL_H
#define REPOPROBE_DAEMON_NORMAL_H

#include <stdbool.h>
#include <stdint.h>

#include "alarm/samples.h"
#include "model/run.h"
#include "model/workload.h"

struct alarm_outcome;
struct daemon;
struct error;
struct live_probe;
struct live_repository;
struct batch;

/* Of one probe; all zero: nothing is known. Belongs to the loop thread. */
struct normal {
	struct samples *samples[RUN_OPERATIONS]; /* NULL: nothing was judged yet */
	int64_t since_usec[RUN_OPERATIONS]; /* what came before counts no more */
	bool is_read; /* what is stored of it: until then nothing learned takes its place */
	bool is_unkept; /* a baseline was built before that */
	size_t read_window; /* latencies of so many runs were read, for alarms of the user's */
	unsigned failures; /* in a row, to read it */
	uint64_t retry_nsec; /* monotonic: not asked for before */
};
void normal_done(struct normal *normal);

/* Asks for the past of a probe that was not read (or for that of more runs, which an alarm of the
 * user's takes now), and after the answer for the next one: it is a lot to read. What could not be
 * read is asked for again. To be called when the history is open, when that or the configuration
 * changes, and now and then, for when the queue was full. */
void normal_ask(struct daemon *d);

/* Whether that of each probe was read, or at least tried. */
bool normal_is_asked(const struct daemon *d);

/* Takes what a run taught in, and adds to the batch, behind the run, what is to be kept. Returns 0
 * or -ENOMEM. */
int normal_learn(const struct live_repository *repository, struct live_probe *probe,
	const struct run *run, const struct alarm_outcome *outcome, int64_t now_usec,
	struct batch *batch);

/* Lent until the next of these calls; NULL when nothing is normal yet. */
/* Adds the baselines that are in memory to a batch, for a history that does not have them. */
int normal_keep(const struct live_repository *repository, const struct live_probe *probe,
	struct batch *batch);

const struct baseline *normal_baseline(const struct normal *normal, enum run_operation operation);

/* The highest hourly median of throughput of both operations, and of how many runs. */
uint64_t normal_best_bytes_per_sec(const struct normal *normal, int64_t now_usec, size_t *ret_runs);

/* Forgets it: from now on another is normal. Adds that to the batch. Returns 0 or -ENOMEM. */
int normal_restart(const struct live_repository *repository, struct live_probe *probe,
	int64_t now_usec, struct batch *batch);

#endif
