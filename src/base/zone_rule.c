/* SPDX-License-Identifier: Apache-2.0 */
/* Parses POSIX zone rules and computes the transitions of a year. */
#include "base/zone_rule.h"

#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "base/date.h"

#define HOUR 3600
#define RULE_HOURS_MAX 167
#define OFFSET_HOURS_MAX 24
#define NAME_MIN 3
#define DEFAULT_TIME INT64_C(7200)
/* The C library's default when a rule names summer time without dates. */
#define DEFAULT_DATES ",M3.2.0,M11.1.0"

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

/* All readers advance *at past what they read, or return false. */
static bool read_name(const char **at)
{
	const char *start = *at;
	const char *end = start;

	if (*start == '<') {
		for (end = ++start;
			is_letter(*end) || is_digit(*end) || *end == '+' || *end == '-';)
			end++;
		*at = end + 1;
		return *end == '>' && end - start >= NAME_MIN;
	}
	while (is_letter(*end))
		end++;
	*at = end;
	return end - start >= NAME_MIN;
}

static bool read_number(const char **at, int64_t min, int64_t max, int64_t *ret)
{
	int64_t value = 0;

	if (!is_digit(**at))
		return false;
	while (is_digit(**at)) {
		value = value * 10 + (**at - '0');
		if (value > max)
			return false;
		(*at)++;
	}
	*ret = value;
	return value >= min;
}

/* [+-]hh[:mm[:ss]] in seconds. */
static bool read_time(const char **at, int64_t hours_max, int64_t *ret_sec)
{
	bool is_negative = **at == '-';
	int64_t hours;
	int64_t minutes = 0;
	int64_t seconds = 0;

	if (**at == '-' || **at == '+')
		(*at)++;
	if (!read_number(at, 0, hours_max, &hours))
		return false;
	if (**at == ':') {
		(*at)++;
		if (!read_number(at, 0, 59, &minutes))
			return false;
		if (**at == ':') {
			(*at)++;
			if (!read_number(at, 0, 59, &seconds))
				return false;
		}
	}
	*ret_sec = hours * HOUR + minutes * 60 + seconds;
	if (is_negative)
		*ret_sec = -*ret_sec;
	return true;
}

/* POSIX offsets are positive to the west. */
static bool read_offset(const char **at, int32_t *ret_sec)
{
	int64_t west;

	if (!read_time(at, OFFSET_HOURS_MAX, &west))
		return false;
	*ret_sec = (int32_t)-west;
	return true;
}

static bool read_char(const char **at, char c)
{
	if (**at != c)
		return false;
	(*at)++;
	return true;
}

/* ",M10.5.0/3" */
static bool read_date(const char **at, struct zone_rule_date *ret)
{
	bool is_good;

	if (!read_char(at, ','))
		return false;
	ret->time_sec = DEFAULT_TIME;
	if (read_char(at, 'M')) {
		ret->kind = ZONE_DAY_OF_WEEK;
		is_good = read_number(at, 1, 12, &ret->month) && read_char(at, '.') &&
			read_number(at, 1, 5, &ret->week) && read_char(at, '.') &&
			read_number(at, 0, 6, &ret->weekday);
	} else if (read_char(at, 'J')) {
		ret->kind = ZONE_DAY_JULIAN;
		is_good = read_number(at, 1, 365, &ret->day);
	} else {
		ret->kind = ZONE_DAY_OF_YEAR;
		is_good = read_number(at, 0, 365, &ret->day);
	}
	if (is_good && read_char(at, '/'))
		return read_time(at, RULE_HOURS_MAX, &ret->time_sec);
	return is_good;
}

int zone_rule_parse(const char *text, struct zone_rule *ret)
{
	struct zone_rule rule = { 0 };
	const char *at = text;

	if (!read_name(&at) || !read_offset(&at, &rule.standard_sec))
		return -EINVAL;
	rule.summer_sec = rule.standard_sec + HOUR;
	rule.has_summer = *at != '\0';
	if (rule.has_summer) {
		if (!read_name(&at))
			return -EINVAL;
		if (*at != ',' && *at != '\0' && !read_offset(&at, &rule.summer_sec))
			return -EINVAL;
		if (*at == '\0')
			at = DEFAULT_DATES;
		if (!read_date(&at, &rule.begins) || !read_date(&at, &rule.ends) || *at != '\0')
			return -EINVAL;
	}
	*ret = rule;
	return 0;
}

static int64_t find_day(const struct zone_rule_date *date, int64_t year)
{
	int64_t first = date_to_days(year, date->kind == ZONE_DAY_OF_WEEK ? date->month : 1, 1);

	switch (date->kind) {
	case ZONE_DAY_JULIAN:
		return first + date->day - 1 + (date->day > 59 && date_month_days(year, 2) == 29);
	case ZONE_DAY_OF_YEAR:
		return first + date->day;
	case ZONE_DAY_OF_WEEK:
		break;
	}
	int64_t monday_based = (date->weekday + 6) % 7;
	int64_t day = (monday_based - (int64_t)date_weekday(first) + 7) % 7 + (date->week - 1) * 7;
	if (day >= date_month_days(year, date->month))
		day -= 7;
	return first + day;
}

struct zone_span zone_rule_at(const struct zone_rule *rule, int64_t utc_sec)
{
	struct zone_span span = { .offset_sec = rule->standard_sec, .until_sec = INT64_MAX };
	int64_t since_sec = INT64_MIN;

	if (!rule->has_summer)
		return span;
	/* With hours of up to a week a date may fall into a neighbouring year. If summer time ends
	 * at the moment it begins again it continues, so the beginning is checked last. */
	int64_t year = date_from_days(date_days_of_seconds(utc_sec)).year;
	for (int64_t y = year - 2; y <= year + 2; y++) {
		const struct {
			const struct zone_rule_date *date;
			int32_t before_sec;
			int32_t after_sec;
		} turns[] = {
			{ &rule->ends, rule->summer_sec, rule->standard_sec },
			{ &rule->begins, rule->standard_sec, rule->summer_sec },
		};
		for (size_t i = 0; i < sizeof(turns) / sizeof(turns[0]); i++) {
			int64_t at = find_day(turns[i].date, y) * DATE_SECONDS_PER_DAY +
				turns[i].date->time_sec - turns[i].before_sec;
			if (at <= utc_sec && at >= since_sec) {
				since_sec = at;
				span.offset_sec = turns[i].after_sec;
			}
			if (at > utc_sec && at < span.until_sec)
				span.until_sec = at;
		}
	}
	return span;
}
