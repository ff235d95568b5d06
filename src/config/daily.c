/* SPDX-License-Identifier: Apache-2.0 */
/* The daily cost of probing, as configured and as effective. */
#include "config/daily.h"

#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/parse.h"
#include "model/budget.h"
#include "model/job.h"

#define DAY_USEC (UINT64_C(86400) * USEC_PER_SEC)

static uint64_t multiply(uint64_t a, uint64_t b)
{
	uint64_t product;

	return __builtin_mul_overflow(a, b, &product) ? UINT64_MAX : product;
}

static uint64_t add(uint64_t a, uint64_t b)
{
	uint64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? UINT64_MAX : sum;
}

/* Bytes per day from bytes per run. Rounded up; a partial interval counts as one: a weekly run is
 * still one run on that day. */
static uint64_t bytes_of_day(
	const struct config_probe *probe, uint64_t interval_usec, uint64_t bytes)
{
	if (!probe->schedule && interval_usec == 0)
		return 0; /* it could not be read, which was reported */
	if (!probe->schedule)
		return multiply((DAY_USEC + interval_usec - 1) / interval_usec, bytes);
	if (bytes == UINT64_MAX)
		return UINT64_MAX;
	unsigned __int128 all = (unsigned __int128)bytes * calendar_count(probe->schedule);
	unsigned __int128 day = (all + CALENDAR_COUNT_DAYS - 1) / CALENDAR_COUNT_DAYS;
	return day < UINT64_MAX ? (uint64_t)day : UINT64_MAX;
}

/* A file that is not kept is laid out for each run, unless the run needs no layout. */
static uint64_t layout_of_run(const struct config_repository *repository, const struct workload *w)
{
	uint64_t target = repository->file_target_bytes;

	if (repository->keep_file || (w->is_fresh && w->write_percent == 100))
		return 0;
	return target > 0 && target < JOB_FIRST_LAYOUT_BYTES ? target : JOB_FIRST_LAYOUT_BYTES;
}

static uint64_t written_of_run(const struct config_repository *repository, const struct workload *w)
{
	return add(budget_run_written_bytes(w), layout_of_run(repository, w));
}

static uint64_t read_of_run(const struct workload *w)
{
	uint64_t bytes = budget_run_bytes(w);

	if (bytes == UINT64_MAX)
		return w->write_percent < 100 ? UINT64_MAX : 0;
	return bytes - budget_run_written_bytes(w);
}

void config_daily_bytes(
	const struct config_repository *repository, uint64_t *ret_written, uint64_t *ret_read)
{
	uint64_t written = 0;
	uint64_t read = 0;

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct config_probe *probe = &repository->probes[i];
		const struct workload *w = &probe->workload;

		written = add(written,
			bytes_of_day(probe, probe->interval_usec, written_of_run(repository, w)));
		read = add(read, bytes_of_day(probe, probe->interval_usec, read_of_run(w)));
	}
	*ret_written = written;
	*ret_read = read;
}

uint64_t daily_written_bytes(
	const struct config_repository *repository, const struct config_probe *probe)
{
	return bytes_of_day(
		probe, probe->asked_interval_usec, written_of_run(repository, &probe->workload));
}

void daily_plan(const struct config_repository *repository, struct daily_plan *ret)
{
	struct daily_plan plan = { 0 };

	for (size_t i = 0; i < repository->probe_count; i++) {
		const struct config_probe *probe = &repository->probes[i];
		uint64_t *sum = probe->schedule ? &plan.calendar_bytes : &plan.interval_bytes;
		*sum = add(*sum, daily_written_bytes(repository, probe));
	}
	*ret = plan;
}

uint64_t config_asked_bytes(const struct config_repository *repository)
{
	struct daily_plan plan;

	daily_plan(repository, &plan);
	return add(plan.interval_bytes, plan.calendar_bytes);
}

/* The first probe whose interval was lengthened, or NULL. */
static const struct config_probe *find_stretched(const struct config_repository *repository)
{
	for (size_t i = 0; i < repository->probe_count; i++)
		if (repository->probes[i].interval_usec > repository->probes[i].asked_interval_usec)
			return &repository->probes[i];
	return NULL;
}

void config_describe_stretch(const struct config_repository *repository, struct buf *b)
{
	const struct config_probe *probe = find_stretched(repository);
	uint64_t budget_bytes = repository->daily_write_budget_bytes;
	uint64_t asked_bytes = config_asked_bytes(repository);

	if (budget_bytes == 0 || asked_bytes <= budget_bytes)
		return;
	buf_add_text(b, "would write ");
	format_size_rounded(b, asked_bytes);
	buf_add_text(b, " a day, more than its daily_write_budget of ");
	format_size_rounded(b, budget_bytes);
	if (!probe) {
		buf_add_text(b, ": some runs will be skipped");
		return;
	}
	buf_add_text(b, ": intervals are longer (");
	buf_printf(b, "%s: ", probe->name);
	format_duration(b, probe->interval_usec);
	buf_add_text(b, " instead of ");
	format_duration(b, probe->asked_interval_usec);
	buf_add_char(b, ')');
}
