/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `repoprobe` share: their table, their options, and their output, a report on
 * standard output or one line on standard error. */
#ifndef REPOPROBE_CLI_CLI_H
#define REPOPROBE_CLI_CLI_H

#include <stdbool.h>
#include <stddef.h>

#include "base/clock.h"
#include "cli/options.h"
#include "config/config.h"

struct buf;
struct error;
struct json_t;

enum cli_exit {
	CLI_GO_ON = -1, /* no exit yet */
	CLI_OK = 0,
	CLI_FAILED = 1,
	CLI_USAGE = 2, /* usage or configuration */
};

#define CLI_OUTPUT_MAX ((size_t)256 << 20)

struct cli {
	const char *config_path; /* --config; NULL: the default one, which may be missing */
	const char *state_directory; /* --state-directory; NULL: the configuration's */
	bool wants_help;
	bool wants_version;
	struct config_places places; /* set by cli_find_places; the texts are NULL before */
	struct config *config; /* likewise; also NULL when it has errors */
	struct arguments arguments; /* the command's; after cli_parse only its operands */
	struct clock clock;
};

struct command {
	const char *name;
	const char *section; /* heading in the list of commands */
	const char *operands; /* "REPO [PROBE]" */
	const char *summary; /* one line in that list */
	const char *help; /* paragraphs and examples of --help; NULL only for `help` itself */
	size_t min_operands;
	size_t max_operands;
	bool reads_configuration; /* takes --config and --state-directory */
	int (*handler)(struct cli *cli, const struct command *command);
};

/* Every handler's first call: applies the command's own groups and the common options. Returns
 * CLI_GO_ON with the operands in cli->arguments, or the exit code after showing --help or an
 * error. */
int cli_parse(struct cli *cli, const struct command *command, const struct option_group *groups,
	size_t group_count);

/* The same, but the caller shows the error: CLI_USAGE with a sentence. */
int cli_parse_quietly(struct cli *cli, const struct command *command,
	const struct option_group *groups, size_t group_count, struct error *reterr);

/* Reads the configuration. Returns CLI_GO_ON and a config to free, or the exit code after showing
 * every error. A missing file is an error only if it was named. */
int cli_load_config(const struct cli *cli, struct config **ret);

/* Finds the daemon's directories, into cli->places. If the configuration has errors or cannot be
 * read, one line reports it, and what [daemon] still gives is used, else the command line of a
 * running daemon. Returns CLI_GO_ON, or the exit code after showing the error. */
int cli_find_places(struct cli *cli);

/* Shows the errors of the configuration at path. */
void cli_show_errors(const char *path, const struct config_errors *errors);

/* Writes "repoprobe: …" to standard error, as one line whatever the arguments contain. Returns
 * exit_code. */
int cli_complain(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes the buffer to standard output and empties it. Returns the exit code. */
int cli_print(struct buf *b);

/* Writes a JSON document to standard output and frees it. Returns the exit code. */
int cli_print_json(struct json_t *document);

/* The whole program; argc and argv as in main(). */
int cli_main(size_t argc, char **argv);

#endif
