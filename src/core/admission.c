/* SPDX-License-Identifier: Apache-2.0 */
/* Busy disks first, then bytes. */
#include "core/admission.h"

#include <stdio.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "model/budget.h"
#include "model/job.h"

#define MIB (UINT64_C(1) << 20) /* to grow by less is not worth it */
#define GROWTH_WISH_USEC (1800 * USEC_PER_SEC)

static uint64_t least_of(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static bool is_too_busy(const struct admission_question *q)
{
	if (q->repository->when_busy == CONFIG_BUSY_RUN || !facts_is_busy(&q->others))
		return false;
	return q->repository->when_busy == CONFIG_BUSY_SKIP ||
		budget_run_bytes(q->workload) > CONFIG_BUSY_BYTES;
}

static void explain_busy(const struct admission_question *q, struct admission *ret)
{
	struct buf moved = BUF_INIT(64);

	format_size_rounded(&moved, q->others.others_bytes_per_sec);
	(void)snprintf(ret->reason, sizeof(ret->reason),
		"others use its disk: they move %s/s with %llu I/Os a second", buf_text(&moved),
		(unsigned long long)q->others.others_ios_per_sec);
	buf_done(&moved);
}

static void explain_budget(
	const struct admission_question *q, uint64_t needed_bytes, struct admission *ret)
{
	struct buf needed = BUF_INIT(64);
	struct buf left = BUF_INIT(64);

	format_size_rounded(&needed, needed_bytes);
	format_size_rounded(&left, q->left_bytes);
	(void)snprintf(ret->reason, sizeof(ret->reason),
		"the run may write %s, and of daily_write_budget %s are left now",
		buf_text(&needed), buf_text(&left));
	buf_done(&left);
	buf_done(&needed);
}

/* What the first layout writes at most, if it is allowed so many bytes. */
static uint64_t layout_cost(const struct admission_question *q, uint64_t first_bytes)
{
	uint64_t there_bytes = q->repository->keep_file ? q->file_bytes : 0;

	if (there_bytes >= first_bytes)
		return 0;
	return first_bytes - there_bytes + (there_bytes == 0 ? JOB_FILE_HEAD_BYTES : 0);
}

static uint64_t first_layout_wish(const struct admission_question *q)
{
	uint64_t target = q->repository->file_target_bytes;

	return target > 0 ? least_of(target, JOB_FIRST_LAYOUT_BYTES) : JOB_FIRST_LAYOUT_BYTES;
}

/* Where runs are rare there are few of them in an hour, and the file should be whole by then: each
 * adds what makes it so after half of that. */
static uint64_t growth_share(const struct admission_question *q, uint64_t target_bytes)
{
	uint64_t runs = q->spacing_usec > 0 ? GROWTH_WISH_USEC / q->spacing_usec : UINT64_MAX;
	uint64_t bytes = runs > 1 ? target_bytes / runs : target_bytes;

	return bytes > JOB_GROWTH_BYTES ? bytes : JOB_GROWTH_BYTES;
}

/* By how much the file still grows, as far as is known. */
static uint64_t growth_wish(const struct admission_question *q)
{
	bool is_used = !q->workload->is_fresh || workload_reads(q->workload);
	uint64_t chosen_bytes = q->repository->file_target_bytes;

	if (!q->repository->keep_file || !is_used)
		return 0;
	if (q->file_target_bytes == 0)
		return growth_share(
			q, chosen_bytes > 0 ? chosen_bytes : WORKLOAD_FILE_SIZE_DEFAULT);
	if (q->file_bytes >= q->file_target_bytes)
		return 0;
	return least_of(
		q->file_target_bytes - q->file_bytes, growth_share(q, q->file_target_bytes));
}

static void reserve(const struct admission_question *q, uint64_t run_bytes, uint64_t least_bytes,
	struct admission *ret)
{
	uint64_t spare_bytes = q->left_bytes - run_bytes;
	uint64_t first_bytes = first_layout_wish(q);

	if (layout_cost(q, first_bytes) > spare_bytes) {
		/* What is there counts, and the head. */
		first_bytes -= layout_cost(q, first_bytes) - spare_bytes;
		if (first_bytes < least_bytes)
			first_bytes = least_bytes;
	}
	uint64_t layout_bytes = layout_cost(q, first_bytes);
	uint64_t growth_bytes = least_of(growth_wish(q), spare_bytes - layout_bytes);
	if (growth_bytes < MIB)
		growth_bytes = 0;
	ret->first_layout_bytes = first_bytes;
	ret->growth_bytes = growth_bytes;
	ret->reserved_bytes = run_bytes + layout_bytes + growth_bytes;
}

/* Without a budget all are as large as they like. */
static void allow_all(const struct admission_question *q, struct admission *ret)
{
	ret->first_layout_bytes = JOB_FIRST_LAYOUT_BYTES;
	ret->growth_bytes = growth_wish(q);
}

void admission_decide(const struct admission_question *question, struct admission *ret)
{
	const struct admission_question *q = question;
	uint64_t run_bytes = budget_run_written_bytes(q->workload);
	uint64_t least_bytes = job_least_layout_bytes(q->workload) - JOB_FILE_HEAD_BYTES;

	*ret = (struct admission){ 0 };
	if (q->is_paused) {
		ret->skip = RUN_SKIP_MUTE;
		(void)snprintf(ret->reason, sizeof(ret->reason), "probing is paused%s%s",
			q->pause_reason[0] != '\0' ? ": " : "", q->pause_reason);
		return;
	}
	if (is_too_busy(q)) {
		ret->skip = RUN_SKIP_BUSY;
		explain_busy(q, ret);
		return;
	}
	if (q->left_bytes == UINT64_MAX) {
		allow_all(q, ret);
		return;
	}
	uint64_t layout_bytes = layout_cost(q, least_bytes);
	if (run_bytes > q->left_bytes || layout_bytes > q->left_bytes - run_bytes) {
		ret->skip = RUN_SKIP_BUDGET;
		explain_budget(q, run_bytes + layout_bytes, ret);
		return;
	}
	reserve(q, run_bytes, least_bytes, ret);
}
