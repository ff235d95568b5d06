/* SPDX-License-Identifier: Apache-2.0 */
/* A list of accounts: few enough to be searched, and asked for once a run. */
#include "core/ledger.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "model/batch.h"

void ledger_done(struct ledger *ledger)
{
	free(ledger->accounts);
	*ledger = (struct ledger){ 0 };
}

struct ledger_account *ledger_find(struct ledger *ledger, const char *repository)
{
	for (size_t i = 0; i < ledger->count; i++)
		if (strcmp(ledger->accounts[i].repository, repository) == 0)
			return &ledger->accounts[i];
	return NULL;
}

static struct ledger_account *add(struct ledger *ledger, const char *repository)
{
	struct ledger_account *grown =
		realloc(ledger->accounts, (ledger->count + 1) * sizeof(*grown));

	if (!grown)
		return NULL;
	ledger->accounts = grown;
	struct ledger_account *account = &grown[ledger->count++];
	*account = (struct ledger_account){ .repository = "" };
	(void)strncat(account->repository, repository, RUN_NAME_MAX);
	return account;
}

int ledger_restore(struct ledger *ledger, const char *repository, const struct saved_budget *kept,
	uint64_t now_nsec, int64_t now_usec)
{
	struct ledger_account *account = add(ledger, repository);

	if (!account)
		return -ENOMEM;
	int64_t age_usec;
	if (__builtin_sub_overflow(now_usec, kept->saved_usec, &age_usec))
		age_usec = 0;
	budget_restore(&account->budget, kept->day_bytes, kept->level_bytes, age_usec, now_nsec);
	return 0;
}

int ledger_make(struct ledger *ledger, const struct config *config)
{
	for (size_t i = 0; i < config->repository_count; i++) {
		const char *name = config->repositories[i].name;
		if (!ledger_find(ledger, name) && !add(ledger, name))
			return -ENOMEM;
	}
	return 0;
}

int ledger_open(struct ledger *ledger, const struct config *config, uint64_t now_nsec)
{
	int r = ledger_make(ledger, config);

	for (size_t i = 0; r == 0 && i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];
		struct ledger_account *account = ledger_find(ledger, repository->name);
		budget_set_day(&account->budget, repository->daily_write_budget_bytes, now_nsec);
	}
	return r;
}

uint64_t ledger_left_bytes(struct ledger_account *account, uint64_t now_nsec)
{
	budget_fill(&account->budget, now_nsec);
	return budget_left_bytes(&account->budget);
}

void ledger_reserve(struct ledger_account *account, uint64_t bytes)
{
	budget_take(&account->budget, bytes);
}

void ledger_settle(struct ledger_account *account, const struct run *run)
{
	uint64_t spent_bytes = budget_spent_bytes(run, run->reserved_bytes);

	budget_settle(&account->budget, run->reserved_bytes, spent_bytes);
}

void ledger_save(struct ledger_account *account, uint64_t now_nsec, int64_t now_usec,
	struct saved_budget *ret)
{
	budget_fill(&account->budget, now_nsec);
	*ret = (struct saved_budget){
		.day_bytes = account->budget.day_bytes,
		.level_bytes = account->budget.level_bytes,
		.saved_usec = now_usec,
	};
}
