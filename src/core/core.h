/* SPDX-License-Identifier: Apache-2.0 */
/* What the daemon decides on, and the instant of the decision. Everything in this folder is pure:
 * time is read once for each event, by the caller, and what is to be done is handed back. */
#ifndef REPOPROBE_CORE_CORE_H
#define REPOPROBE_CORE_CORE_H

#include <stdbool.h>
#include <stdint.h>

#include "config/config.h"
#include "core/ledger.h"
#include "core/present.h"

struct batch;
struct mutes;
struct zone;

struct core_time {
	uint64_t nsec; /* monotonic */
	int64_t usec; /* realtime */
};

struct core {
	struct config *config; /* in force */
	struct present *present; /* of its repositories and probes */
	struct mutes *mutes; /* that were requested */
	struct ledger ledger; /* write budgets */
	struct zone *zone; /* local time; NULL: UTC */
	struct core_time now; /* of the event that is handled */
	int64_t next_run_id;
	int64_t next_incident_id;
	int64_t next_mute_id;
	int64_t listening_usec; /* silence before this is not a probe's own: the start, or a clock
				   that was set */
};

/* What is to be done, in this order: batches for the store, each one transaction. Empty when
 * zeroed; the caller takes the batches. */
struct core_actions {
	struct batch *first;
	struct batch *last;
	bool is_changed; /* what is shown */
	int error; /* of a repository that could not be handled; 0: none */
	const char *failed; /* its name, lent by the configuration */
};

/* Adds a batch, which is taken. */
void core_actions_add(struct core_actions *actions, struct batch *batch);
/* The next batch, given to the caller; NULL: no more. */
struct batch *core_actions_take(struct core_actions *actions);

#endif
