/* SPDX-License-Identifier: Apache-2.0 */
/* Scores of many repositories as the rows of alarms.md 8.2, and what they are held against. */
#ifndef BENCH_ALARMS_SUMMARY_H
#define BENCH_ALARMS_SUMMARY_H

#include <stdbool.h>
#include <stddef.h>

#include "score.h"

struct summary_type {
	size_t episodes;
	size_t found;
	size_t incidents;
	double *delays; /* of those found, sorted */
};

struct summary {
	double months; /* of repositories, scored */
	double false_count[CAUSES];
	double false_hours;
	double asked_runs_a_day; /* of a repository */
	double step_usec; /* mean; 0: not measured */
	struct summary_type types[EPISODE_TYPES];
	struct summary_type all;
};

/* scores: count of them, each stride after the last. Returns 0 or -ENOMEM. */
int summary_init(
	struct summary *s, const struct score *scores, size_t count, size_t stride, unsigned days);
void summary_done(struct summary *s);

double summary_false_a_month(const struct summary *s);
double summary_recall(const struct summary_type *type); /* 1 without episodes */
double summary_incidents(const struct summary_type *type); /* for each found episode */
/* Of the sorted delays; part 0.5: median, 1: the longest. 0 without any. */
double summary_delay(const struct summary_type *type, double part);

void summary_print_head(void);
void summary_print(const struct summary *s, const char *name);
void summary_print_delays_head(void);
void summary_print_delays(const struct summary *s, const char *name);

#endif
