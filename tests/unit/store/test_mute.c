/* SPDX-License-Identifier: Apache-2.0 */
/* Mutes are kept, shortened and read back as long as they matter. */
#include <stdio.h>
#include <string.h>

#include "fixture.h"
#include "store/store.h"
#include "test.h"

#define HOUR_USEC INT64_C(3600000000)

struct mutes {
	size_t count;
	struct mute mutes[4];
};

static int collect(void *data, const struct mute *mute)
{
	struct mutes *m = data;

	assert_true(m->count < sizeof(m->mutes) / sizeof(m->mutes[0]));
	m->mutes[m->count++] = *mute;
	return 0;
}

static struct mute sample(int64_t id, const char *repository)
{
	struct mute mute = {
		.id = id,
		.mode = id % 2 == 0 ? MUTE_PROBING : MUTE_MESSAGES,
		.from_usec = FIXTURE_START_USEC,
		.until_usec = FIXTURE_START_USEC + id * HOUR_USEC,
		.uid = 1000,
	};

	(void)snprintf(mute.repository, sizeof(mute.repository), "%s", repository);
	(void)snprintf(
		mute.reason, sizeof(mute.reason), "disk shelf %lld is exchanged", (long long)id);
	return mute;
}

static void commit(struct fixture *f, const struct mute *mute)
{
	struct batch *batch = batch_new();

	assert_non_null(batch);
	assert_int_equal(batch_add_mute(batch, mute), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

static void read_after(struct fixture *f, int64_t after_usec, struct mutes *ret)
{
	*ret = (struct mutes){ 0 };
	assert_int_equal(store_read_mutes(fixture_reader(f), after_usec, collect, ret, NULL), 0);
}

static void a_mute_comes_back_as_it_was(void **state)
{
	struct fixture *f = *state;
	struct mute first = sample(1, "");
	struct mute second = sample(2, "nas1");
	struct mutes found;
	struct store_next_ids ids;

	fixture_open(f);
	commit(f, &first);
	commit(f, &second);
	read_after(f, FIXTURE_START_USEC, &found);
	assert_int_equal(found.count, 2);
	assert_memory_equal(&found.mutes[0], &first, sizeof(first));
	assert_memory_equal(&found.mutes[1], &second, sizeof(second));
	assert_int_equal(store_read_next_ids(fixture_reader(f), &ids, NULL), 0);
	assert_int_equal(ids.mute_id, 3);
}

static void what_is_over_is_not_read(void **state)
{
	struct fixture *f = *state;
	struct mute mute = sample(1, "nas1");
	struct mutes found;

	fixture_open(f);
	commit(f, &mute);
	read_after(f, mute.until_usec - 1, &found);
	assert_int_equal(found.count, 1);
	read_after(f, mute.until_usec, &found);
	assert_int_equal(found.count, 0);
}

static void a_mute_that_is_taken_back_ends_earlier_and_is_else_as_before(void **state)
{
	struct fixture *f = *state;
	struct mute mute = sample(4, "nas1");
	struct mute shorter = mute;
	struct mutes found;

	fixture_open(f);
	commit(f, &mute);
	shorter.until_usec = mute.from_usec + HOUR_USEC;
	shorter.reason[0] = '\0';
	commit(f, &shorter);
	read_after(f, mute.from_usec, &found);
	assert_int_equal(found.count, 1);
	assert_int_equal(found.mutes[0].until_usec, shorter.until_usec);
	assert_string_equal(found.mutes[0].reason, mute.reason);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_mute_comes_back_as_it_was, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			what_is_over_is_not_read, fixture_set_up, fixture_tear_down),
		cmocka_unit_test_setup_teardown(
			a_mute_that_is_taken_back_ends_earlier_and_is_else_as_before,
			fixture_set_up, fixture_tear_down),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
