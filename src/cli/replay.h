/* SPDX-License-Identifier: Apache-2.0 */
/* Finds when a rule would have fired on stored runs. The baseline is relearned along the way, as
 * the daemon did. Pure: knows no database and no output. */
#ifndef REPOPROBE_CLI_REPLAY_H
#define REPOPROBE_CLI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/custom.h"
#include "model/run.h"

struct replay;

/* What the daemon stored about an operation of a run when it was judged. */
struct replay_lesson {
	bool has_sample;
	struct baseline_sample sample;
	int64_t since_usec; /* the last reset of the baseline; 0: never */
};

struct replay_firing {
	const char *repository; /* lent, as is probe */
	const char *probe;
	enum run_operation operation;
	int64_t fired_usec; /* end of the run that made it fire */
	int64_t cleared_usec; /* 0: still firing */
	uint64_t value; /* of that run (a percentile: of the window), in the measure's unit */
	uint64_t normal; /* at that load; 0: unknown */
	enum load_class load;
};

/* The rule is copied. Runs that ended before from_usec are only learned from, not judged. Returns
 * NULL without memory. */
struct replay *replay_new(const struct custom_rule *rule, int64_t from_usec);
struct replay *replay_free(struct replay *replay);

/* Takes the next run; runs are grouped by probe and ordered by time. Runs that an alarm would not
 * judge (confirming, skipped and failed ones, those flagged warming or cached?) are ignored. A
 * changed series resets the state. lessons: by operation. Returns 0 or -ENOMEM. */
int replay_take(struct replay *replay, const struct run *run,
	const struct replay_lesson lessons[RUN_OPERATIONS]);

/* Call after the last run: sorts the firings. */
void replay_end(struct replay *replay);

/* Firings in the order in which they fired; false past the last. */
bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret);
size_t replay_runs(const struct replay *replay); /* since from_usec */
size_t replay_judged(const struct replay *replay); /* operations of runs that could be judged */

#endif
