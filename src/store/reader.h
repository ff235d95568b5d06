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
	atomic_bool is_stopped;
	uint64_t inode; /* of the file at its path when it was opened */
	/* Workloads read before, by their id: many runs have the same few. */
	struct reader_workload {
		int64_t id; /* 0: unused */
		struct workload workload;
	} workloads[READER_WORKLOADS];
	int64_t device_identity; /* whose device is in `device`; 0: nobody's */
	struct device_info device;
};

/* From any thread: what runs and all that is still asked ends with -EINTR, for good. */
void reader_stop(struct store_reader *reader);

/* Whether the file at its path is the one that is open. */
bool reader_is_current(const struct store_reader *reader);

/* sql_prepare, but -EINTR once stopped. */
int reader_prepare(
	struct store_reader *reader, const char *text, struct sql *ret, struct error *reterr);

/* What a failed step or a damaged row is called: s's error, with the sentence "WHAT ID: …". */
int reader_refuse_row(const struct sql *s, const char *what, int64_t id, struct error *reterr);

/* What a caller's limit is as a LIMIT: 0 means 100. */
int64_t reader_limit(size_t limit);

/* Columns of an incident_event "e" of incident "incident" and target "target", and their reader;
 * the event's own may all be NULL, which reads as zeros. */
#define READER_EVENT_COLUMNS                                                                       \
	"incident.id, incident.opened_usec, target.name, e.sequence, e.change, e.level, e.reason," \
	" e.time_usec, e.probe, e.operation, e.value_nsec, e.limit_nsec, e.hits, e.window_runs,"   \
	" e.status, e.rule, e.value, e.normal, e.normal_low, e.normal_high, e.normal_runs,"        \
	" e.load, e.others_bytes_per_sec, e.confirmations, e.agreed, e.moved, e.cause,"            \
	" e.alarm, e.condition, e.unit, e.setup_step"
void reader_read_event(struct sql *s, struct incident_event *ret);

#endif
