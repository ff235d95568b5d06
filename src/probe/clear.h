/* SPDX-License-Identifier: Apache-2.0 */
/* Takes away what repoprobe left at a repository: this host's probe files, the tag and the probe
 * directory. Nothing that is not ours, by the rules of a run, and nothing at all while one of the
 * files is in use. */
#ifndef REPOPROBE_PROBE_CLEAR_H
#define REPOPROBE_PROBE_CLEAR_H

#include "probe/examine.h"

/* Fills *ret, of which the place and the removal count. job: JOB_REMOVE, with a file name of this
 * host. A process that is root becomes the owner of the directory. */
void clear_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

#endif
