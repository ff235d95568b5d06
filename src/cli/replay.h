/* SPDX-License-Identifier: Apache-2.0 */
/* When a rule would have fired on runs that were stored. Pure: knows no database and no output. */
#ifndef REPOPROBE_CLI_REPLAY_H
#define REPOPROBE_CLI_REPLAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/custom.h"
#include "model/run.h"

struct replay;

struct replay_firing {
	const char *repository; /* lent, as is probe */
	const char *probe;
	enum run_operation operation;
	int64_t fired_usec;
	int64_t cleared_usec; /* 0: it fires still */
	uint64_t value; /* measured by the run that made it fire, in the measure's unit */
};

/* The rule is copied; it must not be relative to a normal. NULL when memory is short. */
struct replay *replay_new(const struct custom_rule *rule);
struct replay *replay_free(struct replay *replay);

/* Takes the next run; those of a probe come in order of time. What an alarm would not judge
 * (confirming, skipped and failed runs, those flagged warming or cached?) is passed over; runs that
 * failed are judged by the number of errors alone. A probe that measures something else than before
 * begins anew. Returns 0 or -ENOMEM. */
int replay_take(struct replay *replay, const struct run *run);

/* Ends it: firings in the order in which they fired; false past the last. */
bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret);
size_t replay_judged(const struct replay *replay); /* operations of runs that told something */

#endif
