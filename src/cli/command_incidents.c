/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe incidents`: the stretches of trouble, newest first. */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/table.h"
#include "report/report.h"
#include "report/text.h"
#include "store/store.h"

#define LIMIT 100
#define COLUMNS 6
#define CELL_MAX 4096

struct incidents_request {
	bool is_json;
	int64_t now_usec;
	size_t found;
	struct json_t *incidents;
	struct table table;
};

static const struct cli_option options[] = {
	{ .name = "json",
		.help = "one JSON document, {\"incidents\": [...]}, instead of a table",
		.set = option_set_flag,
		.offset = offsetof(struct incidents_request, is_json) },
	{ .name = "explain", .value_name = "ID", .help = "", .is_planned = true },
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

static void add_row(struct incidents_request *request, const struct store_incident *incident)
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
	report_incident_sentence(&incident->last_event, &cell);
	table_add_buf(t, &cell);
	buf_done(&cell);
}

static struct json_t *incident_json(const struct store_incident *incident)
{
	struct json_t *object = json_new_object();
	struct buf sentence = BUF_INIT(CELL_MAX);

	report_incident_sentence(&incident->last_event, &sentence);
	json_add_integer(object, "id", incident->id);
	json_add_text(object, "repository", incident->repository);
	json_add_text(object, "level", alarm_level_name(incident->level));
	json_add_text(object, "state", incident->closed_usec ? "closed" : "open");
	json_add_instant(object, "opened", incident->opened_usec);
	if (incident->closed_usec)
		json_add_instant(object, "closed", incident->closed_usec);
	else
		json_add_null(object, "closed");
	json_add_text(object, "alarm", alarm_reason_name(incident->last_event.reason));
	json_add_text(object, "probe", incident->last_event.probe);
	json_add_text(object, "operation", run_operation_name(incident->last_event.operation));
	json_add_text(object, "sentence", buf_text(&sentence));
	buf_done(&sentence);
	return object;
}

static int add_incident(void *data, const struct store_incident *incident)
{
	struct incidents_request *request = data;

	request->found++;
	if (request->is_json)
		json_append(request->incidents, incident_json(incident));
	else
		add_row(request, incident);
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
		"WHAT WAS SAID LAST",
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

static int list(const struct cli *cli, struct incidents_request *request)
{
	struct store_reader *reader;
	struct error error = { "" };
	int exit_code = history_open(cli, &reader);

	if (exit_code != CLI_GO_ON)
		return exit_code;
	add_header(&request->table);
	int r = store_read_incidents(reader, false, LIMIT, add_incident, request, &error);
	store_reader_close(reader);
	if (r < 0)
		return cli_complain(
			CLI_FAILED, "incidents: %s", error.text[0] ? error.text : errno_text(-r));
	return print(request);
}

static int incidents_handler(struct cli *cli, const struct command *command)
{
	struct incidents_request request = {
		.now_usec = clock_realtime_usec(&cli->clock),
		.table = TABLE_INIT(COLUMNS, 1 << 0),
	};
	const struct option_group groups[] = {
		{ "Output", options, sizeof(options) / sizeof(options[0]), &request },
	};
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	request.incidents = json_new_array();
	r = list(cli, &request);
	json_free(request.incidents);
	buf_done(&request.table.cells);
	return r;
}

const struct command command_incidents = {
	.name = "incidents",
	.section = "History, also while the daemon is down",
	.operands = "",
	.summary = "the stretches of trouble, newest first",
	.help = "Lists the 100 newest incidents. An incident is one stretch of trouble of one\n"
		"repository: it opens with the first alarm and closes when the last has cleared.\n"
		"\n"
		"Examples:\n"
		"  repoprobe incidents\n"
		"  repoprobe incidents --json | jq '.incidents[] | select(.state == \"open\")'\n",
	.reads_configuration = true,
	.handler = incidents_handler,
};
