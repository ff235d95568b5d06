/* SPDX-License-Identifier: Apache-2.0 */
/* What may still be written to each repository. */
#include "base/error.h"
#include "store/reader.h"

static int read_budget(struct sql *s, char name[RUN_NAME_MAX + 1], struct store_budget *ret)
{
	sql_text(s, name, RUN_NAME_MAX + 1);
	ret->day_bytes = sql_unsigned(s, INT64_MAX);
	ret->level_bytes = sql_integer(s, INT64_MIN, INT64_MAX);
	ret->saved_usec = sql_integer(s, INT64_MIN, INT64_MAX);
	return s->error;
}

int store_read_budgets(struct store_reader *reader,
	int (*each)(void *data, const char *repository, const struct store_budget *budget),
	void *data, struct error *reterr)
{
	static const char text[] =
		"SELECT target.id, target.name, budget.day_bytes, budget.level_bytes,"
		" budget.saved_usec FROM budget JOIN target ON target.id = budget.target"
		" ORDER BY target.id";
	struct sql s = { 0 };
	struct store_budget budget;
	char name[RUN_NAME_MAX + 1];

	int r = reader_prepare(reader, text, &s, reterr);
	while (r == 0 && (r = sql_step(&s, reterr)) > 0) {
		int64_t id = sql_integer(&s, INT64_MIN, INT64_MAX);
		if (read_budget(&s, name, &budget) < 0)
			r = reader_refuse_row(&s, "budget of repository", id, reterr);
		else
			r = each(data, name, &budget);
	}
	sql_done(&s);
	return r;
}
