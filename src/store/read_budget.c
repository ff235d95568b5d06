/* SPDX-License-Identifier: Apache-2.0 */
/* What may still be written to each repository. */
#include "base/error.h"
#include "store/reader.h"

static void read_budget(struct sql *s, struct saved_budget *ret)
{
	ret->day_bytes = sql_unsigned(s, INT64_MAX);
	ret->level_bytes = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->saved_usec = sql_integer(s, INT64_MIN, INT64_MAX);
}

int store_read_budgets(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const struct saved_budget *budget),
	void *data, struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, budget.day_bytes, budget.level_bytes,"
		" budget.saved_usec FROM budget JOIN target ON target.id = budget.target"
		" ORDER BY target.id";
	struct sql s = { 0 };
	struct saved_budget budget;
	char name[RUN_NAME_MAX + 1];

	int r = reader_prepare(reader, text, &s, reterr);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		r = reader_take_target(reader, &s, id, name, reterr);
		if (r <= 0)
			continue;
		read_budget(&s, &budget);
		r = reader_take_row(reader, &s, "budget", id, reterr);
		if (r > 0)
			r = each(data, name, &budget);
	}
	sql_done(&s);
	return r;
}
