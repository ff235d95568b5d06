/* SPDX-License-Identifier: Apache-2.0 */
/* The repositories that the daemon watched last; all others are history only. */
#include "base/buf.h"
#include "base/error.h"
#include "store/reader.h"

int store_read_watched(struct store_reader *reader, struct buf *names, struct error *reterr)
{
	struct sql s = { 0 };
	int r = reader_prepare(reader, "SELECT value FROM meta WHERE key = 'watched'", &s, reterr);

	if (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		const char *text = sql_text_lent(&s);
		if (text)
			buf_add_text(names, text);
		r = reader_take_row(reader, &s, "meta", 0, reterr);
	}
	sql_done(&s);
	return r < 0 ? r : 0;
}
