/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the command of a command line, and holds what all commands share. */
#include "cli/cli.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/json.h"
#include "base/utf8.h"
#include "cli/commands.h"
#include "cli/daemon_state.h"
#include "config/config.h"

#define LINE_MAX_BYTES 4096
#define COMPLAINT_MAX 65536
#define HELP_MAX 65536
#define GROUPS_MAX 4
#define CLI_PATH_MAX 4096

static const struct cli_option place_options[] = {
	{ .name = "config",
		.value_name = "FILE",
		.help = "the configuration, and conf.d/*.conf beside it",
		.set = option_set_text,
		.offset = offsetof(struct cli, config_path) },
	{ .name = "state-directory",
		.value_name = "DIR",
		.help = "where history.db is, whatever the configuration says",
		.set = option_set_text,
		.offset = offsetof(struct cli, state_directory) },
};

static const struct cli_option help_options[] = {
	{ .name = "help",
		.help = "this text",
		.set = option_set_flag,
		.offset = offsetof(struct cli, wants_help) },
};

static const struct cli_option version_options[] = {
	{ .name = "version",
		.help = "the version of the program",
		.set = option_set_flag,
		.offset = offsetof(struct cli, wants_version) },
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

/* Writes one line to standard error, truncated if too long. */
static void write_line(struct buf *b)
{
	char line[LINE_MAX_BYTES];

	(void)snprintf(line, sizeof(line) - 1, "%s", buf_text(b));
	size_t len = utf8_clean_line(line);
	line[len++] = '\n';
	(void)fd_write_all(STDERR_FILENO, line, len); /* a failure cannot be reported */
	buf_done(b);
}

int cli_complain(int exit_code, const char *format, ...)
{
	struct buf b = BUF_INIT(COMPLAINT_MAX);
	va_list ap;

	buf_add_text(&b, "repoprobe: ");
	va_start(ap, format);
	buf_vprintf(&b, format, ap);
	va_end(ap);
	write_line(&b);
	return exit_code;
}

int cli_print(struct buf *b)
{
	int r = b->error;

	if (r == 0)
		r = fd_write_all(STDOUT_FILENO, buf_text(b), b->len);
	buf_done(b);
	if (r < 0)
		return cli_complain(CLI_FAILED, "standard output: %s", errno_text(-r));
	return CLI_OK;
}

int cli_print_json(struct json_t *document)
{
	struct buf b = BUF_INIT(CLI_OUTPUT_MAX);
	int r = json_dump(document, true, &b);

	if (r < 0) {
		buf_done(&b);
		return cli_complain(CLI_FAILED, "the JSON document: %s", errno_text(-r));
	}
	return cli_print(&b);
}

/* mark: two lines, already sanitized for a terminal; NULL: none. */
static void write_mark(const char *mark)
{
	struct buf b = BUF_INIT((size_t)COMPLAINT_MAX * 4);

	if (!mark)
		return;
	buf_printf(&b, "%s\n", mark);
	(void)fd_write_all(STDERR_FILENO, buf_text(&b), b.len); /* a failure cannot be reported */
	buf_done(&b);
}

/* FILE:LINE comes first, as in compilers' messages, so that editors can jump to it. */
void cli_show_errors(const char *path, const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count && i < CONFIG_ERRORS_MAX; i++) {
		struct buf b = BUF_INIT(COMPLAINT_MAX);

		buf_add_text(&b, errors->lines[i]);
		write_line(&b);
		write_mark(errors->marks[i]);
	}
	if (errors->count > CONFIG_ERRORS_MAX)
		(void)cli_complain(
			CLI_USAGE, "%s: %zu more errors", path, errors->count - CONFIG_ERRORS_MAX);
}

static const char *config_path(const struct cli *cli)
{
	return cli->config_path ? cli->config_path : config_default_path();
}

int cli_load_config(const struct cli *cli, struct config **ret)
{
	const char *path = config_path(cli);
	struct config_overrides overrides = { .state_directory = cli->state_directory };
	struct config_errors errors = { 0 };
	int r = config_load(path, cli->config_path != NULL, &overrides, ret, &errors);

	if (r == 0)
		return CLI_GO_ON;
	int exit_code = errors.count > 0 ? CLI_USAGE
					 : cli_complain(CLI_FAILED, "%s: %s", path, errno_text(-r));
	cli_show_errors(path, &errors);
	config_errors_done(&errors);
	return exit_code;
}

/* One line: only the first error is shown. */
static void warn_of_errors(const struct cli *cli, const struct config_errors *errors)
{
	struct buf more = BUF_INIT(COMPLAINT_MAX);

	if (errors->count > 1)
		buf_printf(&more, " (and %zu more errors)", errors->count - 1);
	(void)cli_complain(CLI_OK,
		"%.1500s%s; the state directory %s is used; see \"repoprobe config check%s%s\"",
		errors->lines[0], buf_text(&more), cli->places.state_directory,
		cli->config_path ? " " : "", cli->config_path ? cli->config_path : "");
	buf_done(&more);
}

