/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents as JSON and CSV, the same for the command line and HTTP. */
#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "report/incident.h"
#include "report/report.h"

#define SENTENCE_MAX 4096

static void add_sentence(struct json_t *object, const struct incident_event *event)
{
	struct buf sentence = BUF_INIT(SENTENCE_MAX);

	report_incident_sentence(event, &sentence);
	json_add_text(object, "sentence", buf_text(&sentence));
	buf_done(&sentence);
}

/* Adds the probe and, if the reason has one, the operation. */
static void add_subject(struct json_t *object, const struct incident_event *event)
{
	json_add_text(object, "alarm", incident_event_reason(event));
	json_add_text(object, "probe", event->probe);
	if (alarm_reason_has_operation(event->reason))
		json_add_text(object, "operation", run_operation_name(event->operation));
	else
		json_add_null(object, "operation");
}

static struct json_t *new_acknowledgement(const struct incident *incident)
{
	struct json_t *object = json_new_object();

	json_add_instant(object, "time", incident->acknowledged_usec);
	json_add_integer(object, "uid", incident->acknowledged_uid);
	json_add_text(object, "reason",
		incident->acknowledged_text[0] != '\0' ? incident->acknowledged_text : NULL);
	return object;
}

/* Only for a closed incident: an open one's duration would differ in every response. */
static uint64_t lasted_usec(const struct incident *incident)
{
	return incident->closed_usec > incident->opened_usec
		? (uint64_t)(incident->closed_usec - incident->opened_usec)
		: 0;
}

static struct json_t *new_group(const struct incident_group *group)
{
	struct json_t *object = json_new_object();
	struct json_t *names = json_new_array();

	for (size_t i = 0; i < group->count && i < INCIDENT_GROUP_MAX; i++)
		json_append_text(names, group->repositories[i]);
	json_add_text(object, "name", group->name);
	json_add_integer(object, "others", (int64_t)group->count);
	json_add(object, "repositories", names);
	return object;
}

void incident_add_group(struct json_t *object, const struct incident_group *group)
{
	if (group->count > 0)
		json_add(object, "group", new_group(group));
	else
		json_add_null(object, "group");
}

struct json_t *report_incident_json(
	const struct incident *incident, const struct incident_group *group)
{
	struct json_t *object = json_new_object();

	json_add_integer(object, "id", incident->id);
	json_add_text(object, "repository", incident->repository);
	json_add_text(object, "level", alarm_level_name(incident->level));
	json_add_text(object, "state", incident->closed_usec ? "closed" : "open");
	json_add_instant(object, "opened", incident->opened_usec);
	if (incident->closed_usec) {
		json_add_instant(object, "closed", incident->closed_usec);
		json_add_seconds(object, "duration_seconds", lasted_usec(incident) * NSEC_PER_USEC);
	} else {
		json_add_null(object, "closed");
		json_add_null(object, "duration_seconds");
	}
	if (incident->acknowledged_usec)
		json_add(object, "acknowledged", new_acknowledgement(incident));
	else
		json_add_null(object, "acknowledged");
	incident_add_group(object, group);
	add_subject(object, &incident->last_event);
	add_sentence(object, &incident->last_event);
	return object;
}

static struct json_t *new_lines(const struct incident_event *event)
{
	struct json_t *array = json_new_array();
	struct buf line = BUF_INIT(SENTENCE_MAX);

	for (size_t i = 0; report_incident_line(event, i, &line); i++) {
		if (line.len > 0)
			json_append_text(array, buf_text(&line));
		buf_clear(&line);
	}
	buf_done(&line);
	return array;
}

/* Adds "value_seconds", …, depending on what is measured. */
static void add_measured(
	struct json_t *object, const struct incident_event *event, const char *what, uint64_t value)
{
	struct buf key = BUF_INIT(64);

	switch (incident_unit(event)) {
	case ALARM_UNIT_LATENCY:
		buf_printf(&key, "%s_seconds", what);
		json_add_seconds(object, buf_text(&key), value);
		break;
	case ALARM_UNIT_THROUGHPUT:
		buf_printf(&key, "%s_bytes_per_second", what);
		json_add_integer(object, buf_text(&key), (int64_t)value);
		break;
	case ALARM_UNIT_SHARE:
		buf_printf(&key, "%s_share", what);
		json_add_real(object, buf_text(&key), (double)value / 10000);
		break;
	case ALARM_UNIT_NUMBER:
		json_add_integer(object, what, (int64_t)value);
		break;
	}
	buf_done(&key);
}

