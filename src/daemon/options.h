/* SPDX-License-Identifier: Apache-2.0 */
/* repoprobed's command line. */
#ifndef REPOPROBE_DAEMON_OPTIONS_H
#define REPOPROBE_DAEMON_OPTIONS_H

struct daemon_options;
struct error;

enum options_wish {
	OPTIONS_RUN,
	OPTIONS_HELP,
	OPTIONS_VERSION,
};

/* Fills *ret (strings lent from argv). Returns 0 or -EINVAL with a sentence. */
int options_parse(int argc, char **argv, struct daemon_options *ret, enum options_wish *ret_wish,
	struct error *reterr);

/* The text of --help. */
const char *options_help(void);

#endif
