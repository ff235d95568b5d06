/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar times as sets of values, and the search for the next local time in them. */
#include "base/calendar.h"

#include <errno.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/calendar_form.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/error.h"
#include "base/zone.h"

#define YEARS (CALENDAR_YEAR_MAX - CALENDAR_YEAR_MIN + 1)
#define TEXT_MAX 16384
#define COUNT_FIRST_YEAR 2001 /* 28 years in which the leap year rule has no exception */

struct calendar {
	struct zone *zone;
	char *text;
	unsigned weekdays;
	bool is_from_end;
	bool years[YEARS];
	uint64_t sets[CALENDAR_UNITS]; /* by value; not of years */
};

/* --- From form to sets --------------------------------------------------- */

static void add_to_set(struct calendar *c, int unit, int value)
{
	if (unit == CALENDAR_YEAR)
		c->years[value - CALENDAR_YEAR_MIN] = true;
	else
		c->sets[unit] |= UINT64_C(1) << value;
}

/* Counted from the end of a month, a repetition advances towards that end. */
static void add_value(struct calendar *c, int unit, const struct calendar_value *v)
{
	static const int last[CALENDAR_UNITS] = { CALENDAR_YEAR_MAX, 12, 31, 23, 59, 59 };
	bool is_falling = unit == CALENDAR_DAY && c->is_from_end && v->stop < 0;
	int stop = v->stop >= 0 ? v->stop : last[unit];

	if (v->repeat == 0) {
		add_to_set(c, unit, v->start);
		return;
	}
	if (is_falling)
		for (int i = v->start; i > 0; i -= v->repeat)
			add_to_set(c, unit, i);
	else
		for (int i = v->start; i <= stop; i += v->repeat)
			add_to_set(c, unit, i);
}

static void fill_sets(struct calendar *c, const struct calendar_form *form)
{
	static const int first[CALENDAR_UNITS] = { CALENDAR_YEAR_MIN, 1, 1, 0, 0, 0 };

	c->weekdays = form->weekdays;
	c->is_from_end = form->is_from_end;
	for (int unit = 0; unit < CALENDAR_UNITS; unit++) {
		const struct calendar_chain *chain = &form->chains[unit];
		const struct calendar_value all = { .start = first[unit], .stop = -1, .repeat = 1 };

		if (chain->count == 0)
			add_value(c, unit, &all);
		for (size_t i = 0; i < chain->count; i++)
			add_value(c, unit, &chain->values[i]);
	}
}

static int open_zone(struct calendar *c, const struct calendar_form *form,
	const struct zone_places *places, struct error *reterr)
{
	if (form->zone[0] == '\0')
		return zone_open_local(places, &c->zone, reterr);
	return zone_open(places, form->zone, &c->zone, reterr);
}

static int print_text(struct calendar *c, const struct calendar_form *form)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	calendar_form_print(form, &b);
	return buf_take(&b, &c->text, NULL);
}

static int build(const char *text, const struct zone_places *places, struct calendar_form *form,
	struct calendar *c, struct error *reterr)
{
	int64_t usec;
	int r = calendar_form_read(text, form, reterr);

	if (r == 0)
		r = calendar_form_settle(form, text, reterr);
	if (r == 0)
		r = open_zone(c, form, places, reterr);
	if (r == 0)
		r = print_text(c, form);
	if (r < 0)
		return r;
	fill_sets(c, form);
	if (calendar_next(c, INT64_MIN, &usec) < 0)
		return error_set(reterr, -EINVAL, "%.60s never comes: there is no such day", text);
	return 0;
}

int calendar_parse(const char *text, const struct zone_places *places, struct calendar **ret,
	struct error *reterr)
{
	struct calendar *c = calloc(1, sizeof(*c));
	struct calendar_form *form = calloc(1, sizeof(*form));
	int r = c && form ? build(text, places, form, c, reterr) : -ENOMEM;

	free(form);
	if (r < 0) {
		calendar_free(c);
		return r;
	}
	*ret = c;
	return 0;
}

struct calendar *calendar_free(struct calendar *calendar)
{
	if (!calendar)
		return NULL;
	zone_free(calendar->zone);
	free(calendar->text);
	free(calendar);
	return NULL;
}

const char *calendar_text(const struct calendar *calendar)
{
	return calendar->text;
}

/* --- The search ---------------------------------------------------------- */

/* The smallest member of a set that is at least min, or -1. */
static int next_member(uint64_t set, int min)
{
	uint64_t rest = min < 64 ? set >> min << min : 0;

	return rest != 0 ? __builtin_ctzll(rest) : -1;
}

static bool has_year(const struct calendar *c, int64_t year)
{
	return year >= CALENDAR_YEAR_MIN && year <= CALENDAR_YEAR_MAX &&
		c->years[year - CALENDAR_YEAR_MIN];
}

