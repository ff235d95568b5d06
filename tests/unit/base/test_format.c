/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers as text; the readers accept the exact forms. */
#include "test.h"

#include <string.h>

#include "base/buf.h"
#include "base/parse.h"

struct format_case {
	uint64_t value;
	const char *text;
};

static void assert_cases(void (*format)(struct buf *b, uint64_t value),
	const struct format_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		struct buf b = BUF_INIT(100);

		format(&b, cases[i].value);
		assert_string_equal(buf_text(&b), cases[i].text);
		buf_done(&b);
	}
}

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void sizes_are_short_and_exact(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0" },
		{ 1, "1" },
		{ 1023, "1023" },
		{ 1024, "1K" },
		{ 4096, "4K" },
		{ 64000, "64000" },
		{ 65536, "64K" },
		{ UINT64_C(1536) << 20, "1536M" },
		{ UINT64_C(1) << 30, "1G" },
		{ (UINT64_C(1) << 30) + 512, "1073742336" },
		{ UINT64_C(1) << 50, "1P" },
		{ UINT64_C(1) << 63, "8192P" },
		{ UINT64_MAX, "18446744073709551615" },
	};

	(void)state;
	assert_cases(format_size, cases, COUNT(cases));
}

static void durations_are_short_and_exact(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0s" },
		{ 1, "1us" },
		{ 250, "250us" },
		{ 15000, "15ms" },
		{ 15250, "15.25ms" },
		{ 999999, "999.999ms" },
		{ 1000000, "1s" },
		{ 1000001, "1.000001s" },
		{ 1500000, "1.5s" },
		{ 30000000, "30s" },
		{ 60000000, "1min" },
		{ UINT64_C(300000000), "5min" },
		{ UINT64_C(5400000000), "1h30min" },
		{ UINT64_C(3600000001), "1h1us" },
		{ UINT64_C(86400000000), "1d" },
		{ UINT64_C(604800000000), "7d" },
		{ UINT64_C(129600000000), "1d12h" },
		{ UINT64_C(35) * 86400000000, "35d" },
		{ UINT64_C(400) * 86400000000, "400d" },
		{ UINT64_C(10) * 31557600000000, "10y" },
		{ UINT64_C(90061001001), "1d1h1min1.001001s" },
	};

	(void)state;
	assert_cases(format_duration, cases, COUNT(cases));
}

/* Values of many magnitudes and their neighbours, the same in each run. */
static void for_many_values(void (*check)(uint64_t value))
{
	static const uint64_t steps[] = { 1, 7, 60, 1000, 1024, 3600, 4096, 86400, 1000000,
		1048576 };
	uint64_t random = UINT64_C(88172645463325252);

	for (unsigned int bit = 0; bit < 64; bit++) {
		for (uint64_t delta = 0; delta < 5; delta++)
			check((UINT64_C(1) << bit) + delta - 2);
	}
	for (size_t i = 0; i < COUNT(steps); i++) {
		for (uint64_t n = 0; n < 2000; n++)
			check(steps[i] * n * (n % 7 ? 1 : UINT64_C(1000003)));
	}
	for (unsigned int i = 0; i < 20000; i++) {
		/* xorshift64 */
		random ^= random << 13;
		random ^= random >> 7;
		random ^= random << 17;
		check(random >> (i % 64));
	}
}

static void check_size(uint64_t value)
{
	struct buf b = BUF_INIT(100);
	uint64_t back = ~value;

	format_size(&b, value);
	assert_int_equal(parse_size(buf_text(&b), &back, NULL), 0);
	assert_true(back == value);
	buf_done(&b);
}

static void check_duration(uint64_t value)
{
	struct buf b = BUF_INIT(100);
	uint64_t back = ~value;

	format_duration(&b, value);
	assert_int_equal(parse_duration(buf_text(&b), &back, NULL), 0);
	assert_true(back == value);
	buf_done(&b);
}

static void check_instant(uint64_t value)
{
	/* The years 0 to 9999. */
	int64_t usec = (int64_t)(value % UINT64_C(315569520000000000)) - INT64_C(62167219200000000);
	struct buf b = BUF_INIT(100);
	int64_t back = ~usec;

	format_instant(&b, usec);
	assert_int_equal(b.len, strlen("2026-11-30T18:00:00.000000Z"));
	assert_int_equal(parse_instant(buf_text(&b), 0, &back, NULL), 0);
	assert_true(back == usec);
	buf_done(&b);
}

static void every_formatted_size_is_read_back_exactly(void **state)
{
	(void)state;
	for_many_values(check_size);
}

