/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a configuration's repositories and probe directories can be where they are said to be. */
#ifndef REPOPROBE_CLI_CONFIG_PLACES_H
#define REPOPROBE_CLI_CONFIG_PLACES_H

struct cli;
struct config;

/* Judges paths by their text and the mount table, and has a worker look at each probe directory
 * that is named: the caller touches no repository. path: of the configuration, for messages.
 * Returns CLI_GO_ON, or the exit code with every error shown. */
int config_places_check(const struct cli *cli, const char *path, const struct config *config);

#endif
