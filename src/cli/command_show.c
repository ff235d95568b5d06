/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe show RUN`: one run of the history, in full. */
#include <inttypes.h>
#include <stdbool.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/format_option.h"
#include "cli/history.h"
#include "model/run.h"
#include "report/format.h"
#include "store/store.h"

struct show_request {
	const struct report_format *format;
	bool is_found;
	int exit_code;
};

static const struct cli_option options[] = {
	{ .name = "format",
		.value_name = "FORMAT",
		.help = "text (default), json (one document), xdisk (a row of its columns) or"
			" fio-json (fio's json+)",
		.set = format_option_set,
		.offset = offsetof(struct show_request, format) },
	{ .name = "json",
		.help = "the same as --format=json",
		.set = format_option_set,
		.offset = offsetof(struct show_request, format) },
};

static int show_run(void *data, const struct run *run)
{
	struct show_request *request = data;
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);

	request->is_found = true;
	if (request->format->needs_numbers && !run_status_has_numbers(run->status)) {
		request->exit_code = cli_complain(CLI_FAILED,
			"show: run %" PRId64 " (%s) has no measurements for %s to show", run->id,
			run_status_name(run->status), request->format->name);
		return 0;
	}
	request->format->write(run, &b);
	request->exit_code = cli_print(&b);
	return 0;
}

static int show(struct cli *cli, struct show_request *request, uint64_t id)
{
	struct store_run_filter filter = { .id = (int64_t)id, .limit = 1 };
	struct store_reader *reader;
	struct error error = { "" };
	int exit_code = history_open(cli, &reader);

	if (exit_code != CLI_GO_ON)
		return exit_code;
	int r = store_read_runs(reader, &filter, show_run, request, &error);
	store_reader_close(reader);
	if (r < 0)
		return cli_complain(
			CLI_FAILED, "show: %s", error.text[0] ? error.text : errno_text(-r));
	if (!request->is_found)
		return cli_complain(CLI_FAILED,
			"show: the history has no run %" PRIu64
			"; \"repoprobe runs REPO\" lists those it has",
			id);
	return request->exit_code;
}

static int show_handler(struct cli *cli, const struct command *command)
{
	struct show_request request = { .format = report_format_at(0) };
	struct error error = { "" };
	const struct option_group groups[] = {
		{ "Output", options, sizeof(options) / sizeof(options[0]), &request },
	};
	uint64_t id;
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	if (parse_uint(cli->arguments.words[0], 1, INT64_MAX, &id, &error) < 0)
		return cli_complain(CLI_USAGE, "show: the number of a run: %s", error.text);
	return show(cli, &request, id);
}

const struct command command_show = {
	.name = "show",
	.section = "History, also while the daemon is down",
	.operands = "RUN",
	.summary = "one run in full, by its number",
	.help = "Prints one run of the history in full, like the report of \"repoprobe run\":\n"
		"parameters, throughput, latency, percentiles, and how far the numbers can be\n"
		"trusted.\n"
		"\n"
		"Examples:\n"
		"  repoprobe show 4711\n"
		"  repoprobe show --json 4711 | jq .operations\n",
	.min_operands = 1,
	.max_operands = 1,
	.reads_configuration = true,
	.handler = show_handler,
};
