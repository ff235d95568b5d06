/* SPDX-License-Identifier: Apache-2.0 */
/* An incident's event as one self-contained sentence. */
#include "report/incident.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/parse.h"
#include "report/report.h"
#include "report/text.h"

static const char *const operations_text[RUN_OPERATIONS] = {
	[RUN_READ] = "reads",
	[RUN_WRITE] = "writes",
};

static const char *const load_text[] = {
	[LOAD_IDLE] = "while nothing else is at work there",
	[LOAD_LIGHT] = "for light work of others",
	[LOAD_HEAVY] = "for heavy work of others",
	[LOAD_UNKNOWN] = "(other load there is not known)",
};

static const char *const cause_text[ALARM_CAUSES] = {
	[ALARM_CAUSE_NONE] = "",
	[ALARM_CAUSE_PATH] = "all of them slower: the device or the path to it",
	[ALARM_CAUSE_CACHE] = "fewer fast ones: lost cache hits",
	[ALARM_CAUSE_STALLS] = "only the slowest of them: stalls",
	[ALARM_CAUSE_WRITE_CACHE] = "writes alone: the write cache may be off",
};

const char *incident_load_text(enum load_class load)
{
	return load_text[load];
}

const char *incident_cause_text(enum alarm_cause cause)
{
	return cause_text[cause];
}

static const enum alarm_unit units[ALARM_RULES] = {
	[ALARM_RULE_LIMIT] = ALARM_UNIT_LATENCY,
	[ALARM_RULE_CACHE] = ALARM_UNIT_SHARE,
	[ALARM_RULE_THROUGHPUT] = ALARM_UNIT_THROUGHPUT,
	[ALARM_RULE_THROUGHPUT_HELD] = ALARM_UNIT_THROUGHPUT,
};

enum alarm_unit incident_unit(const struct incident_event *event)
{
	const struct alarm_evidence *e = &event->evidence;

	return event->reason == ALARM_REASON_CUSTOM ? e->unit : units[e->rule];
}

void incident_add_value(const struct incident_event *event, uint64_t value, struct buf *b)
{
	switch (incident_unit(event)) {
	case ALARM_UNIT_LATENCY:
		format_latency(b, value);
		return;
	case ALARM_UNIT_THROUGHPUT:
		format_size_rounded(b, value);
		buf_add_text(b, "/s");
		return;
	case ALARM_UNIT_SHARE:
		buf_printf(b, "%u.%u %%", (unsigned)(value / 100), (unsigned)(value % 100 / 10));
		return;
	case ALARM_UNIT_NUMBER:
		buf_printf(b, "%" PRIu64, value);
		return;
	}
}

bool incident_is_together(const struct incident_event *event)
{
	return event->reason == ALARM_REASON_CUSTOM && event->hits == 0;
}

void incident_add_alarm(const struct incident_event *event, struct buf *b)
{
	buf_add_text(b, "alarm ");
	text_add_clean(b, event->alarm);
	if (event->condition[0] == '\0')
		return;
	buf_add_text(b, " (");
	text_add_clean(b, event->condition);
	buf_add_char(b, ')');
}

static void add_subject(const struct incident_event *event, struct buf *b)
{
	if (alarm_reason_has_operation(event->reason))
		buf_printf(b, "%s of ", operations_text[event->operation]);
	text_add_clean(b, event->probe);
}

static bool has_normal(const struct incident_event *event)
{
	return event->evidence.normal > 0;
}

static void add_average(const struct incident_event *event, struct buf *b)
{
	add_subject(event, b);
	buf_add_text(b, " take ");
	format_latency(b, event->value_nsec);
	buf_add_text(b, " on average");
}

/* "writes of active-full take 23.9 ms on average, limit 15 ms" */
static void add_limit(const struct incident_event *event, struct buf *b)
{
	add_average(event, b);
	buf_add_text(b, ", limit ");
	format_latency(b, event->limit_nsec);
	if (!has_normal(event))
		return;
	buf_add_text(b, ", normal ");
	format_latency(b, event->evidence.normal);
}

