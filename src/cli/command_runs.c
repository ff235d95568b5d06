/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe runs REPO`: the newest runs of one repository, one line each. */
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "report/report.h"
#include "store/store.h"

#define FUTURE_USEC INT64_C(60000000) /* clocks differ a little */
#define LIMIT_DEFAULT 20
#define LIMIT_MAX 100000

struct runs_request {
	bool is_json;
	const char *probe;
	uint64_t limit;
	size_t found;
	int64_t now_usec;
	struct json_t *runs;
	struct buf text;
};

static int set_limit(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	struct runs_request *request = target;
	(void)option;

	return parse_uint(value, 1, LIMIT_MAX, &request->limit, reterr);
}

static const struct cli_option options[] = {
	{ .name = "probe",
		.value_name = "PROBE",
		.help = "only runs of this probe",
		.set = option_set_text,
		.offset = offsetof(struct runs_request, probe) },
	{ .name = "limit",
		.value_name = "N",
		.help = "so many of the newest runs (default 20)",
		.set = set_limit },
	{ .name = "json",
		.help = "one JSON document, {\"runs\": [...]}, instead of a table",
		.set = option_set_flag,
		.offset = offsetof(struct runs_request, is_json) },
};

/* A run dated in the future gets a note: it is listed first, but is not the newest. */
static void add_line(const struct run *run, struct runs_request *request)
{
	report_run_list_line(run, &request->text);
	if (run->started_usec <= request->now_usec + FUTURE_USEC || request->text.len == 0)
		return;
	request->text.len--; /* drops the line break; the note ends the line */
	buf_add_text(&request->text, "  dated in the future: the clock was wrong\n");
}

static int add_run(void *data, const struct run *run)
{
	struct runs_request *request = data;

	request->found++;
	if (request->is_json)
		json_append(request->runs, report_run_json(run));
	else
		add_line(run, request);
	return request->text.error;
}

static int print(struct runs_request *request)
{
	if (!request->is_json)
		return cli_print(&request->text);
	struct json_t *document = json_new_object();
	json_add(document, "runs", request->runs);
	request->runs = NULL;
	return cli_print_json(document);
}

static int list(struct store_reader *reader, struct runs_request *request, const char *repository)
{
	struct store_run_filter filter = {
		.repository = repository,
		.probe = request->probe,
		.limit = (size_t)request->limit,
	};
	struct error error = { "" };

	report_run_list_header(&request->text);
	int r = store_read_runs(reader, &filter, add_run, request, &error);
	if (r < 0)
		return cli_complain(
			CLI_FAILED, "runs: %s", error.text[0] ? error.text : errno_text(-r));
	if (request->found == 0)
		return history_explain_nothing(reader, "runs", repository, request->probe);
	return print(request);
}

static int runs_handler(struct cli *cli, const struct command *command)
{
	struct runs_request request = { .limit = LIMIT_DEFAULT, .text = BUF_INIT(CLI_OUTPUT_MAX) };
	const struct option_group groups[] = {
		{ "Which, and how", options, sizeof(options) / sizeof(options[0]), &request },
	};
	struct store_reader *reader;
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	r = history_open(cli, &reader);
	if (r != CLI_GO_ON)
		return r;
	request.runs = json_new_array();
	request.now_usec = clock_realtime_usec(&cli->clock);
	r = list(reader, &request, cli->arguments.words[0]);
	store_reader_close(reader);
	json_free(request.runs);
	buf_done(&request.text);
	return r;
}

const struct command command_runs = {
	.name = "runs",
	.section = "History, also while the daemon is down",
	.operands = "REPO",
	.summary = "the newest runs of a repository",
	.help = "Lists the newest runs of a repository, newest first: when, which probe, how it\n"
		"ended, average latencies, throughput, and what makes a run doubtful.\n"
		"\n"
		"Examples:\n"
		"  repoprobe runs nas1\n"
		"  repoprobe runs --probe=active-full --limit=200 nas1\n"
		"  repoprobe runs --json nas1 | jq '.runs[0].operations.write.avg_seconds'\n",
	.min_operands = 1,
	.max_operands = 1,
	.reads_configuration = true,
	.handler = runs_handler,
};