static void every_formatted_duration_is_read_back_exactly(void **state)
{
	(void)state;
	for_many_values(check_duration);
}

static void every_formatted_instant_is_read_back_exactly(void **state)
{
	(void)state;
	for_many_values(check_instant);
}

static void instants_follow_the_calendar(void **state)
{
	static const struct {
		int64_t usec;
		const char *text;
	} cases[] = {
		{ 0, "1970-01-01T00:00:00.000000Z" },
		{ -1, "1969-12-31T23:59:59.999999Z" },
		{ INT64_C(1796061600000000), "2026-11-30T18:00:00.000000Z" },
		{ INT64_C(951782400000000), "2000-02-29T00:00:00.000000Z" },
		{ INT64_C(4107542400000001), "2100-03-01T00:00:00.000001Z" },
		{ INT64_C(1709251199999999), "2024-02-29T23:59:59.999999Z" },
		{ INT64_C(-62167219200000000), "0000-01-01T00:00:00.000000Z" },
		{ INT64_C(253402300799999999), "9999-12-31T23:59:59.999999Z" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = BUF_INIT(100);

		format_instant(&b, cases[i].usec);
		assert_string_equal(buf_text(&b), cases[i].text);
		buf_done(&b);
	}
}

static void any_instant_can_be_formatted(void **state)
{
	struct buf b = BUF_INIT(100);

	(void)state;
	format_instant(&b, INT64_MAX);
	assert_string_equal(buf_text(&b), "294247-01-10T04:00:54.775807Z");
	buf_clear(&b);
	format_instant(&b, INT64_MIN);
	assert_int_equal(b.error, 0);
	buf_done(&b);
}

static void rounded_sizes_suit_people(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0 B" },
		{ 1023, "1023 B" },
		{ 1024, "1 KiB" },
		{ 1500, "1.5 KiB" },
		{ 1048063, "1023 KiB" },
		{ 1048064, "1 MiB" }, /* 1023.5 KiB */
		{ 1048575, "1 MiB" },
		{ UINT64_C(1500000000), "1.4 GiB" },
		{ UINT64_C(886046720), "845 MiB" },
		{ UINT64_C(1) << 50, "1 PiB" },
		{ UINT64_MAX, "16384 PiB" },
	};

	(void)state;
	assert_cases(format_size_rounded, cases, COUNT(cases));
}

static void latencies_suit_people(void **state)
{
	static const struct format_case cases[] = {
		{ 0, "0 ns" },
		{ 840, "840 ns" },
		{ 999, "999 ns" },
		{ 1000, "1 us" },
		{ 840000, "840 us" },
		{ 23900000, "23.9 ms" },
		{ 23949999, "23.9 ms" },
		{ 23950000, "24 ms" },
		{ 99949999, "99.9 ms" },
		{ 99950000, "100 ms" },
		{ 123456789, "123 ms" },
		{ 999499999, "999 ms" },
		{ 999500000, "1 s" },
		{ UINT64_C(1200000000), "1.2 s" },
		{ UINT64_C(125400000000), "125 s" },
		{ UINT64_MAX, "18446744074 s" },
	};

	(void)state;
	assert_cases(format_latency, cases, COUNT(cases));
}

static void work_is_told_with_its_speed(void **state)
{
	static const struct {
		uint64_t bytes;
		uint64_t nsec;
		const char *text;
	} cases[] = {
		{ UINT64_C(12) << 20, UINT64_C(10000000000), "12 MiB in 10 s, 1.2 MiB/s" },
		{ 0, 2500000000, "0 B in 2.5 s, 0 B/s" },
		{ 4096, 0, "4 KiB in 0 ns" },
		{ UINT64_MAX, 1, "16384 PiB in 1 ns, 16384 PiB/s" },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = BUF_INIT(64);
		format_work(&b, cases[i].bytes, cases[i].nsec);
		assert_string_equal(buf_text(&b), cases[i].text);
		buf_done(&b);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sizes_are_short_and_exact),
		cmocka_unit_test(durations_are_short_and_exact),
		cmocka_unit_test(every_formatted_size_is_read_back_exactly),
		cmocka_unit_test(every_formatted_duration_is_read_back_exactly),
		cmocka_unit_test(every_formatted_instant_is_read_back_exactly),
		cmocka_unit_test(instants_follow_the_calendar),
		cmocka_unit_test(any_instant_can_be_formatted),
		cmocka_unit_test(rounded_sizes_suit_people),
		cmocka_unit_test(latencies_suit_people),
		cmocka_unit_test(work_is_told_with_its_speed),
	};

	return cmocka_run_group_tests_name("format", tests, NULL, NULL);
}
