/* SPDX-License-Identifier: Apache-2.0 */
/* The table of commands. */
#include "cli/commands.h"

#include <string.h>

#include "base/parse.h"

static const struct command *const commands[] = {
	&command_run,
	&command_check,
	&command_doctor,
	&command_init,
	&command_presets,
	&command_status,
	&command_runs,
	&command_show,
	&command_incidents,
	&command_rule,
	&command_export,
	&command_backup,
	&command_database,
	&command_probe_now,
	&command_mute,
	&command_unmute,
	&command_ack,
	&command_rebaseline,
	&command_reload,
	&command_config,
	&command_help,
};

/* Reserved names, refused with the reason that they are not implemented yet. */
static const char *const planned[] = {
	"forecast",
	"import",
	"notify-test",
	"sweep",
};

#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

const struct command *command_at(size_t i)
{
	return i < COUNT(commands) ? commands[i] : NULL;
}

const struct command *command_find(const char *name)
{
	for (size_t i = 0; i < COUNT(commands); i++)
		if (strcmp(commands[i]->name, name) == 0)
			return commands[i];
	return NULL;
}

int command_refuse(const char *name)
{
	const char *names[COUNT(commands)];

	for (size_t i = 0; i < COUNT(planned); i++)
		if (strcmp(planned[i], name) == 0)
			return cli_complain(CLI_USAGE, "%s is not in this version", name);
	for (size_t i = 0; i < COUNT(commands); i++)
		names[i] = commands[i]->name;
	const char *meant = parse_suggest(name, names, COUNT(names));
	if (meant)
		return cli_complain(
			CLI_USAGE, "there is no command \"%s\"; did you mean %s?", name, meant);
	return cli_complain(CLI_USAGE,
		"there is no command \"%s\"; \"repoprobe help\" lists the commands", name);
}
