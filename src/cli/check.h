/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict of `repoprobe check` on a run, and the line of output for monitoring systems
 * (Monitoring Plugins guidelines: text, '|', performance data). Pure. */
#ifndef REPOPROBE_CLI_CHECK_H
#define REPOPROBE_CLI_CHECK_H

#include <stddef.h>

#include "alarm/condition.h"

struct buf;
struct error;

/* Exit codes of a plug-in. */
enum check_state {
	CHECK_OK,
	CHECK_WARNING,
	CHECK_CRITICAL,
	CHECK_UNKNOWN,
};

#define CHECK_CONDITIONS_MAX 32

struct check_level {
	size_t count;
	struct condition conditions[CHECK_CONDITIONS_MAX];
	bool has_stall; /* a stalled set-up counts, whatever the conditions */
};

struct check_limits {
	struct check_level warning;
	struct check_level critical;
};

/* Adds a condition. Returns 0, what condition_parse returns, or -E2BIG. */
int check_level_add(struct check_level *level, const char *text, struct error *reterr);

/* Levels without conditions get the preset's limits of the average, and a stalled set-up becomes a
 * warning. Returns -EINVAL with a sentence when a condition is about reads or writes that the
 * workload does not do. */
int check_limits_complete(
	struct check_limits *limits, const struct workload *workload, struct error *reterr);

/* Judges the run and appends the line with its line break. explanation: why the run is not ok. */
enum check_state check_run(const struct check_limits *limits, const struct run *run,
	const char *explanation, struct buf *line);

/* Writes the line of a check that could not run. */
void check_unknown(const char *explanation, struct buf *line);

#endif
