/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether a configuration's repositories and probe directories are in valid places. */
#ifndef REPOPROBE_CLI_CONFIG_PLACES_H
#define REPOPROBE_CLI_CONFIG_PLACES_H

struct cli;
struct config;

/* Judges paths by their text and the mount table, and has a worker examine each configured
 * probe_directory: the caller touches no repository. path: of the configuration, for messages.
 * Returns CLI_GO_ON, or the exit code after showing every error. */
int config_places_check(const struct cli *cli, const char *path, const struct config *config);

#endif
