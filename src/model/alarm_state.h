/* SPDX-License-Identifier: Apache-2.0 */
/* The alarm state of a repository, and the events it produces: plain values, so that the store can
 * save them and the report can describe them. State and windows are kept per (probe, operation),
 * and per probe for what concerns whole runs; an incident belongs to the repository and combines
 * them. */
#ifndef REPOPROBE_MODEL_ALARM_STATE_H
#define REPOPROBE_MODEL_ALARM_STATE_H

#include "model/run.h"

enum alarm_level {
	ALARM_NONE,
	ALARM_WARNING,
	ALARM_CRITICAL,
};

/* The reported reason, also the metric label. */
enum alarm_reason {
	ALARM_REASON_LIMIT, /* average latency over its limit */
	ALARM_REASON_RELATIVE, /* much slower than normal for this load */
	ALARM_REASON_TAIL, /* the slow I/Os got slower, or the fast ones fewer */
	ALARM_REASON_SLOW, /* somewhat slower than normal, for an hour */
	ALARM_REASON_THROUGHPUT,
	ALARM_REASON_STALL, /* I/Os of seconds */
	ALARM_REASON_HANG, /* runs that did not finish */
	ALARM_REASON_ERROR,
	ALARM_REASON_DRIFT, /* gradually slower, over days */
	ALARM_REASON_NO_DATA,
	ALARM_REASON_PEER, /* slower than others on the same storage */
	ALARM_REASON_TARGET, /* not the expected place, or not writable */
	ALARM_REASON_SPACE,
	ALARM_REASON_CUSTOM, /* an [alarm NAME] */
};
#define ALARM_REASONS 14

/* The rules that judge a series; several may have the same reason. */
enum alarm_rule {
	ALARM_RULE_LIMIT, /* over the limit and unusual, fast */
	ALARM_RULE_LIMIT_HELD, /* over the limit, slow */
	ALARM_RULE_RELATIVE,
	ALARM_RULE_TAIL,
	ALARM_RULE_CACHE, /* fewer I/Os below the valley of the histogram */
	ALARM_RULE_SLOW,
	ALARM_RULE_THROUGHPUT,
	ALARM_RULE_THROUGHPUT_HELD,
	ALARM_RULE_STALL,
	ALARM_RULE_DRIFT,
	ALARM_RULE_PEER,
	ALARM_RULE_RELATIVE_BUSY, /* the same as relative, while others are at work */
};
#define ALARM_RULES 12

/* The rules that judge a probe's runs as a whole. */
enum alarm_run_rule {
	ALARM_RUN_HANG,
	ALARM_RUN_ERROR,
	ALARM_RUN_TARGET,
	ALARM_RUN_SPACE,
	ALARM_RUN_NO_DATA,
};
#define ALARM_RUN_RULES 5

/* How busy others kept the repository's disk during the run. */
enum load_class {
	LOAD_IDLE,
	LOAD_LIGHT,
	LOAD_HEAVY,
	LOAD_UNKNOWN, /* no counters: judged as idle, but never critical */
};
#define LOAD_CLASSES 3 /* classes that have a normal */

enum incident_change {
	INCIDENT_OPENED,
	INCIDENT_WORSE, /* its level rose */
	INCIDENT_CLEARED, /* nothing fires any more */
	INCIDENT_JOINED, /* another series or reason, at no higher level */
	INCIDENT_REOPENED, /* opened again within ALARM_REOPEN_USEC of being cleared */
	INCIDENT_FLAPPING, /* reopened repeatedly; reported once */
};
#define INCIDENT_CHANGES 6

/* What the percentiles suggest. */
enum alarm_cause {
	ALARM_CAUSE_NONE, /* no pattern */
	ALARM_CAUSE_PATH, /* all of them: device or path */
	ALARM_CAUSE_CACHE, /* the fast half only: lost cache hits */
	ALARM_CAUSE_STALLS, /* the slowest only */
	ALARM_CAUSE_WRITE_CACHE, /* writes but not reads */
};
#define ALARM_CAUSES 5

/* Which figures of a run are worse than normal: bits. */
enum alarm_moved {
	ALARM_MOVED_P50 = 1 << 0,
	ALARM_MOVED_P95 = 1 << 1,
	ALARM_MOVED_P99 = 1 << 2,
	ALARM_MOVED_MAX = 1 << 3,
	ALARM_MOVED_FAST_SHARE = 1 << 4,
	ALARM_MOVED_THROUGHPUT = 1 << 5,
};

#define ALARM_SERIES_MAX 64 /* per repository: probes × operations */
#define ALARM_PROBES_MAX 32 /* per repository */
#define ALARM_CUSTOMS_MAX 64 /* per repository: user-defined alarms × series */
#define ALARM_SLOT_RUNS 3 /* per slot: its own run and the confirming ones */

