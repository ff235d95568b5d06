/* SPDX-License-Identifier: Apache-2.0 */
/* One manual run from its request to its end, for `run` and `check`. Only the worker touches the
 * directory, because it may hang. */
#ifndef REPOPROBE_CLI_RUN_ONCE_H
#define REPOPROBE_CLI_RUN_ONCE_H

#include "cli/run_options.h"
#include "cli/run_watch.h"

struct clock;
struct error;
struct job;
struct run;

/* The job of a request on DIR, which may be relative. Returns 0 or -errno with a sentence. */
int run_once_prepare(
	const struct run_request *request, const char *dir, struct job *ret, struct error *reterr);

/* As run_watch; if the worker had to be killed, another one removes its file. The job is changed
 * for that. */
int run_once(struct job *job, const char *dir, const struct clock *clock, int progress_fd,
	struct run *run, struct run_end *ret_end, struct error *reterr);

/* Writes why a run is not ok. DIR is prefixed if the worker's sentence does not name the path. */
void run_once_explain(const struct job *job, const char *dir, const struct run *run, struct buf *b);

#endif
