/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a run may take place now, and what it may write; the accounts behind it. */
#include "test.h"

#include <stdlib.h>

#include "base/clock.h"
#include "core/admission.h"
#include "core/ledger.h"
#include "model/job.h"
#include "store/store.h"

#define MIB (UINT64_C(1) << 20)
#define GIB (UINT64_C(1) << 30)
#define NOW_NSEC (UINT64_C(1000) * NSEC_PER_SEC)
#define NOW_USEC INT64_C(1796065200000000)
#define COUNT(table) (sizeof(table) / sizeof((table)[0]))

static const struct facts idle = { .has_counters = true };
static const struct facts bytes = { .has_counters = true, .others_bytes_per_sec = 10000000 };
static const struct facts ios = { .has_counters = true, .others_ios_per_sec = 50 };
static const struct facts almost = {
	.has_counters = true, .others_bytes_per_sec = 9999999, .others_ios_per_sec = 49
};
static const struct facts unknown = { .others_bytes_per_sec = GIB };

static struct workload workload_of(uint64_t max_bytes)
{
	return (struct workload){
		.block_size_bytes = 512 << 10, .write_percent = 100, .max_bytes = max_bytes
	};
}

static void busy_disks_are_spared_as_the_configuration_says(void **state)
{
	static const struct {
		enum config_when_busy when_busy;
		const struct facts *others;
		uint64_t max_bytes;
		enum run_skip skip;
	} cases[] = {
		{ CONFIG_BUSY_AUTO, &idle, GIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_AUTO, &almost, GIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_AUTO, &unknown, GIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_AUTO, &bytes, 64 * MIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_AUTO, &bytes, 65 * MIB, RUN_SKIP_BUSY },
		{ CONFIG_BUSY_AUTO, &ios, 65 * MIB, RUN_SKIP_BUSY },
		{ CONFIG_BUSY_AUTO, &ios, 0, RUN_SKIP_BUSY }, /* bounded by time alone */
		{ CONFIG_BUSY_RUN, &ios, GIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_SKIP, &ios, MIB, RUN_SKIP_BUSY },
		{ CONFIG_BUSY_SKIP, &bytes, MIB, RUN_SKIP_BUSY },
		{ CONFIG_BUSY_SKIP, &almost, GIB, RUN_SKIP_NONE },
		{ CONFIG_BUSY_SKIP, &unknown, GIB, RUN_SKIP_NONE },
	};

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_repository repository = { .when_busy = cases[i].when_busy };
		const struct workload workload = workload_of(cases[i].max_bytes);
		const struct admission_question question = {
			.repository = &repository,
			.workload = &workload,
			.left_bytes = UINT64_MAX,
			.others = *cases[i].others,
		};
		struct admission admission;
		admission_decide(&question, &admission);
		if (admission.skip != cases[i].skip)
			fail_msg("case %zu: %s", i, run_skip_name(admission.skip));
		assert_int_equal(admission.reason[0] != '\0', cases[i].skip == RUN_SKIP_BUSY);
	}
}

