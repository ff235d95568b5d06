/* SPDX-License-Identifier: Apache-2.0 */
/* Checks and prints the result of calendar_parse.c. The rules and the normal form are those of
 * systemd's calendarspec.c. */
#include "base/calendar_form.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"

#define SENTENCE_MAX 256
#define FROM_END_MAX 28 /* every month has at least this many */
#define SHORT_NAME 3

const char *const calendar_weekday_names[7] = { "Monday", "Tuesday", "Wednesday", "Thursday",
	"Friday", "Saturday", "Sunday" };

static const struct {
	const char *name;
	int min;
	int max;
} units[CALENDAR_UNITS] = {
	[CALENDAR_YEAR] = { "year", CALENDAR_YEAR_MIN, CALENDAR_YEAR_MAX },
	[CALENDAR_MONTH] = { "month", 1, 12 },
	[CALENDAR_DAY] = { "day", 1, 31 },
	[CALENDAR_HOUR] = { "hour", 0, 23 },
	[CALENDAR_MINUTE] = { "minute", 0, 59 },
	[CALENDAR_SECOND] = { "second", 0, 59 },
};

int calendar_refuse(
	struct error *reterr, const char *text, size_t position, const char *format, ...)
{
	struct buf sentence = BUF_INIT(SENTENCE_MAX);
	va_list ap;

	va_start(ap, format);
	buf_vprintf(&sentence, format, ap);
	va_end(ap);
	(void)error_set(
		reterr, -EINVAL, "%.60s: at position %zu: %s", text, position, buf_text(&sentence));
	buf_done(&sentence);
	return -EINVAL;
}

/* 26 means 2026, 89 means 1989. */
static int full_year(int year)
{
	if (year < 0 || year >= 100)
		return year;
	return year + (year < 70 ? 2000 : 1900);
}

struct checker {
	const char *text;
	struct error *reterr;
	enum calendar_unit unit;
	bool is_from_end;
	int min;
	int max;
};

static int check_repeat(const struct checker *c, struct calendar_value *v)
{
	/* An end of a range that the repetition never reaches is moved to the last value it
	 * reaches; a range of one value becomes that value. */
	if (v->stop >= 0 && v->repeat > 0)
		v->stop -= (v->stop - v->start) % v->repeat;
	if (v->stop == v->start) {
		v->stop = -1;
		v->repeat = 0;
	}
	if (v->stop >= 0 || v->repeat == 0)
		return 0;
	int room = c->is_from_end ? v->start - c->min : c->max - v->start;
	if (v->repeat <= room)
		return 0;
	return calendar_refuse(c->reterr, c->text, v->position,
		"/%d goes past the last %s; did you mean %d alone?", v->repeat, units[c->unit].name,
		v->start);
}

static int check_value(const struct checker *c, struct calendar_value *v)
{
	bool has_stop = v->stop >= 0;

	if (v->start < c->min || v->start > c->max ||
		(has_stop && (v->stop < c->min || v->stop > c->max)))
		return calendar_refuse(c->reterr, c->text, v->position,
			"the %s must be from %d to %d%s", units[c->unit].name, c->min, c->max,
			c->is_from_end ? " from the end of the month" : "");
	if (has_stop && v->stop < v->start)
		return calendar_refuse(c->reterr, c->text, v->position,
			"a range must be ascending; did you mean %d..%d?", v->stop, v->start);
	return check_repeat(c, v);
}

static int compare_values(const void *a, const void *b)
{
	const struct calendar_value *x = a;
	const struct calendar_value *y = b;

	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->stop != y->stop)
		return x->stop < y->stop ? -1 : 1;
	return (x->repeat > y->repeat) - (x->repeat < y->repeat);
}

static void sort_chain(struct calendar_chain *chain)
{
	size_t kept = 0;

	qsort(chain->values, chain->count, sizeof(chain->values[0]), compare_values);
	for (size_t i = 0; i < chain->count; i++)
		if (i == 0 || compare_values(&chain->values[i], &chain->values[kept - 1]) != 0)
			chain->values[kept++] = chain->values[i];
	chain->count = kept;
}

int calendar_form_settle(struct calendar_form *form, const char *text, struct error *reterr)
{
	struct calendar_chain *years = &form->chains[CALENDAR_YEAR];

	for (size_t i = 0; i < years->count; i++) {
		years->values[i].start = full_year(years->values[i].start);
		years->values[i].stop = full_year(years->values[i].stop);
	}
	for (int unit = 0; unit < CALENDAR_UNITS; unit++) {
		struct calendar_chain *chain = &form->chains[unit];
		struct checker c = {
			.text = text,
			.reterr = reterr,
			.unit = (enum calendar_unit)unit,
			.is_from_end = unit == CALENDAR_DAY && form->is_from_end,
			.min = units[unit].min,
			.max = units[unit].max,
		};
		if (c.is_from_end)
			c.max = FROM_END_MAX;
		for (size_t i = 0; i < chain->count; i++) {
			int r = check_value(&c, &chain->values[i]);
			if (r < 0)
				return r;
		}
		sort_chain(chain);
	}
	if (form->chains[CALENDAR_DAY].count == 0)
		form->is_from_end = false; /* every day matches from either end */
	return 0;
}

static void print_chain(const struct calendar_chain *chain, struct buf *b)
{
	if (chain->count == 0)
		buf_add_char(b, '*');
	for (size_t i = 0; i < chain->count; i++) {
		const struct calendar_value *v = &chain->values[i];

		if (i > 0)
			buf_add_char(b, ',');
		buf_printf(b, "%02d", v->start);
		if (v->stop >= 0)
			buf_printf(b, "..%02d", v->stop);
		if (v->repeat > (v->stop >= 0))
			buf_printf(b, "/%d", v->repeat);
	}
}

/* Three or more consecutive days are printed as a range. */
static void print_weekdays(unsigned weekdays, struct buf *b)
{
	const char *separator = "";

	for (unsigned day = 0; day < 7;) {
		unsigned end = day;

		while (end < 7 && (weekdays >> end & 1) != 0)
			end++;
		if (end == day) {
			day++;
			continue;
		}
		buf_printf(b, "%s%.*s", separator, SHORT_NAME, calendar_weekday_names[day]);
		if (end - day >= 3)
			buf_printf(b, "..%.*s", SHORT_NAME, calendar_weekday_names[end - 1]);
		separator = ",";
		day = end - day >= 3 ? end : day + 1;
	}
}

void calendar_form_print(const struct calendar_form *form, struct buf *b)
{
	static const char separators[CALENDAR_UNITS] = { '-', '-', ' ', ':', ':', '\0' };

	if (form->weekdays != CALENDAR_WEEKDAYS_ALL) {
		print_weekdays(form->weekdays, b);
		buf_add_char(b, ' ');
	}
	for (int unit = 0; unit < CALENDAR_UNITS; unit++) {
		print_chain(&form->chains[unit], b);
		if (unit == CALENDAR_MONTH && form->is_from_end)
			buf_add_char(b, '~');
		else if (separators[unit] != '\0')
			buf_add_char(b, separators[unit]);
	}
	if (form->zone[0] != '\0')
		buf_printf(b, " %s", form->zone);
}
