/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe help`: the list of commands, or one command's help. */
#include <string.h>

#include "base/buf.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/help.h"

#define LIST_MAX 16384
#define NAME_WIDTH 24

static void add_list(struct buf *b)
{
	const char *section = "";
	struct buf name = BUF_INIT(LIST_MAX);

	for (size_t i = 0; command_at(i); i++) {
		const struct command *command = command_at(i);

		if (strcmp(section, command->section) != 0) {
			section = command->section;
			buf_printf(b, "\n%s:\n", section);
		}
		buf_clear(&name);
		buf_printf(&name, "%s%s%s", command->name, command->operands[0] ? " " : "",
			command->operands);
		help_add_entry(buf_text(&name), NAME_WIDTH, command->summary, b);
	}
	buf_done(&name);
}

static int show_list(void)
{
	struct buf b = BUF_INIT(LIST_MAX);

	buf_add_text(&b,
		"repoprobe finds slow backup repositories before the job window does.\n"
		"\n"
		"Usage: repoprobe COMMAND [OPTION]... [ARGUMENT]...\n"
		"\n"
		"Try this first; it writes at most 2 GiB and removes what it wrote:\n"
		"  repoprobe run /path/to/your/backups\n");
	add_list(&b);
	buf_add_text(&b,
		"\n"
		"\"repoprobe COMMAND --help\" explains a command by example. The daemon is\n"
		"repoprobed(8), its configuration repoprobe.conf(5).\n"
		"Exit status: 0 success, 1 failed, 2 wrong usage or configuration.\n");
	return cli_print(&b);
}

static int help_handler(struct cli *cli, const struct command *command)
{
	cli->wants_help = false; /* help has no help of its own */
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	if (cli->arguments.count == 0)
		return show_list();
	const struct command *wanted = command_find(cli->arguments.words[0]);
	if (!wanted)
		return command_refuse(cli->arguments.words[0]);
	if (wanted == command)
		return show_list();
	cli->wants_help = true;
	cli->arguments.count = 0;
	return wanted->handler(cli, wanted);
}

const struct command command_help = {
	.name = "help",
	.section = "Help",
	.operands = "[COMMAND]",
	.summary = "this list, or a command explained by example",
	.help = "Lists the commands, or explains one.\n"
		"\n"
		"Examples:\n"
		"  repoprobe help\n"
		"  repoprobe help run\n",
	.max_operands = 1,
	.handler = help_handler,
};
