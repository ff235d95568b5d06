/* SPDX-License-Identifier: Apache-2.0 */
/* --format=FORMAT and --json, for the commands that print a run. */
#ifndef REPOPROBE_CLI_FORMAT_OPTION_H
#define REPOPROBE_CLI_FORMAT_OPTION_H

#include "cli/options.h"

/* Setter of both options: writes a const struct report_format * at option->offset. Without a value
 * it uses the format named like the option. */
int format_option_set(
	const struct cli_option *option, const char *value, void *target, struct error *reterr);

#endif