/* State of one rule of one series, or of one probe. */
struct alarm_rule_state {
	uint32_t bits; /* bad slots, newest in bit 0 */
	uint32_t critical_bits; /* the critically bad ones */
	uint8_t slots; /* how many of the bits are valid, at most 32 */
	uint8_t good_runs; /* in a row while firing */
	enum alarm_level level; /* ALARM_NONE: not firing */
	int64_t since_usec; /* when it started to fire */
};

#define ALARM_DRIFT_VALUES 12
#define ALARM_DRIFT_HOURS 24

/* The drift of a series over a day, from idle runs only. Values: 1024 × log2 of a ratio to the
 * anchor. */
struct alarm_drift {
	int64_t hour; /* since 1970, the one being gathered */
	uint8_t value_count;
	uint8_t hour_count; /* finished hours */
	uint8_t bad_hours; /* consecutive checks above the threshold */
	int16_t values[ALARM_DRIFT_VALUES]; /* of that hour, the first ones only */
	int16_t hours[ALARM_DRIFT_HOURS]; /* medians of finished hours, newest first */
};

/* One run's verdict on the rules: bits by enum alarm_rule. */
struct alarm_slot_run {
	uint16_t judged;
	uint16_t bad;
	uint16_t critical;
	uint16_t near; /* bad, or too close to bad to contradict it */
};

struct alarm_series {
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	uint32_t warning_bits; /* judged runs over the limit, newest in bit 0 */
	uint32_t critical_bits; /* the same over limit_critical */
	uint8_t judged_runs; /* how many of the bits are valid, at most 32 */
	uint8_t clear_runs; /* good runs in a row while firing */
	enum alarm_level level; /* the highest of its rules; ALARM_NONE: not firing */
	enum alarm_reason reason; /* of that rule */
	int64_t since_usec; /* when it started to fire */
	uint64_t value_nsec; /* average of the newest judged run */
	uint64_t limit_nsec; /* the limit it was judged by */
	int64_t judged_usec; /* when */
	enum load_class load; /* of the newest judged run */
	uint64_t normal_nsec; /* for that load and hour; 0: not known */
	struct alarm_slot_run slot[ALARM_SLOT_RUNS]; /* of the probe's open slot */
	struct alarm_rule_state rules[ALARM_RULES];
	struct alarm_drift drift;
};

struct alarm_probe {
	char probe[RUN_NAME_MAX + 1];
	int64_t newest_usec; /* the newest run that ended or was skipped */
	int64_t taken_usec; /* the newest run that took place, or that a mute prevented; not stored:
			       0 after a restart until the next */
	uint64_t interval_usec; /* between its slots, as of its last run */
	int64_t slot_usec; /* when the open slot's own run ended */
	uint8_t slot_runs; /* of the open slot, 0: none is open */
	uint8_t dead_runs; /* consecutive runs that failed or did not finish */
	int64_t stuck_usec; /* since when its worker is stuck, 0: not stuck */
	struct alarm_rule_state rules[ALARM_RUN_RULES];
};

