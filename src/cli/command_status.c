/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe status`: each repository's state, its reason, and its newest runs. */
#include <stdbool.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/status.h"
#include "cli/table.h"
#include "report/report.h"
#include "report/text.h"
#include "store/store.h"
#include "supervise/notes.h"

#define CELL_MAX 4096

struct status_request {
	bool is_json;
};

static const struct cli_option options[] = {
	{ .name = "json",
		.help = "one JSON document, {\"repositories\": [...]}, instead of tables",
		.set = option_set_flag,
		.offset = offsetof(struct status_request, is_json) },
};

static void add_age(struct table *t, int64_t then_usec, int64_t now_usec)
{
	struct buf cell = BUF_INIT(CELL_MAX);

	text_add_duration(&cell, now_usec > then_usec ? (uint64_t)(now_usec - then_usec) : 0);
	buf_add_text(&cell, " ago");
	table_add_buf(t, &cell);
	buf_done(&cell);
}

static void add_repositories(const struct status *status, int64_t now_usec, struct buf *b)
{
	struct table t = TABLE_INIT(4, 1 << 2);

	table_add(&t, "REPOSITORY");
	table_add(&t, "STATE");
	table_add(&t, "NEWEST RUN");
	table_add(&t, "WHY");
	for (size_t i = 0; i < status->count; i++) {
		const struct status_repository *repository = &status->repositories[i];

		table_add(&t, status_repository_name(repository));
		table_add(&t, repository_state_name(repository->state));
		add_age(&t, repository->newest_usec, now_usec);
		table_add(&t, repository->reason);
	}
	table_print(&t, b);
}

static int print_text(const struct status *status, int64_t now_usec)
{
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);

	if (status->count == 0) {
		buf_add_text(&b, "no runs yet\n");
		return cli_print(&b);
	}
	add_repositories(status, now_usec, &b);
	buf_add_char(&b, '\n');
	report_run_list_header(&b);
	for (size_t i = 0; i < status->count; i++)
		for (size_t k = 0; k < status->repositories[i].probe_count; k++)
			report_run_list_line(status->repositories[i].probes[k].last_run, &b);
	return cli_print(&b);
}

static struct json_t *probes_json(const struct status_repository *repository)
{
	struct json_t *probes = json_new_array();

	for (size_t i = 0; i < repository->probe_count; i++) {
		struct json_t *object = json_new_object();

		json_add_text(object, "name", repository->probes[i].name);
		if (repository->probes[i].stuck_since_usec != 0)
			json_add_instant(
				object, "stuck_since", repository->probes[i].stuck_since_usec);
		else
			json_add_null(object, "stuck_since");
		json_add(object, "last_run", report_run_json(repository->probes[i].last_run));
		json_append(probes, object);
	}
	return probes;
}

static struct json_t *incident_json(const struct alarm_state *alarm)
{
	struct json_t *object = json_new_object();

	json_add_integer(object, "id", alarm->incident_id);
	json_add_text(object, "level", alarm_level_name(alarm->incident_level));
	json_add_instant(object, "opened", alarm->incident_opened_usec);
	return object;
}

static int print_json(const struct status *status)
{
	struct json_t *document = json_new_object();
	struct json_t *repositories = json_new_array();

	for (size_t i = 0; i < status->count; i++) {
		const struct status_repository *repository = &status->repositories[i];
		struct json_t *object = json_new_object();

		json_add_text(object, "name", status_repository_name(repository));
		json_add_text(object, "state", repository_state_name(repository->state));
		json_add_text(object, "reason", repository->reason);
		if (repository->alarm && repository->alarm->incident_id != 0)
			json_add(object, "incident", incident_json(repository->alarm));
		else
			json_add_null(object, "incident");
		report_add_mute(object, &repository->mute);
		json_add(object, "probes", probes_json(repository));
		json_append(repositories, object);
	}
	json_add(document, "repositories", repositories);
	return cli_print_json(document);
}

/* Reads which workers are stuck at present, which the history does not have. A failure is reported
 * and does not prevent the rest of the output. */
static void read_notes(struct cli *cli, struct worker_note **ret, size_t *ret_count)
{
	struct buf path = BUF_INIT(CELL_MAX);
	struct error error = { "" };

	if (history_path(cli, NOTES_FILE_NAME, &path) == CLI_GO_ON &&
		notes_read(buf_text(&path), ret, ret_count, &error) < 0)
		(void)cli_complain(CLI_OK, "whether a worker is stuck at present is not known: %s",
			error.text);
	buf_done(&path);
}

static int status_handler(struct cli *cli, const struct command *command)
{
	struct status_request request = { 0 };
	const struct option_group groups[] = { { "Output", options, 1, &request } };
	struct status status;
	struct error error = { "" };
	struct store_reader *reader;
	int exit_code = cli_parse(cli, command, groups, 1);

	if (exit_code == CLI_GO_ON)
		exit_code = history_open(cli, &reader);
	if (exit_code != CLI_GO_ON)
		return exit_code;
	struct worker_note *notes = NULL;
	struct status_present present = { .now_usec = clock_realtime_usec(&cli->clock) };
	read_notes(cli, &notes, &present.note_count);
	present.notes = notes;
	/* A given --state-directory may belong to a daemon with another configuration. */
	if (cli->config_path || !cli->state_directory)
		(void)cli_find_places(cli); /* reports errors itself */
	present.config = cli->config;
	int r = status_read(reader, &present, &status, &error);
	free(notes);
	store_reader_close(reader);
	if (r < 0)
		return cli_complain(
			CLI_FAILED, "status: %s", error.text[0] ? error.text : errno_text(-r));
	exit_code = request.is_json ? print_json(&status) : print_text(&status, present.now_usec);
	status_done(&status);
	return exit_code;
}

const struct command command_status = {
	.name = "status",
	.section = "History, also while the daemon is down",
	.operands = "",
	.summary = "each repository's state and newest runs",
	.help = "Shows the state of each repository, the reason for it, and the newest run of\n"
		"each of its probes, all from the history: also while the daemon is down. The\n"
		"age of the newest run shows whether it is.\n"
		"\n"
		"Examples:\n"
		"  repoprobe status\n"
		"  repoprobe status --json | jq -r '.repositories[] | \"\\(.name) \\(.state)\"'\n",
	.reads_configuration = true,
	.handler = status_handler,
};
