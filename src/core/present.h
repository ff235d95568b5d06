/* SPDX-License-Identifier: Apache-2.0 */
/* The present, in memory: for each repository and probe of the configuration what runs, what ran
 * last, when it is due, counters since start, the alarm state. Belongs to the loop thread. No I/O.
 */
#ifndef REPOPROBE_CORE_PRESENT_H
#define REPOPROBE_CORE_PRESENT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "config/config.h"
#include "core/custom_alarms.h"
#include "core/normal.h"
#include "core/schedule.h"
#include "model/facts.h"
#include "model/snapshot.h"

struct present_probe {
	const struct config_probe *config; /* lent by the configuration in force */
	struct schedule schedule;
	char *series_key; /* workload_series_key's: what may be compared; NULL: memory was short */
	struct rule_limit limit; /* that it is judged by now */
	char *limit_reason; /* NULL: the configuration's */
	struct normal normal;
	struct custom_windows *windows; /* what percentiles of alarms are told from; NULL: none */
	uint64_t due_nsec; /* monotonic; UINT64_MAX: never */
	int64_t due_usec; /* the same as realtime; 0: never */
	uint64_t overlap_due_nsec; /* the slot after it: when it comes first, one is skipped */
	int64_t overlap_due_usec; /* of a calendar: the same as realtime; 0: never */
	bool was_waiting; /* it was due at the last look already */
	uint64_t confirm_nsec; /* monotonic: an extra run is wanted then; 0: none */
	int64_t done_usec; /* of a calendar: slots up to here have been started or given up */
	bool is_running;
	struct run *last_run; /* newest finished run that was not skipped */
	struct run *last_measured; /* newest with numbers */
	int64_t last_success_usec;
	int64_t stuck_since_usec;
	uint64_t runs;
	uint64_t failures[RUN_STATUSES];
	uint64_t skips[RUN_SKIPS];
	uint64_t skips_in_row; /* since the last run that took place; muted ones do not count */
	enum run_skip last_skip;
	char own_trouble[RUN_REASON_MAX + 1]; /* why the newest run could not take place, when that
					       * is none of the repository's; "": it could */
	uint64_t late_starts;
	struct snapshot_operation operations[RUN_OPERATIONS];
};

/* What an event was held back by, last. */
enum present_untold {
	PRESENT_UNTOLD_WAITS, /* for others of its group */
	PRESENT_UNTOLD_MUTED,
	PRESENT_UNTOLD_OUTAGE, /* of another of its group */
};

/* What was learned where the repository lies. It stays behind when the repository moves to another
 * path; what belongs to its name (history, alarms, the write budget) moves on. */
struct present_place {
	struct identity identity; /* as a worker saw it, before that by the mount table's guess */
	bool has_identity; /* a worker did */
	struct identity_seen seen; /* when it was first measured */
	bool is_seen_stored; /* or something of an earlier configuration is */
	struct facts_ring *ring; /* counters of its disk, and our own runs on it */
	struct facts facts; /* around the newest run */
	bool has_worker; /* running or stuck: never two */
	bool has_told_place; /* the log says if the history lies on it */
	unsigned stuck_count; /* stuck workers since the last ok run */
	uint64_t pause_nsec; /* after a stuck worker nothing starts before this; 0: no pause */
	int64_t pause_usec; /* the same as realtime */
	bool is_asked; /* somebody wants a run as soon as the worker is gone */
	uint64_t told_refusal; /* that the log has already said; 0: none */
	bool has_told_twin; /* the log says that another repository is the same directory */
	bool has_told_engine; /* the log says that io_uring is not used here */
	uint64_t file_bytes; /* of the probe file, as last seen; 0: not seen */
	uint64_t file_target_bytes;
};

struct present_repository {
	const struct config_repository *config;
	struct alarm_state *alarm;
	int64_t next_check_usec; /* when time alone may change it; 0: never */
	struct incident_event *untold; /* the newest that was held back; NULL: none */
	enum present_untold untold_why;
	int64_t told_usec; /* when a message last told of its open incident; 0: not known */
	struct present_place place;
	size_t probe_count;
	struct present_probe *probes;
};

struct present {
	size_t repository_count;
	struct present_repository *repositories;
	int64_t clock_offset_usec; /* realtime - monotonic when last looked at */
};

/* A start later than this after its slot is counted as late. */
#define PRESENT_LATE_USEC (10 * USEC_PER_SEC)

/* Realtime that went back by more than this since the last look was set back. */
#define PRESENT_BACK_USEC ((int64_t)USEC_PER_SEC)

/* Builds the present for a configuration; what an earlier one (may be NULL, is emptied) knew of the
 * same repository and probe moves over. New probes are due at once, but for those with a calendar,
 * which wait for their slot; the others keep theirs unless interval or calendar changed. Returns
 * NULL when memory is short; the earlier one is then untouched. */
struct present *present_new(
	const struct config *config, struct present *earlier, uint64_t now_nsec, int64_t now_usec);
struct present *present_free(struct present *present);

/* NULL when not (or no longer) configured. Lent. */
struct present_repository *present_find_repository(struct present *present, const char *name);
struct present_probe *present_find_probe(struct present_repository *repository, const char *name);

/* Stands for the path and the probe directory of a repository, never 0; see run.h. */
uint64_t present_place_key(const struct config_repository *config);

/* The repository of a run, as long as it lies where the run took place. NULL: its name is not
 * configured any more, or stands for another place: nothing is learned there from this run. */
struct present_repository *present_find_repository_of(
	struct present *present, const struct run *run);

/* Whoever has this path now, whatever its name. NULL: nobody. */
struct present_repository *present_find_path(struct present *present, const char *path);

/* What a worker saw of the repository ("" as its type: nothing). Counters of another disk than
 * before are forgotten. */
void present_set_identity(struct present_repository *repository, const struct identity *identity);

/* Counts a finished run and keeps it as the newest (copied). */
int present_add_run(
	struct present_repository *repository, struct present_probe *probe, const struct run *run);

/* A run that was added before it had its id has it now. */
void present_number_run(struct present_probe *probe, const struct run *run);

/* What history knew before this start: newest runs and alarm states. */
int present_restore_run(struct present *present, const struct run *run);
int present_restore_alarm(struct present *present, const struct alarm_state *state);

#endif
