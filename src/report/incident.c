/* SPDX-License-Identifier: Apache-2.0 */
/* An incident's event as one sentence for a person who knows nothing else. */
#include "base/buf.h"
#include "base/parse.h"
#include "report/report.h"
#include "report/text.h"

static const char *const operations_text[RUN_OPERATIONS] = {
	[RUN_READ] = "reads",
	[RUN_WRITE] = "writes",
};

/* "writes of active-full take 23.9 ms on average, limit 15 ms" */
static void add_finding(const struct incident_event *event, struct buf *b)
{
	buf_printf(b, "%s of ", operations_text[event->operation]);
	text_add_clean(b, event->probe);
	buf_add_text(b, " take ");
	format_latency(b, event->value_nsec);
	buf_add_text(b, " on average, limit ");
	format_latency(b, event->limit_nsec);
}

static void add_hits(const struct incident_event *event, struct buf *b)
{
	buf_printf(b, " (%u of the last %u runs)", event->hits, event->window);
}

static uint64_t age_usec(const struct incident_event *event)
{
	return event->time_usec > event->opened_usec
		? (uint64_t)(event->time_usec - event->opened_usec)
		: 0;
}

static void add_opened(const struct incident_event *event, struct buf *b)
{
	add_finding(event, b);
	add_hits(event, b);
}

static void add_worse(const struct incident_event *event, struct buf *b)
{
	/* A warning cannot have risen to that: it was joined by another series. */
	buf_add_text(b, event->level == ALARM_CRITICAL ? "worse, critical: " : "worse, also ");
	add_finding(event, b);
	add_hits(event, b);
	buf_add_text(b, "; trouble since ");
	text_add_time(b, event->opened_usec);
	buf_add_text(b, " UTC (");
	text_add_duration(b, age_usec(event));
	buf_add_char(b, ')');
}

static void add_cleared(const struct incident_event *event, struct buf *b)
{
	buf_add_text(b, "cleared: ");
	if (event->limit_nsec > 0) {
		add_finding(event, b);
		buf_printf(b, " (%u good runs in a row)", event->window);
	} else {
		buf_printf(b, "%s of ", operations_text[event->operation]);
		text_add_clean(b, event->probe);
		buf_add_text(b, " are no longer judged");
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
	}
}