static void layout_takes_what_is_left_beside_the_run(void **state)
{
	static const struct {
		uint64_t left, file, target;
		bool keeps;
		uint64_t chosen_target; /* configured */
		enum run_skip skip;
		uint64_t reserved, first, growth;
	} cases[] = {
		/* Enough for all of it: head, 128M, run, growth. */
		{ GIB, 0, 0, true, 0, RUN_SKIP_NONE, 257 * MIB, 128 * MIB, 64 * MIB },
		{ GIB, 0, 0, true, 32 * MIB, RUN_SKIP_NONE, 161 * MIB, 32 * MIB, 64 * MIB },
		{ GIB, 128 * MIB, GIB, true, 0, RUN_SKIP_NONE, 128 * MIB, 128 * MIB, 64 * MIB },
		{ GIB, GIB - 8 * MIB, GIB, true, 0, RUN_SKIP_NONE, 72 * MIB, 128 * MIB, 8 * MIB },
		{ GIB, GIB, GIB, true, 0, RUN_SKIP_NONE, 64 * MIB, 128 * MIB, 0 },
		/* A file that is not kept is laid out each time and does not grow. */
		{ GIB, 128 * MIB, GIB, false, 0, RUN_SKIP_NONE, 193 * MIB, 128 * MIB, 0 },
		/* Growth is cut, then the first layout, then the run is skipped. */
		{ 203 * MIB, 0, 0, true, 0, RUN_SKIP_NONE, 203 * MIB, 128 * MIB, 10 * MIB },
		{ 193 * MIB + 4096, 0, 0, true, 0, RUN_SKIP_NONE, 193 * MIB, 128 * MIB, 0 },
		{ 100 * MIB, 0, 0, true, 0, RUN_SKIP_NONE, 100 * MIB, 35 * MIB, 0 },
		{ 100 * MIB, 16 * MIB, GIB, true, 0, RUN_SKIP_NONE, 100 * MIB, 52 * MIB, 0 },
		{ 67 * MIB, 0, 0, true, 0, RUN_SKIP_NONE, 67 * MIB, 2 * MIB, 0 },
		{ 67 * MIB - 1, 0, 0, true, 0, RUN_SKIP_BUDGET, 0, 0, 0 },
		{ 64 * MIB, 2 * MIB, GIB, true, 0, RUN_SKIP_NONE, 64 * MIB, 2 * MIB, 0 },
		{ 64 * MIB - 1, GIB, GIB, true, 0, RUN_SKIP_BUDGET, 0, 0, 0 },
		{ 0, GIB, GIB, true, 0, RUN_SKIP_BUDGET, 0, 0, 0 },
		{ UINT64_MAX, 0, 0, true, 0, RUN_SKIP_NONE, 0, 128 * MIB, 64 * MIB },
	};
	const struct workload workload = workload_of(64 * MIB);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_repository repository = {
			.keep_file = cases[i].keeps,
			.file_target_bytes = cases[i].chosen_target,
		};
		const struct admission_question question = {
			.repository = &repository,
			.workload = &workload,
			.left_bytes = cases[i].left,
			.file_bytes = cases[i].file,
			.file_target_bytes = cases[i].target,
		};
		struct admission a;
		admission_decide(&question, &a);
		if (a.skip != cases[i].skip || a.reserved_bytes != cases[i].reserved ||
			a.first_layout_bytes != cases[i].first || a.growth_bytes != cases[i].growth)
			fail_msg("case %zu: %s, reserved %ju, first %ju, growth %ju", i,
				run_skip_name(a.skip), (uintmax_t)a.reserved_bytes,
				(uintmax_t)a.first_layout_bytes, (uintmax_t)a.growth_bytes);
		assert_true(a.skip != RUN_SKIP_NONE || a.reserved_bytes <= cases[i].left);
	}
}

static void a_file_is_whole_within_half_an_hour_of_runs(void **state)
{
	static const struct {
		uint64_t minutes, left, file, target, chosen, growth;
	} cases[] = {
		{ 1, UINT64_MAX, 128 * MIB, GIB, 0, 64 * MIB },
		{ 5, UINT64_MAX, 128 * MIB, GIB, 0, GIB / 6 },
		{ 5, UINT64_MAX, GIB - MIB, GIB, 0, MIB },
		{ 15, UINT64_MAX, 0, 0, 0, GIB / 2 }, /* the very first run */
		{ 24 * 60, UINT64_MAX, 0, 0, 0, GIB },
		{ 24 * 60, UINT64_MAX, 0, 0, 4 * GIB, 4 * GIB },
		{ 24 * 60, 5 * GIB, 128 * MIB, 4 * GIB, 4 * GIB, 4 * GIB - 128 * MIB },
		{ 24 * 60, GIB, 128 * MIB, 4 * GIB, 4 * GIB, GIB - 64 * MIB }, /* what is left */
		{ 24 * 60, UINT64_MAX, 130 * MIB, 130 * MIB, 0, 0 },
	};
	const struct workload workload = workload_of(64 * MIB);

	(void)state;
	for (size_t i = 0; i < COUNT(cases); i++) {
		const struct config_repository repository = {
			.keep_file = true,
			.file_target_bytes = cases[i].chosen,
		};
		const struct admission_question question = {
			.repository = &repository,
			.workload = &workload,
			.left_bytes = cases[i].left,
			.file_bytes = cases[i].file,
			.file_target_bytes = cases[i].target,
			.spacing_usec = cases[i].minutes * 60 * USEC_PER_SEC,
		};
		struct admission a;
		admission_decide(&question, &a);
		if (a.growth_bytes != cases[i].growth)
			fail_msg("case %zu: %ju", i, (uintmax_t)a.growth_bytes);
	}
}

