/* SPDX-License-Identifier: Apache-2.0 */
/* When mutes hold: tables of instants inside and outside, also where summer time begins and ends.
 * Zones are given as rules, so nothing depends on the system's. */
#include "test.h"

#include <errno.h>
#include <string.h>

#include "alarm/mute_time.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"

static const struct zone_places places = { .directory = "/nonexistent", .local = BERLIN };

static int64_t instant(const char *text)
{
	int64_t usec = 0;

	assert_int_equal(parse_instant(text, 0, &usec, NULL), 0);
	return usec;
}

static struct mute_time *parse(const char *text)
{
	struct mute_time *m = NULL;
	struct error error = { 0 };

	if (mute_time_parse(text, &places, &m, &error) < 0)
		fail_msg("%s: %s", text, error.text);
	assert_string_equal(mute_time_text(m), text);
	return m;
}

static void a_stretch_holds_from_its_begin_to_before_its_end(void **state)
{
	static const struct {
		const char *text;
		const char *now;
		const char *from; /* NULL: it does not hold */
		const char *until;
	} cases[] = {
		/* 2026-11-30 is a Monday; Berlin is an hour ahead of UTC */
		{ "21:30-06:00", "2026-11-30T20:29:59Z", NULL, NULL },
		{ "21:30-06:00", "2026-11-30T20:30:00Z", "2026-11-30T20:30:00Z",
			"2026-12-01T05:00:00Z" },
		{ "21:30-06:00", "2026-12-01T04:59:59.999999Z", "2026-11-30T20:30:00Z",
			"2026-12-01T05:00:00Z" },
		{ "21:30-06:00", "2026-12-01T05:00:00Z", NULL, NULL },
		{ "21:30-06:00 UTC", "2026-11-30T20:30:00Z", NULL, NULL },
		{ "21:30-06:00 UTC", "2026-11-30T21:30:00Z", "2026-11-30T21:30:00Z",
			"2026-12-01T06:00:00Z" },
		{ "Mon..Fri 12:00-13:00", "2026-11-30T11:30:00Z", "2026-11-30T11:00:00Z",
			"2026-11-30T12:00:00Z" },
		{ "Mon..Fri 12:00-13:00", "2026-11-29T11:30:00Z", NULL, NULL },
		{ "Fri 22:00-06:00 UTC", "2026-11-28T05:00:00Z", "2026-11-27T22:00:00Z",
			"2026-11-28T06:00:00Z" },
		{ "Fri 22:00-06:00 UTC", "2026-11-28T22:30:00Z", NULL, NULL },
		{ "00:00-00:00 UTC", "2026-11-28T22:30:00Z", "2026-11-28T00:00:00Z",
			"2026-11-29T00:00:00Z" },
		{ "Sat 02:00 for 6h", "2026-11-28T06:59:59Z", "2026-11-28T01:00:00Z",
			"2026-11-28T07:00:00Z" },
		{ "Sat 02:00 for 6h", "2026-11-28T07:00:00Z", NULL, NULL },
		{ "Sat 02:00 for 1h 30min UTC", "2026-11-28T03:29:00Z", "2026-11-28T02:00:00Z",
			"2026-11-28T03:30:00Z" },
		{ "*-*-01 for 2d UTC", "2026-12-02T12:00:00Z", "2026-12-01T00:00:00Z",
			"2026-12-03T00:00:00Z" },
		{ "*:*:* for 1s UTC", "2026-12-02T12:00:00.5Z", "2026-12-02T12:00:00Z",
			"2026-12-02T12:00:01Z" },
		{ "2026-12-24 18:00 to 2026-12-27 06:00 UTC", "2026-12-24T18:00:00Z",
			"2026-12-24T18:00:00Z", "2026-12-27T06:00:00Z" },
		{ "2026-12-24 18:00 to 2026-12-27 06:00 UTC", "2026-12-27T06:00:00Z", NULL, NULL },
		{ "2026-12-24 18:00 to 2026-12-27 06:00", "2026-12-24T17:00:00Z",
			"2026-12-24T17:00:00Z", "2026-12-27T05:00:00Z" },
		{ "2026-12-24 18:00 to 2026-12-27 06:00", "2030-01-01T00:00:00Z", NULL, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mute_time *m = parse(cases[i].text);
		int64_t from = -1;
		int64_t until = -1;
		bool holds = mute_time_holds(m, instant(cases[i].now), &from, &until);
		if (holds != (cases[i].from != NULL))
			fail_msg("%s at %s: %d", cases[i].text, cases[i].now, holds);
		if (holds && (from != instant(cases[i].from) || until != instant(cases[i].until)))
			fail_msg("%s at %s: %lld to %lld", cases[i].text, cases[i].now,
				(long long)from, (long long)until);
		mute_time_free(m);
	}
}

/* The night of 28 to 29 March 2026 has an hour less, that of 24 to 25 October one more. */
static void nights_follow_the_clock_through_summer_time(void **state)
{
	static const struct {
		const char *now;
		const char *from;
		const char *until;
	} cases[] = {
		{ "2026-03-28T22:00:00Z", "2026-03-28T20:30:00Z", "2026-03-29T04:00:00Z" },
		{ "2026-03-29T03:59:59Z", "2026-03-28T20:30:00Z", "2026-03-29T04:00:00Z" },
		{ "2026-10-24T22:00:00Z", "2026-10-24T19:30:00Z", "2026-10-25T05:00:00Z" },
		{ "2026-10-25T04:59:59Z", "2026-10-24T19:30:00Z", "2026-10-25T05:00:00Z" },
	};
	struct mute_time *m = parse("21:30-06:00");

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t from = -1;
		int64_t until = -1;
		assert_true(mute_time_holds(m, instant(cases[i].now), &from, &until));
		assert_int_equal(from, instant(cases[i].from));
		assert_int_equal(until, instant(cases[i].until));
	}
	mute_time_free(m);
}

