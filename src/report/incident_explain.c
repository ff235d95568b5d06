/* SPDX-License-Identifier: Apache-2.0 */
/* The evidence of an incident's event, line by line: what was measured, what is normal, how often,
 * what others did meanwhile, and what the percentiles suggest. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/parse.h"
#include "report/incident.h"
#include "report/report.h"
#include "report/text.h"

#define WINDOW_DAYS 28 /* that a normal is computed from, at most */

/* Writes one line, or nothing when it does not apply. */
typedef void line_writer(const struct incident_event *event, struct buf *b);

static bool is_about_numbers(const struct incident_event *event)
{
	return alarm_reason_has_operation(event->reason) && event->change != INCIDENT_CLEARED;
}

/* A set-up step has neither a limit nor a normal. */
static bool is_about_setup(const struct incident_event *event)
{
	return is_about_numbers(event) && event->evidence.setup_step != RUN_SETUP_NONE;
}

static const char *what_is_measured(enum alarm_rule rule)
{
	switch (rule) {
	case ALARM_RULE_TAIL:
		return "one in twenty takes more than";
	case ALARM_RULE_CACHE:
		return "I/Os as fast as from a cache:";
	case ALARM_RULE_THROUGHPUT:
	case ALARM_RULE_THROUGHPUT_HELD:
		return "throughput";
	case ALARM_RULE_LIMIT:
	case ALARM_RULE_LIMIT_HELD:
	case ALARM_RULE_RELATIVE:
	case ALARM_RULE_SLOW:
	case ALARM_RULE_STALL:
	case ALARM_RULE_DRIFT:
	case ALARM_RULE_PEER:
	case ALARM_RULE_RELATIVE_BUSY:
		return "average";
	}
	return "average";
}

static void write_custom(const struct incident_event *event, struct buf *b)
{
	incident_add_alarm(event, b);
	if (event->window == 0)
		return; /* the alarm is no longer judged */
	buf_printf(b, ": %s, measured ", run_operation_name(event->operation));
	incident_add_value(event, event->evidence.value, b);
}

static void write_measured(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (!alarm_reason_has_operation(event->reason)) {
		if (event->change != INCIDENT_CLEARED && event->reason != ALARM_REASON_NO_DATA)
			buf_printf(b, "the run failed with %s", run_status_name(event->status));
		return;
	}
	if (event->reason == ALARM_REASON_CUSTOM) {
		write_custom(event, b);
		return;
	}
	if (is_about_setup(event)) {
		buf_printf(b, "measured: before the first I/O, %s took ",
			run_setup_step_text(e->setup_step));
		format_latency(b, e->value);
		return;
	}
	buf_printf(b, "measured: %s %s ", run_operation_name(event->operation),
		what_is_measured(e->rule));
	/* Rows from before evidence was stored have only the average. */
	if (e->value > 0 || incident_unit(event) != ALARM_UNIT_LATENCY)
		incident_add_value(event, e->value, b);
	else
		format_latency(b, event->value_nsec);
	if (event->limit_nsec == 0)
		return;
	buf_add_text(b,
		incident_unit(event) == ALARM_UNIT_LATENCY ? ", limit "
							   : ", limit of the average ");
	format_latency(b, event->limit_nsec);
}

static void write_peers(const struct alarm_evidence *e, struct buf *b)
{
	buf_add_text(b, "repositories on the same storage at the same time: ");
	format_latency(b, e->normal);
}

static void write_normal(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (!is_about_numbers(event) || is_about_setup(event))
		return;
	if (e->rule == ALARM_RULE_PEER && e->normal > 0) {
		write_peers(e, b);
		return;
	}
	if (event->reason == ALARM_REASON_CUSTOM) {
		if (e->normal > 0) {
			buf_printf(b, "normal %s: ", incident_load_text(e->load));
			incident_add_value(event, e->normal, b);
		}
		return;
	}
	if (e->normal_runs == 0) {
		buf_add_text(b, "normal: not known yet for this load");
		return;
	}
	buf_printf(b, "normal %s at this hour: ", incident_load_text(e->load));
	incident_add_value(event, e->normal, b);
	buf_add_text(b, ", usual range ");
	incident_add_value(event, e->normal_low, b);
	buf_add_text(b, " to ");
	incident_add_value(event, e->normal_high, b);
	buf_printf(b, " (%u runs of the last %d days)", e->normal_runs, WINDOW_DAYS);
}

