/* SPDX-License-Identifier: Apache-2.0 */
/* The readers of numbers, words, instants and names: what they accept, refuse and suggest. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define UNTOUCHED 77
#define NOW INT64_C(1796061600000000) /* 2026-11-30T18:00:00Z */

/* A reader's result for one text: r, the value on success, and on failure what the sentence must
 * contain. */
struct number_case {
	const char *text;
	int r;
	uint64_t value;
	const char *sentence;
};

static void assert_answer(const struct number_case *c, int r, uint64_t value, const struct error *e)
{
	if (r != c->r || value != (c->r == 0 ? c->value : UNTOUCHED))
		fail_msg("\"%s\": answered %d, value %ju (%s)", c->text, r, (uintmax_t)value,
			e->text);
	if ((r == 0) != (e->text[0] == '\0'))
		fail_msg("\"%s\": sentence \"%s\"", c->text, e->text);
	if (c->sentence && !strstr(e->text, c->sentence))
		fail_msg("\"%s\": \"%s\" does not say \"%s\"", c->text, e->text, c->sentence);
}

static void assert_unsigned(int (*reader)(const char *, uint64_t *, struct error *),
	const struct number_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t v = UNTOUCHED;
		struct error e = { 0 };
		int r = reader(cases[i].text, &v, &e);

		assert_answer(&cases[i], r, v, &e);
		assert_int_equal(reader(cases[i].text, &v, NULL), r);
	}
}

static void sizes_are_read(void **state)
{
	static const struct number_case cases[] = {
		{ "0", 0, 0, NULL },
		{ "4096", 0, 4096, NULL },
		{ "007", 0, 7, NULL },
		{ "64K", 0, 65536, NULL },
		{ "64k", 0, 65536, NULL },
		{ "64Ki", 0, 65536, NULL },
		{ "64KiB", 0, 65536, NULL },
		{ "64kB", 0, 64000, NULL },
		{ "64KB", 0, 64000, NULL },
		{ "2m", 0, UINT64_C(2) << 20, NULL },
		{ "2MiB", 0, UINT64_C(2) << 20, NULL },
		{ "2MB", 0, 2000000, NULL },
		{ "1.5G", 0, UINT64_C(1610612736), NULL },
		{ "1.5GB", 0, UINT64_C(1500000000), NULL },
		{ "3T", 0, UINT64_C(3) << 40, NULL },
		{ "3TB", 0, UINT64_C(3000000000000), NULL },
		{ "5P", 0, UINT64_C(5) << 50, NULL },
		{ "5PB", 0, UINT64_C(5000000000000000), NULL },
		{ "0.3K", 0, 307, NULL }, /* to the nearest byte */
		{ "0.99999999999999999999999K", 0, 1024, NULL },
		{ "18446744073709551615", 0, UINT64_MAX, NULL },
		{ "16383P", 0, UINT64_C(16383) << 50, NULL },
	};

	(void)state;
	assert_unsigned(parse_size, cases, COUNT(cases));
}

