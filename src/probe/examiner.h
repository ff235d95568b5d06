/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an examination share this; for src/probe/examine*.c and
 * prepare.c alone. */
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
	struct run *run; /* for what a run would say */
	struct place place;
	struct directory directory;
	struct target_found file; /* fd -1 unless it is ours */
	struct target_found run_file;
};

/* Does the work with an examiner of its own, which is set up and cleared away. */
void examiner_run(const struct job *job, const struct examine_observer *observer,
	void (*work)(struct examiner *x, const struct examine_observer *observer),
	struct examination *ret);

/* Tells the observer which step comes now. */
void examiner_begin(
	struct examiner *x, const struct examine_observer *observer, enum examination_step step);

/* The first step of all. Returns 0 when there is a place to go on with. */
int examiner_look_at_place(struct examiner *x);

/* Keeps what the run says as a refusal, and lets it start anew. */
void examiner_refuse(struct examiner *x, enum examination_subject about);

/* examine_access.c: the probe directory and its files, and who may write. Leaves the directory open
 * and returns 0; or -errno when there is no directory to go on with. */
int examiner_look_at_access(struct examiner *x);

/* The name of the file of `repoprobe run` that belongs to the job's. */
void examiner_name_run_file(const struct job *job, char *ret, size_t size);

/* examine_direct.c */
void examiner_try_direct(struct examiner *x);

/* examine_history.c */
void examiner_look_at_history(struct examiner *x);

/* examine_uring.c */
void examiner_try_uring(const struct workload *workload, struct examination_uring *ret);

#endif
