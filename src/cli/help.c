/* SPDX-License-Identifier: Apache-2.0 */
/* Breaks explanations into lines. Knows no options or commands. */
#include "cli/help.h"

#include <string.h>

#include "base/buf.h"

#define LINE_COLUMNS 80
#define MARGIN_COLUMNS 2
#define GAP_COLUMNS 3

static void add_blanks(struct buf *b, size_t count)
{
	buf_printf(b, "%*s", (int)count, "");
}

/* The length of text that goes on a line of that many columns: up to the last blank that fits, else
 * up to the first one. */
static size_t line_length(const char *text, size_t columns)
{
	size_t len = strlen(text);

	if (len <= columns)
		return len;
	for (size_t i = columns; i > 0; i--)
		if (text[i] == ' ')
			return i;
	return strcspn(text, " ");
}

void help_add_entry(const char *name, size_t width, const char *text, struct buf *b)
{
	size_t indent = MARGIN_COLUMNS + width + GAP_COLUMNS;
	size_t len = strlen(name);

	buf_printf(b, "%*s%s", MARGIN_COLUMNS, "", name);
	if (len > width) {
		buf_add_char(b, '\n');
		add_blanks(b, indent);
	} else {
		add_blanks(b, width - len + GAP_COLUMNS);
	}
	for (;;) {
		size_t taken = line_length(text, LINE_COLUMNS - indent);

		buf_add(b, text, taken);
		buf_add_char(b, '\n');
		text += taken + strspn(text + taken, " ");
		if (!*text)
			return;
		add_blanks(b, indent);
	}
}
