/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe reload`: the daemon reads its configuration anew, all of it or none. */
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
	return control_request(cli, request, "the configuration was read anew");
}

const struct command command_reload = {
	.name = "reload",
	.section = "The daemon",
	.operands = "",
	.summary = "let the daemon read its configuration anew",
	.help = "Asks the running daemon to read its configuration anew, like SIGHUP, and tells\n"
		"how it went. It is all or nothing: after any error the old configuration stays\n"
		"in force.\n"
		"\n"
		"Examples:\n"
		"  repoprobe config check && repoprobe reload\n",
	.reads_configuration = true,
	.handler = reload_handler,
};
