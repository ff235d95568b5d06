/* SPDX-License-Identifier: Apache-2.0 */
/* When mutes are active: tables of instants inside and outside, and many times of the day as starts
 * and ends around the transitions of many zones, compared with the C library's clock minute by
 * minute. Only the latter needs the system's zones. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "alarm/mute_time.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/date.h"
#include "base/error.h"
#include "base/parse.h"
#include "base/zone.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MINUTE_USEC (60 * (int64_t)USEC_PER_SEC)
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
		const char *from; /* NULL: it is not active */
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

/* A start that the clocks skip is moved to the end of the gap; one that they show twice counts
 * once. */
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

/* Both ends of an interval that the clocks skip are the same instant; it must not last until that
 * time of the next day. */
static void a_stretch_that_clocks_leave_out_never_holds(void **state)
{
	static const char *const texts[] = { "02:00-03:00", "02:15-02:45", "Sun 02:00-02:30",
		"2026-03-29 02:15 to 2026-03-29 02:45" };
	const int64_t change_usec = instant("2026-03-29T01:00:00Z");

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct mute_time *m = parse(texts[i]);
		int64_t from = -1;
		int64_t until = -1;
		for (int64_t minute = -30; minute < 22 * INT64_C(60); minute++)
			if (mute_time_holds(m, change_usec + minute * MINUTE_USEC, &from, &until))
				fail_msg("%s holds %d minutes after", texts[i], (int)minute);
		mute_time_free(m);
	}
}

/* --- Beside a slow reference ---------------------------------------------- */

#define DAY INT64_C(1440) /* minutes, as the next ones */
#define BEFORE (3 * DAY)
#define TABLE (7 * DAY)
#define STRETCHES 5 /* on consecutive days, the transition's in the middle */
#define FIRST_SEC INT64_C(1104537600) /* 2005 */
#define LAST_SEC INT64_C(2208988800) /* 2040 */
#define NIGHTS_MAX 160 /* per zone */

static const char *const zones[] = { "Europe/Berlin", "America/New_York", "Australia/Lord_Howe",
	"Asia/Kathmandu", "Africa/Casablanca", "America/Sao_Paulo", "Pacific/Apia", "Asia/Tehran",
	"Europe/London", "America/St_Johns", "Pacific/Chatham" };

/* The days around a transition, minute by minute. */
struct night {
	const char *zone;
	int64_t first_minute; /* UTC, since 1970: BEFORE the transition */
	int64_t first_local; /* of the table: 00:00 two days earlier */
	int64_t turn; /* minutes of the day that the clock shows as it changes */
	int64_t change; /* how far it sets the clock forward */
	bool is_new; /* the zone has no earlier one like it */
	/* For each minute of local time from first_local on, the first minute (from first_minute)
	 * at which a clock showed it or a later one. */
	int64_t shown_at[TABLE + 1];
};

/* An interval in minutes from the night's first. */
struct stretch {
	int64_t from;
	int64_t until;
};

static int64_t offset_minutes(int64_t minute)
{
	time_t t = (time_t)(minute * 60);
	struct tm tm;

	assert_non_null(localtime_r(&t, &tm));
	return tm.tm_gmtoff / 60;
}

/* The first minute after that one with another offset from UTC, or -1. */
static int64_t find_transition(int64_t minute)
{
	int64_t offset = offset_minutes(minute);

	while (offset_minutes(minute) == offset) {
		minute += DAY / 4;
		if (minute > LAST_SEC / 60)
			return -1;
	}
	minute -= DAY / 4;
	while (offset_minutes(minute) == offset)
		minute++;
	return minute;
}

static void look_at_clock(const char *zone, int64_t transition, struct night *night)
{
	int64_t offset = offset_minutes(transition - 1);
	int64_t turn = transition + offset;
	int64_t next = 0;

	night->first_local = ((turn - 1) / DAY - 2) * DAY;
	night->zone = zone;
	night->first_minute = transition - BEFORE;
	night->turn = turn - (turn - 1) / DAY * DAY;
	night->change = offset_minutes(transition) - offset;
	for (int64_t i = 0; next <= TABLE; i++) {
		int64_t minute = night->first_minute + i;
		int64_t shown = minute + offset_minutes(minute) - night->first_local;
		while (next <= shown && next <= TABLE)
			night->shown_at[next++] = i;
	}
}