static void add_against_normal(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	add_average(event, b);
	if (!has_normal(event))
		return;
	buf_add_text(b, ", ");
	text_add_factor(b, e->value, e->normal);
	buf_add_text(b, " the normal ");
	format_latency(b, e->normal);
	buf_printf(b, " %s", load_text[e->load]);
}

static void add_tail(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	add_subject(event, b);
	if (e->rule == ALARM_RULE_CACHE) {
		buf_printf(b, ": only %u %% of the I/Os are fast, normally %u %%",
			(unsigned)(e->value / 100), (unsigned)(e->normal / 100));
		return;
	}
	buf_add_text(b, ": one in twenty takes more than ");
	format_latency(b, e->value);
	buf_add_text(b, ", normally ");
	format_latency(b, e->normal);
}

static void add_throughput(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	add_subject(event, b);
	buf_add_text(b, " get ");
	format_size_rounded(b, e->value);
	buf_add_text(b, "/s, normally ");
	format_size_rounded(b, e->normal);
	buf_printf(b, "/s %s", load_text[e->load]);
}

static void add_stall(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (e->setup_step == RUN_SETUP_NONE) {
		add_subject(event, b);
		buf_add_text(b, " stall for seconds");
		return;
	}
	/* "opening the probe file took 25 s in a run of active-full" */
	buf_printf(b, "%s took ", run_setup_step_text(e->setup_step));
	format_latency(b, e->value);
	buf_add_text(b, " in a run of ");
	text_add_clean(b, event->probe);
}

static void add_drift(const struct incident_event *event, struct buf *b)
{
	add_average(event, b);
	buf_add_text(b, " and have become slower over days");
}

static void add_peer(const struct incident_event *event, struct buf *b)
{
	add_average(event, b);
	buf_add_text(b, ", repositories on the same storage ");
	format_latency(b, event->evidence.normal);
}

/* "alarm slow-tail (write p99 > 50ms): 62 ms, writes of active-full" */
static void add_custom(const struct incident_event *event, struct buf *b)
{
	incident_add_alarm(event, b);
	buf_add_text(b, ": ");
	incident_add_value(event, event->evidence.value, b);
	buf_add_text(b, ", ");
	add_subject(event, b);
}

static void add_status(const struct incident_event *event, struct buf *b)
{
	buf_add_text(b, "runs of ");
	text_add_clean(b, event->probe);
	buf_printf(b, " fail with %s", run_status_name(event->status));
}

static void add_no_data(const struct incident_event *event, struct buf *b)
{
	if (event->status == RUN_SKIPPED) {
		buf_add_text(b, "each run of ");
		text_add_clean(b, event->probe);
		buf_add_text(b, " was skipped for three intervals, at least an hour");
		return;
	}
	buf_add_text(b, "no result of ");
	text_add_clean(b, event->probe);
	buf_printf(b, " for %s intervals", event->level == ALARM_CRITICAL ? "six" : "three");
}

static void (*const findings[ALARM_REASONS])(const struct incident_event *event, struct buf *b) = {
	[ALARM_REASON_LIMIT] = add_limit,
	[ALARM_REASON_RELATIVE] = add_against_normal,
	[ALARM_REASON_TAIL] = add_tail,
	[ALARM_REASON_SLOW] = add_against_normal,
	[ALARM_REASON_THROUGHPUT] = add_throughput,
	[ALARM_REASON_STALL] = add_stall,
	[ALARM_REASON_HANG] = add_status,
	[ALARM_REASON_ERROR] = add_status,
	[ALARM_REASON_DRIFT] = add_drift,
	[ALARM_REASON_NO_DATA] = add_no_data,
	[ALARM_REASON_PEER] = add_peer,
	[ALARM_REASON_TARGET] = add_status,
	[ALARM_REASON_SPACE] = add_status,
	[ALARM_REASON_CUSTOM] = add_custom,
};

static void add_hits(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (event->window == 1)
		buf_add_text(b, " (in the last run");
	else if (event->window > 0 && incident_is_together(event))
		buf_printf(b, " (the last %u runs together", event->window);
	else if (event->window > 0)
		buf_printf(b, " (%u of the last %u runs", event->hits, event->window);
	if (event->window > 0 && e->confirmations > 0)
		buf_printf(b, ", confirmed by %u of %u extra runs", e->agreed, e->confirmations);
	if (event->window > 0)
		buf_add_char(b, ')');
	if (e->cause != ALARM_CAUSE_NONE)
		buf_printf(b, "; %s", cause_text[e->cause]);
}