/* A user-defined [alarm NAME] on one series. */
struct alarm_custom {
	char name[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	enum run_operation operation;
	struct alarm_rule_state rule;
};

struct alarm_state {
	char repository[RUN_NAME_MAX + 1];
	int64_t incident_id; /* the open incident, 0: none */
	int64_t incident_opened_usec;
	enum alarm_level incident_level;
	uint32_t incident_changes; /* events so far: the number of the next one */
	/* The incident cleared last, while it may still reopen. */
	int64_t last_incident_id; /* 0: none */
	int64_t last_opened_usec;
	int64_t last_cleared_usec;
	enum alarm_level last_level;
	uint32_t last_changes;
	uint8_t reopenings; /* of the present incident: each doubles the runs needed to clear */
	bool is_flapping;
	/* About the open incident, maintained by the sender of messages; the rules do not read
	 * these. */
	enum alarm_level told_level; /* the highest level notified; below its level while muted */
	bool is_acknowledged;
	size_t probe_count;
	struct alarm_probe probes[ALARM_PROBES_MAX];
	size_t custom_count;
	struct alarm_custom customs[ALARM_CUSTOMS_MAX];
	size_t series_count;
	struct alarm_series series[ALARM_SERIES_MAX]; /* last: a batch copies the used ones */
};

/* The unit of value and normal in an event's evidence. */
enum alarm_unit {
	ALARM_UNIT_LATENCY, /* nanoseconds */
	ALARM_UNIT_THROUGHPUT, /* bytes per second */
	ALARM_UNIT_SHARE, /* basis points of all I/Os */
	ALARM_UNIT_NUMBER,
};
#define ALARM_UNITS 4

/* The evidence of a verdict. value and normal are nanoseconds, bytes per second for throughput, and
 * basis points of all I/Os for a lost cache; normal_runs = 0: there is no normal. */
struct alarm_evidence {
	enum alarm_rule rule; /* if it is about a series */
	uint64_t value;
	uint64_t normal;
	uint64_t normal_low; /* nine of ten values were within */
	uint64_t normal_high;
	uint32_t normal_runs; /* it is computed from */
	enum load_class load;
	uint64_t others_bytes_per_sec;
	uint8_t confirmations; /* confirming runs that were requested … */
	uint8_t agreed; /* … and how many of them were bad too */
	uint32_t moved; /* enum alarm_moved bits */
	enum alarm_cause cause;
	enum alarm_unit unit; /* of a user-defined alarm; else given by the rule */
	/* The set-up step of a stall before the I/O, value is then its duration; none: the stall
	 * was in an I/O. */
	enum run_setup_step setup_step;
};

#define ALARM_CONDITION_MAX 39

struct incident_event {
	int64_t incident_id;
	uint32_t sequence; /* 0, 1, … within the incident: with the id an idempotency key */
	enum incident_change change;
	enum alarm_level level; /* of the incident afterwards; for cleared: the highest it had */
	enum alarm_reason reason;
	int64_t time_usec;
	int64_t opened_usec; /* of the incident */
	char repository[RUN_NAME_MAX + 1];
	char probe[RUN_NAME_MAX + 1];
	char alarm[RUN_NAME_MAX + 1]; /* the user's name for it, if its reason is custom … */
	char condition[ALARM_CONDITION_MAX + 1]; /* … and its condition: "write p99 > 50ms" */
	enum run_operation operation; /* if its reason has one */
	enum run_status status; /* of the run that caused it */
	uint64_t value_nsec; /* average latency of the run that caused it */
	uint64_t limit_nsec;
	uint8_t hits; /* runs over the limit; custom: 0 when they are judged together … */
	uint8_t window; /* … of this many newest ones */
	struct alarm_evidence evidence;
};

const char *alarm_level_name(enum alarm_level level); /* "none", "warning", "critical" */
int alarm_level_parse(const char *text, enum alarm_level *ret);
const char *alarm_reason_name(enum alarm_reason reason); /* "no_data" */
int alarm_reason_parse(const char *text, enum alarm_reason *ret);
const char *load_class_name(enum load_class load); /* "idle", … "unknown" */
const char *incident_change_name(enum incident_change change); /* "opened", "worse", "cleared" */
int incident_change_parse(const char *text, enum incident_change *ret);
/* "no_data", or the name of the user-defined alarm. Lent. */
const char *incident_event_reason(const struct incident_event *event);
/* Whether an incident ended because its repository left the configuration. */
bool incident_event_left(const struct incident_event *event);
/* Whether it is worth a separate message: everything except a joining reason and a reopening. */
bool incident_change_is_told(enum incident_change change);

/* Whether it is about reads or writes rather than the run as a whole. */
bool alarm_reason_has_operation(enum alarm_reason reason);
/* Whether it says that a repository is slow, which may come of an outage of another on the same
 * storage. What the user's own alarms are about is not known. */
bool alarm_reason_is_slowness(enum alarm_reason reason);

enum alarm_reason alarm_rule_reason(enum alarm_rule rule);
enum alarm_reason alarm_run_rule_reason(enum alarm_run_rule rule);

/* The series of a probe's operation, or NULL. Lent. */
struct alarm_series *alarm_state_find(
	struct alarm_state *state, const char *probe, enum run_operation operation);
struct alarm_probe *alarm_state_find_probe(struct alarm_state *state, const char *probe);

/* The highest level at which a reason fires, for a probe (NULL: for any). */
enum alarm_level alarm_state_level(
	const struct alarm_state *state, const char *probe, enum alarm_reason reason);
/* The same for a user-defined alarm. */
enum alarm_level alarm_custom_level(
	const struct alarm_state *state, const char *probe, const char *name);
/* Whether an earlier entry of customs (for the other operation, or of another probe unless probe is
 * given) has the same name: for callers that list each name once. */
bool alarm_custom_is_again(const struct alarm_state *state, const char *probe, size_t i);
/* The same for a probe's runs as a whole, or for one series. */
enum alarm_level alarm_probe_level(const struct alarm_probe *probe, enum alarm_reason reason);
enum alarm_level alarm_series_level(const struct alarm_series *series, enum alarm_reason reason);

#endif
