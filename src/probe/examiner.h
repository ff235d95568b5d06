/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by the steps of an examination; only for src/probe/examine*.c, clear.c and
 * prepare.c. */
#ifndef REPOPROBE_PROBE_EXAMINER_H
#define REPOPROBE_PROBE_EXAMINER_H

#include "model/examination.h"
#include "model/job.h"
#include "probe/directory.h"
#include "probe/place.h"
#include "probe/target.h"

struct examine_observer;

struct examiner {
	const struct job *job;
	struct examination *e;
	struct run *run; /* collects what a run would report */
	struct place place;
	struct directory directory;
	struct target_found file; /* fd -1 unless it is ours */
	struct target_found run_file;
};

/* Runs work() with an examiner, which is set up before and released afterwards. */
void examiner_run(const struct job *job, const struct examine_observer *observer,
	void (*work)(struct examiner *x, const struct examine_observer *observer),
	struct examination *ret);

/* Reports to the observer that a step begins. */
void examiner_begin(
	struct examiner *x, const struct examine_observer *observer, enum examination_step step);

/* The first step. Returns 0 when there is a place to continue with. */
int examiner_look_at_place(struct examiner *x);

/* Stores the run's failure as a refusal, and resets the run. */
void examiner_refuse(struct examiner *x, enum examination_subject about);

/* examine_access.c: the probe directory and its files, and who may write. Returns 0 with the
 * directory open, or -errno when there is no directory to continue with. */
int examiner_look_at_access(struct examiner *x);

/* The file name that `repoprobe run` uses beside the job's. */
void examiner_name_run_file(const struct job *job, char *ret, size_t size);

/* examine_direct.c */
void examiner_try_direct(struct examiner *x);

/* examine_history.c */
void examiner_look_at_history(struct examiner *x);

/* examine_uring.c */
void examiner_try_uring(const struct workload *workload, struct examination_uring *ret);

#endif
