/* SPDX-License-Identifier: Apache-2.0 */
/* Compares one operation of a run with its limit and its normal: for each rule whether it is bad,
 * good, or neither. Knows nothing of earlier runs. */
#ifndef REPOPROBE_ALARM_JUDGE_H
#define REPOPROBE_ALARM_JUDGE_H

#include "alarm/alarm.h"

#define JUDGE_STALL_NSEC UINT64_C(2000000000)

#define JUDGE_BIT(rule) (UINT32_C(1) << (rule))

/* Bit sets of enum alarm_rule. A rule that is judged and not bad counts as a slot without trouble;
 * one that is not judged, such as an idle rule while others are at work, changes no window. good is
 * required for clearing and is stricter than not bad. */
struct verdict {
	uint32_t judged;
	uint32_t bad;
	uint32_t critical; /* subset of bad */
	uint32_t good;
	uint32_t near; /* not bad, but too close to bad to outvote the runs beside it */

	enum load_class load;
	uint64_t others_bytes_per_sec;
	uint64_t average_nsec;
	uint64_t throughput_bytes_per_sec;
	uint64_t peers_nsec;
	int32_t values[BASELINE_METRICS]; /* octaves; fast: basis points */
	bool has_normal; /* of the average, for this load */
	int32_t reference; /* of the average, in octaves */
	int32_t season; /* what the hour adds to the median of idle runs, at least 0 */
	int32_t anchor_ratio; /* to the anchor at this hour, when has_anchor */
	bool has_anchor;
	uint32_t moved; /* enum alarm_moved bits */
	enum run_setup_step setup_step; /* that made it a stall, longer than any I/O; else none */
	uint64_t setup_nsec; /* its duration */
	struct baseline_sample sample; /* the caller sets is_learned */
};

/* The rules that can be judged by a run's numbers; none when it has no numbers. A file that still
 * grows has been measured only in part and has nothing to compare with: it is judged by
 * limit_critical and for stalls, which no later part can undo. A run answered by a cache is judged
 * for stalls only. */
uint32_t judge_rules(const struct run *run);
#define JUDGE_ALL UINT32_MAX

void judge_run(const struct alarm_input *input, enum run_operation operation, struct verdict *ret);

/* Fills in the evidence of a rule that fires by this verdict. */
void judge_evidence(const struct verdict *v, const struct baseline *b, enum alarm_rule rule,
	struct alarm_evidence *ret);

/* The cause that the percentiles suggest. others_moved: those of the run's other operation;
 * has_other: whether it had one. */
enum alarm_cause judge_cause(
	uint32_t moved, enum run_operation operation, bool has_other, uint32_t others_moved);

#endif
