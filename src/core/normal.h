/* SPDX-License-Identifier: Apache-2.0 */
/* What is normal for each probe: samples of its last 28 days and the baselines made of them. Who
 * reads the past after a start adds it here. Pure. */
#ifndef REPOPROBE_CORE_NORMAL_H
#define REPOPROBE_CORE_NORMAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/samples.h"
#include "model/run.h"
#include "model/workload.h"

struct alarm_outcome;
struct present_probe;
struct present_repository;
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

/* Samples by operation: frees them; makes those of one operation unless they are there (0 or
 * -ENOMEM). */
void normal_free_samples(struct samples **samples);
int normal_find_samples(struct samples **samples, enum run_operation operation);

/* workload_series_key's text for a probe. 0, -ENOMEM or -ENAMETOOLONG. */
int normal_series_key(const struct present_probe *probe, char *ret, size_t size);

/* Takes over what was read of the past (emptied), and adds what was judged since behind it. */
void normal_join(struct samples **past, struct samples **since);

/* Takes what a run taught in, and adds to the batch, behind the run, what is to be kept. Returns 0
 * or -ENOMEM. */
int normal_learn(const struct present_repository *repository, struct present_probe *probe,
	const struct run *run, const struct alarm_outcome *outcome, int64_t now_usec,
	struct batch *batch);

/* Adds the baselines that are in memory to a batch, for a history that does not have them. */
int normal_keep(const struct present_repository *repository, const struct present_probe *probe,
	struct batch *batch);

/* Lent until the next of these calls; NULL when nothing is normal yet. */
const struct baseline *normal_baseline(const struct normal *normal, enum run_operation operation);

/* The highest hourly median of throughput of both operations, and of how many runs. */
uint64_t normal_best_bytes_per_sec(const struct normal *normal, int64_t now_usec, size_t *ret_runs);

/* Forgets it: from now on another is normal. Adds that to the batch. Returns 0 or -ENOMEM. */
int normal_restart(const struct present_repository *repository, struct present_probe *probe,
	int64_t now_usec, struct batch *batch);

#endif
