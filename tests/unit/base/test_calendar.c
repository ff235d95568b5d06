/* SPDX-License-Identifier: Apache-2.0 */
/* Calendar times: the normal form, the next instants, and the error messages. Local zones are given
 * as rules, so nothing depends on the system's. tests/integration/test_calendar.py compares with
 * systemd itself. */
#include "test.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

#include "base/buf.h"
#include "base/calendar.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define LORD_HOWE "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0"
#define ST_JOHNS "NST3:30NDT,M3.2.0,M11.1.0"
#define SLOTS_MAX 6

static struct calendar *parse_in(const char *text, const char *local)
{
	const struct zone_places places = { .directory = "/nonexistent", .local = local };
	struct calendar *calendar = NULL;
	struct error error = { 0 };

	if (calendar_parse(text, &places, &calendar, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	return calendar;
}

static int64_t instant(const char *text)
{
	int64_t usec = 0;

	assert_int_equal(parse_instant(text, 0, &usec, NULL), 0);
	return usec;
}

static void normal_form_is_systemd_s(void **state)
{
	static const struct {
		const char *text;
		const char *form;
	} cases[] = {
		{ "minutely", "*-*-* *:*:00" },
		{ "hourly", "*-*-* *:00:00" },
		{ "daily", "*-*-* 00:00:00" },
		{ "DAILY utc", "*-*-* 00:00:00 UTC" },
		{ "weekly", "Mon *-*-* 00:00:00" },
		{ "monthly", "*-*-01 00:00:00" },
		{ "quarterly", "*-01,04,07,10-01 00:00:00" },
		{ "semiannually", "*-01,07-01 00:00:00" },
		{ "yearly", "*-01-01 00:00:00" },
		{ "Sat,Thu,Mon..Wed,Sat..Sun", "Mon..Thu,Sat,Sun *-*-* 00:00:00" },
		{ "Mon,Sun 12-*-* 2,1:23", "Mon,Sun 2012-*-* 01,02:23:00" },
		{ "Wed *-1", "Wed *-*-01 00:00:00" },
		{ "Wed..Wed,Wed *-1", "Wed *-*-01 00:00:00" },
		{ "Wed, 17:48", "Wed *-*-* 17:48:00" },
		{ "Wed..Sat,Tue 12-10-16 1:2:3", "Tue..Sat 2012-10-16 01:02:03" },
		{ "*-*-7 0:0:0", "*-*-07 00:00:00" },
		{ "10-15", "*-10-15 00:00:00" },
		{ "monday *-12-* 17:00", "Mon *-12-* 17:00:00" },
		{ "Mon,Fri *-*-3,1,2 *:30:45", "Mon,Fri *-*-01,02,03 *:30:45" },
		{ "12,14,13,12:20,10,30", "*-*-* 12,13,14:10,20,30:00" },
		{ "12..14:10,20,30", "*-*-* 12..14:10,20,30:00" },
		{ "mon,fri *-1/2-1,3 *:30:45", "Mon,Fri *-01/2-01,03 *:30:45" },
		{ "03-05 08:05:40", "*-03-05 08:05:40" },
		{ "2003-02..04-05", "2003-02..04-05 00:00:00" },
		{ "2003-03-05 05:40 UTC", "2003-03-05 05:40:00 UTC" },
		{ "*:2/3", "*-*-* *:02/3:00" },
		{ "*-02~03", "*-02~03 00:00:00" },
		{ "Mon *-05~07/1", "Mon *-05~07/1 00:00:00" },
		{ "*-*~*", "*-*-* 00:00:00" },
		{ "*:5..5", "*-*-* *:05:00" },
		{ "*:1..9/3,0..20/5", "*-*-* *:00..20/5,01..07/3:00" },
		{ "*:1..9/60", "*-*-* *:01:00" },
		{ "Mon..Sun", "*-*-* 00:00:00" },
		{ "Mon-Wed", "Mon..Wed *-*-* 00:00:00" },
		{ "  Mon\t *-*-*   3:00  ", "Mon *-*-* 03:00:00" },
		{ "69-1-1", "2069-01-01 00:00:00" },
		{ "70-1-1", "1970-01-01 00:00:00" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct calendar *calendar = parse_in(cases[i].text, "");

		assert_string_equal(calendar_text(calendar), cases[i].form);
		struct calendar *again = parse_in(cases[i].form, "");
		assert_string_equal(calendar_text(again), cases[i].form);
		calendar_free(again);
		calendar_free(calendar);
	}
}

struct slot_case {
	const char *text;
	const char *local; /* as in TZ */
	const char *after;
	const char *slots[SLOTS_MAX]; /* "" at the end: no more occur */
};

static void assert_slots(const struct slot_case *c)
{
	struct calendar *calendar = parse_in(c->text, c->local);
	int64_t usec = instant(c->after);

	for (size_t i = 0; i < SLOTS_MAX && c->slots[i]; i++) {
		int r = calendar_next(calendar, usec, &usec);

		if (c->slots[i][0] == '\0') {
			assert_int_equal(r, -ENOENT);
			break;
		}
		assert_int_equal(r, 0);
		if (usec != instant(c->slots[i]))
			fail_msg("%s after %s: slot %zu is %" PRId64 ", not %s", c->text, c->after,
				i, usec, c->slots[i]);
	}
	calendar_free(calendar);
}

static const struct slot_case plain_cases[] = {
	{ "18:00", "", "2026-11-30T17:59:59Z", { "2026-11-30T18:00:00Z", "2026-12-01T18:00:00Z" } },
	{ "18:00", "", "2026-11-30T18:00:00Z", { "2026-12-01T18:00:00Z" } },
	{ "18:00", "", "2026-11-30T17:59:59.999999Z", { "2026-11-30T18:00:00Z" } },
	{ "18:00", BERLIN, "2026-11-30T00:00:00Z", { "2026-11-30T17:00:00Z" } },
	{ "18:00 UTC", BERLIN, "2026-11-30T00:00:00Z", { "2026-11-30T18:00:00Z" } },
	{ "Mon..Fri 20:00", BERLIN, "2026-11-27T12:00:00Z",
		{ "2026-11-27T19:00:00Z", "2026-11-30T19:00:00Z" } },
	{ "Sat,Sun *-*-01..07 02:30", "", "2026-11-30T00:00:00Z",
		{ "2026-12-05T02:30:00Z", "2026-12-06T02:30:00Z", "2027-01-02T02:30:00Z" } },
	{ "*:0/5", "", "2026-11-30T23:52:00Z", { "2026-11-30T23:55:00Z", "2026-12-01T00:00:00Z" } },
	/* systemd 252 omits 00:00. */
	{ "*:0/7", "", "2026-11-30T23:52:00Z", { "2026-11-30T23:56:00Z", "2026-12-01T00:00:00Z" } },
	{ "9..17/4:10,50", "", "2026-11-30T13:10:00Z",
		{ "2026-11-30T13:50:00Z", "2026-11-30T17:10:00Z", "2026-11-30T17:50:00Z",
			"2026-12-01T09:10:00Z" } },
	{ "*:*:0/20", "", "2026-11-30T23:59:21Z",
		{ "2026-11-30T23:59:40Z", "2026-12-01T00:00:00Z" } },
	{ "*-*~1", "", "2027-12-31T00:00:00Z",
		{ "2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z", "2028-03-31T00:00:00Z" } },
	{ "*-02~03", "", "2026-11-30T00:00:00Z",
		{ "2027-02-26T00:00:00Z", "2028-02-27T00:00:00Z" } },
	{ "Mon *-05~07/1", "", "2026-01-01T00:00:00Z",
		{ "2026-05-25T00:00:00Z", "2027-05-31T00:00:00Z" } },
	{ "*-*~07/6", "", "2026-04-04T00:00:00Z",
		{ "2026-04-24T00:00:00Z", "2026-04-30T00:00:00Z", "2026-05-25T00:00:00Z" } },
	{ "*-*-31", "", "2026-01-31T00:00:00Z",
		{ "2026-03-31T00:00:00Z", "2026-05-31T00:00:00Z" } },
	{ "*-02-29", "", "2026-01-31T00:00:00Z",
		{ "2028-02-29T00:00:00Z", "2032-02-29T00:00:00Z" } },
	{ "*-02-29", "", "2096-12-31T00:00:00Z", { "2104-02-29T00:00:00Z" } },
	{ "2030/50-1-1", "", "2026-01-31T00:00:00Z",
		{ "2030-01-01T00:00:00Z", "2080-01-01T00:00:00Z", "2130-01-01T00:00:00Z",
			"2180-01-01T00:00:00Z", "" } },
	{ "2020-1-1", "", "2026-01-31T00:00:00Z", { "" } },
	{ "yearly", "", "2198-06-01T00:00:00Z", { "2199-01-01T00:00:00Z", "" } },
	{ "yearly", "", "0001-06-01T00:00:00Z",
		{ "1970-01-01T00:00:00Z", "1971-01-01T00:00:00Z" } },
	{ "daily", "", "9999-06-01T00:00:00Z", { "" } },
};

static const struct slot_case summer_cases[] = {
	/* Skipped in spring: once, at the end of the gap. */
	{ "02:30", BERLIN, "2026-03-28T12:00:00Z",
		{ "2026-03-29T01:00:00Z", "2026-03-30T00:30:00Z" } },
	{ "02:00", BERLIN, "2026-03-28T12:00:00Z",
		{ "2026-03-29T01:00:00Z", "2026-03-30T00:00:00Z" } },
	/* All of them, together with one that is due at the end of the gap, once. */
	{ "*:0/20", BERLIN, "2026-03-29T00:30:00Z",
		{ "2026-03-29T00:40:00Z", "2026-03-29T01:00:00Z", "2026-03-29T01:20:00Z" } },
	{ "hourly", BERLIN, "2026-03-28T23:30:00Z",
		{ "2026-03-29T00:00:00Z", "2026-03-29T01:00:00Z", "2026-03-29T02:00:00Z" } },
	{ "Sun *-03-25..31 02:00", BERLIN, "2026-01-01T00:00:00Z",
		{ "2026-03-29T01:00:00Z", "2027-03-28T01:00:00Z" } },
	/* Twice in autumn: the first time. */
	{ "02:30", BERLIN, "2026-10-24T12:00:00Z",
		{ "2026-10-25T00:30:00Z", "2026-10-26T01:30:00Z" } },
	{ "02:30", BERLIN, "2026-10-25T01:10:00Z", { "2026-10-26T01:30:00Z" } },
	{ "03:00", BERLIN, "2026-10-24T12:00:00Z", { "2026-10-25T02:00:00Z" } },
	{ "hourly", BERLIN, "2026-10-24T23:30:00Z",
		{ "2026-10-25T00:00:00Z", "2026-10-25T02:00:00Z", "2026-10-25T03:00:00Z" } },
	{ "*:0/30", BERLIN, "2026-10-25T01:10:00Z", { "2026-10-25T02:00:00Z" } },
	/* Half an hour, in a zone whose offset is not whole hours. */
	{ "02:15", LORD_HOWE, "2026-10-03T10:00:00Z",
		{ "2026-10-03T15:30:00Z", "2026-10-04T15:15:00Z" } },
	{ "01:45", LORD_HOWE, "2026-04-04T10:00:00Z",
		{ "2026-04-04T14:45:00Z", "2026-04-05T15:15:00Z" } },
	{ "02:30", ST_JOHNS, "2026-03-07T12:00:00Z",
		{ "2026-03-08T05:30:00Z", "2026-03-09T05:00:00Z" } },
	{ "01:30", ST_JOHNS, "2026-10-31T12:00:00Z",
		{ "2026-11-01T04:00:00Z", "2026-11-02T05:00:00Z" } },
	{ "12:00", "<+0545>-5:45", "2026-11-30T00:00:00Z", { "2026-11-30T06:15:00Z" } },
};

static void slots_come_in_turn(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(plain_cases); i++)
		assert_slots(&plain_cases[i]);
}

static void local_times_come_once_where_summer_time_begins_and_ends(void **state)
{
	(void)state;
	for (size_t i = 0; i < COUNT(summer_cases); i++)
		assert_slots(&summer_cases[i]);
}

/* Searching from any instant gives the same slot as stepping through all of them. */
static void next_slot_does_not_depend_on_where_one_asks(void **state)
{
	static const char *const zones[] = { "", BERLIN, LORD_HOWE, ST_JOHNS };
	static const char *const texts[] = { "*:0/30", "02:30", "Sun 01:45", "*-*~1 02:15" };

	(void)state;
	for (size_t i = 0; i < COUNT(zones) * COUNT(texts); i++) {
		struct calendar *calendar =
			parse_in(texts[i / COUNT(zones)], zones[i % COUNT(zones)]);
		int64_t from = instant("2026-02-27T00:00:00Z");
		int64_t slot;
		int64_t found;

		assert_int_equal(calendar_next(calendar, from, &slot), 0);
		for (; from < instant("2026-11-05T00:00:00Z"); from += 613 * INT64_C(1000001)) {
			while (slot <= from)
				assert_int_equal(calendar_next(calendar, slot, &slot), 0);
			assert_int_equal(calendar_next(calendar, from, &found), 0);
			assert_int_equal(found, slot);
		}
		calendar_free(calendar);
	}
}

static void slots_of_28_years_are_counted_whatever_the_year(void **state)
{
	static const struct {
		const char *text;
		uint64_t count;
	} cases[] = {
		{ "daily", 10227 },
		{ "*:0/5", 10227 * 288 },
		{ "*:*:*", UINT64_C(10227) * 86400 },
		{ "Mon..Fri 20:00", 10227 / 7 * 5 },
		{ "monthly", 28 * 12 },
		{ "*-02-29", 7 },
		{ "2020-01-01", 28 },
		{ "*-*~1", 28 * 12 },
		{ "Fri *-*-13", 48 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct calendar *calendar = parse_in(cases[i].text, "");

		assert_int_equal(calendar_count(calendar), cases[i].count);
		calendar_free(calendar);
	}
}

static void refusals_say_where_and_what_was_meant(void **state)
{
	static const struct {
		const char *text;
		const char *sentence;
	} cases[] = {
		{ "", "nothing: expected a calendar time such as Mon..Fri 20:00" },
		{ "dayly",
			"dayly: at position 1: expected weekdays such as Mon..Fri, a date such as "
			"*-*-01, a time such as 18:00, or a word such as daily; did you mean daily?" },
		{ "Montag 18:00", "; did you mean Monday?" },
		{ "every day", "every day: at position 1: expected weekdays such as" },
		{ "daily 18:00",
			"daily 18:00: at position 1: daily allows only a time zone beside it" },
		{ "Fri..Mon 1:00",
			"at position 1: a range of weekdays ends on Sunday; did you mean "
			"Fri..Sun,Mon?" },
		{ "Mon,Sat..Tue 1:00",
			"at position 5: a range of weekdays ends on Sunday; did you mean "
			"Sat..Sun,Mon..Tue?" },
		{ "Mon, Fri 10:00", "at position 6: weekdays are joined by commas without blanks" },
		{ "Mon,Thusday",
			"at position 5: expected a weekday such as Mon; did you mean Thursday?" },
		{ "Mon..", "at position 6: expected a weekday such as Mon" },
		{ "Mon+Tue", "at position 4: expected a comma or a blank after the weekday" },
		{ "24:00", "24:00: at position 1: the hour must be from 0 to 23" },
		{ "10:60", "at position 4: the minute must be from 0 to 59" },
		{ "10:00:60", "at position 7: the second must be from 0 to 59" },
		{ "*-13-1", "at position 3: the month must be from 1 to 12" },
		{ "*-*-0", "at position 5: the day must be from 1 to 31" },
		{ "*-*~29",
			"at position 5: the day must be from 1 to 28 from the end of the month" },
		{ "2200-1-1", "at position 1: the year must be from 1970 to 2199" },
		{ "9..5:00", "at position 1: a range must be ascending; did you mean 5..9?" },
		{ "*:10/60",
			"at position 3: /60 goes past the last minute; did you mean 10 alone?" },
		{ "*-*~7/7", "at position 5: /7 goes past the last day; did you mean 7 alone?" },
		{ "1/0:00", "at position 4: /0 repeats nothing" },
		{ "*:*/5", "at position 4: * cannot be repeated; did you mean 0/5" },
		{ "18", "at position 3: the minutes are missing; expected a time such as 18:00" },
		{ "*-*-* 18", "at position 9: the minutes are missing" },
		{ "18h", "at position 3: expected a time such as 18:00" },
		{ "10:00:00.5", "at position 9: fractions of a second are not taken" },
		{ "99999999999999999999:00", "at position 1: the hour must be from 0 to 23" },
		{ "2026-10-01T10:00", "at position 11: date and time are separated by a blank" },
		{ "2026-10", "at position 1: the month must be from 1 to 12" },
		{ "@1700000000", "at position 1: expected a number or *" },
		{ "10:00 \xc3\x9crop", "at position 6: expected a time such as 18:00" },
		{ "\xc3\x9c 10:00", "at position 1: expected a number or *" },
		{ "0 18 * * *", "0 18 * * *: this is cron's form; expected systemd's, such as" },
		{ "*-02-30", "*-02-30 never comes: there is no such day" },
		{ "Mon 2026-12-01", "Mon 2026-12-01 never comes: there is no such day" },
		{ "daily CEST", "CEST is not a time zone of this system" },
		{ "18:00 a/../x", "a/../x is not a time zone; expected a name" },
	};
	const struct zone_places places = { .directory = "/nonexistent", .local = "" };

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct calendar *calendar = NULL;
		struct error error = { 0 };

		int r = calendar_parse(cases[i].text, &places, &calendar, &error);
		if (r >= 0 || !strstr(error.text, cases[i].sentence))
			fail_msg("%s: %d, %s", cases[i].text, r, error.text);
	}
}

static void too_much_is_refused(void **state)
{
	const struct zone_places places = { .directory = "/nonexistent", .local = "" };
	struct calendar *calendar = NULL;
	struct error error = { 0 };
	struct buf b = BUF_INIT(8192);

	(void)state;
	buf_add_text(&b, "*:0");
	for (int i = 0; i < 60; i++)
		buf_add_text(&b, ",1");
	assert_int_equal(calendar_parse(buf_text(&b), &places, &calendar, &error), -EINVAL);
	assert_non_null(strstr(error.text, "too many values"));
	for (int i = 0; i < 1000; i++)
		buf_add_char(&b, ' ');
	assert_int_equal(calendar_parse(buf_text(&b), &places, &calendar, &error), -EINVAL);
	assert_non_null(strstr(error.text, "too long"));
	buf_clear(&b);
	buf_add_text(&b, "daily ");
	for (int i = 0; i < 101; i++)
		buf_add_char(&b, 'x');
	assert_int_equal(calendar_parse(buf_text(&b), &places, &calendar, &error), -EINVAL);
	assert_non_null(strstr(error.text, "at position 7: this is too long for a time zone"));
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(normal_form_is_systemd_s),
		cmocka_unit_test(slots_come_in_turn),
		cmocka_unit_test(local_times_come_once_where_summer_time_begins_and_ends),
		cmocka_unit_test(next_slot_does_not_depend_on_where_one_asks),
		cmocka_unit_test(slots_of_28_years_are_counted_whatever_the_year),
		cmocka_unit_test(refusals_say_where_and_what_was_meant),
		cmocka_unit_test(too_much_is_refused),
	};

	return cmocka_run_group_tests_name("calendar", tests, NULL, NULL);
}
