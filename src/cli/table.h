/* SPDX-License-Identifier: Apache-2.0 */
/* A table for the terminal: collects all cells, then determines the column widths. */
#ifndef REPOPROBE_CLI_TABLE_H
#define REPOPROBE_CLI_TABLE_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

#define TABLE_COLUMNS_MAX 12
#define TABLE_CELLS_BYTES_MAX ((size_t)16 << 20)

struct table {
	size_t columns;
	uint32_t right_columns; /* bit n: column n is right-aligned, as for numbers */
	struct buf cells; /* each with its NUL byte */
};

/* Initialiser: struct table t = TABLE_INIT(4, 1 << 2 | 1 << 3); */
#define TABLE_INIT(column_count, right_bits)                                                       \
	{                                                                                          \
		.columns = (column_count), .right_columns = (right_bits),                          \
		.cells = BUF_INIT(TABLE_CELLS_BYTES_MAX)                                           \
	}

/* Adds the next cell, row by row. "" shows as an empty cell, control characters as blanks. */
void table_add(struct table *t, const char *text);
/* The same with the content of a buffer, which is emptied. */
void table_add_buf(struct table *t, struct buf *text);

/* Appends the rows: columns two blanks apart, no blanks at line ends. Then frees the cells. */
void table_print(struct table *t, struct buf *b);

#endif
