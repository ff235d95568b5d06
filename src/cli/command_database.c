/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe database check|compact`: maintenance of the file while it is in use. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/progress.h"
#include "store/store.h"

#define PATH_TEXT_MAX 8192
#define LINE_TEXT_MAX 8192

static void say(void *data, const char *line)
{
	struct buf *faults = data;

	buf_printf(faults, "%s\n", line);
}

static int check(struct cli *cli, const char *path)
{
	struct buf text = BUF_INIT(CLI_OUTPUT_MAX);
	struct error error = { "" };
	(void)cli; /* shows no progress */
	int r = store_check(path, say, &text, &error);

	if (r == 0)
		buf_printf(&text, "%s: sound\n", path);
	int exit_code = cli_print(&text);
	if (r < 0)
		return cli_complain(CLI_FAILED, "database: %s", error.text);
	return exit_code;
}

static int compact(struct cli *cli, const char *path)
{
	struct progress_bytes bytes = { .text = "giving back", .clock = &cli->clock };
	const struct store_progress progress = { progress_show_bytes, &bytes };
	struct buf text = BUF_INIT(LINE_TEXT_MAX);
	struct error error = { "" };
	uint64_t freed = 0;

	progress_init(&bytes.line, STDERR_FILENO, clock_monotonic_nsec(&cli->clock));
	int r = store_compact(path, &progress, &freed, &error);
	progress_erase(&bytes.line);
	if (r == -EAGAIN)
		return cli_complain(CLI_FAILED, "%s: it was locked too long; try again", path);
	if (r < 0)
		return cli_complain(CLI_FAILED, "database: %s", error.text);
	buf_printf(&text, "%s: ", path);
	format_size_rounded(&text, freed);
	buf_add_text(&text, " given back\n");
	return cli_print(&text);
}

static const struct {
	const char *name;
	int (*run)(struct cli *cli, const char *path);
} tasks[] = {
	{ "check", check },
	{ "compact", compact },
};
#define TASKS (sizeof(tasks) / sizeof(tasks[0]))

static int carry_out(struct cli *cli, size_t task)
{
	struct buf path = BUF_INIT(PATH_TEXT_MAX);
	int r = history_find(cli, &path);

	if (r == CLI_GO_ON)
		r = tasks[task].run(cli, buf_text(&path));
	buf_done(&path);
	return r;
}

static int database_handler(struct cli *cli, const struct command *command)
{
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	for (size_t i = 0; i < TASKS; i++)
		if (strcmp(tasks[i].name, cli->arguments.words[0]) == 0)
			return carry_out(cli, i);
	return cli_complain(CLI_USAGE, "database: \"%s\" is neither check nor compact",
		cli->arguments.words[0]);
}

const struct command command_database = {
	.name = "database",
	.section = "History, also while the daemon is down",
	.operands = "check|compact",
	.summary = "check the history, or give its free pages back",
	.help = "check reads the whole history and says what is wrong with it, down to single\n"
		"rows that are skipped for a value out of range: exit status 0 when it is\n"
		"sound, 1 when not. compact gives pages that old runs have left free\n"
		"back to the file system, in short pieces. Both work while the daemon runs;\n"
		"compact needs the right to write: root's, or the daemon's user.\n"
		"\n"
		"Examples:\n"
		"  repoprobe database check\n"
		"  repoprobe database compact\n",
	.min_operands = 1,
	.max_operands = 1,
	.reads_configuration = true,
	.handler = database_handler,
};
