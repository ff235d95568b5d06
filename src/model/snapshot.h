/* SPDX-License-Identifier: Apache-2.0 */
/* The present state as shown to users: the loop fills one, the report renders it into bodies, the
 * HTTP threads send the bodies. Plain values; strings are lent by the loop while it renders. */
#ifndef REPOPROBE_MODEL_SNAPSHOT_H
#define REPOPROBE_MODEL_SNAPSHOT_H

#include "model/alarm_state.h"
#include "model/mute.h"
#include "model/rule.h"
#include "model/run.h"

enum repository_state {
	REPOSITORY_OK,
	REPOSITORY_WARNING,
	REPOSITORY_CRITICAL,
	REPOSITORY_UNKNOWN,
	REPOSITORY_PAUSED,
};
#define REPOSITORY_STATES 5

/* Counters of one operation since the daemon's start (never restored: ecosystem 1.3). */
struct snapshot_operation {
	uint64_t bytes;
	uint64_t active_nsec;
	uint64_t errors;
	uint64_t latency_count;
	uint64_t latency_sum_nsec;
	uint64_t latency_buckets[HISTOGRAM_EXPORT_BUCKETS]; /* not cumulative */
};

struct snapshot_probe {
	const char *name;
	const struct workload *workload;
	uint64_t interval_usec; /* with a schedule: from the next slot to the one after */
	const char *schedule; /* in its normal form; NULL: the interval applies */
	struct rule_limit limit;
	const char *limit_reason; /* "preset active-full: flash" */
	const struct run *last_run; /* newest committed or finished run, NULL before the first */
	const struct run *last_measured; /* newest with numbers, NULL before the first */
	int64_t last_success_usec; /* end of the newest ok run, 0: none yet */
	int64_t next_run_usec; /* realtime; 0: none */
	bool is_running;
	uint64_t runs; /* counters since start */
	uint64_t failures[RUN_STATUSES]; /* by status, ok and skipped stay 0 */
	uint64_t skips[RUN_SKIPS];
	uint64_t skips_in_row; /* since the last run that took place */
	enum run_skip last_skip;
	const char *own_trouble; /* why nothing can be measured, for a reason unrelated to the
				    repository; NULL: it can */
	uint64_t late_starts;
	struct snapshot_operation operations[RUN_OPERATIONS];
	int64_t stuck_since_usec; /* 0: no stuck worker */
};

struct snapshot_repository {
	const char *name;
	const char *path;
	enum repository_state state;
	const char *reason; /* one sentence for display */
	const struct alarm_state *alarm;
	struct snapshot_mute {
		enum mute_mode mode; /* MUTE_NONE: nothing is muted */
		int64_t until_usec;
		const char *reason; /* "": not given */
	} mute;
	const struct identity *identity; /* of the newest run that had one, or NULL */
	const struct facts *facts; /* around the newest run, or NULL */
	size_t probe_count;
	const struct snapshot_probe *probes;
};

struct snapshot {
	const char *version;
	int64_t now_usec;
	int64_t started_usec; /* of the daemon */
	uint64_t revision; /* incremented with every change */
	size_t repository_count;
	const struct snapshot_repository *repositories;
	bool is_reload_ok;
	int64_t reload_usec; /* of the last successful load */
	const char *reload_error; /* NULL when ok */
	uint64_t database_bytes;
	uint64_t database_write_failures;
	uint64_t database_queue_length;
	uint64_t database_lost; /* results that were never stored */
	uint64_t database_rescues; /* its files were removed or replaced, and restored */
	uint64_t database_bad_rows; /* that were skipped when read */
	const char *database_notice; /* what happened to it: damaged, newer; or NULL */
	const char *database_error; /* why nothing can be written now, or NULL */
	uint64_t notifications; /* passed to the journal */
	uint64_t notification_failures;
	uint64_t notification_queue_length;
	uint64_t log_lost_lines;
	struct snapshot_process {
		uint64_t cpu_nsec;
		uint64_t open_fds;
		uint64_t max_fds;
		uint64_t resident_bytes;
		uint64_t virtual_bytes;
	} process;
};

const char *repository_state_name(enum repository_state state); /* "ok", … "paused" */

/* The state derived from what is known: pure. Paused while a mute of that mode is active; else the
 * worst of the alarm level and the newest runs: without a run it is unknown, and so it is when a
 * fault of our own prevented the run. Writes the sentence to reason (size bytes). */
enum repository_state snapshot_judge(
	const struct snapshot_repository *repository, char *reason, size_t size);

#endif
