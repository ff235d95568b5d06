/* SPDX-License-Identifier: Apache-2.0 */
/* main() of repoprobe, separate so that tests can link all the rest. */
#include "cli/cli.h"

int main(int argc, char **argv)
{
	return cli_main((size_t)argc, argv);
}
