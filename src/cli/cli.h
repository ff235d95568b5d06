/* SPDX-License-Identifier: Apache-2.0 */
/* What the commands of `repoprobe` share: the table they stand in, their options, and the two ways
 * out, a report on standard output and one clear line on standard error. */
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
	struct config_places places; /* once looked for; the texts are NULL before */
	struct config *config; /* likewise; NULL, too, when it is in error */
	struct arguments arguments; /* of the command; after cli_parse only its operands */
	struct clock clock;
};

struct command {
	const char *name;
	const char *section; /* heading in the list of commands */
	const char *operands; /* "REPO [PROBE]" */
	const char *summary; /* one line of that list */
	const char *help; /* paragraphs and examples of --help; NULL only for `help` itself */
	size_t min_operands;
	size_t max_operands;
	bool reads_configuration; /* takes --config and --state-directory */
	int (*handler)(struct cli *cli, const struct command *command);
};

/* Every handler's first call: carries out the command's own groups and the common options. Returns
 * CLI_GO_ON with the operands in cli->arguments; or the exit code, with --help or a complaint
 * shown. */
int cli_parse(struct cli *cli, const struct command *command, const struct option_group *groups,
	size_t group_count);

/* Likewise, but a complaint is the caller's to show: CLI_USAGE with a sentence. */
int cli_parse_quietly(struct cli *cli, const struct command *command,
	const struct option_group *groups, size_t group_count, struct error *reterr);

/* Reads the configuration. Returns CLI_GO_ON and a config to free, or the exit code with every
 * error shown. A missing file is an error when it was named. */
int cli_load_config(const struct cli *cli, struct config **ret);

/* Finds where the daemon keeps things, into cli->places. A configuration that is in error or cannot
 * be read is no reason to know nothing: one line says so, and what [daemon] still gives counts,
 * else what a running daemon was given. Returns CLI_GO_ON, or the exit code with the complaint
 * shown. */
int cli_find_places(struct cli *cli);

/* Shows the errors of a configuration, which is named by path. */
void cli_show_errors(const char *path, const struct config_errors *errors);

/* Writes "repoprobe: …", one line whatever the arguments hold, to standard error. Returns
 * exit_code. */
int cli_complain(int exit_code, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Writes what is in the buffer to standard output and empties it. Returns the exit code. */
int cli_print(struct buf *b);

/* Writes a JSON document to standard output and frees it. Returns the exit code. */
int cli_print_json(struct json_t *document);

/* The whole program; argv as main() has it. */
int cli_main(size_t argc, char **argv);

#endif
