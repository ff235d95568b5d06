/* SPDX-License-Identifier: Apache-2.0 */
/* How much may be written to a repository in a day: a bucket that fills continuously and holds at
 * most a tenth of the day's bytes, and what probes plan to take out of it. Pure: instants are
 * arguments. */
#ifndef REPOPROBE_MODEL_BUDGET_H
#define REPOPROBE_MODEL_BUDGET_H

#include <stdbool.h>
#include <stdint.h>

struct run;
struct workload;

#define BUDGET_SHARES 10 /* of a day's bytes, one at most at once */

struct budget {
	uint64_t day_bytes; /* 0: there is no budget */
	int64_t level_bytes; /* what may be written now; below 0: more was than was reserved */
	uint64_t filled_nsec; /* monotonic: filled up to here */
};

/* --- The bucket --------------------------------------------------------- */

/* The most that it ever holds; UINT64_MAX without a budget. */
uint64_t budget_most_bytes(uint64_t day_bytes);

/* A new one, which is full. */
void budget_init(struct budget *b, uint64_t day_bytes, uint64_t now_nsec);

/* One that held level_bytes age_usec ago. An age below 0 (a clock was wrong) counts as none. */
void budget_restore(struct budget *b, uint64_t day_bytes, int64_t level_bytes, int64_t age_usec,
	uint64_t now_nsec);

/* Another size of day: no more than before is left, and no more than it now holds. One that had no
 * budget before begins full. */
void budget_set_day(struct budget *b, uint64_t day_bytes, uint64_t now_nsec);

void budget_fill(struct budget *b, uint64_t now_nsec);

/* UINT64_MAX without a budget, 0 while more than that was written. */
uint64_t budget_left_bytes(const struct budget *b);

/* Reserves: must be left, unless there is no budget. */
void budget_take(struct budget *b, uint64_t bytes);

/* What was reserved is given back, what was really written taken. */
void budget_settle(struct budget *b, uint64_t reserved_bytes, uint64_t written_bytes);

/* --- What it is spent on ------------------------------------------------ */

/* What a run moves at most, in whole blocks; UINT64_MAX when only time bounds it. */
uint64_t budget_run_bytes(const struct workload *w);

/* What of that it writes, by its share of writes: layout excluded. */
uint64_t budget_run_written_bytes(const struct workload *w);

/* What a finished run wrote, layout included. A worker that ended without telling counts as having
 * written all that was reserved. */
uint64_t budget_spent_bytes(const struct run *run, uint64_t reserved_bytes);

/* The interval that is in force when probes with intervals plan to write interval_bytes a day and
 * those with calendars calendar_bytes: longer by what is too much, so that both fit into the day's
 * bytes. Calendars cannot be stretched; whatever they take, half the day is left to the others. */
uint64_t budget_stretch_usec(uint64_t interval_usec, uint64_t interval_bytes,
	uint64_t calendar_bytes, uint64_t day_bytes);

#endif
