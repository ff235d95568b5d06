/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe reload`: has the daemon reload its configuration, all of it or none. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/control_client.h"

static int reload_handler(struct cli *cli, const struct command *command)
{
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	struct json_t *request = json_new_object();
	json_add_text(request, "command", "reload");
	return control_request(cli, request, "the configuration was reloaded");
}

const struct command command_reload = {
	.name = "reload",
	.section = "The daemon",
	.operands = "",
	.summary = "let the daemon reload its configuration",
	.help = "Asks the running daemon to reload its configuration, like SIGHUP, and prints the\n"
		"result. It is all or nothing: after any error the old configuration stays in\n"
		"force.\n"
		"\n"
		"Examples:\n"
		"  repoprobe config check && repoprobe reload\n",
	.reads_configuration = true,
	.handler = reload_handler,
};