static void write_factor(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (!is_about_numbers(event) || e->normal == 0 || e->value == 0)
		return;
	if (incident_unit(event) == ALARM_UNIT_LATENCY) {
		buf_add_text(b, "that is ");
		text_add_factor(b, e->value, e->normal);
		buf_add_text(b, e->rule == ALARM_RULE_PEER ? " as much" : " the normal");
		return;
	}
	buf_printf(b, "that is %u %% of the normal",
		(unsigned)((unsigned __int128)e->value * 100 / e->normal));
}

static void write_count(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (event->window == 0)
		return;
	if (event->change == INCIDENT_CLEARED) {
		buf_printf(b, "good runs in a row: %u", event->window);
		return;
	}
	if (event->window == 1)
		buf_add_text(b, "in the last run");
	else if (incident_is_together(event))
		buf_printf(b, "the last %u runs together", event->window);
	else
		buf_printf(b, "in %u of the last %u runs", event->hits, event->window);
	if (e->confirmations > 0)
		buf_printf(b, "; confirmed by %u of %u extra runs", e->agreed, e->confirmations);
}

static void write_load(const struct incident_event *event, struct buf *b)
{
	const struct alarm_evidence *e = &event->evidence;

	if (!is_about_numbers(event))
		return;
	if (e->load == LOAD_UNKNOWN) {
		buf_add_text(b, "other load during the run: not known");
		return;
	}
	buf_add_text(b, "other load during the run: ");
	format_size_rounded(b, e->others_bytes_per_sec);
	buf_printf(b, "/s (%s)", load_class_name(e->load));
}

static void write_since(const struct incident_event *event, struct buf *b)
{
	if (event->change == INCIDENT_OPENED)
		return;
	buf_add_text(b, "the incident began at ");
	text_add_time(b, event->opened_usec);
	buf_add_text(b, " UTC");
	if (event->time_usec <= event->opened_usec)
		return;
	buf_add_text(b, ", ");
	text_add_duration(b, (uint64_t)(event->time_usec - event->opened_usec));
	buf_add_text(b, " before");
}

static const struct {
	enum alarm_moved bit;
	const char *name;
} moved_texts[] = {
	{ ALARM_MOVED_P50, "p50" },
	{ ALARM_MOVED_P95, "p95" },
	{ ALARM_MOVED_P99, "p99" },
	{ ALARM_MOVED_MAX, "the longest" },
	{ ALARM_MOVED_FAST_SHARE, "the share of fast I/Os" },
	{ ALARM_MOVED_THROUGHPUT, "throughput" },
};

static void write_moved(const struct incident_event *event, struct buf *b)
{
	const char *separator = "worse than normal: ";

	if (!is_about_numbers(event) || is_about_setup(event))
		return;
	for (size_t i = 0; i < sizeof(moved_texts) / sizeof(moved_texts[0]); i++) {
		if (!(event->evidence.moved & moved_texts[i].bit))
			continue;
		buf_printf(b, "%s%s", separator, moved_texts[i].name);
		separator = ", ";
	}
}

static void write_cause(const struct incident_event *event, struct buf *b)
{
	if (is_about_numbers(event) && event->evidence.cause != ALARM_CAUSE_NONE)
		buf_printf(b, "that suggests: %s", incident_cause_text(event->evidence.cause));
}

static line_writer *const lines[] = {
	write_measured,
	write_normal,
	write_factor,
	write_count,
	write_load,
	write_moved,
	write_cause,
	write_since,
};

bool report_incident_line(const struct incident_event *event, size_t i, struct buf *b)
{
	if (i >= sizeof(lines) / sizeof(lines[0]))
		return false;
	lines[i](event, b);
	return true;
}
