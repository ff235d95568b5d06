/* SPDX-License-Identifier: Apache-2.0 */
/* The commands in the order of help, one file each. */
#ifndef REPOPROBE_CLI_COMMANDS_H
#define REPOPROBE_CLI_COMMANDS_H

#include "cli/cli.h"

extern const struct command command_run;
extern const struct command command_check;
extern const struct command command_doctor;
extern const struct command command_init;
extern const struct command command_presets;
extern const struct command command_status;
extern const struct command command_runs;
extern const struct command command_show;
extern const struct command command_incidents;
extern const struct command command_rule;
extern const struct command command_export;
extern const struct command command_backup;
extern const struct command command_database;
extern const struct command command_probe_now;
extern const struct command command_mute;
extern const struct command command_unmute;
extern const struct command command_ack;
extern const struct command command_rebaseline;
extern const struct command command_reload;
extern const struct command command_config;
extern const struct command command_help;

/* NULL past the end. */
const struct command *command_at(size_t i);
/* NULL when there is none. */
const struct command *command_find(const char *name);

/* Reports that a command is planned, mistyped or unknown. Returns the exit code. */
int command_refuse(const char *name);

#endif