/* What the configuration does not give is taken from a running daemon. */
static int find_places(struct cli *cli, const struct config_overrides *overrides)
{
	struct buf state = BUF_INIT(CLI_PATH_MAX);
	bool is_known = daemon_state_find(cli->config_path, geteuid(), &state) == 0;
	int r = config_load_places(
		config_path(cli), overrides, is_known ? buf_text(&state) : NULL, &cli->places);

	buf_done(&state);
	return r;
}

int cli_find_places(struct cli *cli)
{
	const struct config_overrides overrides = { .state_directory = cli->state_directory };
	struct config_errors errors = { 0 };

	if (cli->places.state_directory)
		return CLI_GO_ON;
	int r = config_load(
		config_path(cli), cli->config_path != NULL, &overrides, &cli->config, &errors);
	if (r == 0 || errors.count > 0)
		r = find_places(cli, &overrides);
	if (r == 0 && errors.count > 0)
		warn_of_errors(cli, &errors);
	config_errors_done(&errors);
	return r < 0 ? cli_complain(CLI_FAILED, "%s: %s", config_path(cli), errno_text(-r))
		     : CLI_GO_ON;
}

static int show_help(
	const struct command *command, const struct option_group *groups, size_t group_count)
{
	struct buf b = BUF_INIT(HELP_MAX);
	bool has_operands = command->operands[0] != '\0';

	buf_printf(&b, "Usage: repoprobe %s [OPTION]...%s%s\n\n%s", command->name,
		has_operands ? " " : "", command->operands, command->help);
	options_help(groups, group_count, &b);
	return cli_print(&b);
}

static int check_operands(
	const struct command *command, const struct arguments *args, struct error *reterr)
{
	if (args->count > command->max_operands)
		return error_set(reterr, CLI_USAGE,
			"\"%.200s\" is one argument too many; usage: repoprobe %s %s",
			args->words[command->max_operands], command->name, command->operands);
	if (args->count < command->min_operands)
		return error_set(reterr, CLI_USAGE,
			"an argument is missing; usage: repoprobe %s %s", command->name,
			command->operands);
	return CLI_GO_ON;
}

int cli_parse_quietly(struct cli *cli, const struct command *command,
	const struct option_group *groups, size_t group_count, struct error *reterr)
{
	struct option_group all[GROUPS_MAX];
	size_t count = 0;

	for (; count < group_count && count < GROUPS_MAX - 2; count++)
		all[count] = groups[count];
	if (command->reads_configuration)
		all[count++] = (struct option_group){ "Where things are", place_options,
			COUNT(place_options), cli };
	all[count++] = (struct option_group){ "Help", help_options, COUNT(help_options), cli };

	if (options_parse(all, count, &cli->arguments, reterr) < 0)
		return CLI_USAGE;
	if (cli->wants_help)
		return show_help(command, all, count);
	return check_operands(command, &cli->arguments, reterr);
}

int cli_parse(struct cli *cli, const struct command *command, const struct option_group *groups,
	size_t group_count)
{
	struct error error = { "" };
	int r = cli_parse_quietly(cli, command, groups, group_count, &error);

	if (r == CLI_USAGE)
		(void)cli_complain(CLI_USAGE, "%s: %s", command->name, error.text);
	return r;
}

static int show_version(void)
{
	struct buf b = BUF_INIT(HELP_MAX);

	buf_printf(&b, "repoprobe %s\n", PACKAGE_VERSION);
	return cli_print(&b);
}

int cli_main(size_t argc, char **argv)
{
	struct cli cli = {
		.arguments = { .words = argv + 1, .count = argc > 0 ? argc - 1 : 0 },
		.clock = clock_system(),
	};
	const struct option_group groups[] = {
		{ "Where things are", place_options, COUNT(place_options), &cli },
		{ "Help", help_options, COUNT(help_options), &cli },
		{ "Version", version_options, COUNT(version_options), &cli },
	};
	struct error error = { "" };
	int r = options_parse_leading(groups, COUNT(groups), &cli.arguments, &error);

	if (r < 0)
		return cli_complain(CLI_USAGE, "before the command: %s", error.text);
	if (cli.wants_version)
		return show_version();
	if (cli.arguments.count == 0) {
		if (cli.wants_help)
			return command_help.handler(&cli, &command_help);
		return cli_complain(CLI_USAGE, "which command? \"repoprobe help\" lists them");
	}

	const char *name = cli.arguments.words[0];
	const struct command *command = command_find(name);
	if (!command)
		return command_refuse(name);
	cli.arguments.words++;
	cli.arguments.count--;
	r = command->handler(&cli, command);
	config_places_done(&cli.places);
	config_free(cli.config);
	return r;
}
