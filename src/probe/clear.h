/* SPDX-License-Identifier: Apache-2.0 */
/* Removes what repoprobe left in a repository: this host's probe files, the tag and the probe
 * directory. By the rules of a run, nothing that is not ours is removed, and nothing at all while
 * one of the files is in use. */
#ifndef REPOPROBE_PROBE_CLEAR_H
#define REPOPROBE_PROBE_CLEAR_H

#include "probe/examine.h"

/* Fills *ret; only the place and the removal are relevant. job: JOB_REMOVE, with a file name of
 * this host. A root process becomes the owner of the directory. */
void clear_run(
	const struct job *job, const struct examine_observer *observer, struct examination *ret);

#endif