/* A begin that clocks leave out begins at the end of the gap; one that they show twice, once. */
static void a_begin_in_the_changed_hour_comes_once(void **state)
{
	struct mute_time *m = parse("02:30-04:00");
	int64_t from = -1;
	int64_t until = -1;

	(void)state;
	assert_false(mute_time_holds(m, instant("2026-03-29T00:59:59Z"), &from, &until));
	assert_true(mute_time_holds(m, instant("2026-03-29T01:00:00Z"), &from, &until));
	assert_int_equal(until, instant("2026-03-29T02:00:00Z"));
	assert_true(mute_time_holds(m, instant("2026-10-25T00:30:00Z"), &from, &until));
	assert_int_equal(until, instant("2026-10-25T03:00:00Z"));
	assert_true(mute_time_holds(m, instant("2026-10-25T01:45:00Z"), &from, &until));
	assert_int_equal(from, instant("2026-10-25T00:30:00Z"));
	mute_time_free(m);
}

static void nonsense_says_what_was_expected(void **state)
{
	static const struct {
		const char *text;
		const char *part; /* of the sentence */
	} cases[] = {
		{ "", "does not say when it ends" },
		{ "Mon..Fri 20:00", "expected \"Mon..Fri 21:30-06:00\"" },
		{ "Mon..Fri 20:00 for", "expected" },
		{ "Mon..Fri 20:00 for 5m", "did you mean 5min" },
		{ "20:00 for 0s", "more than nothing" },
		{ "20:00 for 9000h", "at most 366 days" },
		{ "for 5min", "expected" },
		{ "Mno 21:30-06:00", "Mno 21:30: at position 1" },
		{ "21:30-26:00", "position" },
		{ "21:30-06:00 Europe/Nowhere", "Europe/Nowhere" },
		{ "2026-12-24 18:00 to 2026-12-23 06:00", "ends before it begins" },
		{ "Mon 18:00 to Tue 06:00", "one instant stands before" },
		{ "\xff 21:30-06:00", "UTF-8" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct mute_time *m = NULL;
		struct error error = { 0 };
		int r = mute_time_parse(cases[i].text, &places, &m, &error);
		if (r >= 0 || m || !strstr(error.text, cases[i].part))
			fail_msg("\"%s\": %d %s", cases[i].text, r, error.text);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_holds_from_its_begin_to_before_its_end),
		cmocka_unit_test(nights_follow_the_clock_through_summer_time),
		cmocka_unit_test(a_begin_in_the_changed_hour_comes_once),
		cmocka_unit_test(nonsense_says_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