static size_t find_nights(const char *zone, struct night *nights)
{
	size_t count = 0;

	assert_int_equal(setenv("TZ", zone, 1), 0);
	tzset();
	for (int64_t minute = FIRST_SEC / 60; (minute = find_transition(minute)) >= 0;) {
		struct night *night = &nights[count++];
		assert_true(count <= NIGHTS_MAX);
		look_at_clock(zone, minute, night);
		night->is_new = true;
		for (size_t i = 0; i + 1 < count; i++)
			if (nights[i].turn == night->turn && nights[i].change == night->change)
				night->is_new = false;
	}
	return count;
}

static void ask(const struct mute_time *m, const struct night *night, int64_t minute,
	const struct stretch *expected)
{
	int64_t now_usec = (night->first_minute + minute) * MINUTE_USEC;
	int64_t from_usec = -1;
	int64_t until_usec = -1;
	bool holds = mute_time_holds(m, now_usec, &from_usec, &until_usec);

	if (holds != (expected != NULL))
		fail_msg("%s %s at %lld: %d", night->zone, mute_time_text(m),
			(long long)(now_usec / MINUTE_USEC * 60), holds);
	if (expected &&
		(from_usec != (night->first_minute + expected->from) * MINUTE_USEC ||
			until_usec != (night->first_minute + expected->until) * MINUTE_USEC))
		fail_msg("%s %s at %lld: %lld to %lld", night->zone, mute_time_text(m),
			(long long)(now_usec / MINUTE_USEC * 60),
			(long long)(from_usec / MINUTE_USEC * 60),
			(long long)(until_usec / MINUTE_USEC * 60));
}

/* Of several intervals in order, only the last one that has started can be active. */
static void ask_among(const struct mute_time *m, const struct night *night, int64_t minute,
	const struct stretch *stretches, size_t count)
{
	const struct stretch *expected = NULL;

	for (size_t i = 0; i < count; i++)
		if (stretches[i].from <= minute && minute < stretches[i].until)
			expected = &stretches[i];
	ask(m, night, minute, expected);
}

/* Checks both sides of each start and end (those of the first and the last of many are next to ones
 * that are not in the list), both sides of the transition, and one further minute. */
static void compare(const struct mute_time *m, const struct night *night,
	const struct stretch *stretches, size_t count)
{
	static uint32_t seed = 1;

	for (size_t i = count > 1; i + (count > 1) < count; i++) {
		for (int64_t side = -1; side <= 0; side++) {
			ask_among(m, night, stretches[i].from + side, stretches, count);
			ask_among(m, night, stretches[i].until + side, stretches, count);
		}
	}
	seed = seed * 1664525 + 1013904223;
	ask_among(m, night, BEFORE - 1, stretches, count);
	ask_among(m, night, BEFORE, stretches, count);
	ask_among(m, night, BEFORE + (seed >> 8) % (DAY / 2), stretches, count);
}

static void compare_daily(
	const struct mute_time *m, const struct night *night, int64_t begin, int64_t end)
{
	struct stretch stretches[STRETCHES];
	int64_t length = end > begin ? end - begin : end - begin + DAY;

	for (size_t i = 0; i < STRETCHES; i++) {
		int64_t from = (int64_t)i * DAY + begin;
		stretches[i] =
			(struct stretch){ night->shown_at[from], night->shown_at[from + length] };
	}
	compare(m, night, stretches, STRETCHES);
}

static struct mute_time *parse_in(const char *zone, const char *text)
{
	const struct zone_places system = { .directory = "/usr/share/zoneinfo", .local = zone };
	struct mute_time *m = NULL;
	struct error error = { 0 };

	if (mute_time_parse(text, &system, &m, &error) < 0)
		fail_msg("%s %s: %s", zone, text, error.text);
	return m;
}

static bool is_near(const struct night *night, int64_t minute)
{
	int64_t distance = (minute - night->turn + DAY + DAY / 2) % DAY - DAY / 2;

	return distance >= -75 && distance <= 75;
}

/* Transitions like an earlier one are checked only near the change. */
static void compare_nights(const struct mute_time *m, const struct night *nights, size_t count,
	int64_t begin, int64_t end)
{
	for (size_t i = 0; i < count; i++) {
		const struct night *night = &nights[i];
		if (night->is_new || (is_near(night, begin) && is_near(night, end)))
			compare_daily(m, night, begin, end);
	}
}

