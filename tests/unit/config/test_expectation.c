/* SPDX-License-Identifier: Apache-2.0 */
/* What must be mounted at a repository's path: as configured, inherited, or left to first sight. */
#include "config_test.h"

static void nothing_is_expected_unless_it_is_said(void **state)
{
	struct config *config = load_text("[repository a]\npath = /a\n");
	const struct config_repository *r = &config->repositories[0];

	(void)state;
	assert_true(r->is_mount_auto);
	assert_false(r->requires_mount);
	assert_string_equal(r->expect_fstype, "");
	assert_string_equal(r->expect_source, "");
	config_free(config);
}

static void a_repository_says_otherwise_than_the_defaults(void **state)
{
	struct config *config =
		load_text("[defaults]\nrequire_mount = yes\nexpect_fstype = xfs\n"
			  "[repository a]\npath = /a\n"
			  "[repository b]\npath = /b\nrequire_mount = no\nexpect_fstype =\n"
			  "expect_source = UUID=1\n"
			  "[repository c]\npath = /c\nrequire_mount = auto\n");
	const struct config_repository *r = config->repositories;

	(void)state;
	assert_true(r[0].requires_mount && !r[0].is_mount_auto);
	assert_string_equal(r[0].expect_fstype, "xfs");
	assert_false(r[1].requires_mount || r[1].is_mount_auto);
	assert_string_equal(r[1].expect_fstype, "");
	assert_string_equal(r[1].expect_source, "UUID=1");
	assert_true(r[2].is_mount_auto && !r[2].requires_mount);
	assert_string_equal(r[2].expect_fstype, "xfs");
	config_free(config);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_expected_unless_it_is_said),
		cmocka_unit_test(a_repository_says_otherwise_than_the_defaults),
	};

	return cmocka_run_group_tests_name("expectation", tests, NULL, NULL);
}
