/* SPDX-License-Identifier: Apache-2.0 */
/* Reader of instants: Unix seconds, RFC 3339, and offsets from a given now. */
#include <errno.h>
#include <string.h>

#include "base/clock.h"
#include "base/date.h"
#include "base/decimal.h"
#include "base/error.h"
#include "base/parse.h"

/* 0000-01-01 and the end of 9999-12-31: the range of RFC 3339. */
#define SECONDS_MIN INT64_C(-62167219200)
#define SECONDS_MAX INT64_C(253402300799)

/* A date and time as written; the fields are in the ranges of the grammar. */
struct date_time {
	int64_t year;
	int64_t month;
	int64_t day;
	int64_t hour;
	int64_t minute;
	int64_t second;
	int64_t usec;
	int64_t zone_minutes; /* east of Greenwich */
};

struct field {
	char before; /* the separator that must precede it, or NUL */
	uint8_t digits;
	uint8_t min;
	uint8_t max; /* 0: no limit */
};

/* Reads fixed-width decimal fields. Returns the bytes taken, 0 when the text has another form. */
static size_t scan_fields(const char *text, const struct field *fields, size_t count, int64_t *ret)
{
	size_t len = 0;

	for (size_t i = 0; i < count; i++) {
		const struct field *f = &fields[i];
		int64_t v = 0;

		if (f->before != '\0' && text[len++] != f->before)
			return 0;
		for (size_t digit = 0; digit < f->digits; digit++, len++) {
			if (text[len] < '0' || text[len] > '9')
				return 0;
			v = v * 10 + (text[len] - '0');
		}
		if (v < f->min || (f->max > 0 && v > f->max))
			return 0;
		ret[i] = v;
	}
	return len;
}

static size_t scan_date(const char *text, struct date_time *t)
{
	static const struct field fields[] = {
		{ .digits = 4 },
		{ .before = '-', .digits = 2, .min = 1, .max = 12 },
		{ .before = '-', .digits = 2, .min = 1, .max = 31 },
	};
	int64_t v[3];
	size_t len = scan_fields(text, fields, 3, v);

	if (len == 0)
		return 0;
	if (v[2] > date_month_days(v[0], v[1]))
		return 0;
	t->year = v[0];
	t->month = v[1];
	t->day = v[2];
	return len;
}

static size_t scan_time(const char *text, struct date_time *t)
{
	static const struct field fields[] = {
		{ .digits = 2, .max = 23 }, { .before = ':', .digits = 2, .max = 59 },
		{ .before = ':', .digits = 2, .max = 60 }, /* 60: a leap second */
	};
	int64_t v[3];
	size_t len = scan_fields(text, fields, 3, v);

	if (len == 0)
		return 0;
	t->hour = v[0];
	t->minute = v[1];
	t->second = v[2];
	if (text[len] != '.')
		return len;
	int64_t unit = (int64_t)USEC_PER_SEC;
	size_t digits = strspn(text + len + 1, "0123456789");
	for (size_t i = 0; i < digits; i++) {
		unit /= 10;
		t->usec += unit * (text[len + 1 + i] - '0');
	}
	return digits > 0 ? len + 1 + digits : 0;
}

static size_t scan_zone(const char *text, struct date_time *t)
{
	static const struct field fields[] = {
		{ .digits = 2, .max = 23 },
		{ .before = ':', .digits = 2, .max = 59 },
	};
	int64_t v[2];

	if (text[0] == 'Z' || text[0] == 'z')
		return 1;
	if (text[0] != '+' && text[0] != '-')
		return 0;
	size_t len = scan_fields(text + 1, fields, 2, v);
	if (len == 0)
		return 0;
	t->zone_minutes = (v[0] * 60 + v[1]) * (text[0] == '-' ? -1 : 1);
	return len + 1;
}

