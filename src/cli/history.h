/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the database and other files of the state directory for the command line. Reports errors
 * itself. */
#ifndef REPOPROBE_CLI_HISTORY_H
#define REPOPROBE_CLI_HISTORY_H

#include <stddef.h>

struct buf;
struct cli;
struct store_reader;

/* The path of a file in the state directory: that of --state-directory, else of cli_find_places.
 * Returns CLI_GO_ON and the path, or the exit code. */
int history_path(struct cli *cli, const char *name, struct buf *path);

/* Appends the path after checking that a readable history is there. Returns CLI_GO_ON or the exit
 * code. */
int history_find(struct cli *cli, struct buf *path);

/* Opens the history. Returns CLI_GO_ON and a reader to close, or the exit code. */
int history_open(struct cli *cli, struct store_reader **ret);

/* The names of the repositories that have runs, sorted. */
struct history_names {
	size_t count;
	char **names;
};

/* Returns CLI_GO_ON and names to free, or the exit code. */
int history_read_names(struct store_reader *reader, struct history_names *ret);
void history_names_done(struct history_names *names);

/* Reports that the history has no such repository, and suggests a similar name. */
int history_refuse_repository(
	const char *command, const char *name, const struct history_names *known);

/* Reports that no run was found: there is no such repository, or it has no runs of that probe.
 * repository or probe may be NULL: any. */
int history_explain_nothing(struct store_reader *reader, const char *command,
	const char *repository, const char *probe);

#endif
