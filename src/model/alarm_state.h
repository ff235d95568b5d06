/* SPDX-License-Identifier: Apache-2.0 */
/* What the alarm logic remembers of a repository, and what it says: plain values, so that the store
 * can keep them and the report can word them. State and windows are per (probe, operation); an
 * incident belongs to the repository and unites them. */
#ifndef REPOPROBE_MODEL_ALARM_STATE_H
#define REPOPROBE_MODEL_ALARM_STATE_H

#include "model/run.h"

enum alarm_level {
	ALARM_NONE,
	ALARM_WARNING,
	ALARM_CRITICAL,
};

enum alarm_reason {
	ALARM_REASON_LIMIT, /* average latency over its limit */
};
#define ALARM_REASONS 1

enum incident_change {
	INCIDENT_OPENED,
	INCIDENT_WORSE, /* level rose, or another series joined */
	INCIDENT_CLEARED, /* the last firing series cleared */
};

#define ALARM_SERIES_MAX 64 /* per repository: probes × operations */

struct alarm_series {
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	uint32_t warning_bits; /* judged runs over the limit, newest in bit 0 */
	uint32_t critical_bits; /* likewise over limit_critical */
	uint8_t judged_runs; /* how many of the bits are real, at most 32 */
	uint8_t clear_runs; /* good runs in a row while firing */
	enum alarm_level level; /* ALARM_NONE: not firing */
	int64_t since_usec; /* when it began to fire */
	uint64_t value_nsec; /* average of the newest judged run */
	uint64_t limit_nsec; /* the limit it was judged by */
	int64_t judged_usec; /* when */
};

struct alarm_state {
	char repository[RUN_NAME_MAX + 1];
	int64_t incident_id; /* the open incident, 0: none */
	int64_t incident_opened_usec;
	enum alarm_level incident_level;
	uint32_t incident_changes; /* events so far, so the next one's number */
	size_t series_count;
	struct alarm_series series[ALARM_SERIES_MAX];
};

struct incident_event {
	int64_t incident_id;
	uint32_t sequence; /* 0, 1, … within the incident: with the id an idempotency key */
	enum incident_change change;
	enum alarm_level level; /* of the incident afterwards; for cleared: what it had reached */
	enum alarm_reason reason;
	int64_t time_usec;
	int64_t opened_usec; /* of the incident */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	uint64_t value_nsec; /* average latency of the run that caused it */
	uint64_t limit_nsec;
	uint8_t hits; /* runs over the limit … */
	uint8_t window; /* … of the last so many */
};

const char *alarm_level_name(enum alarm_level level); /* "none", "warning", "critical" */
int alarm_level_parse(const char *text, enum alarm_level *ret);
const char *alarm_reason_name(enum alarm_reason reason); /* "limit" */
int alarm_reason_parse(const char *text, enum alarm_reason *ret);
const char *incident_change_name(enum incident_change change); /* "opened", "worse", "cleared" */
int incident_change_parse(const char *text, enum incident_change *ret);

/* The series of a probe's operation, or NULL. Lent. */
struct alarm_series *alarm_state_find(
	struct alarm_state *state, const char *probe, enum run_operation operation);

#endif