static void print_local(const struct night *night, int64_t minute, struct buf *b)
{
	int64_t local = night->first_local + minute;
	struct date date = date_from_days(local / DAY);

	buf_printf(b, "%04d-%02d-%02d %02d:%02d", (int)date.year, (int)date.month, (int)date.day,
		(int)(local % DAY / 60), (int)(local % 60));
}

/* "2026-03-29 02:15 to 2026-03-29 02:45" and "2026-03-29 02:15 for 45min" */
static void compare_once(const struct night *night, int64_t begin, int64_t end)
{
	const int64_t length = 45;
	const struct stretch to = { night->shown_at[begin], night->shown_at[end] };
	const struct stretch lasting = { to.from, to.from + length };
	struct buf b = BUF_INIT(256);

	print_local(night, begin, &b);
	buf_add_text(&b, " to ");
	print_local(night, end, &b);
	struct mute_time *m = parse_in(night->zone, buf_text(&b));
	compare(m, night, &to, 1);
	mute_time_free(m);
	buf_done(&b);
	print_local(night, begin, &b);
	buf_printf(&b, " for %dmin", (int)length);
	m = parse_in(night->zone, buf_text(&b));
	compare(m, night, &lasting, 1);
	mute_time_free(m);
	buf_done(&b);
}

/* Starts and ends on both sides of a change, which is on the third day of the table. */
static void compare_single(const struct night *night)
{
	int64_t turn = 2 * DAY + night->turn;

	for (int64_t begin = turn - 75; begin <= turn + 75; begin += 15)
		for (int64_t end = begin + 15; end <= turn + 90; end += 15)
			compare_once(night, begin, end);
}

/* Clocks are changed in the first hours of a day: every quarter hour there, half hours later. */
static int64_t next_time(int64_t minute)
{
	return minute + (minute < DAY / 4 ? 15 : 30);
}

static void compare_daily_in(const char *zone, const struct night *nights, size_t count)
{
	char text[32];

	for (int64_t begin = 0; begin < DAY; begin = next_time(begin)) {
		for (int64_t end = 0; end < DAY; end = next_time(end)) {
			(void)snprintf(text, sizeof(text), "%02d:%02d-%02d:%02d", (int)begin / 60,
				(int)begin % 60, (int)end / 60, (int)end % 60);
			struct mute_time *m = parse_in(zone, text);
			compare_nights(m, nights, count, begin, end);
			mute_time_free(m);
		}
	}
}

static void each_begin_and_end_is_what_a_clock_shows(void **state)
{
	(void)state;
	if (access("/usr/share/zoneinfo/Europe/Berlin", R_OK) < 0)
		skip();
	struct night *nights = calloc(NIGHTS_MAX, sizeof(*nights));
	assert_non_null(nights);
	for (size_t i = 0; i < COUNT(zones); i++) {
		size_t count = find_nights(zones[i], nights);
		for (size_t k = 0; k < count; k++)
			if (nights[k].is_new)
				compare_single(&nights[k]);
		compare_daily_in(zones[i], nights, count);
	}
	free(nights);
}

static void nonsense_says_what_was_expected(void **state)
{
	static const struct {
		const char *text;
		const char *part; /* of the error message */
	} cases[] = {
		{ "", "does not say when it ends" },
		{ "Mon..Fri 20:00", "expected \"Mon..Fri 21:30-06:00\"" },
		{ "Mon..Fri 20:00 for", "expected" },
		{ "Mon..Fri 20:00 for 5m", "did you mean 5min" },
		{ "20:00 for 0s", "longer than 0" },
		{ "20:00 for 9000h", "at most 366 days" },
		{ "for 5min", "expected" },
		{ "Mno 21:30-06:00", "Mno 21:30: at position 1" },
		{ "21:30-26:00", "position" },
		{ "21:30-06:00 Europe/Nowhere", "Europe/Nowhere" },
		{ "2026-12-24 18:00 to 2026-12-23 06:00", "ends before it starts" },
		{ "Mon 18:00 to Tue 06:00", "expected one instant before" },
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

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_stretch_holds_from_its_begin_to_before_its_end),
		cmocka_unit_test(nights_follow_the_clock_through_summer_time),
		cmocka_unit_test(a_begin_in_the_changed_hour_comes_once),
		cmocka_unit_test(a_stretch_that_clocks_leave_out_never_holds),
		cmocka_unit_test(each_begin_and_end_is_what_a_clock_shows),
		cmocka_unit_test(nonsense_says_what_was_expected),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
