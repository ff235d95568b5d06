/* SPDX-License-Identifier: Apache-2.0 */
/* What a detector's incidents were worth (alarms.md, 7 and 7.1). Incidents less than two hours
 * apart are one. An incident is false when it overlaps no episode and no hour after one; those that
 * begin in the first two weeks are not counted. */
#ifndef BENCH_ALARMS_SCORE_H
#define BENCH_ALARMS_SCORE_H

#include <stddef.h>
#include <stdint.h>

#include "detector.h"
#include "repository.h"

#define SCORE_MERGE (2 * HOUR)
#define SCORE_GRACE HOUR

/* The first that was going on when a false incident began, or in the quarter of an hour before it
 * (in the hour before it, when there was nothing else). */
enum cause {
	CAUSE_HIDDEN, /* load that no counter here shows */
	CAUSE_BUSY, /* load that counters show */
	CAUSE_PATROL,
	CAUSE_SPIKE,
	CAUSE_NOISE, /* none of them */
};
#define CAUSES 5

struct incident {
	int64_t begin;
	int64_t end;
	char reason[24]; /* in the detector's words, for a trace */
};

/* One detector on one repository. */
struct incident_list {
	size_t count;
	size_t capacity;
	struct incident *incidents;
};

/* Notes what a detector said at an instant; times must not go back. is_open: it was alarmed at the
 * time before. Returns 0 or -ENOMEM. */
int incident_list_add(struct incident_list *list, int64_t time, const char *reason);
void incident_list_end(struct incident_list *list, int64_t time);
void incident_list_merge(struct incident_list *list);
void incident_list_done(struct incident_list *list);

struct episode_score {
	enum episode_type type;
	size_t incidents; /* 0: missed */
	double delay_minutes; /* from the onset to when it was told; 0 when it was before */
};

struct score {
	size_t false_count[CAUSES];
	double false_hours;
	size_t asked_runs; /* that were not scheduled */
	struct cost cost;
	size_t episode_count;
	struct episode_score episodes[EPISODES_MAX];
};

/* list is merged. */
void score_repository(
	const struct repository *r, const struct incident_list *list, struct score *ret);

/* Whether it counts, and if so as what; -1: it is not false, or not counted. */
int score_false_cause(const struct repository *r, const struct incident *incident);
const char *score_cause_name(enum cause cause);

#endif