static void bad_sizes_are_refused_with_a_guess(void **state)
{
	static const struct number_case cases[] = {
		{ "", -EINVAL, 0, "nothing: expected a size such as" },
		{ "K", -EINVAL, 0, "expected a size" },
		{ "ten", -EINVAL, 0, "expected a size" },
		{ "-5K", -EINVAL, 0, "cannot be negative" },
		{ "+5K", -EINVAL, 0, "expected a size" },
		{ "10 MB", -EINVAL, 0, "write it without a blank: 10MB" },
		{ "10 mb", -EINVAL, 0, "write it without a blank: 10MB" },
		{ "64 ", -EINVAL, 0, "write it without blanks: 64" },
		{ " 64", -EINVAL, 0, "expected a size" },
		{ "64KiBs", -EINVAL, 0, "did you mean 64KiB?" },
		{ "64kib", -EINVAL, 0, "did you mean 64KiB?" },
		{ "64gb", -EINVAL, 0, "did you mean 64GB?" },
		{ "1.5", -EINVAL, 0, "a fraction needs a unit; did you mean 1.5K, 1.5M or 1.5G?" },
		{ "1.K", -EINVAL, 0, "did you mean 1K?" },
		{ ".5K", -EINVAL, 0, "expected a size" },
		{ "1.5.5K", -EINVAL, 0, "expected a size" },
		{ "512B", -EINVAL, 0, "bytes need no unit: 512" },
		{ "512 bytes", -EINVAL, 0, "bytes need no unit: 512" },
		{ "64K,", -EINVAL, 0, "did you mean 64K" },
		{ "0x10", -EINVAL, 0, "expected a size" },
		{ "18446744073709551616", -ERANGE, 0, "more bytes than 64 bits hold" },
		{ "16384P", -ERANGE, 0, "more bytes" },
		{ "99999999999999999999999G", -ERANGE, 0, "more bytes" },
	};

	(void)state;
	assert_unsigned(parse_size, cases, COUNT(cases));
}

static void durations_are_read(void **state)
{
	static const struct number_case cases[] = {
		{ "0", 0, 0, NULL },
		{ "0s", 0, 0, NULL },
		{ "250us", 0, 250, NULL },
		{ "15ms", 0, 15000, NULL },
		{ "30s", 0, 30000000, NULL },
		{ "1.5s", 0, 1500000, NULL },
		{ "5min", 0, UINT64_C(300000000), NULL },
		{ "1h30min", 0, UINT64_C(5400000000), NULL },
		{ "1h 30min", 0, UINT64_C(5400000000), NULL },
		{ "1.5h", 0, UINT64_C(5400000000), NULL },
		{ "7d", 0, UINT64_C(604800000000), NULL },
		{ "1w", 0, UINT64_C(604800000000), NULL },
		{ "10y", 0, UINT64_C(315576000000000), NULL },
		{ "1s1s", 0, 2000000, NULL },
		{ "0.0000004s", 0, 0, NULL },
		{ "0.0000005s", 0, 1, NULL },
		{ "18446744073709551615us", 0, UINT64_MAX, NULL },
	};

	(void)state;
	assert_unsigned(parse_duration, cases, COUNT(cases));
}

static void bad_durations_are_refused_with_a_guess(void **state)
{
	static const struct number_case cases[] = {
		{ "", -EINVAL, 0, "nothing: expected a duration such as" },
		{ "30", -EINVAL, 0, "30: a unit is missing; did you mean 30s?" },
		{ "1h30", -EINVAL, 0, "a unit is missing" },
		{ "00", -EINVAL, 0, "a unit is missing" },
		{ "1.5", -EINVAL, 0, "did you mean 1.5s?" },
		{ "5m", -EINVAL, 0, "m could be minutes or months; did you mean 5min?" },
		{ "1h5m30s", -EINVAL, 0, "did you mean 1h5min30s?" },
		{ "5M", -EINVAL, 0, "did you mean 5min?" },
		{ "5 min", -EINVAL, 0, "no blank is allowed before the unit; did you mean 5min?" },
		{ "1h 30 min", -EINVAL, 0, "did you mean 1h 30min?" },
		{ "1h  30min", -EINVAL, 0, "expected a duration" },
		{ "5min ", -EINVAL, 0, "expected a duration" },
		{ " 5min", -EINVAL, 0, "expected a duration" },
		{ "30sec", -EINVAL, 0, "did you mean 30s?" },
		{ "2 hours", -EINVAL, 0, "did you mean 2h?" },
		{ "3µs", -EINVAL, 0, "did you mean 3us?" },
		{ "3MS", -EINVAL, 0, "did you mean 3ms?" },
		{ "-5s", -EINVAL, 0, "cannot be negative" },
		{ "1h-5min", -EINVAL, 0, "expected a duration" },
		{ "s", -EINVAL, 0, "expected a duration" },
		{ "3 fortnights", -EINVAL, 0, "expected a duration" },
		{ "5averyveryveryverylongunit", -EINVAL, 0, "expected a duration" },
		{ "18446744073709551616us", -ERANGE, 0, "too long" },
		{ "18446744073709551615us1us", -ERANGE, 0, "too long" },
		{ "99999999999999999999d", -ERANGE, 0, "too long" },
	};

	(void)state;
	assert_unsigned(parse_duration, cases, COUNT(cases));
}

