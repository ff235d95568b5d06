/* SPDX-License-Identifier: Apache-2.0 */
/* When a rule would have fired on runs that were stored. What is normal is learned anew while the
 * runs go by, as the daemon did. Pure: knows no database and no output. */
#ifndef REPOPROBE_CLI_REPLAY_H
#define REPOPROBE_CLI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/custom.h"
#include "model/run.h"

struct replay;

/* What the daemon kept of an operation of a run when it was judged. */
struct replay_lesson {
	bool has_sample;
	struct baseline_sample sample;
	int64_t since_usec; /* what is normal was learned anew from then on; 0: never */
};

struct replay_firing {
	const char *repository; /* lent, as is probe */
	const char *probe;
	enum run_operation operation;
	int64_t fired_usec; /* end of the run that made it fire */
	int64_t cleared_usec; /* 0: it fires still */
	uint64_t value; /* measured by that run (the window, of a percentile), in the measure's unit
			 */
	uint64_t normal; /* at that load; 0: not known */
	enum load_class load;
};

/* The rule is copied. Runs that ended before from_usec teach what is normal and are not judged.
 * NULL when memory is short. */
struct replay *replay_new(const struct custom_rule *rule, int64_t from_usec);
struct replay *replay_free(struct replay *replay);

/* Takes the next run; the probes come one after the other, the runs of each in order of time. What
 * an alarm would not judge (confirming, skipped and failed runs, those flagged warming or cached?)
 * is passed over. A probe that measures something else than before begins anew. lessons: by
 * operation. Returns 0 or -ENOMEM. */
int replay_take(struct replay *replay, const struct run *run,
	const struct replay_lesson lessons[RUN_OPERATIONS]);

/* After the last run: puts the firings in order. */
void replay_end(struct replay *replay);

/* Firings in the order in which they fired; false past the last. */
bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret);
size_t replay_runs(const struct replay *replay); /* since from_usec */
size_t replay_judged(const struct replay *replay); /* operations of runs that told something */

#endif
