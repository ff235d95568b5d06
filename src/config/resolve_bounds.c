/* SPDX-License-Identifier: Apache-2.0 */
/* The bounds on the runs of a repository, and how its budget changes the intervals. */
#include "config/resolve.h"

#include "base/buf.h"
#include "base/parse.h"
#include "config/daily.h"
#include "model/budget.h"

/* The least that a run without a file must write first: its head and some blocks. */
static uint64_t least_bytes(const struct config_probe *probe)
{
	uint64_t bytes = budget_run_written_bytes(&probe->workload);
	uint64_t layout = job_least_layout_bytes(&probe->workload);

	return bytes > UINT64_MAX - layout ? UINT64_MAX : bytes + layout;
}

static void refuse_run(const struct resolver *p, const struct source_value *budget,
	const struct config_repository *repository, const struct config_probe *probe)
{
	const struct issue_place *place =
		budget->is_given ? &budget->place : &p->repository->section.place;
	uint64_t most_bytes = budget_most_bytes(repository->daily_write_budget_bytes);
	uint64_t bytes = least_bytes(probe);
	struct buf most = BUF_INIT(64);
	struct buf run = BUF_INIT(64);
	struct buf need = BUF_INIT(64);

	format_size_rounded(&most, most_bytes);
	if (bytes == UINT64_MAX) {
		issues_add(p->issues, place,
			"daily_write_budget: a run of %s in [repository %s] is bounded by time alone, so nothing keeps it "
			"below %s, a tenth of a day; expected max_bytes in [probe %s], or daily_write_budget = 0 for no "
			"bound",
			probe->name, repository->name, buf_text(&most), probe->name);
	} else {
		format_size_rounded(&run, bytes);
		format_size_rounded(&need, bytes * BUDGET_SHARES);
		issues_add(p->issues, place,
			"daily_write_budget: a run of %s in [repository %s] may write %s, more than %s, a tenth of a day, "
			"which is the most at once; expected at least %s, a smaller max_bytes, or 0 for no bound",
			probe->name, repository->name, buf_text(&run), buf_text(&most),
			buf_text(&need));
	}
	buf_done(&need);
	buf_done(&run);
	buf_done(&most);
}

/* False when a run could never start, which was reported. */
static bool check_runs(const struct resolver *p, const struct source_value *budget,
	const struct config_repository *repository)
{
	uint64_t most_bytes = budget_most_bytes(repository->daily_write_budget_bytes);
	bool is_good = true;

	for (size_t i = 0; i < repository->probe_count; i++) {
		if (least_bytes(&repository->probes[i]) <= most_bytes)
			continue;
		refuse_run(p, budget, repository, &repository->probes[i]);
		is_good = false;
	}
	return is_good;
}

static void stretch(struct config_repository *repository)
{
	struct daily_plan plan;

	daily_plan(repository, &plan);
	for (size_t i = 0; i < repository->probe_count; i++) {
		struct config_probe *probe = &repository->probes[i];
		if (!probe->schedule && daily_written_bytes(repository, probe) > 0)
			probe->interval_usec =
				budget_stretch_usec(probe->asked_interval_usec, plan.interval_bytes,
					plan.calendar_bytes, repository->daily_write_budget_bytes);
	}
}

static void resolve_confirmations(const struct source_value *v, struct config_repository *ret)
{
	for (size_t i = 0; i < v->item_count && i < CONFIG_CONFIRMATIONS_MAX; i++)
		if (parse_duration(v->items[i], &ret->confirm_after_usec[i], NULL) == 0)
			ret->confirmation_count++;
}

int resolve_bounds(struct resolver *p, struct config_repository *ret)
{
	const struct source_repository *own = p->repository;
	const struct source_repository *defaults = &p->source->defaults;
	const struct source_value *budget =
		resolve_inherit(&own->daily_write_budget, &defaults->daily_write_budget);
	const struct source_value *busy = resolve_inherit(&own->when_busy, &defaults->when_busy);

	ret->when_busy = busy->is_auto ? CONFIG_BUSY_AUTO : (enum config_when_busy)busy->number;
	resolve_confirmations(resolve_inherit(&own->confirm_after, &defaults->confirm_after), ret);
	ret->daily_write_budget_bytes = budget->number;
	if (budget->number > 0 && check_runs(p, budget, ret))
		stretch(ret);
	return resolve_copy(
		&ret->group, resolve_text(resolve_inherit(&own->group, &defaults->group)));
}
