/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe backup FILE`: copies the history to one file while it is in use. */
#include <errno.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/history.h"
#include "cli/progress.h"
#include "store/store.h"

#define PATH_TEXT_MAX 8192

static int backup_handler(struct cli *cli, const struct command *command)
{
	struct buf path = BUF_INIT(PATH_TEXT_MAX);
	struct progress_bytes bytes = { .text = "copying", .clock = &cli->clock };
	const struct store_progress progress = { progress_show_bytes, &bytes };
	struct error error = { "" };
	int r = cli_parse(cli, command, NULL, 0);

	if (r == CLI_GO_ON)
		r = history_find(cli, &path);
	if (r != CLI_GO_ON) {
		buf_done(&path);
		return r;
	}
	progress_init(&bytes.line, STDERR_FILENO, clock_monotonic_nsec(&cli->clock));
	int answer = store_backup(buf_text(&path), cli->arguments.words[0], &progress, &error);
	progress_erase(&bytes.line);
	r = answer == 0 ? CLI_OK : cli_complain(CLI_FAILED, "backup: %s", error.text);
	buf_done(&path);
	return r;
}

const struct command command_backup = {
	.name = "backup",
	.section = "History, also while the daemon is down",
	.operands = "FILE",
	.summary = "copy the history into one file, while it is in use",
	.help = "Copies the history as it is at this moment into a new file, which only you may\n"
		"read. The daemon goes on writing meanwhile. An existing file is not\n"
		"overwritten. To go back to a backup: stop repoprobed, move history.db,\n"
		"history.db-wal and history.db-shm away, put the backup in the place of\n"
		"history.db (owner and mode as before), start repoprobed.\n"
		"\n"
		"Examples:\n"
		"  repoprobe backup /root/repoprobe-$(date +%F).db\n"
		"  sqlite3 /root/repoprobe-2026-11-30.db 'SELECT * FROM incidents_v'\n",
	.min_operands = 1,
	.max_operands = 1,
	.reads_configuration = true,
	.handler = backup_handler,
};
