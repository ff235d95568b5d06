/* SPDX-License-Identifier: Apache-2.0 */
/* How much may be written to a repository in a day: a token bucket that fills continuously and
 * holds at most a tenth of the day's bytes, and the bytes that probes plan to take from it. Pure:
 * instants are arguments. */
#ifndef REPOPROBE_MODEL_BUDGET_H
#define REPOPROBE_MODEL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct workload;

#define BUDGET_SHARES 10 /* of a day's bytes, the bucket holds one */

struct budget {
	uint64_t day_bytes; /* 0: there is no budget */
	int64_t level_bytes; /* may be written now; below 0: more was written than reserved */
	uint64_t filled_nsec; /* monotonic: filled up to here */
};

/* --- The bucket --------------------------------------------------------- */

/* The capacity of the bucket; UINT64_MAX without a budget. */
uint64_t budget_most_bytes(uint64_t day_bytes);

/* A new, full bucket. */
void budget_init(struct budget *b, uint64_t day_bytes, uint64_t now_nsec);

/* A bucket that held level_bytes age_usec ago. An age below 0 (a clock was wrong) counts as 0. */
void budget_restore(struct budget *b, uint64_t day_bytes, int64_t level_bytes, int64_t age_usec,
	uint64_t now_nsec);

/* Changes the bytes per day: the level does not rise, and is cut to the new capacity. A bucket
 * without a budget before starts full. */
void budget_set_day(struct budget *b, uint64_t day_bytes, uint64_t now_nsec);

void budget_fill(struct budget *b, uint64_t now_nsec);

/* UINT64_MAX without a budget, 0 while the bucket is overdrawn. */
uint64_t budget_left_bytes(const struct budget *b);

/* Reserves bytes; they must be left, unless there is no budget. */
void budget_take(struct budget *b, uint64_t bytes);

/* Returns the reserved bytes and takes the bytes actually written. */
void budget_settle(struct budget *b, uint64_t reserved_bytes, uint64_t written_bytes);

/* --- Planned bytes -------------------------------------------------------- */

/* The most bytes a run moves, in whole blocks; UINT64_MAX when only time bounds it. */
uint64_t budget_run_bytes(const struct workload *w);

/* The written part of that, by the share of writes, without layout. */
uint64_t budget_run_written_bytes(const struct workload *w);

/* Bytes a finished run wrote, including layout. A worker that ended without a report counts as
 * having written all that was reserved. */
uint64_t budget_spent_bytes(const struct run *run, uint64_t reserved_bytes);

/* The effective interval when probes with intervals plan to write interval_bytes a day and those
 * with calendars calendar_bytes: lengthened in proportion to the excess, so that both fit into the
 * day's bytes. Calendars cannot be stretched; however much they take, half of the day's bytes is
 * left to the intervals. */
uint64_t budget_stretch_usec(uint64_t interval_usec, uint64_t interval_bytes,
	uint64_t calendar_bytes, uint64_t day_bytes);

#endif
