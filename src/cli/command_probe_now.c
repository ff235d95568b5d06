/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe probe-now`: has the daemon run a repository's probes now, off schedule. */
#include "base/buf.h"
#include "base/json.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/control_client.h"

#define DONE_MAX 8192

static int probe_now_handler(struct cli *cli, const struct command *command)
{
	struct buf done = BUF_INIT(DONE_MAX);
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	const char *repository = cli->arguments.words[0];
	const char *probe = cli->arguments.count > 1 ? cli->arguments.words[1] : NULL;
	struct json_t *request = json_new_object();
	json_add_text(request, "command", "probe-now");
	json_add_text(request, "repository", repository);
	if (probe)
		json_add_text(request, "probe", probe);
	buf_printf(&done, "%s%s%s is due now; \"repoprobe runs %s\" shows the result", repository,
		probe ? ": " : "", probe ? probe : "", repository);
	r = control_request(cli, request, buf_text(&done));
	buf_done(&done);
	return r;
}

const struct command command_probe_now = {
	.name = "probe-now",
	.section = "The daemon",
	.operands = "REPO [PROBE]",
	.summary = "let the daemon probe a repository now",
	.help = "Asks the running daemon to run a repository's probes now, or only one of them.\n"
		"The results are kept and judged like those of scheduled runs; \"repoprobe runs\"\n"
		"shows them when they are there.\n"
		"\n"
		"Examples:\n"
		"  repoprobe probe-now nas1\n"
		"  repoprobe probe-now nas1 active-full && sleep 10 && repoprobe runs nas1\n",
	.min_operands = 1,
	.max_operands = 2,
	.reads_configuration = true,
	.handler = probe_now_handler,
};
