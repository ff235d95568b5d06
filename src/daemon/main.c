/* SPDX-License-Identifier: Apache-2.0 */
/* repoprobed: parses its options and runs the daemon. */
#include "daemon/daemon.h"
#include "daemon/options.h"

#include "base/error.h"

#include <stdio.h>
#include <stdlib.h>

int main(int argc, char **argv)
{
	static struct daemon_options options;
	enum options_wish wish = OPTIONS_RUN;
	struct error error = { 0 };

	if (options_parse(argc, argv, &options, &wish, &error) < 0) {
		(void)fprintf(stderr, "repoprobed: %s\nTry 'repoprobed --help'.\n", error.text);
		return 2;
	}
	switch (wish) {
	case OPTIONS_HELP:
		(void)fputs(options_help(), stdout);
		return EXIT_SUCCESS;
	case OPTIONS_VERSION:
		(void)puts(PACKAGE_STRING);
		return EXIT_SUCCESS;
	case OPTIONS_RUN:
		break;
	}
	return daemon_run(&options);
}
