/* SPDX-License-Identifier: Apache-2.0 */
/* Parses a user's alarm condition such as "write p99 > 50ms" and judges it on one run. Pure.
 * Grammar: [read|write] (avg|p50|p95|p99|p99.9|max|throughput|iops|errors) (>|<) VALUE, where VALUE
 * is a duration, a size (per second), or a number. Blanks are optional. */
#ifndef REPOPROBE_ALARM_CONDITION_H
#define REPOPROBE_ALARM_CONDITION_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"

struct buf;
struct error;

enum condition_measure {
	CONDITION_AVG,
	CONDITION_P50,
	CONDITION_P95,
	CONDITION_P99,
	CONDITION_P99_9,
	CONDITION_MAX,
	CONDITION_THROUGHPUT,
	CONDITION_IOPS,
	CONDITION_ERRORS,
};
#define CONDITION_MEASURES 9

enum condition_unit {
	CONDITION_NSEC,
	CONDITION_BYTES_PER_SEC,
	CONDITION_NUMBER,
};

struct condition {
	bool has_operation; /* else each operation that took place is judged by itself */
	enum run_operation operation;
	enum condition_measure measure;
	bool is_below; /* met below the value, else above it; never when equal */
	uint64_t value; /* in the measure's unit; of a relative one: thousandths of the normal */
	bool is_relative; /* "x2 normal" */
};

const char *condition_measure_name(enum condition_measure measure); /* "p99.9" */
enum condition_unit condition_measure_unit(enum condition_measure measure);

/* Returns 0; -EINVAL or -ERANGE with a sentence that begins with the column of the error and
 * suggests a correction; -EOPNOTSUPP for a condition that needs history ("> x2 normal"). */
int condition_parse(const char *text, struct condition *ret, struct error *reterr);

/* The same for callers that have a baseline: also accepts "> x2 normal" for measures with a normal
 * (avg, p50, p95, p99, throughput, iops). */
int condition_parse_relative(const char *text, struct condition *ret, struct error *reterr);

/* Appends the condition in the form that condition_parse accepts. */
void condition_format(const struct condition *condition, struct buf *b);

enum condition_verdict {
	CONDITION_NOT_MET,
	CONDITION_MET,
	CONDITION_TOO_FEW, /* I/Os for this percentile: fewer than 10/(1-p) */
	CONDITION_ABSENT, /* nothing was measured */
};

/* Judges one operation of a run, exactly; the condition's own operation is ignored. */
enum condition_verdict condition_judge(
	const struct condition *condition, const struct run *run, enum run_operation operation);

/* The same, with percentiles from this histogram (the merged runs of a window; NULL: the run's own)
 * and "x2 normal" relative to this normal, in the measure's unit (0: not known, then
 * CONDITION_ABSENT). */
enum condition_verdict condition_judge_window(const struct condition *condition,
	const struct run *run, enum run_operation operation, const struct histogram *window,
	uint64_t normal);

/* The measured value in the measure's unit, rounded: for display. */
uint64_t condition_measured(
	enum condition_measure measure, const struct run *run, enum run_operation operation);

/* The same, with percentiles from this histogram; NULL: the run's own. */
uint64_t condition_measured_window(enum condition_measure measure, const struct run *run,
	enum run_operation operation, const struct histogram *window);

/* I/Os that a percentile needs before it is judged; 0 for other measures. */
uint64_t condition_ios_needed(enum condition_measure measure);

#endif
