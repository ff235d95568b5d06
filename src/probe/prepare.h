/* SPDX-License-Identifier: Apache-2.0 */
/* Creates the probe directory of a repository for the daemon's user, by the rules of a run: what a
 * run would refuse is refused. Changes nothing that it did not create itself. */
#ifndef REPOPROBE_PROBE_PREPARE_H
#define REPOPROBE_PROBE_PREPARE_H

#include "probe/examine.h"

/* Fills *ret; only the place, the owners and the preparation are relevant. job: JOB_INIT. The
 * process should be root; it becomes the user that the directory is for. */
void prepare_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

#endif
