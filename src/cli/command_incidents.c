/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe incidents`: lists incidents, newest first, or explains one. */
#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/table.h"
#include "report/report.h"
#include "report/text.h"
#include "store/store.h"

#define LIMIT_DEFAULT 100
#define LIMIT_MAX 100000
#define COLUMNS 6
#define CELL_MAX 4096

struct incidents_request {
	bool is_json;
	const char *repository; /* NULL: all */
	enum store_incident_state state;
	int64_t explained_id; /* 0: list incidents */
	uint64_t limit;
	int64_t now_usec;
	size_t found;
	struct store_reader *reader;
	struct error error;
	struct json_t *incidents;
	struct table table;
};

static int set_state(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	static const char *const states[] = {
		[STORE_INCIDENTS_ALL] = "all",
		[STORE_INCIDENTS_OPEN] = "open",
		[STORE_INCIDENTS_CLOSED] = "closed",
	};
	struct incidents_request *request = target;
	(void)option;

	for (size_t i = 0; i < sizeof(states) / sizeof(states[0]); i++)
		if (strcmp(states[i], value) == 0) {
			request->state = (enum store_incident_state)i;
			return 0;
		}
	return error_set(reterr, -EINVAL, "%s: expected open, closed or all", value);
}

static int set_explained(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct incidents_request *request = target;
	(void)option;

	return parse_int(value, 1, INT64_MAX, &request->explained_id, reterr);
}

static int set_limit(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct incidents_request *request = target;
	(void)option;

	return parse_uint(value, 1, LIMIT_MAX, &request->limit, reterr);
}

static const struct cli_option options[] = {
	{ .name = "explain",
		.value_name = "ID",
		.help = "one incident: its messages, and the measurements behind them",
		.set = set_explained },
	{ .name = "repository",
		.value_name = "REPO",
		.help = "only incidents of this repository",
		.set = option_set_text,
		.offset = offsetof(struct incidents_request, repository) },
	{ .name = "state",
		.value_name = "STATE",
		.help = "only those that are open, or closed (default: all)",
		.set = set_state },
	{ .name = "limit",
		.value_name = "N",
		.help = "so many of the newest incidents (default 100)",
		.set = set_limit },
	{ .name = "json",
		.help = "one JSON document: {\"incidents\": [...]}, or the one explained",
		.set = option_set_flag,
		.offset = offsetof(struct incidents_request, is_json) },
};

static void add_time(struct table *t, int64_t usec)
{
	struct buf cell = BUF_INIT(CELL_MAX);

	if (usec != 0)
		text_add_time(&cell, usec);
	else
		buf_add_text(&cell, "open");
	table_add_buf(t, &cell);
	buf_done(&cell);
}

static void add_said(
	const struct incident *incident, const struct incident_group *group, struct buf *cell)
{
	report_incident_sentence(&incident->last_event, cell);
	if (group->count > 0)
		buf_add_text(cell, "; ");
	report_incident_group(group, false, cell);
}

static void add_row(struct incidents_request *request, const struct incident *incident,
	const struct incident_group *group)
{
	struct table *t = &request->table;
	struct buf cell = BUF_INIT(CELL_MAX);
	int64_t end_usec = incident->closed_usec ? incident->closed_usec : request->now_usec;

	buf_printf(&cell, "%" PRId64, incident->id);
	table_add_buf(t, &cell);
	add_time(t, incident->opened_usec);
	add_time(t, incident->closed_usec);
	if (end_usec > incident->opened_usec)
		text_add_duration(&cell, (uint64_t)(end_usec - incident->opened_usec));
	table_add_buf(t, &cell);
	table_add(t, alarm_level_name(incident->level));
	add_said(incident, group, &cell);
	table_add_buf(t, &cell);
	buf_done(&cell);
}

static int add_incident(void *data, const struct incident *incident)
{
	struct incidents_request *request = data;
	struct incident_group group;
	int r = store_read_group(request->reader, incident, &group, &request->error);

	if (r < 0)
		return r;
	request->found++;
	if (request->is_json)
		json_append(request->incidents, report_incident_json(incident, &group));
	else
		add_row(request, incident, &group);
	return 0;
}

static void add_header(struct table *t)
{
	static const char *const titles[COLUMNS] = {
		"INCIDENT",
		"OPENED (UTC)",
		"CLOSED (UTC)",
		"LASTED",
		"LEVEL",
		"LAST MESSAGE",
	};

	for (size_t i = 0; i < COLUMNS; i++)
		table_add(t, titles[i]);
}

static int print(struct incidents_request *request)
{
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);

	if (request->is_json) {
		struct json_t *document = json_new_object();
		json_add(document, "incidents", request->incidents);
		request->incidents = NULL;
		return cli_print_json(document);
	}
	if (request->found > 0)
		table_print(&request->table, &b);
	else
		buf_add_text(&b, "no incidents\n");
	return cli_print(&b);
}

static int refuse(int r, const struct error *error)
{
	return cli_complain(
		CLI_FAILED, "incidents: %s", error->text[0] ? error->text : errno_text(-r));
}

static int list(struct store_reader *reader, struct incidents_request *request)
{
	const struct store_incident_filter filter = {
		.repository = request->repository,
		.state = request->state,
		.limit = (size_t)request->limit,
	};

	add_header(&request->table);
	request->reader = reader;
	int r = store_read_incidents(reader, &filter, add_incident, request, &request->error);
	return r < 0 ? refuse(r, &request->error) : print(request);
}

/* --- One incident --------------------------------------------------------- */

struct explanation {
	bool is_json;
	int64_t now_usec;
	struct store_reader *reader;
	struct error error;
	bool is_found;
	struct json_t *document;
	struct json_t *events;
	struct buf text;
};

static void add_head(
	struct explanation *x, const struct incident *incident, const struct incident_group *group)
{
	int64_t end_usec = incident->closed_usec ? incident->closed_usec : x->now_usec;

	buf_printf(&x->text, "incident %" PRId64 " of ", incident->id);
	text_add_clean(&x->text, incident->repository);
	buf_printf(&x->text, ": %s, %s, from ", alarm_level_name(incident->level),
		incident->closed_usec ? "closed" : "open");
	text_add_time(&x->text, incident->opened_usec);
	if (incident->closed_usec) {
		buf_add_text(&x->text, " to ");
		text_add_time(&x->text, incident->closed_usec);
	}
	buf_add_text(&x->text, " UTC (");
	text_add_duration(&x->text,
		end_usec > incident->opened_usec ? (uint64_t)(end_usec - incident->opened_usec)
						 : 0);
	buf_add_text(&x->text, ")\n");
	report_incident_group(group, true, &x->text);
	buf_add_text(&x->text, group->count > 0 ? "\n" : "");
	if (incident->acknowledged_usec == 0)
		return;
	buf_add_text(&x->text, "acknowledged ");
	text_add_time(&x->text, incident->acknowledged_usec);
	buf_printf(&x->text, " UTC by uid %" PRIu32, incident->acknowledged_uid);
	if (incident->acknowledged_text[0] != '\0') {
		buf_add_text(&x->text, ": ");
		text_add_clean(&x->text, incident->acknowledged_text);
	}
	buf_add_char(&x->text, '\n');
}

static int explain_incident(void *data, const struct incident *incident)
{
	struct explanation *x = data;
	struct incident_group group;
	int r = store_read_group(x->reader, incident, &group, &x->error);

	if (r < 0)
		return r;
	x->is_found = true;
	if (x->is_json)
		x->document = report_incident_json(incident, &group);
	else
		add_head(x, incident, &group);
	return x->text.error;
}

static int explain_event(void *data, const struct incident_event *event)
{
	struct explanation *x = data;
	struct buf line = BUF_INIT(CELL_MAX);

	if (x->is_json) {
		json_append(x->events, report_incident_event_json(event));
		return 0;
	}
	buf_add_char(&x->text, '\n');
	text_add_time(&x->text, event->time_usec);
	buf_printf(&x->text, " UTC, %s, %s\n  ", incident_change_name(event->change),
		alarm_level_name(event->level));
	report_incident_sentence(event, &x->text);
	buf_add_char(&x->text, '\n');
	for (size_t i = 0; report_incident_line(event, i, &line); i++) {
		if (line.len > 0)
			buf_printf(&x->text, "    %s\n", buf_text(&line));
		buf_clear(&line);
	}
	buf_done(&line);
	return x->text.error;
}

static int print_explanation(struct explanation *x)
{
	if (!x->is_json)
		return cli_print(&x->text);
	json_add(x->document, "events", x->events);
	struct json_t *document = x->document;
	x->document = NULL;
	x->events = NULL;
	return cli_print_json(document);
}

static int explain(struct store_reader *reader, const struct incidents_request *request)
{
	const struct store_incident_filter filter = { .id = request->explained_id };
	struct explanation x = {
		.is_json = request->is_json,
		.now_usec = request->now_usec,
		.reader = reader,
		.events = json_new_array(),
		.text = BUF_INIT(CLI_OUTPUT_MAX),
	};

	int r = store_read_incidents(reader, &filter, explain_incident, &x, &x.error);
	if (r == 0 && x.is_found)
		r = store_read_events(reader, filter.id, explain_event, &x, &x.error);
	int exit_code;
	if (r < 0)
		exit_code = refuse(r, &x.error);
	else if (!x.is_found)
		exit_code = cli_complain(CLI_FAILED, "incidents: there is no incident %" PRId64,
			request->explained_id);
	else
		exit_code = print_explanation(&x);
	(void)json_free(x.document);
	(void)json_free(x.events);
	buf_done(&x.text);
	return exit_code;
}

static int carry_out(struct cli *cli, struct incidents_request *request)
{
	struct store_reader *reader;
	int exit_code = history_open(cli, &reader);

	if (exit_code != CLI_GO_ON)
		return exit_code;
	exit_code = request->explained_id ? explain(reader, request) : list(reader, request);
	store_reader_close(reader);
	return exit_code;
}

static int incidents_handler(struct cli *cli, const struct command *command)
{
	struct incidents_request request = {
		.limit = LIMIT_DEFAULT,
		.now_usec = clock_realtime_usec(&cli->clock),
		.table = TABLE_INIT(COLUMNS, 1 << 0),
	};
	const struct option_group groups[] = {
		{ "Which, and how", options, sizeof(options) / sizeof(options[0]), &request },
	};
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	request.incidents = json_new_array();
	r = carry_out(cli, &request);
	json_free(request.incidents);
	buf_done(&request.table.cells);
	return r;
}

const struct command command_incidents = {
	.name = "incidents",
	.section = "History, also while the daemon is down",
	.operands = "",
	.summary = "the periods of trouble, newest first",
	.help = "Lists the 100 newest incidents. An incident is one period of trouble of one\n"
		"repository: it opens with the first alarm and closes when the last has cleared.\n"
		"With --explain it shows for one of them what was measured, what is normal, what\n"
		"others did meanwhile, and what the percentiles suggest.\n"
		"\n"
		"Examples:\n"
		"  repoprobe incidents --state=open\n"
		"  repoprobe incidents --explain=12\n"
		"  repoprobe incidents --json | jq '.incidents[] | select(.state == \"open\")'\n",
	.reads_configuration = true,
	.handler = incidents_handler,
};
