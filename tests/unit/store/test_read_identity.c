/* SPDX-License-Identifier: Apache-2.0 */
/* What repositories were at first sight is read back as it was written, and only the newest. */
#include <errno.h>
#include <string.h>

#include "base/error.h"
#include "fixture.h"
#include "test.h"

static const struct first_identity vault = {
	.repository = "vault1",
	.wanted = INT64_MIN + 5,
	.seen = { .is_set = true,
		.is_mount = true,
		.fs_type = "ext4",
		.source = "/dev/sdb1",
		.mount_point = "/mnt/vault1",
		.fs_uuid = "1111-1111" },
};

struct found {
	size_t count;
	struct first_identity last;
};

static int collect(void *data, const struct first_identity *first)
{
	struct found *found = data;

	found->count++;
	found->last = *first;
	return 0;
}

static void commit(struct fixture *f, const struct first_identity *first)
{
	struct batch *batch = batch_new();

	assert_non_null(batch);
	assert_int_equal(batch_add_first_identity(batch, first), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

static void it_is_read_back_as_it_was_written(void **state)
{
	struct fixture *f = *state;
	struct found found = { 0 };
	struct error error = { "" };
	struct first_identity other = vault;

	fixture_open(f);
	commit(f, &vault);
	assert_int_equal(
		store_read_first_identities(fixture_reader(f), collect, &found, &error), 0);
	assert_int_equal(found.count, 1);
	assert_memory_equal(&found.last, &vault, sizeof(vault));

	other.wanted = 7;
	other.seen.is_mount = false;
	other.seen.fs_uuid[0] = '\0';
	commit(f, &other);
	found.count = 0;
	assert_int_equal(
		store_read_first_identities(fixture_reader(f), collect, &found, &error), 0);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.last.wanted, 7);
	assert_false(found.last.seen.is_mount);
	assert_string_equal(found.last.seen.fs_uuid, "");
}

static void a_damaged_row_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct found found = { 0 };
	struct error error = { "" };

	fixture_open(f);
	commit(f, &vault);
	fixture_sql(f, "UPDATE first_identity SET is_mount = 2");
	assert_int_equal(
		store_read_first_identities(fixture_reader(f), collect, &found, &error), 0);
	assert_int_equal(found.count, 0);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			it_is_read_back_as_it_was_written, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			a_damaged_row_is_skipped, fixture_set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
