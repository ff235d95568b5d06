/* SPDX-License-Identifier: Apache-2.0 */
/* Time zones from rules and from generated files: offsets, gaps, repeated hours, and damage. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/date.h"
#include "base/error.h"
#include "base/fd.h"
#include "base/zone.h"
#include "tzif_file.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define HOUR INT64_C(3600)

static int64_t at(int64_t year, int64_t month, int64_t day, int64_t hour, int64_t minute)
{
	return date_to_days(year, month, day) * DATE_SECONDS_PER_DAY + hour * HOUR + minute * 60;
}

static struct zone *zone_of_rule(const char *text)
{
	struct zone *zone = NULL;

	assert_int_equal(zone_from_rule(text, &zone, NULL), 0);
	return zone;
}

static struct zone *zone_of_file(const struct tzif_file *file)
{
	struct buf b = BUF_INIT(65536);
	struct zone *zone = NULL;

	tzif_write(&b, file);
	assert_int_equal(zone_from_tzif(b.data, b.len, &zone, NULL), 0);
	buf_done(&b);
	return zone;
}

/* --- Rules --------------------------------------------------------------- */

static void rule_says_when_summer_begins_and_ends(void **state)
{
	static const struct {
		const char *rule;
		int64_t begins[5]; /* UTC: year, month, day, hour, minute */
		int64_t ends[5];
		int32_t standard_sec;
		int32_t summer_sec;
	} cases[] = {
		{ BERLIN, { 2026, 3, 29, 1, 0 }, { 2026, 10, 25, 1, 0 }, 3600, 7200 },
		{ "EST5EDT,M3.2.0,M11.1.0", { 2026, 3, 8, 7, 0 }, { 2026, 11, 1, 6, 0 }, -18000,
			-14400 },
		{ "EST5EDT", { 2026, 3, 8, 7, 0 }, { 2026, 11, 1, 6, 0 }, -18000, -14400 },
		{ "NST3:30NDT,M3.2.0,M11.1.0", { 2026, 3, 8, 5, 30 }, { 2026, 11, 1, 4, 30 },
			-12600, -9000 },
		{ "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", { 2026, 10, 3, 15, 30 },
			{ 2027, 4, 3, 15, 0 }, 37800, 39600 },
		{ "NZST-12NZDT,M9.5.0,M4.1.0/3", { 2026, 9, 26, 14, 0 }, { 2027, 4, 3, 14, 0 },
			43200, 46800 },
		/* Negative summer time, as in Dublin's law. */
		{ "IST-1GMT0,M10.5.0,M3.5.0/1", { 2026, 10, 25, 1, 0 }, { 2027, 3, 28, 1, 0 }, 3600,
			0 },
		/* Hours that fall on other days. */
		{ "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", { 2026, 3, 29, 1, 0 }, { 2026, 10, 25, 1, 0 },
			-7200, -3600 },
		{ "EET-2EEST,M3.4.4/50,M10.4.4/50", { 2026, 3, 28, 0, 0 }, { 2026, 10, 23, 23, 0 },
			7200, 10800 },
		/* The leap day counts in n but not in Jn. */
		{ "AAA0BBB,J60/0,300/0", { 2028, 3, 1, 0, 0 }, { 2028, 10, 26, 23, 0 }, 0, 3600 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct zone *zone = zone_of_rule(cases[i].rule);
		const int64_t *b = cases[i].begins;
		const int64_t *e = cases[i].ends;
		int64_t begins = at(b[0], b[1], b[2], b[3], b[4]);
		int64_t ends = at(e[0], e[1], e[2], e[3], e[4]);

		assert_int_equal(zone_at(zone, begins - 1).offset_sec, cases[i].standard_sec);
		assert_int_equal(zone_at(zone, begins - 1).until_sec, begins);
		assert_int_equal(zone_at(zone, begins).offset_sec, cases[i].summer_sec);
		assert_int_equal(zone_at(zone, begins).until_sec, ends);
		assert_int_equal(zone_at(zone, ends).offset_sec, cases[i].standard_sec);
		zone_free(zone);
	}
}

static void rules_without_summer_never_change(void **state)
{
	static const struct {
		const char *rule;
		int32_t offset_sec;
	} cases[] = {
		{ "UTC0", 0 },
		{ "<+0545>-5:45", 20700 },
		{ "<-03>3", -10800 },
		{ "LMT0:53:28", -3208 },
		{ "XYZ-24", 86400 },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct zone *zone = zone_of_rule(cases[i].rule);

		assert_int_equal(zone_at(zone, 0).offset_sec, cases[i].offset_sec);
		assert_int_equal(zone_at(zone, 0).until_sec, INT64_MAX);
		zone_free(zone);
	}
}

static void summer_all_year_has_no_gap(void **state)
{
	struct zone *zone = zone_of_rule("EST5EDT,0/0,J365/25");

	(void)state;
	for (int64_t t = at(2026, 1, 1, 0, 0); t < at(2029, 1, 2, 0, 0); t += HOUR)
		assert_int_equal(zone_at(zone, t).offset_sec, -4 * HOUR);
	zone_free(zone);
}

static void nonsense_is_no_rule(void **state)
{
	static const char *const texts[] = { "", "UTC", "A0", "CET", "CET-", "CET-25", "CET-1:60",
		"CET-1CEST,", "CET-1CEST,M3.5.0", "CET-1CEST,M3.5.0,", "CET-1CEST,M13.5.0,M10.5.0",
		"CET-1CEST,M3.0.0,M10.5.0", "CET-1CEST,M3.5.7,M10.5.0",
		"CET-1CEST,M3.5.0,M10.5.0/168", "CET-1CEST,J0,J1", "CET-1CEST,366,J1",
		"CET-1CEST,M3.5.0,M10.5.0 ", "<CET-1", "<+>1", "CET-1<C>",
		"CET-1CEST-1,M3.5.0/,M10.5.0", "CET1234567890123456789012345678901234567890",
		"Europe/Berlin" };

	(void)state;
	for (size_t i = 0; i < COUNT(texts); i++) {
		struct zone *zone = NULL;
		struct error error = { 0 };

		if (zone_from_rule(texts[i], &zone, &error) != -EINVAL)
			fail_msg("%s is taken", texts[i]);
		assert_true(error.text[0] != '\0');
	}
}

/* --- Local time ---------------------------------------------------------- */

static void local_time_that_is_left_out_leads_to_the_end_of_the_gap(void **state)
{
	struct zone *zone = zone_of_rule(BERLIN);
	int64_t gap = at(2026, 3, 29, 1, 0);

	(void)state;
	assert_int_equal(zone_first_instant(zone, at(2026, 3, 29, 1, 59)), gap - 60);
	assert_int_equal(zone_first_instant(zone, at(2026, 3, 29, 2, 0)), gap);
	assert_int_equal(zone_first_instant(zone, at(2026, 3, 29, 2, 30)), gap);
	assert_int_equal(zone_first_instant(zone, at(2026, 3, 29, 3, 0)), gap);
	assert_int_equal(zone_first_instant(zone, at(2026, 3, 29, 3, 1)), gap + 60);
	zone_free(zone);
}

static void local_time_that_comes_twice_is_its_first(void **state)
{
	struct zone *zone = zone_of_rule(BERLIN);
	int64_t turn = at(2026, 10, 25, 1, 0);

	(void)state;
	assert_int_equal(zone_first_instant(zone, at(2026, 10, 25, 2, 0)), turn - HOUR);
	assert_int_equal(zone_first_instant(zone, at(2026, 10, 25, 2, 59)), turn - 60);
	assert_int_equal(zone_first_instant(zone, at(2026, 10, 25, 3, 0)), turn + HOUR);
	/* While an hour is repeated nothing later is shown. */
	assert_int_equal(zone_latest_shown(zone, turn - 1), at(2026, 10, 25, 3, 0) - 1);
	assert_int_equal(zone_latest_shown(zone, turn), at(2026, 10, 25, 3, 0) - 1);
	assert_int_equal(zone_latest_shown(zone, turn + HOUR - 1), at(2026, 10, 25, 3, 0) - 1);
	assert_int_equal(zone_latest_shown(zone, turn + HOUR), at(2026, 10, 25, 3, 0));
	zone_free(zone);
}

static void both_ways_fit_together_throughout_a_year(void **state)
{
	static const char *const rules[] = { BERLIN, "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0",
		"NST3:30NDT,M3.2.0,M11.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1", "UTC0" };

	(void)state;
	for (size_t i = 0; i < COUNT(rules); i++) {
		struct zone *zone = zone_of_rule(rules[i]);
		int64_t before = INT64_MIN;

		for (int64_t local = at(2026, 1, 1, 0, 0); local < at(2027, 1, 1, 0, 0);
			local += 300) {
			int64_t instant = zone_first_instant(zone, local);

			assert_true(instant >= before);
			assert_true(instant + zone_at(zone, instant).offset_sec >= local);
			assert_true(zone_latest_shown(zone, instant) >= local);
			assert_true(zone_latest_shown(zone, instant - 1) < local);
			before = instant;
		}
		zone_free(zone);
	}
}

/* --- Files --------------------------------------------------------------- */

static const int32_t offsets[] = { 3208, 3600, 7200 };
static const struct tzif_entry entries[] = { { -2422054408, 1 }, { 1000000, 2 }, { 2000000, 1 } };
static const struct tzif_file good = {
	.entry_count = COUNT(entries),
	.entries = entries,
	.type_count = COUNT(offsets),
	.offsets = offsets,
	.rule = BERLIN,
};

static void file_is_followed_from_before_its_first_transition_to_its_rule(void **state)
{
	struct zone *zone = zone_of_file(&good);

	(void)state;
	assert_int_equal(zone_at(zone, -3000000000).offset_sec, 3208);
	assert_int_equal(zone_at(zone, -2422054409).until_sec, -2422054408);
	assert_int_equal(zone_at(zone, -2422054408).offset_sec, 3600);
	assert_int_equal(zone_at(zone, 999999).offset_sec, 3600);
	assert_int_equal(zone_at(zone, 1000000).offset_sec, 7200);
	assert_int_equal(zone_at(zone, 1000000).until_sec, 2000000);
	assert_int_equal(zone_at(zone, at(2190, 7, 1, 0, 0)).offset_sec, 7200);
	assert_int_equal(zone_at(zone, at(2190, 12, 1, 0, 0)).offset_sec, 3600);
	zone_free(zone);
}

static void without_a_rule_the_last_offset_stays(void **state)
{
	struct tzif_file file = good;

	(void)state;
	file.rule = "";
	file.entry_count = 2;
	struct zone *zone = zone_of_file(&file);
	assert_int_equal(zone_at(zone, at(2190, 12, 1, 0, 0)).offset_sec, 7200);
	assert_int_equal(zone_at(zone, at(2190, 12, 1, 0, 0)).until_sec, INT64_MAX);
	zone_free(zone);
}

static void file_of_version_1_has_32_bits(void **state)
{
	struct tzif_file file = good;
	struct buf b = BUF_INIT(65536);
	struct zone *zone = NULL;

	(void)state;
	file.entries = &entries[1];
	file.entry_count = 2;
	tzif_write_old(&b, &file);
	assert_int_equal(zone_from_tzif(b.data, b.len, &zone, NULL), 0);
	assert_int_equal(zone_at(zone, 1500000).offset_sec, 7200);
	assert_int_equal(zone_at(zone, at(2190, 7, 1, 0, 0)).offset_sec, 3600);
	buf_done(&b);
	zone_free(zone);
}

static void refuse_file(const struct tzif_file *file, const char *expected)
{
	struct buf b = BUF_INIT(200000);
	struct zone *zone = NULL;
	struct error error = { 0 };

	tzif_write(&b, file);
	assert_int_equal(b.error, 0);
	assert_int_equal(zone_from_tzif(b.data, b.len, &zone, &error), -EINVAL);
	assert_non_null(strstr(error.text, expected));
	assert_null(zone);
	buf_done(&b);
}

static void damaged_files_are_refused(void **state)
{
	static const struct tzif_entry falling[] = { { 5, 0 }, { 5, 1 } };
	static const struct tzif_entry nowhere[] = { { 5, 3 } };
	static const int32_t far[] = { 93601 };
	static const int32_t many[ZONE_FILE_MAX / 6 + 1];
	struct tzif_file file = good;

	(void)state;
	file.entries = falling;
	file.entry_count = 2;
	refuse_file(&file, "not in order");
	file.entries = nowhere;
	file.entry_count = 1;
	refuse_file(&file, "leads nowhere");
	file = good;
	file.leaps = 1;
	refuse_file(&file, "leap seconds");
	file = good;
	file.rule = "CET-1CEST,M3.5.0";
	refuse_file(&file, "its rule is damaged");
	file = (struct tzif_file){ .rule = "", .type_count = 1, .offsets = far };
	refuse_file(&file, "too large");
	file = (struct tzif_file){ .rule = "", .type_count = 257, .offsets = many };
	refuse_file(&file, "no kind of local time");
	file = (struct tzif_file){ .rule = "" };
	refuse_file(&file, "no kind of local time");
	file = (struct tzif_file){ .rule = "", .type_count = COUNT(many), .offsets = many };
	refuse_file(&file, "it is too large");
}

static void file_that_is_cut_anywhere_is_refused(void **state)
{
	struct buf b = BUF_INIT(65536);

	(void)state;
	tzif_write(&b, &good);
	for (size_t len = 0; len < b.len; len++) {
		struct zone *zone = NULL;
		char *copy = malloc(len + 1); /* own buffer: a sanitizer detects overruns */

		assert_non_null(copy);
		memcpy(copy, b.data, len);
		assert_int_equal(zone_from_tzif(copy, len, &zone, NULL), -EINVAL);
		free(copy);
	}
	buf_done(&b);
}

/* --- Names --------------------------------------------------------------- */

struct places {
	char directory[64];
	char local_file[96];
	struct zone_places places;
};

static void write_zone(const struct places *p, const char *name, const char *rule)
{
	struct tzif_file file = good;
	struct buf b = BUF_INIT(65536);
	char path[128];

	file.rule = rule;
	tzif_write(&b, &file);
	(void)snprintf(path, sizeof(path), "%s/%s", p->directory, name);
	assert_int_equal(fd_replace_file(path, 0644, b.data, b.len), 0);
	buf_done(&b);
}

static int make_places(void **state)
{
	struct places *p = calloc(1, sizeof(*p));

	if (!p)
		return -1;
	(void)snprintf(p->directory, sizeof(p->directory), "/tmp/repoprobe-test-XXXXXX");
	if (!mkdtemp(p->directory))
		return -1;
	(void)snprintf(p->local_file, sizeof(p->local_file), "%s/localtime", p->directory);
	p->places = (struct zone_places){ .directory = p->directory, .local_file = p->local_file };
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/Europe", p->directory);
	if (mkdir(path, 0755) < 0)
		return -1;
	write_zone(p, "Europe/Berlin", BERLIN);
	write_zone(p, "Europe/Lisbon", "WET0WEST,M3.5.0/1,M10.5.0");
	*state = p;
	return 0;
}

static int remove_places(void **state)
{
	static const char *const names[] = { "Europe/Berlin", "Europe/Lisbon", "Europe",
		"localtime", "damaged", "" };
	struct places *p = *state;

	for (size_t i = 0; i < COUNT(names); i++) {
		char path[128];

		(void)snprintf(path, sizeof(path), "%s/%s", p->directory, names[i]);
		(void)remove(path);
	}
	free(p);
	return 0;
}

static void assert_summer_offset(struct zone *zone, int64_t hours)
{
	assert_int_equal(zone_at(zone, at(2026, 7, 1, 0, 0)).offset_sec, hours * HOUR);
	zone_free(zone);
}

static void zone_is_found_by_its_name_and_a_mistyped_one_suggested(void **state)
{
	static const struct {
		const char *name;
		int r;
		const char *sentence;
	} cases[] = {
		{ "Europe/Berln", -ENOENT,
			"Europe/Berln is not a time zone of this system; did you mean Europe/Berlin?" },
		{ "europe/Berlin", -ENOENT,
			"europe/Berlin is not a time zone of this system; expected a name such as" },
		{ "Mars", -ENOENT, "Mars is not a time zone of this system; expected a name" },
		{ "Europe", -ENOENT, "Europe is not a time zone of this system" },
		{ "../Europe/Berlin", -EINVAL, "../Europe/Berlin is not a time zone; expected" },
		{ "/etc/passwd", -EINVAL, "/etc/passwd is not a time zone; expected" },
		{ "Europe//Berlin", -EINVAL, "Europe//Berlin is not a time zone; expected" },
		{ "Europe/", -EINVAL, "Europe/ is not a time zone; expected" },
		{ "", -EINVAL, " is not a time zone; expected" },
		{ "damaged", -EINVAL, "damaged: not a time zone file: there is no header" },
	};
	struct places *p = *state;
	struct zone *zone = NULL;
	char path[128];

	(void)snprintf(path, sizeof(path), "%s/damaged", p->directory);
	assert_int_equal(fd_replace_file(path, 0644, "", 0), 0);
	assert_int_equal(zone_open(&p->places, "Europe/Berlin", &zone, NULL), 0);
	assert_summer_offset(zone, 2);
	assert_int_equal(zone_open(&p->places, "utc", &zone, NULL), 0);
	assert_summer_offset(zone, 0);
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct error error = { 0 };

		assert_int_equal(zone_open(&p->places, cases[i].name, &zone, &error), cases[i].r);
		if (!strstr(error.text, cases[i].sentence))
			fail_msg("%s: %s", cases[i].name, error.text);
	}
}

