/* SPDX-License-Identifier: Apache-2.0 */
/* Looks at a repository without measuring it: what it is, and what a run would meet there, found by
 * the same code as a run. Nothing is changed: no name is made, no file of anybody's is written to.
 * Whether direct I/O works is tried by reading a probe file; where there is none, and a run might
 * make one, by a write of 4 KiB to a file that never has a name (O_TMPFILE), gone when it is
 * closed.
 */
#ifndef REPOPROBE_PROBE_EXAMINE_H
#define REPOPROBE_PROBE_EXAMINE_H

#include "model/examination.h"
#include "model/job.h"

/* Told whenever a step begins, and at the end: a step may hang. */
struct examine_observer {
	void (*tell)(void *data, const struct examination *e);
	void *data;
};

/* Fills *ret, up to EXAMINATION_COMPLETE. job: JOB_EXAMINE, with the file name that a daemon would
 * use and the workload that needs the largest buffers. A process that is root ends up as the owner
 * of the probe directory, as in a run. */
void examine_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

/* Likewise, but of JOB_LOOK no more than the place and whether there may be a probe directory. */
void examine_look(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

#endif
