/* SPDX-License-Identifier: Apache-2.0 */
/* The grammar of calendar times: [WEEKDAYS] [DATE] [TIME] [ZONE], or a single word for one. */
#include <errno.h>
#include <string.h>
#include <strings.h>

#include "base/calendar_form.h"
#include "base/error.h"
#include "base/parse.h"

#define DIGITS "0123456789"
#define TEXT_MAX 1024
#define NUMBER_MAX 1000000 /* more than any unit has */
#define CRON_WORDS 5

static const struct {
	const char *word;
	const char *meaning;
} shorthands[] = {
	{ "minutely", "*:*:00" }, { "hourly", "*:00:00" }, { "daily", "*-*-*" },
	{ "weekly", "Mon *-*-*" }, { "monthly", "*-*-01" }, { "quarterly", "*-01,04,07,10-01" },
	{ "semiannually", "*-01,07-01" }, { "semi-annually", "*-01,07-01" },
	{ "biannually", "*-01,07-01" }, { "bi-annually", "*-01,07-01" }, { "yearly", "*-01-01" },
	{ "annually", "*-01-01" }, { "anually", "*-01-01" }, /* the same as systemd */
};
#define SHORTHANDS (sizeof(shorthands) / sizeof(shorthands[0]))

struct scanner {
	const char *text; /* the whole text, for messages */
	const char *start; /* positions are counted from here */
	const char *at;
	struct error *reterr;
	struct calendar_form *form;
};

/* In characters, from 1. */
static size_t position_of(const struct scanner *s, const char *at)
{
	size_t position = 1;

	for (const char *c = s->start; c < at; c++)
		position += ((unsigned char)*c & 0xc0) != 0x80;
	return position;
}

static int refuse(const struct scanner *s, const char *what)
{
	return calendar_refuse(s->reterr, s->text, position_of(s, s->at), "%s", what);
}

