/* SPDX-License-Identifier: Apache-2.0 */
/* What may still be written to each repository: one account for each name, also of repositories
 * that left the configuration and may come back. No I/O; the caller keeps what changed. */
#ifndef REPOPROBE_CORE_LEDGER_H
#define REPOPROBE_CORE_LEDGER_H

#include <stddef.h>
#include <stdint.h>

#include "model/budget.h"
#include "model/run.h"

struct config;
struct saved_budget;

struct ledger_account {
	char repository[RUN_NAME_MAX + 1];
	struct budget budget;
};

struct ledger {
	size_t count;
	struct ledger_account *accounts;
};

void ledger_done(struct ledger *ledger);

/* What was kept before this start. Returns 0 or -ENOMEM. */
int ledger_restore(struct ledger *ledger, const char *repository, const struct saved_budget *kept,
	uint64_t now_nsec, int64_t now_usec);

/* Accounts for all repositories of a configuration that may come into force; nothing else changes.
 * Returns 0 or -ENOMEM. */
int ledger_make(struct ledger *ledger, const struct config *config);

/* An account for each repository of a configuration, with its size of day. What other repositories
 * have is left as it is. Returns 0 or -ENOMEM, and fails no more after ledger_make. */
int ledger_open(struct ledger *ledger, const struct config *config, uint64_t now_nsec);

/* NULL: there is none. Lent until the next is opened. */
struct ledger_account *ledger_find(struct ledger *ledger, const char *repository);

/* What may be written now; UINT64_MAX: as much as one likes. */
uint64_t ledger_left_bytes(struct ledger_account *account, uint64_t now_nsec);

void ledger_reserve(struct ledger_account *account, uint64_t bytes);

/* A run is over: what it wrote is charged instead of what was reserved for it. Several may be on
 * their way: one is stuck, or goes on at a place that the repository has left. */
void ledger_settle(struct ledger_account *account, const struct run *run);

/* What is to be kept. */
void ledger_save(struct ledger_account *account, uint64_t now_nsec, int64_t now_usec,
	struct saved_budget *ret);

#endif
