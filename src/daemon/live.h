/* SPDX-License-Identifier: Apache-2.0 */
/* The present, in memory: for each repository and probe of the configuration what runs, what ran
 * last, when it is due, counters since start, the alarm state. Belongs to the loop thread. No I/O.
 */
#ifndef REPOPROBE_DAEMON_LIVE_H
#define REPOPROBE_DAEMON_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "config/config.h"
#include "daemon/custom_alarms.h"
#include "daemon/normal.h"
#include "daemon/schedule.h"
#include "model/facts.h"
#include "model/snapshot.h"

struct live_probe {
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
enum live_untold {
	LIVE_UNTOLD_WAITS, /* for others of its group */
	LIVE_UNTOLD_MUTED,
	LIVE_UNTOLD_OUTAGE, /* of another of its group */
};

/* What was learned where the repository lies. It stays behind when the repository moves to another
 * path; what belongs to its name (history, alarms, the write budget) moves on. */
struct live_place {
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

struct live_repository {
	const struct config_repository *config;
	struct alarm_state *alarm;
	int64_t next_check_usec; /* when time alone may change it; 0: never */
	struct incident_event *untold; /* the newest that was held back; NULL: none */
	enum live_untold untold_why;
	int64_t told_usec; /* when a message last told of its open incident; 0: not known */
	struct live_place place;
	size_t probe_count;
	struct live_probe *probes;
};

struct live {
	size_t repository_count;
	struct live_repository *repositories;
	int64_t clock_offset_usec; /* realtime - monotonic when last looked at */
};

/* A start later than this after its slot is counted as late. */
#define LIVE_LATE_USEC (10 * USEC_PER_SEC)

/* Realtime that went back by more than this since the last look was set back. */
#define LIVE_BACK_USEC ((int64_t)USEC_PER_SEC)

/* Builds the present for a configuration; what an earlier one (may be NULL, is emptied) knew of the
 * same repository and probe moves over. New probes are due at once, but for those with a calendar,
 * which wait for their slot; the others keep theirs unless interval or calendar changed. Returns
 * NULL when memory is short; the earlier one is then untouched. */
struct live *live_new(
	const struct config *config, struct live *earlier, uint64_t now_nsec, int64_t now_usec);
struct live *live_free(struct live *live);

/* NULL when not (or no longer) configured. Lent. */
struct live_repository *live_find_repository(struct live *live, const char *name);
struct live_probe *live_find_probe(struct live_repository *repository, const char *name);

/* Stands for the path and the probe directory of a repository, never 0; see run.h. */
uint64_t live_place_key(const struct config_repository *config);

/* The repository of a run, as long as it lies where the run took place. NULL: its name is not
 * configured any more, or stands for another place: nothing is learned there from this run. */
struct live_repository *live_find_repository_of(struct live *live, const struct run *run);

/* Whoever has this path now, whatever its name. NULL: nobody. */
struct live_repository *live_find_path(struct live *live, const char *path);

/* What a worker saw of the repository ("" as its type: nothing). Counters of another disk than
 * before are forgotten. */
void live_set_identity(struct live_repository *repository, const struct identity *identity);

/* Counts a finished run and keeps it as the newest (copied). */
int live_add_run(
	struct live_repository *repository, struct live_probe *probe, const struct run *run);

/* A run that was added before it had its id has it now. */
void live_number_run(struct live_probe *probe, const struct run *run);

/* What history knew before this start: newest runs and alarm states. */
int live_restore_run(struct live *live, const struct run *run);
int live_restore_alarm(struct live *live, const struct alarm_state *state);

/* --- live_plan.c -------------------------------------------------------- */

/* Plans a new probe: due at once, unless it has a calendar. */
void live_plan_first(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Plans the next slot after a start or a skip. min_usec: not before so long from now; a calendar's
 * slots are not left out for that. */
void live_plan(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec, uint64_t min_usec);

/* Takes the slots up to now as passed by: the one after them is the next that a waiting probe may
 * skip. */
void live_pass_overlap(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Keeps the slots of calendars at their realtime. A clock that was set forward, and a machine that
 * slept, make a slot that passed meanwhile due, once; one that was set back brings the next slot
 * nearer again. Intervals count on as before. True when realtime was set: what is shown changed. */
bool live_follow_clock(struct live *live, uint64_t now_nsec, int64_t now_usec);

/* A run that confirms nothing any more, because it waited for longer than this, is given up. */
#define LIVE_CONFIRM_LATE_NSEC (120 * NSEC_PER_SEC)
void live_drop_late_confirmations(struct live *live, uint64_t now_nsec);

/* The time from the next slot to the one after it. */
uint64_t live_spacing_usec(const struct live_probe *probe);

/* Moves the slot near when the very first run found the probe file in use: the worker of a daemon
 * that was killed needs a moment to notice and end. Not more than a few times. */
#define LIVE_IN_USE_TRIES 5
#define LIVE_IN_USE_USEC (2 * USEC_PER_SEC)
void live_retry_in_use(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* Must every probe of it wait, whether for a worker or for the pause after one? */
bool live_is_held(const struct live_repository *repository, uint64_t now_nsec);

/* When the probe may start: its slot, or the end of the pause. 0: never. */
int64_t live_start_usec(const struct live_repository *repository, const struct live_probe *probe);

/* Forgets the confirming run, or plans the next slot: what a start or a skip of what was due first
 * does to the other is nothing. */
void live_pass(struct live_probe *probe, uint64_t now_nsec, int64_t now_usec);

/* When it is to be run next: its slot, or a confirming run before that. */
uint64_t live_due_nsec(const struct live_probe *probe);
bool live_is_confirmation(const struct live_probe *probe);

/* The earliest instant after now at which something becomes due or is to be skipped; UINT64_MAX:
 * none. What is due already waits for a worker to end. */
uint64_t live_next_due_nsec(const struct live *live, uint64_t now_nsec);

struct exclusion_place;

/* The probe to start now, while these places are occupied, or NULL. */
struct live_probe *live_choose(struct live *live, uint64_t now_nsec,
	const struct exclusion_place *occupied, size_t occupied_count,
	struct live_repository **ret_repository);

#endif
