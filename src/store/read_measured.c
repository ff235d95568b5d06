/* SPDX-License-Identifier: Apache-2.0 */
/* Every series that was ever measured under the name of a probe. */
#include <errno.h>

#include "base/error.h"
#include "store/reader.h"
#include "store/rollup.h"

#define TIERS 3 /* runs, hours, days */

/* First and last time of each tier; NULL when the tier is empty. */
static const char text[] =
	"SELECT series.id, series.key,"
	" (SELECT min(started_usec) FROM run WHERE series = series.id AND started_usec >= 0),"
	" (SELECT max(started_usec) FROM run WHERE series = series.id),"
	" (SELECT min(id) & 16777215 FROM hour"
	"  WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 3600000000,"
	" (SELECT max(id) & 16777215 FROM hour"
	"  WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 3600000000,"
	" (SELECT min(id) & 16777215 FROM day"
	"  WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 86400000000,"
	" (SELECT max(id) & 16777215 FROM day"
	"  WHERE id >= series.id << 24 AND id < series.id + 1 << 24) * 86400000000"
	" FROM target JOIN series ON series.target = target.id"
	" WHERE target.name = ? AND series.probe = ? ORDER BY series.id";

static void read_row(struct sql *s, struct store_measured *ret)
{
	*ret = (struct store_measured){ .first_usec = INT64_MAX, .last_usec = -1 };
	ret->series = sql_integer(s, INT64_MIN, INT64_MAX);
	if (ret->series < 1 || ret->series > ROLLUP_SERIES_MAX)
		s->error = -EBADMSG;
	ret->what = sql_text_lent(s);
	for (int i = 0; i < TIERS; i++) {
		int64_t first_usec = sql_integer_or(s, 0, INT64_MAX, INT64_MAX);
		int64_t last_usec = sql_integer_or(s, 0, INT64_MAX, -1);
		if (first_usec < ret->first_usec)
			ret->first_usec = first_usec;
		if (last_usec > ret->last_usec)
			ret->last_usec = last_usec;
	}
}

int store_read_measured(struct store_reader *reader, const char *repository, const char *probe,
	int (*each)(void *data, const struct store_measured *measured), void *data,
	struct error *reterr)
{
	struct store_measured measured;
	struct sql s = { 0 };

	int r = reader_prepare(reader, text, &s, reterr);
	if (r == 0) {
		sql_bind_text(&s, repository);
		sql_bind_text(&s, probe);
	}
	while (r >= 0 && (r = sql_step(&s, reterr)) > 0) {
		read_row(&s, &measured);
		r = reader_take_row(reader, &s, "series", measured.series, reterr);
		if (r > 0 && measured.last_usec < 0)
			r = 0;
		if (r > 0)
			r = each(data, &measured);
	}
	sql_done(&s);
	return r;
}
