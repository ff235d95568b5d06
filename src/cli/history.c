/* SPDX-License-Identifier: Apache-2.0 */
/* Finds and opens the history, and lists the repositories in it. */
#include "cli/history.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "cli/cli.h"
#include "config/config.h"
#include "model/run.h"
#include "store/store.h"

#define NAMES_MAX CONFIG_REPOSITORIES_MAX
#define PATH_TEXT_MAX 8192

int history_path(struct cli *cli, const char *name, struct buf *path)
{
	const char *directory = cli->state_directory;

	if (!directory) {
		int exit_code = cli_find_places(cli);
		if (exit_code != CLI_GO_ON)
			return exit_code;
		directory = cli->places.state_directory;
	}
	buf_printf(path, "%s/%s", directory, name);
	if (path->error < 0)
		return cli_complain(CLI_USAGE, "the state directory's name is too long");
	return CLI_GO_ON;
}

static int refuse(const struct cli *cli, const char *path, int r, const struct error *error)
{
	static const char other[] = "for another place give --state-directory=DIR or --config=FILE";

	if (r == -ENOENT)
		return cli_complain(CLI_FAILED, "no history at %s: has repoprobed run yet?%s%s",
			path, cli->state_directory ? "" : " ", cli->state_directory ? "" : other);
	if (r == -EACCES || r == -EPERM)
		return cli_complain(CLI_FAILED,
			"%s: %s; only root, the daemon's user and the members of group repoprobe may read it",
			path, errno_text(-r));
	return cli_complain(
		CLI_FAILED, "%s: %s", path, error->text[0] ? error->text : errno_text(-r));
}

static int open_at(struct cli *cli, struct buf *path, struct store_reader **ret)
{
	struct error error = { "" };
	int exit_code = history_path(cli, "history.db", path);

	if (exit_code != CLI_GO_ON)
		return exit_code;
	int r = store_reader_open(buf_text(path), ret, &error);
	return r < 0 ? refuse(cli, buf_text(path), r, &error) : CLI_GO_ON;
}

int history_open(struct cli *cli, struct store_reader **ret)
{
	struct buf path = BUF_INIT(PATH_TEXT_MAX);
	int exit_code = open_at(cli, &path, ret);

	buf_done(&path);
	return exit_code;
}

int history_find(struct cli *cli, struct buf *path)
{
	struct store_reader *reader = NULL;
	int exit_code = open_at(cli, path, &reader);

	store_reader_close(reader);
	return exit_code;
}

static int compare_names(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

static int add_name(void *data, const struct run *run)
{
	struct history_names *names = data;

	for (size_t i = 0; i < names->count; i++)
		if (strcmp(names->names[i], run->repository) == 0)
			return 0;
	if (names->count == NAMES_MAX)
		return 0;
	names->names[names->count] = strdup(run->repository);
	if (!names->names[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

int history_read_names(struct store_reader *reader, struct history_names *ret)
{
	struct store_run_filter filter = { .is_newest_per_probe = true, .limit = SIZE_MAX };
	struct history_names names = { .names = calloc(NAMES_MAX, sizeof(char *)) };
	struct error error = { "" };
	int r = names.names ? store_read_runs(reader, &filter, add_name, &names, &error) : -ENOMEM;

	if (r < 0) {
		history_names_done(&names);
		return cli_complain(
			CLI_FAILED, "the history: %s", error.text[0] ? error.text : errno_text(-r));
	}
	qsort(names.names, names.count, sizeof(names.names[0]), compare_names);
	*ret = names;
	return CLI_GO_ON;
}

void history_names_done(struct history_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->names[i]);
	free(names->names);
	*names = (struct history_names){ 0 };
}

int history_refuse_repository(
	const char *command, const char *name, const struct history_names *known)
{
	const char *meant = parse_suggest(name, (const char *const *)known->names, known->count);

	if (meant)
		return cli_complain(CLI_FAILED,
			"%s: there is no repository \"%s\" in the history; did you mean %s?",
			command, name, meant);
	if (known->count == 0)
		return cli_complain(CLI_FAILED, "%s: the history has no runs yet", command);
	return cli_complain(CLI_FAILED,
		"%s: there is no repository \"%s\" in the history; \"repoprobe status\" lists those there are",
		command, name);
}

int history_explain_nothing(
	struct store_reader *reader, const char *command, const char *repository, const char *probe)
{
	struct history_names names = { 0 };
	bool is_known = false;

	if (!repository)
		return cli_complain(
			CLI_FAILED, "%s: there are no runs of a probe \"%s\"", command, probe);
	int exit_code = history_read_names(reader, &names);
	if (exit_code != CLI_GO_ON)
		return exit_code;
	for (size_t i = 0; i < names.count; i++)
		is_known |= strcmp(names.names[i], repository) == 0;
	if (is_known && probe)
		exit_code = cli_complain(CLI_FAILED, "%s: %s has no runs of a probe \"%s\"",
			command, repository, probe);
	else
		exit_code = history_refuse_repository(command, repository, &names);
	history_names_done(&names);
	return exit_code;
}
