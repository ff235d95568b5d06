/* SPDX-License-Identifier: Apache-2.0 */
/* One run by hand, from what was asked for to its end: what `run` and `check` share. The directory
 * itself is touched by the worker alone, for it may hang. */
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

/* As run_watch; and when the worker had to be killed, another one tidies up after it. The job is
 * changed for that. */
int run_once(struct job *job, const char *dir, const struct clock *clock, int progress_fd,
	struct run *run, struct run_end *ret_end, struct error *reterr);

/* "DIR: why" of a run that is not ok: the worker's sentences mostly name the path; where one does
 * not, DIR goes before it. */
void run_once_explain(const struct job *job, const char *dir, const struct run *run, struct buf *b);

#endif
