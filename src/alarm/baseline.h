/* SPDX-License-Identifier: Apache-2.0 */
/* What is normal for a series, computed from the samples of its last 28 days: first built after
 * BASELINE_RUNS_MIN runs, then each time they double (sooner while idle runs have no normal), then
 * once a day. It does not change between builds. The samples are the history (and stay in the
 * database); a baseline is small and can be rebuilt at any time, except for the anchor, which each
 * build takes over from the previous one. Everything is in octaves (octave.h), so ratios are
 * differences. */
#ifndef REPOPROBE_ALARM_BASELINE_H
#define REPOPROBE_ALARM_BASELINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "alarm/load.h"
#include "model/alarm_state.h"

#define BASELINE_RUNS_MIN 36 /* in a load class before it has a normal */
#define BASELINE_DAYS 28
#define BASELINE_USEC (BASELINE_DAYS * INT64_C(86400000000))
#define BASELINE_HOURS_OF_DAY 24
#define BASELINE_HOURS_OF_WEEK 168
#define BASELINE_UNKNOWN UINT16_MAX
#define BASELINE_STEPS 10 /* of others' work: ten percent of the reference each, last one open */

enum baseline_metric {
	BASELINE_AVERAGE,
	BASELINE_P50,
	BASELINE_P95,
	BASELINE_P99,
	BASELINE_THROUGHPUT, /* bytes a second */
	BASELINE_IOPS,
	BASELINE_FAST, /* I/Os below the valley: basis points, not octaves */
};
#define BASELINE_METRICS 7

/* One judged run of one operation, as kept in history: 32 bytes. */
struct baseline_sample {
	uint32_t minute; /* since 1970, at its end */
	uint8_t hour_of_week; /* local time, 0: Monday 00:00 */
	bool is_learned; /* false: part of an incident, or muted */
	uint16_t values[BASELINE_METRICS]; /* BASELINE_UNKNOWN: not known */
	uint16_t valley; /* the valley BASELINE_FAST was counted with, 0: none */
	uint16_t others_bytes; /* a second; BASELINE_UNKNOWN: no counters */
	uint16_t others_ios;
};

struct baseline_normal {
	int32_t median;
	int32_t spread; /* standard deviation, from the median absolute deviation */
	int32_t low; /* nine of ten values are between … */
	int32_t high; /* … these */
	uint32_t count; /* samples; below BASELINE_RUNS_MIN the rest is 0 */
};

struct baseline {
	int64_t built_usec;
	int64_t oldest_usec; /* of the samples it is built from */
	uint32_t sample_count; /* all samples, learned or not */
	struct load_reference reference;
	struct baseline_normal normals[BASELINE_METRICS][LOAD_CLASSES];
	/* Medians of the idle average by hour of local time; 0: not known. */
	int32_t hours_of_day[BASELINE_HOURS_OF_DAY];
	int32_t hours_of_week[BASELINE_HOURS_OF_WEEK]; /* what recurs weekly */
	int32_t steps[BASELINE_STEPS]; /* medians of the average by others' work; 0: not known */
	uint64_t valley_nsec; /* between hits and misses of a cache, 0: none found */
	int32_t anchor; /* the first normal, 0: not set yet */
	int64_t anchor_usec; /* when it was set */
};

struct baseline_source {
	const struct baseline_sample *samples; /* in any order; too old ones are ignored */
	size_t count;
	uint64_t valley_nsec; /* as found by shape.h in the normal runs */
	const struct baseline *previous; /* source of the anchor; NULL: none */
	int64_t now_usec;
};

/* Returns 0 or -ENOMEM. Takes some milliseconds for 28 days of runs every five minutes: call it
 * once a day. */
int baseline_build(const struct baseline_source *source, struct baseline *ret);

/* Whether a build is due. previous: NULL or all zero when there is none yet; samples: how many are
 * in history. */
bool baseline_is_due(const struct baseline *previous, size_t samples, int64_t now_usec);

/* Whether the class has a normal at all (b may be NULL). */
bool baseline_has(const struct baseline *b, enum baseline_metric metric, enum load_class load);

/* The normal average at this load and hour: for idle runs with the season, which only raises it;
 * for other classes by how much work others do. Only when baseline_has. */
int32_t baseline_reference(
	const struct baseline *b, enum load_class load, const struct baseline_sample *sample);

/* 0: Monday 00:00 to 00:59, … 167. */
unsigned baseline_hour_of_week(int64_t usec, int32_t local_offset_sec);

#endif