static uint64_t age_usec(const struct incident_event *event)
{
	return event->time_usec > event->opened_usec
		? (uint64_t)(event->time_usec - event->opened_usec)
		: 0;
}

static void add_opened(const struct incident_event *event, struct buf *b)
{
	findings[event->reason](event, b);
	add_hits(event, b);
}

static void add_since(const struct incident_event *event, struct buf *b)
{
	buf_add_text(b, "; trouble since ");
	text_add_time(b, event->opened_usec);
	buf_add_text(b, " UTC (");
	text_add_duration(b, age_usec(event));
	buf_add_char(b, ')');
}

static void add_worse(const struct incident_event *event, struct buf *b)
{
	/* At warning level nothing can have risen: another series joined the incident. */
	buf_add_text(b, event->level == ALARM_CRITICAL ? "worse, critical: " : "worse, also ");
	add_opened(event, b);
	add_since(event, b);
}

static void add_again(const struct incident_event *event, const char *how, struct buf *b)
{
	buf_add_text(b, how);
	add_opened(event, b);
	add_since(event, b);
}

static void add_cleared(const struct incident_event *event, struct buf *b)
{
	buf_add_text(b, "cleared: ");
	if (incident_event_left(event)) {
		buf_add_text(b, "the repository was removed from the configuration");
	} else if (event->window == 0 ||
		(event->reason == ALARM_REASON_LIMIT && event->limit_nsec == 0)) {
		if (event->reason == ALARM_REASON_CUSTOM) {
			incident_add_alarm(event, b);
			buf_add_text(b, ": ");
		}
		add_subject(event, b);
		buf_add_text(b,
			alarm_reason_has_operation(event->reason) ? " are no longer judged"
								  : " is no longer judged");
	} else {
		if (event->reason == ALARM_REASON_LIMIT)
			add_limit(event, b);
		else if (event->reason == ALARM_REASON_CUSTOM)
			add_custom(event, b);
		else if (alarm_reason_has_operation(event->reason))
			add_average(event, b);
		else
			add_subject(event, b);
		if (event->window == 1)
			buf_add_text(b, " (one good run)");
		else
			buf_printf(b, " (%u good runs in a row)", event->window);
	}
	buf_printf(b, "; %s from ", alarm_level_name(event->level));
	text_add_time(b, event->opened_usec);
	buf_add_text(b, " to ");
	text_add_time(b, event->time_usec);
	buf_add_text(b, " UTC (");
	text_add_duration(b, age_usec(event));
	buf_add_char(b, ')');
}

void report_incident_sentence(const struct incident_event *event, struct buf *b)
{
	text_add_clean(b, event->repository);
	buf_add_text(b, ": ");
	switch (event->change) {
	case INCIDENT_OPENED:
		add_opened(event, b);
		return;
	case INCIDENT_WORSE:
		add_worse(event, b);
		return;
	case INCIDENT_CLEARED:
		add_cleared(event, b);
		return;
	case INCIDENT_JOINED:
		add_again(event, "also ", b);
		return;
	case INCIDENT_REOPENED:
		add_again(event, "again: ", b);
		return;
	case INCIDENT_FLAPPING:
		add_again(event, "comes and goes: ", b);
		return;
	}
}

void report_incident_group(const struct incident_group *group, bool has_names, struct buf *b)
{
	if (group->count == 0)
		return;
	buf_printf(b, "with %zu other%s on ", group->count, group->count == 1 ? "" : "s");
	text_add_clean(b, group->name);
	for (size_t i = 0; has_names && i < group->count && i < INCIDENT_GROUP_MAX; i++) {
		buf_add_text(b, i > 0 ? ", " : ": ");
		text_add_clean(b, group->repositories[i]);
	}
	if (has_names && group->count > INCIDENT_GROUP_MAX)
		buf_printf(b, " and %zu more", group->count - INCIDENT_GROUP_MAX);
}
