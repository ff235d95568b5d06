/* SPDX-License-Identifier: Apache-2.0 */
/* Layout of help: a name on the left, its explanation beside it in lines of at most 80 columns. */
#ifndef REPOPROBE_CLI_HELP_H
#define REPOPROBE_CLI_HELP_H

#include <stddef.h>

struct buf;

/* Appends "  NAME   text", the text broken at blanks and indented by width; a longer name gets
 * its own line. ASCII only. */
void help_add_entry(const char *name, size_t width, const char *text, struct buf *b);

#endif
