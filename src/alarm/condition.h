/* SPDX-License-Identifier: Apache-2.0 */
/* "write p99 > 50ms": what a user sets as an alarm, read from text and judged on one run. Pure.
 * Grammar: [read|write] (avg|p50|p95|p99|p99.9|max|throughput|iops|errors) (>|<) VALUE, where VALUE
 * is a duration, a size (a second), or a number. Blanks are free. */
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
	bool has_operation; /* else it is about each operation that happened, by itself */
	enum run_operation operation;
	enum condition_measure measure;
	bool is_below; /* met below the value, else above it; never at it */
	uint64_t value; /* in the measure's unit; of a relative one: thousandths of the normal */
	bool is_relative; /* "x2 normal" */
};

const char *condition_measure_name(enum condition_measure measure); /* "p99.9" */
enum condition_unit condition_measure_unit(enum condition_measure measure);

/* Returns 0; -EINVAL or -ERANGE with a sentence that begins with the column it is about and says
 * what was probably meant; -EOPNOTSUPP for what needs a history ("> x2 normal"). */
int condition_parse(const char *text, struct condition *ret, struct error *reterr);

/* The same for whoever knows what is normal: takes "> x2 normal" as well, of what has a normal
 * (avg, p50, p95, p99, throughput, iops). */
int condition_parse_relative(const char *text, struct condition *ret, struct error *reterr);

/* Appends the condition as condition_parse takes it back. */
void condition_format(const struct condition *condition, struct buf *b);

enum condition_verdict {
	CONDITION_NOT_MET,
	CONDITION_MET,
	CONDITION_TOO_FEW, /* I/Os to tell this percentile: less than 10/(1-p) */
	CONDITION_ABSENT, /* nothing was measured */
};

/* Judges one operation of a run, exactly, whatever the condition's own operation is. */
enum condition_verdict condition_judge(
	const struct condition *condition, const struct run *run, enum run_operation operation);

/* The same, but percentiles come from this histogram (the runs of a window merged; NULL: the run's
 * own), and "x2 normal" is of this normal, in the measure's unit (0: not known, then
 * CONDITION_ABSENT). */
enum condition_verdict condition_judge_window(const struct condition *condition,
	const struct run *run, enum run_operation operation, const struct histogram *window,
	uint64_t normal);

/* What the run measured, in the measure's unit and rounded: for showing. */
uint64_t condition_measured(
	enum condition_measure measure, const struct run *run, enum run_operation operation);

/* The same, but percentiles come from this histogram; NULL: the run's own. */
uint64_t condition_measured_window(enum condition_measure measure, const struct run *run,
	enum run_operation operation, const struct histogram *window);

/* I/Os that a percentile needs before it is judged; 0 for what is no percentile. */
uint64_t condition_ios_needed(enum condition_measure measure);

#endif
