/* SPDX-License-Identifier: Apache-2.0 */
/* The configuration in force: how it is read, and how a new one takes its place. */
#ifndef REPOPROBE_DAEMON_RELOAD_H
#define REPOPROBE_DAEMON_RELOAD_H

struct config;
struct config_errors;
struct daemon_options;

/* Reads what the command line asks for: files, and the options that beat them. As config_load. */
int reload_read(
	const struct daemon_options *options, struct config **ret, struct config_errors *errors);

/* Lines of the log: repositories whose budget makes intervals longer, alarms that can tell nothing.
 */
void reload_log_remarks(const struct config *config);

/* A line of the log for each error; for r where there is none. */
void reload_log_errors(int r, const struct config_errors *errors);

#endif
