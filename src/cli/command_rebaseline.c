/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe rebaseline`: has the daemon relearn a repository's baseline. */
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/control_client.h"

static int rebaseline_handler(struct cli *cli, const struct command *command)
{
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	struct json_t *json = json_new_object();
	json_add_text(json, "command", "rebaseline");
	json_add_text(json, "repository", cli->arguments.words[0]);
	if (cli->arguments.count > 1)
		json_add_text(json, "probe", cli->arguments.words[1]);
	return control_request(cli, json, "what is normal is learned again");
}

const struct command command_rebaseline = {
	.name = "rebaseline",
	.section = "The daemon",
	.operands = "REPO [PROBE]",
	.summary = "learn again what is normal at a repository",
	.help = "Forgets what is normal at a repository, or for one of its probes, and learns it\n"
		"again: after storage has been replaced on purpose, or when slower is to be\n"
		"normal from now on. Limits hold meanwhile. For the whole repository it also\n"
		"accepts what is mounted there at the next run, whatever was there before.\n"
		"\n"
		"Examples:\n"
		"  repoprobe rebaseline nas1\n"
		"  repoprobe rebaseline nas1 active-full\n",
	.min_operands = 1,
	.max_operands = 2,
	.reads_configuration = true,
	.handler = rebaseline_handler,
};