static int finish(const char *text, int64_t usec, int64_t *ret_usec, struct error *reterr)
{
	if (usec < SECONDS_MIN * (int64_t)USEC_PER_SEC ||
		usec >= (SECONDS_MAX + 1) * (int64_t)USEC_PER_SEC)
		return error_set(reterr, -ERANGE, "%.60s: not in the years 0000 to 9999", text);
	*ret_usec = usec;
	return 0;
}

static int refuse(const char *text, struct error *reterr)
{
	return error_set(reterr, -EINVAL,
		"%.60s: expected Unix seconds, a time such as 2026-11-30T18:00:00Z, now, or now-24h",
		*text ? text : "nothing");
}

static int parse_rfc3339(const char *text, int64_t *ret_usec, struct error *reterr)
{
	struct date_time t = { 0 };
	size_t len = scan_date(text, &t);

	if (len == 0)
		return refuse(text, reterr);
	if (text[len] == '\0')
		return error_set(reterr, -EINVAL,
			"%.60s: the time of day is missing; did you mean %.60sT00:00:00Z?", text,
			text);
	if (!strchr("Tt ", text[len]))
		return refuse(text, reterr);
	size_t time_len = scan_time(text + len + 1, &t);
	if (time_len == 0)
		return refuse(text, reterr);
	len += 1 + time_len;
	if (text[len] == '\0')
		return error_set(reterr, -EINVAL,
			"%.60s: the time zone is missing; did you mean %.60sZ?", text, text);
	size_t zone_len = scan_zone(text + len, &t);
	if (zone_len == 0 || text[len + zone_len] != '\0')
		return refuse(text, reterr);
	int64_t seconds = date_to_days(t.year, t.month, t.day) * DATE_SECONDS_PER_DAY +
		t.hour * 3600 + (t.minute - t.zone_minutes) * 60 + t.second;
	return finish(text, seconds * (int64_t)USEC_PER_SEC + t.usec, ret_usec, reterr);
}

static int parse_unix_seconds(const char *text, int64_t *ret_usec, struct error *reterr)
{
	bool is_negative = text[0] == '-';
	struct decimal number = { 0 };
	uint64_t usec;
	size_t len = decimal_scan(text + is_negative, &number);

	if (len == 0 || text[is_negative + len] != '\0')
		return -EINVAL;
	if (decimal_scale(&number, USEC_PER_SEC, &usec) < 0 || usec > INT64_MAX)
		return error_set(reterr, -ERANGE, "%.60s: not in the years 0000 to 9999", text);
	return finish(text, is_negative ? -(int64_t)usec : (int64_t)usec, ret_usec, reterr);
}

static int parse_relative(
	const char *text, int64_t now_usec, int64_t *ret_usec, struct error *reterr)
{
	const char *rest = text + strlen("now");
	uint64_t distance_usec = 0;
	int64_t usec;

	if (*rest != '\0' && *rest != '-')
		return refuse(text, reterr);
	if (*rest == '-') {
		int r = parse_duration(rest + 1, &distance_usec, reterr);

		if (r < 0)
			return r;
	}
	if (distance_usec > INT64_MAX ||
		__builtin_sub_overflow(now_usec, (int64_t)distance_usec, &usec))
		return error_set(reterr, -ERANGE, "%.60s: not in the years 0000 to 9999", text);
	return finish(text, usec, ret_usec, reterr);
}

int parse_instant(const char *text, int64_t now_usec, int64_t *ret_usec, struct error *reterr)
{
	uint64_t distance_usec;

	if (strncmp(text, "now", 3) == 0)
		return parse_relative(text, now_usec, ret_usec, reterr);
	int r = parse_unix_seconds(text, ret_usec, reterr);
	if (r != -EINVAL)
		return r;
	const char *distance = text + (text[0] == '-');
	if (parse_duration(distance, &distance_usec, NULL) == 0)
		return error_set(reterr, -EINVAL, "%.60s: did you mean now-%.60s?", text, distance);
	return parse_rfc3339(text, ret_usec, reterr);
}
