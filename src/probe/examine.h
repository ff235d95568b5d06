/* SPDX-License-Identifier: Apache-2.0 */
/* Examines a repository without measuring it: what it is, and what a run would find there, using
 * the code of a run. It changes nothing: it creates no name and writes to no existing file. Direct
 * I/O is tried by reading a probe file; if there is none and a run might make one, by a write of 4
 * KiB to a file without a name (O_TMPFILE), gone when it is closed. */
#ifndef REPOPROBE_PROBE_EXAMINE_H
#define REPOPROBE_PROBE_EXAMINE_H

#include "model/examination.h"
#include "model/job.h"

/* Called when each step begins, and at the end: a step may hang. */
struct examine_observer {
	void (*tell)(void *data, const struct examination *e);
	void *data;
};

/* Fills *ret, up to EXAMINATION_COMPLETE. job: JOB_EXAMINE, with the file name that a daemon would
 * use and the workload that needs the largest buffers. A root process ends up as the owner of the
 * probe directory, as in a run. */
void examine_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

/* The same for JOB_LOOK: only the place and whether there may be a probe directory. */
void examine_look(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

#endif