static struct json_t *new_evidence(const struct incident_event *event)
{
	const struct alarm_evidence *e = &event->evidence;
	struct json_t *object = json_new_object();

	if (event->condition[0] != '\0')
		json_add_text(object, "condition", event->condition);
	add_measured(object, event, "value", e->value);
	if (e->normal > 0)
		add_measured(object, event, "normal", e->normal);
	if (e->normal_runs > 0) {
		add_measured(object, event, "normal_low", e->normal_low);
		add_measured(object, event, "normal_high", e->normal_high);
	}
	json_add_integer(object, "normal_runs", e->normal_runs);
	json_add_text(object, "load", load_class_name(e->load));
	if (e->load != LOAD_UNKNOWN)
		json_add_integer(
			object, "others_bytes_per_second", (int64_t)e->others_bytes_per_sec);
	json_add_integer(object, "confirmations", e->confirmations);
	json_add_integer(object, "confirmations_agreed", e->agreed);
	if (e->setup_step != RUN_SETUP_NONE)
		json_add_text(object, "setup_step", run_setup_step_name(e->setup_step));
	if (e->cause != ALARM_CAUSE_NONE)
		json_add_text(object, "suggests", incident_cause_text(e->cause));
	return object;
}

struct json_t *report_incident_event_json(const struct incident_event *event)
{
	struct json_t *object = json_new_object();

	json_add_integer(object, "sequence", event->sequence);
	json_add_instant(object, "time", event->time_usec);
	json_add_text(object, "change", incident_change_name(event->change));
	json_add_text(object, "level", alarm_level_name(event->level));
	add_subject(object, event);
	json_add_text(object, "status", run_status_name(event->status));
	json_add_integer(object, "hits", event->hits);
	json_add_integer(object, "window", event->window);
	add_sentence(object, event);
	json_add(object, "explain", new_lines(event));
	if (alarm_reason_has_operation(event->reason))
		json_add(object, "evidence", new_evidence(event));
	else
		json_add_null(object, "evidence");
	return object;
}

/* --- CSV: RFC 4180 -------------------------------------------------------- */

static void add_cell(struct buf *b, const char *text)
{
	buf_add_text(b, ",\"");
	for (; *text != '\0'; text++) {
		if (*text == '"')
			buf_add_char(b, '"');
		buf_add_char(b, *text);
	}
	buf_add_char(b, '"');
}

static void add_instant(struct buf *b, int64_t usec)
{
	buf_add_char(b, ',');
	if (usec != 0)
		format_instant(b, usec);
}

void report_incident_csv_header(struct buf *b)
{
	buf_add_text(b,
		"id,repository,state,level,opened,closed,duration_seconds,acknowledged,"
		"alarm,probe,operation,sentence\r\n");
}

void report_incident_csv_line(const struct incident *incident, struct buf *b)
{
	const struct incident_event *event = &incident->last_event;
	struct buf sentence = BUF_INIT(SENTENCE_MAX);

	buf_printf(b, "%lld", (long long)incident->id);
	add_cell(b, incident->repository);
	buf_printf(b, ",%s,%s", incident->closed_usec ? "closed" : "open",
		alarm_level_name(incident->level));
	add_instant(b, incident->opened_usec);
	add_instant(b, incident->closed_usec);
	buf_add_char(b, ',');
	if (incident->closed_usec)
		buf_printf(b, "%.6f", (double)lasted_usec(incident) / (double)USEC_PER_SEC);
	add_instant(b, incident->acknowledged_usec);
	if (event->reason == ALARM_REASON_CUSTOM)
		add_cell(b, incident_event_reason(event));
	else
		buf_printf(b, ",%s", alarm_reason_name(event->reason));
	add_cell(b, event->probe);
	buf_printf(b, ",%s",
		alarm_reason_has_operation(event->reason) ? run_operation_name(event->operation)
							  : "");
	report_incident_sentence(event, &sentence);
	add_cell(b, buf_text(&sentence));
	buf_add_text(b, "\r\n");
	buf_done(&sentence);
}
