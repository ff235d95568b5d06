/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe ack`: acknowledges an incident. */
#include <string.h>

#include "base/json.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/control_client.h"
#include "model/mute.h"

struct ack_request {
	const char *reason; /* NULL: not given */
};

static const struct cli_option options[] = {
	{ .name = "reason",
		.value_name = "TEXT",
		.help = "what is being done, shown to everyone who looks at it",
		.set = option_set_text,
		.offset = offsetof(struct ack_request, reason) },
};

static int ack_handler(struct cli *cli, const struct command *command)
{
	struct ack_request request = { .reason = NULL };
	const struct option_group groups[] = {
		{ "How", options, sizeof(options) / sizeof(options[0]), &request },
	};
	int r = cli_parse(cli, command, groups, 1);

	if (r != CLI_GO_ON)
		return r;
	if (request.reason &&
		(strlen(request.reason) > MUTE_REASON_MAX || !parse_is_utf8(request.reason)))
		return cli_complain(CLI_USAGE, "ack: --reason: expected at most %d bytes of UTF-8",
			MUTE_REASON_MAX);
	struct json_t *json = json_new_object();
	json_add_text(json, "command", "ack");
	if (cli->arguments.count > 0)
		json_add_text(json, "repository", cli->arguments.words[0]);
	if (request.reason)
		json_add_text(json, "reason", request.reason);
	return control_request(cli, json, "acknowledged");
}

const struct command command_ack = {
	.name = "ack",
	.section = "The daemon",
	.operands = "[REPO]",
	.summary = "acknowledge an incident: no more messages unless it gets worse",
	.help = "Acknowledges a repository's open incident, or all open incidents when none is\n"
		"named. No more messages are sent about it until it gets worse or is over. The\n"
		"acknowledgement is kept in the history, with your reason.\n"
		"\n"
		"Examples:\n"
		"  repoprobe ack nas1 --reason='fan is ordered'\n"
		"  repoprobe ack\n",
	.max_operands = 1,
	.reads_configuration = true,
	.handler = ack_handler,
};