static bool has_month(const struct calendar *c, int64_t month)
{
	return (c->sets[CALENDAR_MONTH] >> month & 1) != 0;
}

static bool has_day(const struct calendar *c, const struct date *date, int64_t days)
{
	int64_t day = c->is_from_end ? date_month_days(date->year, date->month) - date->day + 1
				     : date->day;

	return (c->sets[CALENDAR_DAY] >> day & 1) != 0 &&
		(c->weekdays >> date_weekday(days) & 1) != 0;
}

/* The first matching second of a day that is at least from_sec, or -1. */
static int find_second_of_day(const struct calendar *c, int from_sec)
{
	int hour = from_sec / 3600;
	int minute = from_sec / 60 % 60;
	int second = from_sec % 60;

	for (int h = next_member(c->sets[CALENDAR_HOUR], hour); h >= 0;
		h = next_member(c->sets[CALENDAR_HOUR], h + 1)) {
		if (h > hour)
			minute = second = 0;
		int m = next_member(c->sets[CALENDAR_MINUTE], minute);
		int s = next_member(c->sets[CALENDAR_SECOND], m == minute ? second : 0);
		if (m >= 0 && s < 0) {
			m = next_member(c->sets[CALENDAR_MINUTE], m + 1);
			s = next_member(c->sets[CALENDAR_SECOND], 0);
		}
		if (m >= 0)
			return h * 3600 + m * 60 + s;
	}
	return -1;
}

static int64_t earliest_sec(void)
{
	return date_to_days(CALENDAR_YEAR_MIN, 1, 1) * DATE_SECONDS_PER_DAY;
}

/* The first matching local time that is at least from_sec. */
static int find_local(const struct calendar *c, int64_t from_sec, int64_t *ret_sec)
{
	int64_t days = date_days_of_seconds(from_sec);
	int from = (int)(from_sec - days * DATE_SECONDS_PER_DAY);

	for (;;) {
		struct date date = date_from_days(days);
		int64_t next = days + 1;

		if (date.year > CALENDAR_YEAR_MAX)
			return -ENOENT;
		if (!has_year(c, date.year)) {
			next = date_to_days(date.year + 1, 1, 1);
		} else if (!has_month(c, date.month)) {
			next = date_to_days(date.year, date.month, 1) +
				date_month_days(date.year, date.month);
		} else if (has_day(c, &date, days)) {
			int second = find_second_of_day(c, from);
			if (second >= 0) {
				*ret_sec = days * DATE_SECONDS_PER_DAY + second;
				return 0;
			}
		}
		days = next;
		from = 0;
	}
}

int calendar_next_local(const struct calendar *calendar, int64_t after_sec, int64_t *ret_sec)
{
	return find_local(
		calendar, after_sec < earliest_sec() ? earliest_sec() : after_sec + 1, ret_sec);
}

int64_t calendar_shown(const struct calendar *calendar, int64_t usec)
{
	const int64_t usec_per_sec = (int64_t)USEC_PER_SEC;
	const int64_t last_sec = date_to_days(CALENDAR_YEAR_MAX + 2, 1, 1) * DATE_SECONDS_PER_DAY;
	int64_t sec = usec / usec_per_sec - (usec % usec_per_sec < 0);

	if (sec >= last_sec)
		return last_sec;
	if (sec <= earliest_sec() - 2 * ZONE_OFFSET_MAX)
		return INT64_MIN;
	return zone_latest_shown(calendar->zone, sec);
}

int64_t calendar_instant(const struct calendar *calendar, int64_t local_sec)
{
	return zone_first_instant(calendar->zone, local_sec) * (int64_t)USEC_PER_SEC;
}

/* A local time occurs at the first instant that shows it or a later one, so the next ones are those
 * later than every time shown so far. */
int calendar_next(const struct calendar *calendar, int64_t after_usec, int64_t *ret_usec)
{
	int64_t local_sec;
	int r = calendar_next_local(calendar, calendar_shown(calendar, after_usec), &local_sec);

	if (r < 0)
		return r;
	*ret_usec = calendar_instant(calendar, local_sec);
	return 0;
}

uint64_t calendar_count(const struct calendar *calendar)
{
	const int64_t first = date_to_days(COUNT_FIRST_YEAR, 1, 1);
	uint64_t count = 0;

	for (int64_t days = first; days < first + CALENDAR_COUNT_DAYS; days++) {
		struct date date = date_from_days(days);

		count += has_month(calendar, date.month) && has_day(calendar, &date, days);
	}
	for (int unit = CALENDAR_HOUR; unit <= CALENDAR_SECOND; unit++)
		count *= (unsigned)__builtin_popcountll(calendar->sets[unit]);
	return count;
}