static void local_zone_is_what_tz_says_else_the_file_s_else_utc(void **state)
{
	struct places *p = *state;
	char absolute[128];
	const struct {
		const char *local;
		int64_t summer_hours;
	} cases[] = {
		{ "Europe/Lisbon", 1 },
		{ ":Europe/Lisbon", 1 },
		{ absolute, 2 },
		{ "EST5EDT", -4 },
		{ "", 0 },
		{ ":", 0 },
		{ "UTC", 0 },
	};
	struct zone *zone = NULL;
	struct error error = { 0 };

	(void)snprintf(absolute, sizeof(absolute), "%s/Europe/Berlin", p->directory);
	assert_int_equal(zone_open_local(&p->places, &zone, NULL), 0);
	assert_summer_offset(zone, 0);
	write_zone(p, "localtime", BERLIN);
	assert_int_equal(zone_open_local(&p->places, &zone, NULL), 0);
	assert_summer_offset(zone, 2);
	for (size_t i = 0; i < COUNT(cases); i++) {
		p->places.local = cases[i].local;
		assert_int_equal(zone_open_local(&p->places, &zone, NULL), 0);
		assert_summer_offset(zone, cases[i].summer_hours);
	}
	p->places.local = "/nowhere/at/all";
	assert_int_equal(zone_open_local(&p->places, &zone, &error), -ENOENT);
	assert_string_equal(error.text, "the local time zone, TZ: there is no /nowhere/at/all");
	p->places.local = "Nowhere";
	assert_int_equal(zone_open_local(&p->places, &zone, &error), -ENOENT);
	p->places.local = NULL;
	assert_int_equal(fd_replace_file(p->local_file, 0644, "TZif", 4), 0);
	assert_int_equal(zone_open_local(&p->places, &zone, &error), -EINVAL);
	assert_non_null(strstr(error.text, "the local time zone: "));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rule_says_when_summer_begins_and_ends),
		cmocka_unit_test(rules_without_summer_never_change),
		cmocka_unit_test(summer_all_year_has_no_gap),
		cmocka_unit_test(nonsense_is_no_rule),
		cmocka_unit_test(local_time_that_is_left_out_leads_to_the_end_of_the_gap),
		cmocka_unit_test(local_time_that_comes_twice_is_its_first),
		cmocka_unit_test(both_ways_fit_together_throughout_a_year),
		cmocka_unit_test(file_is_followed_from_before_its_first_transition_to_its_rule),
		cmocka_unit_test(without_a_rule_the_last_offset_stays),
		cmocka_unit_test(file_of_version_1_has_32_bits),
		cmocka_unit_test(damaged_files_are_refused),
		cmocka_unit_test(file_that_is_cut_anywhere_is_refused),
		cmocka_unit_test_setup_teardown(
			zone_is_found_by_its_name_and_a_mistyped_one_suggested, make_places,
			remove_places),
		cmocka_unit_test_setup_teardown(local_zone_is_what_tz_says_else_the_file_s_else_utc,
			make_places, remove_places),
	};

	return cmocka_run_group_tests_name("zone", tests, NULL, NULL);
}
