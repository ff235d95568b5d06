/* SPDX-License-Identifier: Apache-2.0 */
/* Aligns cells by their number of characters. Knows nothing about their content. */
#include "cli/table.h"

#include <assert.h>
#include <stdbool.h>
#include <string.h>

#include "base/utf8.h"

#define GAP 2

void table_add(struct table *t, const char *text)
{
	size_t start = t->cells.len;

	buf_add_utf8(&t->cells, text);
	for (size_t i = start; i < t->cells.len; i++)
		if ((unsigned char)t->cells.data[i] < 0x20 || t->cells.data[i] == 0x7f)
			t->cells.data[i] = ' ';
	buf_add(&t->cells, "", 1);
}

void table_add_buf(struct table *t, struct buf *text)
{
	table_add(t, buf_text(text));
	buf_clear(text);
}

/* Characters, not bytes. */
static size_t width_of(const char *text)
{
	size_t width = 0;
	bool is_valid;

	for (; *text; width++)
		text += utf8_next(text, &is_valid);
	return width;
}

static const char *next_cell(const char *cell)
{
	return cell + strlen(cell) + 1;
}

static void measure(const struct table *t, size_t *widths)
{
	const char *end = t->cells.data + t->cells.len;
	size_t column = 0;

	for (const char *cell = t->cells.data; cell < end; cell = next_cell(cell)) {
		size_t width = width_of(cell);
		if (width > widths[column])
			widths[column] = width;
		column = (column + 1) % t->columns;
	}
}

/* Blanks are held back until a cell follows, so that no line ends with blanks. */
static void print_cells(const struct table *t, const size_t *widths, struct buf *b)
{
	const char *end = t->cells.data + t->cells.len;
	size_t column = 0;
	size_t owed = 0;

	for (const char *cell = t->cells.data; cell < end; cell = next_cell(cell)) {
		size_t padding = widths[column] - width_of(cell);

		if (t->right_columns >> column & 1) {
			owed += padding;
			padding = 0;
		}
		if (*cell) {
			buf_printf(b, "%*s%s", (int)owed, "", cell);
			owed = 0;
		}
		owed += padding + GAP;
		if (++column == t->columns) {
			buf_add_char(b, '\n');
			column = 0;
			owed = 0;
		}
	}
}

void table_print(struct table *t, struct buf *b)
{
	size_t widths[TABLE_COLUMNS_MAX] = { 0 };

	assert(t->columns > 0 && t->columns <= TABLE_COLUMNS_MAX);
	if (t->cells.error < 0 && b->error == 0)
		b->error = t->cells.error;
	if (t->cells.error == 0 && t->cells.len > 0) {
		measure(t, widths);
		print_cells(t, widths, b);
	}
	buf_done(&t->cells);
}
