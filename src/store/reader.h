/* SPDX-License-Identifier: Apache-2.0 */
/* What the readers share. Private to the store. */
#ifndef REPOPROBE_STORE_READER_H
#define REPOPROBE_STORE_READER_H

#include <stdatomic.h>

#include "model/device.h"
#include "model/workload.h"
#include "store/sql.h"
#include "store/store.h"

#define READER_WORKLOADS 16

struct store_reader {
	struct sqlite3 *db;
	struct store_bad_rows *bad_rows; /* lent; NULL: nobody counts them */
	atomic_bool is_stopped;
	uint64_t inode; /* of the file at its path when it was opened */
	/* Workloads read before, by their id: many runs have the same few. */
	struct reader_workload {
		bool is_used;
		int64_t id;
		struct workload workload;
	} workloads[READER_WORKLOADS];
	bool has_device; /* that of an identity */
	int64_t device_identity;
	struct device_info device;
};

/* From any thread: what runs and all that is still asked ends with -EINTR, for good. */
void reader_stop(struct store_reader *reader);

/* Whether the file at its path is the one that is open. */
bool reader_is_current(const struct store_reader *reader);

/* sql_prepare, but -EINTR once stopped. */
int reader_prepare(
	struct store_reader *reader, const char *text, struct sql *ret, struct error *reterr);

/* After columns of a row were read: 1 when their values are good. 0 when one is out of range: the
 * row is noted as bad, and the caller skips it. Else s's error, with a sentence. */
int reader_take_row(struct store_reader *reader, struct sql *s, const char *table, int64_t id,
	struct error *reterr);

/* The same of a column with the name of a repository, whose id it is. */
int reader_take_target(struct store_reader *reader, struct sql *s, int64_t id,
	char name[RUN_NAME_MAX + 1], struct error *reterr);

/* Ids of ours: from 1 to what a JSON number holds exactly. */
#define READER_ID_MAX ((INT64_C(1) << 53) - 1)
#define READER_ID_MAX_TEXT "9007199254740991"

/* What a caller's limit is as a LIMIT: 0 means 100. */
int64_t reader_limit(size_t limit);

/* Reads what store_read_baselines would of a series. */
int reader_read_baselines(struct store_reader *reader, int64_t series,
	struct saved_baseline ret[RUN_OPERATIONS], struct error *reterr);

/* Columns of an incident_event "e" of incident "incident" and target "target", and their reader;
 * the event's own may all be NULL, which reads as zeros. */
#define READER_EVENT_COLUMNS                                                                       \
	"incident.id, incident.opened_usec, target.name, e.sequence, e.change, e.level, e.reason," \
	" e.time_usec, e.probe, e.operation, e.value_nsec, e.limit_nsec, e.hits, e.window_runs,"   \
	" e.status, e.rule, e.value, e.normal, e.normal_low, e.normal_high, e.normal_runs,"        \
	" e.load, e.others_bytes_per_sec, e.confirmations, e.agreed, e.moved, e.cause,"            \
	" e.alarm, e.condition, e.unit, e.setup_step"
void reader_read_event_head(struct sql *s, struct incident_event *ret); /* not the event's own */
void reader_read_event_rest(struct sql *s, struct incident_event *ret);
/* Both, as reader_take_row. */
int reader_take_event(struct store_reader *reader, struct sql *s, struct incident_event *ret,
	struct error *reterr);

#endif
