/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line lays out on a terminal: tables, help, the line of progress. */
#include "cli/table.h"

#include "base/clock.h"
#include "cli/help.h"
#include "cli/progress.h"
#include "test.h"

static void columns_are_as_wide_as_their_widest_cell(void **state)
{
	static const char *const cells[] = { "NAME", "SIZE", "WHY", "nas1", "512K", "",
		"a long name", "4K", "because" };
	struct table t = TABLE_INIT(3, 1 << 1);
	struct buf b = BUF_INIT(4096);
	(void)state;

	for (size_t i = 0; i < sizeof(cells) / sizeof(cells[0]); i++)
		table_add(&t, cells[i]);
	table_print(&t, &b);
	assert_string_equal(buf_text(&b),
		"NAME         SIZE  WHY\n"
		"nas1         512K\n"
		"a long name    4K  because\n");
	buf_done(&b);
}

static void characters_count_and_not_bytes(void **state)
{
	struct table t = TABLE_INIT(2, 0);
	struct buf b = BUF_INIT(4096);
	(void)state;

	table_add(&t, "büro");
	table_add(&t, "x");
	table_add(&t, "a\nb\x1b[1m");
	table_add(&t, "y");
	table_print(&t, &b);
	assert_string_equal(buf_text(&b), "büro     x\na b [1m  y\n");
	buf_done(&b);
}

static void a_table_without_rows_is_nothing(void **state)
{
	struct table t = TABLE_INIT(2, 0);
	struct buf b = BUF_INIT(4096);
	(void)state;

	table_print(&t, &b);
	assert_int_equal(b.len, 0);
	assert_int_equal(b.error, 0);
}

static void help_breaks_lines_at_blanks(void **state)
{
	struct buf b = BUF_INIT(4096);
	(void)state;

	help_add_entry("a", 3, "short", &b);
	help_add_entry("longer", 3, "below", &b);
	help_add_entry("b", 3,
		"one two three four five six seven eight nine ten eleven twelve thirteen fourteen",
		&b);
	assert_string_equal(buf_text(&b),
		"  a     short\n"
		"  longer\n"
		"        below\n"
		"  b     one two three four five six seven eight nine ten eleven twelve thirteen\n"
		"        fourteen\n");
	buf_done(&b);
}

static void progress_is_worded_by_phase(void **state)
{
	static const struct {
		struct job_progress progress;
		uint64_t elapsed_nsec;
		const char *text;
	} cases[] = {
		{ { JOB_PHASE_LAYOUT, 256 << 20, 1 << 30 }, 1250 * NSEC_PER_MSEC,
			"laying out the probe file: 256 MiB of 1 GiB (25 %), 1.2 s" },
		{ { JOB_PHASE_MEASURE, 999, 1000 }, 61 * NSEC_PER_SEC, "measuring: 99 %, 61.0 s" },
		{ { JOB_PHASE_MEASURE, UINT64_MAX / 2, UINT64_MAX }, 0, "measuring: 49 %, 0.0 s" },
		{ { JOB_PHASE_MEASURE, 2, 1 }, 0, "measuring: 100 %, 0.0 s" },
		{ { JOB_PHASE_DRAIN, 0, 0 }, 0, "waiting for the last I/Os, 0.0 s" },
	};
	struct buf b = BUF_INIT(4096);
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		buf_clear(&b);
		progress_text(&cases[i].progress, cases[i].elapsed_nsec, &b);
		assert_string_equal(buf_text(&b), cases[i].text);
	}
	buf_clear(&b);
	progress_text(NULL, 600 * NSEC_PER_MSEC, &b);
	assert_string_equal(buf_text(&b), "starting, 0.6 s");
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(columns_are_as_wide_as_their_widest_cell),
		cmocka_unit_test(characters_count_and_not_bytes),
		cmocka_unit_test(a_table_without_rows_is_nothing),
		cmocka_unit_test(help_breaks_lines_at_blanks),
		cmocka_unit_test(progress_is_worded_by_phase),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