static void whole_numbers_keep_their_bounds(void **state)
{
	static const struct {
		struct number_case c;
		uint64_t min;
		uint64_t max;
	} cases[] = {
		{ { "0", 0, 0, NULL }, 0, 10 },
		{ { "10", 0, 10, NULL }, 0, 10 },
		{ { "11", -ERANGE, 0, "must be from 0 to 10" }, 0, 10 },
		{ { "1", -ERANGE, 0, "must be from 2 to 10" }, 2, 10 },
		{ { "0000000000000000000000002", 0, 2, NULL }, 2, 10 },
		{ { "18446744073709551615", 0, UINT64_MAX, NULL }, 0, UINT64_MAX },
		{ { "18446744073709551616", -ERANGE, 0, "must be" }, 0, UINT64_MAX },
		{ { "99999999999999999999", -ERANGE, 0, "must be" }, 0, UINT64_MAX },
		{ { "", -EINVAL, 0, "expected a whole number from 0 to 10" }, 0, 10 },
		{ { "-1", -EINVAL, 0, "expected a whole number" }, 0, 10 },
		{ { "+1", -EINVAL, 0, "expected a whole number" }, 0, 10 },
		{ { "1 ", -EINVAL, 0, "expected a whole number" }, 0, 10 },
		{ { " 1", -EINVAL, 0, "expected a whole number" }, 0, 10 },
		{ { "1.0", -EINVAL, 0, "expected a whole number" }, 0, 10 },
		{ { "0x1", -EINVAL, 0, "expected a whole number" }, 0, 10 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint64_t v = UNTOUCHED;
		struct error e = { 0 };
		int r = parse_uint(cases[i].c.text, cases[i].min, cases[i].max, &v, &e);

		assert_answer(&cases[i].c, r, v, &e);
	}
}

static void signed_numbers_reach_both_ends(void **state)
{
	static const struct {
		const char *text;
		int r;
		int64_t value;
	} cases[] = {
		{ "0", 0, 0 },
		{ "-0", 0, 0 },
		{ "-1", 0, -1 },
		{ "9223372036854775807", 0, INT64_MAX },
		{ "-9223372036854775808", 0, INT64_MIN },
		{ "9223372036854775808", -ERANGE, 0 },
		{ "-9223372036854775809", -ERANGE, 0 },
		{ "99999999999999999999", -ERANGE, 0 },
		{ "-99999999999999999999", -ERANGE, 0 },
		{ "--1", -EINVAL, 0 },
		{ "-", -EINVAL, 0 },
		{ "", -EINVAL, 0 },
		{ "1.5", -EINVAL, 0 },
	};
	int64_t v = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		v = UNTOUCHED;
		assert_int_equal(
			parse_int(cases[i].text, INT64_MIN, INT64_MAX, &v, NULL), cases[i].r);
		assert_true(v == (cases[i].r == 0 ? cases[i].value : UNTOUCHED));
	}
	assert_int_equal(parse_int("-6", -5, 5, &v, NULL), -ERANGE);
	assert_int_equal(parse_int("6", -5, 5, &v, NULL), -ERANGE);
	assert_int_equal(parse_int("-5", -5, 5, &v, NULL), 0);
	assert_int_equal(v, -5);
}