static void a_read_only_probe_needs_no_budget_once_its_file_is_there(void **state)
{
	const struct config_repository repository = { .keep_file = true };
	struct workload workload = workload_of(64 * MIB);
	struct admission_question question = {
		.repository = &repository,
		.workload = &workload,
		.file_bytes = GIB,
		.file_target_bytes = GIB,
	};
	struct admission admission;

	(void)state;
	workload.write_percent = 0;
	admission_decide(&question, &admission);
	assert_int_equal(admission.skip, RUN_SKIP_NONE);
	assert_int_equal(admission.reserved_bytes, 0);
}

static char nas_name[] = "nas";

static void an_account_outlives_its_repository_and_its_daemon(void **state)
{
	struct config_repository repository = { .name = nas_name,
		.daily_write_budget_bytes = 10 * GIB };
	const struct config with = { .repository_count = 1, .repositories = &repository };
	const struct config without = { .repository_count = 0 };
	struct run *run = run_new("nas", "p");
	struct ledger ledger = { 0 };
	struct saved_budget kept;

	(void)state;
	assert_non_null(run);
	assert_int_equal(ledger_open(&ledger, &with, NOW_NSEC), 0);
	struct ledger_account *account = ledger_find(&ledger, "nas");
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB);
	/* Accounts for a configuration that does not come into force after all change nothing. */
	struct config_repository larger = { .name = nas_name,
		.daily_write_budget_bytes = 90 * GIB };
	const struct config refused = { .repository_count = 1, .repositories = &larger };
	assert_int_equal(ledger_make(&ledger, &refused), 0);
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB);
	ledger_reserve(account, 200 * MIB);
	ledger_save(account, NOW_NSEC, NOW_USEC, &kept);
	assert_int_equal(kept.level_bytes, GIB - 200 * MIB); /* should it be killed now */

	/* It leaves the configuration and comes back: nothing is given. */
	assert_int_equal(ledger_open(&ledger, &without, NOW_NSEC), 0);
	assert_int_equal(ledger_open(&ledger, &with, NOW_NSEC), 0);
	account = ledger_find(&ledger, "nas");
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB - 200 * MIB);
	run->has_own = true;
	run->own.written_bytes = 50 * MIB;
	run->reserved_bytes = 200 * MIB;
	ledger_settle(account, run);
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB - 50 * MIB);
	run->has_own = false; /* killed */
	ledger_reserve(account, 100 * MIB);
	/* One goes on elsewhere meanwhile. */
	ledger_reserve(account, 300 * MIB);
	run->reserved_bytes = 100 * MIB;
	ledger_settle(account, run);
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB - 450 * MIB);
	run->has_own = true;
	run->reserved_bytes = 300 * MIB;
	ledger_settle(account, run);
	assert_int_equal(ledger_left_bytes(account, NOW_NSEC), GIB - 200 * MIB);
	ledger_done(&ledger);

	/* The next daemon, a second later; also for one who was not in its configuration. */
	for (size_t i = 0; i < 2; i++) {
		assert_int_equal(ledger_restore(&ledger, "nas", &kept, NOW_NSEC,
					 NOW_USEC + (int64_t)USEC_PER_SEC),
			0);
		assert_int_equal(ledger_open(&ledger, i == 0 ? &with : &without, NOW_NSEC), 0);
		assert_int_equal(ledger_open(&ledger, &with, NOW_NSEC), 0);
		assert_int_equal(ledger_left_bytes(ledger_find(&ledger, "nas"), NOW_NSEC),
			GIB - 200 * MIB + 10 * GIB / 86400);
		ledger_done(&ledger);
	}
	assert_null(ledger_find(&ledger, "nas"));
	free(run);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(busy_disks_are_spared_as_the_configuration_says),
		cmocka_unit_test(layout_takes_what_is_left_beside_the_run),
		cmocka_unit_test(a_file_is_whole_within_half_an_hour_of_runs),
		cmocka_unit_test(a_read_only_probe_needs_no_budget_once_its_file_is_there),
		cmocka_unit_test(an_account_outlives_its_repository_and_its_daemon),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
