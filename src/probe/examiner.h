/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of an examination share this; for src/probe/examine*.c alone. */
#ifndef REPOPROBE_PROBE_EXAMINER_H
#define REPOPROBE_PROBE_EXAMINER_H

#include "model/examination.h"
#include "model/job.h"
#include "probe/directory.h"
#include "probe/place.h"
#include "probe/target.h"

struct examiner {
	const struct job *job;
	struct examination *e;
	struct run *run; /* for what a run would say */
	struct place place;
	struct directory directory;
	struct target_found file; /* fd -1 unless it is ours */
	struct target_found run_file;
};

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