static void percentages_are_whole_and_at_most_100(void **state)
{
	static const struct number_case cases[] = {
		{ "0", 0, 0, NULL },
		{ "30", 0, 30, NULL },
		{ "30%", 0, 30, NULL },
		{ "100%", 0, 100, NULL },
		{ "101", -ERANGE, 0, "at most 100" },
		{ "256", -ERANGE, 0, "at most 100" },
		{ "99999999999999999999999%", -ERANGE, 0, "at most 100" },
		{ "12.5", -EINVAL, 0, "whole percentage" },
		{ "-1", -EINVAL, 0, "whole percentage" },
		{ "30 %", -EINVAL, 0, "whole percentage" },
		{ "30%%", -EINVAL, 0, "such as 30 or 30%" },
		{ "%", -EINVAL, 0, "whole percentage" },
		{ "", -EINVAL, 0, "whole percentage" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		uint8_t v = UNTOUCHED;
		struct error e = { 0 };
		int r = parse_percent(cases[i].text, &v, &e);

		assert_answer(&cases[i], r, v, &e);
	}
}

static void booleans_have_four_spellings(void **state)
{
	static const struct number_case cases[] = {
		{ "yes", 0, 1, NULL },
		{ "no", 0, 0, NULL },
		{ "true", 0, 1, NULL },
		{ "false", 0, 0, NULL },
		{ "on", 0, 1, NULL },
		{ "off", 0, 0, NULL },
		{ "1", 0, 1, NULL },
		{ "0", 0, 0, NULL },
		{ "Yes", 0, 1, NULL },
		{ "FALSE", 0, 0, NULL },
		{ "ture", -EINVAL, 0, "did you mean true?" },
		{ "yess", -EINVAL, 0, "did you mean yes?" },
		{ "2", -EINVAL, 0, "expected yes or no" },
		{ "", -EINVAL, 0, "expected yes or no" },
		{ "perhaps", -EINVAL, 0, "expected yes or no" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		bool v = false;
		bool opposite = true;
		struct error e = { 0 };
		int r = parse_boolean(cases[i].text, &v, &e);

		assert_int_equal(parse_boolean(cases[i].text, &opposite, NULL), r);
		/* A refusal leaves both unchanged. */
		assert_int_equal(v == opposite, r == 0);
		assert_answer(&cases[i], r, r == 0 ? v : UNTOUCHED, &e);
	}
}

static void instants_are_read(void **state)
{
	static const struct {
		const char *text;
		int64_t usec;
	} cases[] = {
		{ "0", 0 },
		{ "1796061600", NOW },
		{ "1796061600.25", NOW + 250000 },
		{ "-1.5", -1500000 },
		{ "now", NOW },
		{ "now-24h", NOW - INT64_C(86400000000) },
		{ "now-0", NOW },
		{ "now-1h30min", NOW - INT64_C(5400000000) },
		{ "2026-11-30T18:00:00Z", NOW },
		{ "2026-11-30t18:00:00z", NOW },
		{ "2026-11-30 18:00:00Z", NOW },
		{ "2026-11-30T18:00:00.5Z", NOW + 500000 },
		{ "2026-11-30T18:00:00.123456789Z", NOW + 123456 },
		{ "2026-11-30T19:00:00+01:00", NOW },
		{ "2026-11-30T12:30:00-05:30", NOW },
		{ "2024-02-29T00:00:00Z", INT64_C(1709164800000000) },
		{ "2016-12-31T23:59:60Z", INT64_C(1483228800000000) }, /* a leap second */
		{ "0000-01-01T00:00:00Z", INT64_C(-62167219200000000) },
		{ "9999-12-31T23:59:59.999999Z", INT64_C(253402300799999999) },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t usec = UNTOUCHED;
		struct error e = { 0 };

		if (parse_instant(cases[i].text, NOW, &usec, &e) != 0 || usec != cases[i].usec)
			fail_msg("\"%s\": %jd (%s)", cases[i].text, (intmax_t)usec, e.text);
	}
}

static void bad_instants_are_refused_with_a_guess(void **state)
{
	static const struct number_case cases[] = {
		{ "", -EINVAL, 0, "nothing: expected Unix seconds" },
		{ "yesterday", -EINVAL, 0, "expected Unix seconds" },
		{ "nowadays", -EINVAL, 0, "expected Unix seconds" },
		{ "now-", -EINVAL, 0, "expected a duration" },
		{ "now-24", -EINVAL, 0, "did you mean 24s?" },
		{ "-24h", -EINVAL, 0, "did you mean now-24h?" },
		{ "24h", -EINVAL, 0, "did you mean now-24h?" },
		{ "2026-11-30", -EINVAL, 0, "did you mean 2026-11-30T00:00:00Z?" },
		{ "2026-11-30T18:00:00", -EINVAL, 0, "did you mean 2026-11-30T18:00:00Z?" },
		{ "2026-11-30T18:00Z", -EINVAL, 0, "expected" },
		{ "2026-13-01T00:00:00Z", -EINVAL, 0, "expected" },
		{ "2026-02-29T00:00:00Z", -EINVAL, 0, "expected" },
		{ "2100-02-29T00:00:00Z", -EINVAL, 0, "expected" },
		{ "2026-00-10T00:00:00Z", -EINVAL, 0, "expected" },
		{ "2026-01-00T00:00:00Z", -EINVAL, 0, "expected" },
		{ "2026-01-01T24:00:00Z", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:60:00Z", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:61Z", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:00.Z", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:00+0100", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:00+01:60", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:00+24:00", -EINVAL, 0, "expected" },
		{ "2026-01-01T00:00:00Z ", -EINVAL, 0, "expected" },
		{ "26-01-01T00:00:00Z", -EINVAL, 0, "expected" },
		{ "1796061600000", -ERANGE, 0, "years 0000 to 9999" }, /* milliseconds */
		{ "99999999999999999999", -ERANGE, 0, "years 0000 to 9999" },
		{ "-99999999999999", -ERANGE, 0, "years 0000 to 9999" },
		{ "9999-12-31T23:59:60Z", -ERANGE, 0, "years 0000 to 9999" },
		{ "0000-01-01T00:00:00+00:01", -ERANGE, 0, "years 0000 to 9999" },
		{ "now-9000y", -ERANGE, 0, "years 0000 to 9999" },
		{ "now-500000y", -ERANGE, 0, "years 0000 to 9999" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		int64_t usec = UNTOUCHED;
		struct error e = { 0 };
		int r = parse_instant(cases[i].text, NOW, &usec, &e);

		assert_answer(&cases[i], r, (uint64_t)usec, &e);
		assert_int_equal(parse_instant(cases[i].text, NOW, &usec, NULL), r);
	}
}

static void names_are_one_to_200_bytes_of_plain_text(void **state)
{
	static const struct number_case cases[] = {
		{ "nas", 0, 0, NULL },
		{ "Backup copy [1", 0, 0, NULL },
		{ "Zürich \"east\" \\ =", 0, 0, NULL },
		{ "", -EINVAL, 0, "must not be empty" },
		{ "a/b", -EINVAL, 0, "must not contain '/'" },
		{ "a,b", -EINVAL, 0, "must not contain ','" },
		{ "a]", -EINVAL, 0, "must not contain ']'" },
		{ "a\tb", -EINVAL, 0, "control character" },
		{ "a\x7f", -EINVAL, 0, "control character" },
		{ "a\xc2\x85", -EINVAL, 0, "control character" },
		{ "a\xff", -EINVAL, 0, "must be UTF-8" },
	};
	char text[202];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error e = { 0 };
		int r = parse_name(cases[i].text, &e);

		assert_answer(&cases[i], r, r == 0 ? 0 : UNTOUCHED, &e);
	}
	memset(text, 'x', sizeof(text));
	text[200] = '\0';
	assert_int_equal(parse_name(text, NULL), 0);
	text[200] = 'x';
	text[201] = '\0';
	assert_int_equal(parse_name(text, NULL), -ERANGE);
}

static void utf8_is_told_from_other_bytes(void **state)
{
	static const char *const good[] = { "", "a", "\x7f", "\xc2\x80", "\xdf\xbf", "\xe0\xa0\x80",
		"\xed\x9f\xbf", "\xee\x80\x80", "\xef\xbf\xbf", "\xf0\x90\x80\x80",
		"\xf4\x8f\xbf\xbf" };
	static const char *const bad[] = { "\x80", "\xbf", "\xc0\x80", "\xc1\xbf", "\xc2", "\302a",
		"\xe0\x9f\xbf", "\xed\xa0\x80", "\xe2\x82", "\xf0\x8f\xbf\xbf", "\xf4\x90\x80\x80",
		"\xf5\x80\x80\x80", "\xf0\x90\x80", "\xff", "good\xfe" };

	(void)state;
	for (size_t i = 0; i < COUNT(good); i++)
		assert_true(parse_is_utf8(good[i]));
	for (size_t i = 0; i < COUNT(bad); i++)
		assert_false(parse_is_utf8(bad[i]));
}

static void suggestions_are_near_or_none(void **state)
{
	static const char *const keys[] = { "path", "probe_directory", "probes", "interval",
		"schedule", "splay", "limit", "limit_critical", "limit_mode", "group" };
	static const struct {
		const char *word;
		const char *guess;
	} cases[] = {
		{ "path", "path" }, { "Path", "path" }, { "pth", "path" },
		{ "paht", "path" }, /* swapped neighbours are one mistake */
		{ "intervall", "interval" }, { "INTERVAL", "interval" },
		{ "probe-directory", "probe_directory" }, { "limit-critical", "limit_critical" },
		{ "limits", "limit" }, { "shedul", "schedule" }, { "x", NULL }, { "", NULL },
		{ "frequency", NULL }, { "pa", NULL }, /* two letters are missing */
	};
	char word[300];

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const char *guess = parse_suggest(cases[i].word, keys, COUNT(keys));

		if (cases[i].guess)
			assert_string_equal(guess ? guess : "nothing", cases[i].guess);
		else
			assert_null(guess);
	}
	memset(word, 'x', sizeof(word) - 1);
	word[sizeof(word) - 1] = '\0';
	assert_null(parse_suggest(word, keys, COUNT(keys)));
	assert_null(parse_suggest("path", NULL, 0));
}

static void a_long_bad_value_is_quoted_in_part(void **state)
{
	char text[5000];
	struct error e = { 0 };
	uint64_t v;

	(void)state;
	memset(text, '9', sizeof(text) - 1);
	memcpy(text + sizeof(text) - 5, "parsX", 5);
	text[sizeof(text) - 1] = '\0';
	assert_int_equal(parse_size(text, &v, &e), -EINVAL);
	assert_true(strlen(e.text) < 400);
	assert_int_equal(parse_duration(text, &v, &e), -EINVAL);
	assert_true(strlen(e.text) < 400);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_read),
		cmocka_unit_test(bad_sizes_are_refused_with_a_guess),
		cmocka_unit_test(durations_are_read),
		cmocka_unit_test(bad_durations_are_refused_with_a_guess),
		cmocka_unit_test(whole_numbers_keep_their_bounds),
		cmocka_unit_test(signed_numbers_reach_both_ends),
		cmocka_unit_test(percentages_are_whole_and_at_most_100),
		cmocka_unit_test(booleans_have_four_spellings),
		cmocka_unit_test(instants_are_read),
		cmocka_unit_test(bad_instants_are_refused_with_a_guess),
		cmocka_unit_test(names_are_one_to_200_bytes_of_plain_text),
		cmocka_unit_test(utf8_is_told_from_other_bytes),
		cmocka_unit_test(suggestions_are_near_or_none),
		cmocka_unit_test(a_long_bad_value_is_quoted_in_part),
	};

	return cmocka_run_group_tests_name("parse", tests, NULL, NULL);
}
