/* SPDX-License-Identifier: Apache-2.0 */
/* The user's alarms ([alarm NAME]) as the rules take them: those that apply to a run's probe and,
 * for their percentiles, the latencies of its newest runs as one. No I/O; belongs to the loop
 * thread, but for a past that is read on another.
 *
 * Latencies are kept of the newest N runs of each operation, N being the largest hold.window of the
 * alarms that apply and ask for a percentile, at most RULE_WINDOW_MAX; without such an alarm there
 * is nothing. They are kept encoded: a run of some thousand I/Os is about 1 KiB, none is more than
 * 12 KiB, so a probe has some KiB as a rule and 2 × 32 × 12 KiB at the very most. */
#ifndef REPOPROBE_CORE_CUSTOM_ALARMS_H
#define REPOPROBE_CORE_CUSTOM_ALARMS_H

#include <stdbool.h>
#include <stddef.h>

#include "model/run.h"

struct alarm_user_rule;
struct config;
struct histogram;

/* Of one probe. */
struct custom_windows;
struct custom_windows *custom_windows_free(struct custom_windows *windows); /* accepts NULL */

/* Whether a run is one of those: scheduled, and judged. */
bool custom_windows_takes(const struct run *run);

/* Adds a run by the time of its start, in any order (one that is there already changes nothing),
 * and drops all but the newest `max` of each operation. *windows may be NULL, and is again with max
 * 0. Returns 0 or -ENOMEM. */
int custom_windows_add(struct custom_windows **windows, const struct run *run, size_t max);

/* Moves what is in `past` over, as if it had been added. */
void custom_windows_join(struct custom_windows **windows, struct custom_windows **past, size_t max);

/* Merges the newest `runs` of an operation into *ret, which is empty before; 0 of them when none
 * are kept. Returns how many, or -EBADMSG. */
int custom_windows_merge(const struct custom_windows *windows, enum run_operation operation,
	size_t runs, struct histogram *ret);

/* N as above. */
size_t custom_alarms_window(const struct config *config, const char *repository, const char *probe);

/* The rules of one step. Names and rules are lent by the configuration. */
struct custom_alarms {
	struct alarm_user_rule *rules;
	size_t count;
	struct histogram **merged; /* that the rules' windows point to */
	size_t merged_count;
};

/* windows may be NULL: then percentiles are those of the run alone. Returns 0 or -ENOMEM, with
 * something to custom_alarms_done in any case. */
int custom_alarms_build(const struct config *config, const char *repository, const char *probe,
	const struct custom_windows *windows, struct custom_alarms *ret);
void custom_alarms_done(struct custom_alarms *alarms);

#endif
