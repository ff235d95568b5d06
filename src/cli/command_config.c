/* SPDX-License-Identifier: Apache-2.0 */
/* `repoprobe config check|show`: every error of a configuration, or the effective values and the
 * daily cost. */
#include <string.h>

#include "base/buf.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/config_places.h"
#include "cli/table.h"
#include "config/config.h"

#define TEXT_MAX ((size_t)4 << 20)

static void add_probe_names(const struct config_repository *repository, struct table *t)
{
	struct buf names = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; i < repository->probe_count; i++)
		buf_printf(&names, "%s%s", i > 0 ? ", " : "", repository->probes[i].name);
	table_add_buf(t, &names);
	buf_done(&names);
}

static void add_size(struct table *t, uint64_t bytes)
{
	struct buf text = BUF_INIT(64);

	if (bytes == UINT64_MAX)
		buf_add_text(&text, "unbounded"); /* its runs end only by time */
	else
		format_size_rounded(&text, bytes);
	table_add_buf(t, &text);
	buf_done(&text);
}

static void add_costs(const struct config *config, struct buf *b)
{
	struct table t = TABLE_INIT(5, 1 << 2 | 1 << 3);

	table_add(&t, "REPOSITORY");
	table_add(&t, "PATH");
	table_add(&t, "WRITTEN A DAY");
	table_add(&t, "READ A DAY");
	table_add(&t, "PROBES");
	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];
		uint64_t written;
		uint64_t read;

		config_daily_bytes(repository, &written, &read);
		table_add(&t, repository->name);
		table_add(&t, repository->path);
		add_size(&t, written);
		add_size(&t, read);
		add_probe_names(repository, &t);
	}
	table_print(&t, b);
}

static void add_stretched(const struct config *config, struct buf *b)
{
	for (size_t i = 0; i < config->repository_count; i++) {
		const struct config_repository *repository = &config->repositories[i];
		struct buf sentence = BUF_INIT(TEXT_MAX);

		config_describe_stretch(repository, &sentence);
		if (sentence.len > 0)
			buf_printf(b, "%s %s\n", repository->name, buf_text(&sentence));
		buf_done(&sentence);
	}
}

static int check(const struct cli *cli, const char *path, const struct config *config)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	int r = config_places_check(cli, path, config);

	if (r != CLI_GO_ON)
		return r;
	buf_printf(&b, "%s: ok, %zu %s\n", path, config->repository_count,
		config->repository_count == 1 ? "repository" : "repositories");
	if (config->repository_count > 0)
		add_costs(config, &b);
	add_stretched(config, &b);
	for (size_t i = 0; i < config->alarm_count; i++)
		config_describe_silence(config, &config->alarms[i], &b);
	return cli_print(&b);
}

static int show(const struct cli *cli, const char *path, const struct config *config)
{
	struct buf b = BUF_INIT(TEXT_MAX);
	(void)cli;
	(void)path;

	config_show(config, &b);
	return cli_print(&b);
}

static const struct action {
	const char *name;
	int (*run)(const struct cli *cli, const char *path, const struct config *config);
} actions[] = {
	{ "check", check },
	{ "show", show },
};

#define ACTIONS (sizeof(actions) / sizeof(actions[0]))

static const struct action *find_action(const char *name)
{
	const char *names[ACTIONS];

	for (size_t i = 0; i < ACTIONS; i++) {
		if (strcmp(actions[i].name, name) == 0)
			return &actions[i];
		names[i] = actions[i].name;
	}
	const char *meant = parse_suggest(name, names, ACTIONS);
	(void)cli_complain(CLI_USAGE, "config: \"%s\" is neither check nor show%s%s%s", name,
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	return NULL;
}

static int config_handler(struct cli *cli, const struct command *command)
{
	struct config *config;
	int r = cli_parse(cli, command, NULL, 0);

	if (r != CLI_GO_ON)
		return r;
	const struct action *action = find_action(cli->arguments.words[0]);
	if (!action)
		return CLI_USAGE;
	if (cli->arguments.count > 1)
		cli->config_path = cli->arguments.words[1];
	if (!cli->config_path)
		cli->config_path = config_default_path(); /* as if named, so that it must exist */
	r = cli_load_config(cli, &config);
	if (r != CLI_GO_ON)
		return r;
	r = action->run(cli, cli->config_path, config);
	config_free(config);
	return r;
}

const struct command command_config = {
	.name = "config",
	.section = "The daemon",
	.operands = "check|show [FILE]",
	.summary = "check a configuration, or show what is in force",
	.help = "check  lists every error as FILE:LINE: message and exits with 2; or says ok, and\n"
		"       what a day of probing writes to and reads from each repository. A worker\n"
		"       looks at each probe_directory that is given, for nothing but probe files\n"
		"       may be in it. The daemon reads the rest of a configuration with such an\n"
		"       error, and refuses the runs of that repository.\n"
		"show   prints the whole configuration in force, defaults included, in the form\n"
		"       of the file itself.\n"
		"\n"
		"Examples:\n"
		"  repoprobe config check\n"
		"  repoprobe config show ./repoprobe.conf | grep limit\n",
	.min_operands = 1,
	.max_operands = 2,
	.reads_configuration = true,
	.handler = config_handler,
};
