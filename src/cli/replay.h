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
	uint64_t normal; /* of the measure, then; 0: not known, or not asked for */
	enum load_class load; /* likewise; LOAD_UNKNOWN */
};

/* How much earlier the runs must begin than those that are to be judged: what is normal and how
 * busy is learned from them, if the rule asks for that; else 0. */
int64_t replay_before_usec(const struct custom_rule *rule);

/* The rule is copied. from_usec: earlier runs are only learned from. NULL when memory is short. */
struct replay *replay_new(const struct custom_rule *rule, int64_t from_usec);
struct replay *replay_free(struct replay *replay);

/* Takes the next run; those of a probe come in order of time. What an alarm would not judge
 * (confirming, skipped and failed runs, those flagged warming or cached?) is passed over; runs that
 * failed are judged by the number of errors alone. A probe that measures something else than before
 * begins anew. What is normal is learned as the daemon learns it, but from the runs that neither
 * meet the rule nor look bad beside the normal so far: of mutes and incidents of then nothing is
 * known. Returns 0 or -ENOMEM. */
int replay_take(struct replay *replay, const struct run *run);

/* Ends it: firings in the order in which they fired; false past the last. */
bool replay_firing(const struct replay *replay, size_t i, struct replay_firing *ret);
size_t replay_judged(const struct replay *replay); /* operations of runs that told something */

#endif
