/* SPDX-License-Identifier: Apache-2.0 */
/* Bounds on runs: the write budget and its effect on intervals, group, when_busy, confirm_after. */
#include "config_test.h"

#include "base/buf.h"
#include "base/clock.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define MIB (UINT64_C(1) << 20)

static void a_file_that_is_not_kept_is_laid_out_for_each_run(void **state)
{
	struct config *config = load_text(
		"[probe p]\nschedule = 18:00 UTC\n[probe q]\nschedule = 18:00 UTC\nfile_size = 256M\n"
		"[repository r]\npath = /r\nprobes = p\nkeep_file = no\n"
		"[repository s]\npath = /s\nprobes = q\nkeep_file = no\n");
	uint64_t written;
	uint64_t read;

	(void)state;
	for (size_t i = 0; i < 2; i++) {
		config_daily_bytes(&config->repositories[i], &written, &read);
		assert_int_equal(written, (64 + 128) * MIB);
	}
	config_free(config);
}

static void a_plan_above_the_budget_makes_intervals_longer(void **state)
{
	static const struct {
		const char *text; /* of [repository r] */
		uint64_t full_seconds; /* of active-full, of heartbeat */
		uint64_t heartbeat_seconds;
		const char *sentence;
	} cases[] = {
		{ "daily_write_budget = 0", 300, 60, "" },
		{ "", 300, 60, "" },
		/* 18 GiB and 562.5 MiB a day are configured. */
		{ "daily_write_budget = 18G", 310, 62,
			"would write 18.5 GiB a day, more than its daily_write_budget of 18 GiB: intervals "
			"are longer (active-full: 5min10s instead of 5min)" },
		{ "daily_write_budget = 9725184K", 600, 120,
			"would write 18.5 GiB a day, more than its daily_write_budget of 9.3 GiB: intervals "
			"are longer (active-full: 10min instead of 5min)" },
		{ "daily_write_budget = 10G\nprobes = active-full, restore\ninterval = 2min30s",
			540, 150, NULL },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		char text[512];
		struct buf sentence = BUF_INIT(512);
		(void)snprintf(
			text, sizeof(text), "[repository r]\npath = /r\n%s\n", cases[i].text);
		struct config *config = load_text(text);
		const struct config_repository *r = &config->repositories[0];
		uint64_t written;
		uint64_t read;
		assert_int_equal(r->probes[0].interval_usec / USEC_PER_SEC, cases[i].full_seconds);
		assert_int_equal(
			r->probes[1].interval_usec / USEC_PER_SEC, cases[i].heartbeat_seconds);
		config_describe_stretch(r, &sentence);
		if (cases[i].sentence)
			assert_string_equal(buf_text(&sentence), cases[i].sentence);
		config_daily_bytes(r, &written, &read);
		if (r->daily_write_budget_bytes > 0)
			assert_true(written <= r->daily_write_budget_bytes + 65 * MIB);
		buf_done(&sentence);
		config_free(config);
	}
}

static void schedules_are_not_stretched(void **state)
{
	struct config *config = load_text(
		"[probe deep]\nmax_bytes = 1G\nschedule = 0/3:00 UTC\n"
		"[repository r]\npath = /r\nprobes = deep\ndaily_write_budget = 11G\n"
		"[repository s]\npath = /s\nprobes = deep, active-full\ndaily_write_budget = 12G\n"
		"[probe often]\npreset = active-full\nschedule = *:0/5 UTC\n"
		"[repository t]\npath = /t\nprobes = often\ndaily_write_budget = 10G\n");
	struct buf sentence = BUF_INIT(512);

	(void)state;
	config_describe_stretch(&config->repositories[0], &sentence);
	assert_string_equal(buf_text(&sentence), "");
	/* The schedule's 8 GiB leave 6 of 12: half is always left. */
	assert_int_equal(config->repositories[1].probes[0].interval_usec, 3 * 3600 * USEC_PER_SEC);
	assert_int_equal(config->repositories[1].probes[1].interval_usec, 900 * USEC_PER_SEC);
	config_describe_stretch(&config->repositories[2], &sentence);
	assert_string_equal(buf_text(&sentence),
		"would write 18 GiB a day, more than its daily_write_budget of 10 GiB: some runs will be "
		"skipped");
	buf_done(&sentence);
	config_free(config);
}

static void a_run_that_never_fits_is_one_error(void **state)
{
	static const char *const expected[] = {
		"a.conf:5: daily_write_budget: a run of active-full in [repository r] may write 67 MiB, more "
		"than 51.2 MiB, a tenth of a day, which is the most at once; expected at least 670 MiB, a "
		"smaller max_bytes, or 0 for no bound",
		"a.conf:6: daily_write_budget: a run of p in [repository s] is bounded by time alone",
	};

	(void)state;
	assert_refused_over("[probe p]\nmax_bytes = 0\n"
			    "[repository r]\npath = /r\ndaily_write_budget = 512M\n"
			    "[repository s]\npath = /s\nprobes = p\n",
		NULL, expected, COUNT(expected));
}

static void a_budget_beside_an_interval_that_cannot_be_read_is_no_second_error(void **state)
{
	(void)state;
	assert_refused(
		"[repository r]\npath = /r\ninterval = 5 parsecs\ndaily_write_budget = 10G\n",
		"a.conf:3: interval: ");
}

static void what_bounds_the_runs_of_a_repository_is_inherited(void **state)
{
	struct config *config = load_text(
		"[defaults]\ngroup = array\nwhen_busy = skip\nconfirm_after = 10s\n"
		"[repository r]\npath = /r\n"
		"[repository s]\npath = /s\ngroup =\nwhen_busy = run\nconfirm_after = 0\n"
		"[repository t]\npath = /t\nwhen_busy = auto\nconfirm_after = 60s, 2min\n");
	const struct config_repository *r = config->repositories;

	(void)state;
	assert_string_equal(r[0].group, "array");
	assert_int_equal(r[0].when_busy, CONFIG_BUSY_SKIP);
	assert_int_equal(r[0].confirmation_count, 1);
	assert_int_equal(r[0].confirm_after_usec[0], 10 * USEC_PER_SEC);
	assert_string_equal(r[1].group, "");
	assert_int_equal(r[1].when_busy, CONFIG_BUSY_RUN);
	assert_int_equal(r[1].confirmation_count, 0);
	assert_int_equal(r[2].when_busy, CONFIG_BUSY_AUTO);
	assert_int_equal(r[2].confirmation_count, 2);
	assert_int_equal(r[2].confirm_after_usec[1], 120 * USEC_PER_SEC);
	config_free(config);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_file_that_is_not_kept_is_laid_out_for_each_run),
		cmocka_unit_test(a_plan_above_the_budget_makes_intervals_longer),
		cmocka_unit_test(schedules_are_not_stretched),
		cmocka_unit_test(a_run_that_never_fits_is_one_error),
		cmocka_unit_test(
			a_budget_beside_an_interval_that_cannot_be_read_is_no_second_error),
		cmocka_unit_test(what_bounds_the_runs_of_a_repository_is_inherited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