static bool is_letter(char c)
{
	return (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static void skip_blanks(struct scanner *s)
{
	s->at += strspn(s->at, " \t");
}

static bool is_end_of_word(char c)
{
	return c == '\0' || c == ' ' || c == '\t';
}

/* --- Numbers ------------------------------------------------------------- */

static int read_number(struct scanner *s, int *ret)
{
	int value = 0;

	if (!is_digit(*s->at))
		return refuse(s, "expected a number or *");
	for (; is_digit(*s->at); s->at++)
		value = value < NUMBER_MAX ? value * 10 + (*s->at - '0') : NUMBER_MAX;
	if (s->at[0] == '.' && s->at[1] != '.')
		return refuse(
			s, "fractions of a second are not taken; a range is written with two dots");
	*ret = value;
	return 0;
}

/* "5", "5..20", "0/15", "5..50/15" */
static int read_value(struct scanner *s, struct calendar_value *ret)
{
	struct calendar_value v = { .stop = -1, .position = position_of(s, s->at) };
	int r = read_number(s, &v.start);

	if (r == 0 && s->at[0] == '.' && s->at[1] == '.') {
		s->at += 2;
		v.repeat = 1;
		r = read_number(s, &v.stop);
	}
	if (r == 0 && *s->at == '/') {
		s->at++;
		r = read_number(s, &v.repeat);
		if (r == 0 && v.repeat == 0)
			return refuse(s, "/0 repeats nothing");
	}
	*ret = v;
	return r;
}

static int read_chain(struct scanner *s, struct calendar_chain *ret)
{
	ret->count = 0;
	if (*s->at == '*') {
		s->at++;
		if (*s->at != '/')
			return 0;
		return refuse(s,
			"* cannot be repeated; did you mean 0/5 (of hours, minutes, seconds) or "
			"1/5 (of months, days)?");
	}
	for (;;) {
		if (ret->count == CALENDAR_VALUES_MAX)
			return refuse(s, "too many values");
		int r = read_value(s, &ret->values[ret->count]);
		if (r < 0)
			return r;
		ret->count++;
		if (*s->at != ',')
			return 0;
		s->at++;
	}
}

/* --- Weekdays ------------------------------------------------------------ */

/* The weekday whose full or short name the text begins with, or -1. */
static int find_weekday(const char *text, size_t *ret_len)
{
	for (int day = 0; day < 7; day++) {
		const char *name = calendar_weekday_names[day];
		const size_t lengths[] = { strlen(name), 3 };

		for (size_t i = 0; i < 2; i++) {
			if (strncasecmp(text, name, lengths[i]) != 0 || is_letter(text[lengths[i]]))
				continue;
			*ret_len = lengths[i];
			return day;
		}
	}
	return -1;
}

static int refuse_weekday(const struct scanner *s)
{
	char word[16];
	size_t len = 0;

	while (len < sizeof(word) - 1 && is_letter(s->at[len]))
		len++;
	memcpy(word, s->at, len);
	word[len] = '\0';
	const char *meant = parse_suggest(word, calendar_weekday_names, 7);
	return calendar_refuse(s->reterr, s->text, position_of(s, s->at),
		"expected a weekday such as Mon%s%s%s", meant ? "; did you mean " : "",
		meant ? meant : "", meant ? "?" : "");
}

static int add_weekdays(const struct scanner *s, const char *at, int first, int last)
{
	if (first > last)
		return calendar_refuse(s->reterr, s->text, position_of(s, at),
			"a range of weekdays ends on Sunday; did you mean %.3s..Sun,Mon%s%.3s?",
			calendar_weekday_names[first], last == 0 ? "" : "..",
			last == 0 ? "" : calendar_weekday_names[last]);
	for (int day = first; day <= last; day++)
		s->form->weekdays |= 1U << day;
	return 0;
}

/* "Mon..Wed,Fri". May end with a comma; "Mon-Wed" is systemd's older form. */
static int read_weekdays(struct scanner *s)
{
	size_t len;
	bool has_any = find_weekday(s->at, &len) >= 0;

	while (has_any && !is_end_of_word(*s->at)) {
		int first = find_weekday(s->at, &len);
		if (first < 0)
			return refuse_weekday(s);
		int last = first;
		const char *start = s->at;
		s->at += len;
		size_t range = strncmp(s->at, "..", 2) == 0 ? 2 : *s->at == '-';
		s->at += range;
		if (range > 0) {
			last = find_weekday(s->at, &len);
			if (last < 0)
				return refuse_weekday(s);
			s->at += len;
		}
		int r = add_weekdays(s, start, first, last);
		if (r < 0)
			return r;
		if (*s->at == ',')
			s->at++;
		else if (!is_end_of_word(*s->at))
			return refuse(s, "expected a comma or a blank after the weekday");
	}
	skip_blanks(s);
	if (has_any && find_weekday(s->at, &len) >= 0)
		return refuse(s, "weekdays are joined by commas without blanks, such as Mon,Fri");
	return 0;
}

/* --- Date and time ------------------------------------------------------- */

/* "*-*-1,15", "12-24", "*-02~1". A time is not consumed. */
static int read_date(struct scanner *s)
{
	struct calendar_chain *chains = s->form->chains;
	const char *start = s->at;
	int parts = 1;
	int r = is_end_of_word(*s->at) ? 0 : read_chain(s, &chains[0]);

	if (r < 0)
		return r;
	if (*s->at != '-' && *s->at != '~') {
		chains[0].count = 0;
		s->at = start;
		return 0;
	}
	while (parts < 3 && (*s->at == '-' || *s->at == '~') && !s->form->is_from_end) {
		s->form->is_from_end = *s->at == '~';
		s->at++;
		r = read_chain(s, &chains[parts++]);
		if (r < 0)
			return r;
	}
	if (parts == 2) {
		chains[CALENDAR_DAY] = chains[1];
		chains[CALENDAR_MONTH] = chains[0];
		chains[CALENDAR_YEAR].count = 0;
	}
	if (*s->at == 'T' && is_digit(s->at[1]))
		return refuse(s, "date and time are separated by a blank, not by T");
	if (!is_end_of_word(*s->at))
		return refuse(s,
			"expected a date such as *-*-01, 2026-12-24, or *-*~1 for the last of the month");
	skip_blanks(s);
	return 0;
}

/* "18:00", "*:0/5", "2:30:15"; absent: midnight. */
static int read_time(struct scanner *s)
{
	struct calendar_chain *chains = s->form->chains;

	if (*s->at == '\0')
		return 0;
	for (int unit = CALENDAR_HOUR; unit <= CALENDAR_SECOND; unit++) {
		int r = read_chain(s, &chains[unit]);
		if (r < 0)
			return r;
		if (*s->at == '\0' && unit == CALENDAR_HOUR)
			return refuse(s, "the minutes are missing; expected a time such as 18:00");
		if (*s->at == '\0')
			return 0;
		if (*s->at != ':' || unit == CALENDAR_SECOND)
			break;
		s->at++;
	}
	return refuse(s, "expected a time such as 18:00 and then, if any, a time zone");
}

/* --- The whole ----------------------------------------------------------- */

static bool is_cron(const char *text)
{
	size_t words = 0;

	if (text[strspn(text, DIGITS "*/,-LW#? \t")] != '\0')
		return false;
	for (const char *at = text; *at; at += strspn(at, " \t")) {
		at += strcspn(at, " \t");
		words++;
	}
	return words >= CRON_WORDS;
}

static int refuse_word(const struct scanner *s)
{
	const char *words[SHORTHANDS + 7];
	char word[32];
	size_t len = strcspn(s->at, " \t,.");
	size_t count = 0;

	for (size_t i = 0; i < SHORTHANDS; i++)
		words[count++] = shorthands[i].word;
	for (size_t i = 0; i < 7; i++)
		words[count++] = calendar_weekday_names[i];
	if (len >= sizeof(word))
		len = sizeof(word) - 1;
	memcpy(word, s->at, len);
	word[len] = '\0';
	const char *meant = parse_suggest(word, words, count);
	if (meant && strcasecmp(meant, word) == 0)
		return calendar_refuse(s->reterr, s->text, position_of(s, s->at),
			"%s allows only a time zone beside it", meant);
	return calendar_refuse(s->reterr, s->text, position_of(s, s->at),
		"expected weekdays such as Mon..Fri, a date such as *-*-01, a time such as 18:00, or "
		"a word such as daily%s%s%s",
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
}

/* Removes "Europe/Berlin" from the end: the last of several words if it begins with a letter and is
 * not a weekday. */
static int split_zone(struct scanner *s, char *text)
{
	char *blank = strrchr(text, ' ');
	char *tab = strrchr(text, '\t');
	size_t len;

	if (!blank || (tab && tab > blank))
		blank = tab;
	if (!blank || !is_letter(blank[1]) || find_weekday(blank + 1, &len) >= 0)
		return 0;
	if (strlen(blank + 1) > ZONE_NAME_MAX) {
		s->at = blank + 1;
		return refuse(s, "this is too long for a time zone");
	}
	memcpy(s->form->zone, blank + 1, strlen(blank + 1) + 1);
	if (strcasecmp(s->form->zone, "UTC") == 0)
		memcpy(s->form->zone, "UTC", sizeof("UTC"));
	while (blank > text && is_end_of_word(blank[-1]))
		blank--;
	*blank = '\0';
	return 0;
}

static int read_parts(struct scanner *s)
{
	int r = read_weekdays(s);

	if (r == 0 && is_letter(*s->at))
		return refuse_word(s);
	if (r == 0)
		r = read_date(s);
	if (r == 0)
		r = read_time(s);
	return r;
}

int calendar_form_read(const char *text, struct calendar_form *ret, struct error *reterr)
{
	char copy[TEXT_MAX] = "";
	struct scanner s = {
		.text = text, .start = copy, .at = copy, .reterr = reterr, .form = ret
	};
	size_t len = strlen(text);

	memset(ret, 0, sizeof(*ret));
	for (int unit = CALENDAR_HOUR; unit <= CALENDAR_SECOND; unit++)
		ret->chains[unit] =
			(struct calendar_chain){ .count = 1, .values = { { .stop = -1 } } };
	if (len >= sizeof(copy))
		return error_set(reterr, -EINVAL, "%.60s…: too long for a calendar time", text);
	while (len > 0 && is_end_of_word(text[len - 1]))
		len--;
	memcpy(copy, text, len);
	copy[len] = '\0';
	skip_blanks(&s);
	if (*s.at == '\0')
		return error_set(reterr, -EINVAL,
			"nothing: expected a calendar time such as Mon..Fri 20:00");
	if (is_cron(s.at))
		return error_set(reterr, -EINVAL,
			"%.60s: this is cron's form; expected systemd's, such as Mon..Fri 20:00 or *:0/5",
			text);
	int r = split_zone(&s, copy + (s.at - copy));
	for (size_t i = 0; r == 0 && i < SHORTHANDS; i++) {
		if (strcasecmp(s.at, shorthands[i].word) != 0)
			continue;
		s.start = shorthands[i].meaning;
		s.at = s.start;
		break;
	}
	if (r == 0)
		r = read_parts(&s);
	if (ret->weekdays == 0)
		ret->weekdays = CALENDAR_WEEKDAYS_ALL;
	return r;
}
