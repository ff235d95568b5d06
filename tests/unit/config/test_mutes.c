/* SPDX-License-Identifier: Apache-2.0 */
/* Which mute is active, what an unmute affects, and that the list is bounded. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "config/config.h"
#include "config/mutes.h"

#define NOW INT64_C(1000000)

static struct mute sample(
	const char *repository, enum mute_mode mode, int64_t from_usec, int64_t until_usec)
{
	static int64_t id;
	struct mute mute = {
		.id = ++id, .mode = mode, .from_usec = from_usec, .until_usec = until_usec
	};

	(void)snprintf(mute.repository, sizeof(mute.repository), "%s", repository);
	(void)snprintf(mute.reason, sizeof(mute.reason), "until %lld", (long long)until_usec);
	return mute;
}

static void set_up(struct mutes *mutes, const struct mute *items, size_t count)
{
	mutes->count = 0;
	for (size_t i = 0; i < count; i++)
		assert_int_equal(mutes_add(mutes, &items[i], 0), 0);
}

static void the_stronger_mode_holds_and_of_equals_the_later_end(void **state)
{
	const struct mute items[] = {
		sample("nas1", MUTE_MESSAGES, 0, NOW + 500),
		sample("", MUTE_MESSAGES, 0, NOW + 900),
		sample("nas2", MUTE_PROBING, 0, NOW + 100),
		sample("nas3", MUTE_PROBING, NOW + 1, NOW + 2000),
		sample("nas4", MUTE_PROBING, 0, NOW),
	};
	static const struct {
		const char *repository;
		enum mute_mode mode;
		int64_t until_usec;
	} cases[] = {
		{ "nas1", MUTE_MESSAGES, NOW + 900 },
		{ "nas2", MUTE_PROBING, NOW + 100 },
		{ "nas3", MUTE_MESSAGES, NOW + 900 }, /* its own starts later */
		{ "nas4", MUTE_MESSAGES, NOW + 900 }, /* its own is over */
		{ "elsewhere", MUTE_MESSAGES, NOW + 900 },
	};
	struct mutes *mutes = calloc(1, sizeof(*mutes));

	(void)state;
	set_up(mutes, items, sizeof(items) / sizeof(items[0]));
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct mute_verdict verdict = mutes_find(mutes, NULL, cases[i].repository, NOW);
		assert_int_equal(verdict.mode, cases[i].mode);
		assert_int_equal(verdict.until_usec, cases[i].until_usec);
		assert_non_null(verdict.reason);
	}
	assert_int_equal(mutes_find(mutes, NULL, "nas1", NOW + 900).mode, MUTE_NONE);
	free(mutes);
}

static void count_one(void *data, const struct mute *mute)
{
	assert_int_equal(mute->until_usec, NOW);
	++*(size_t *)data;
}

static void an_unmute_ends_what_was_asked_for_by_that_name(void **state)
{
	const struct mute items[] = {
		sample("nas1", MUTE_MESSAGES, 0, NOW + 1),
		sample("nas1", MUTE_PROBING, 0, NOW + 2),
		sample("nas2", MUTE_MESSAGES, 0, NOW + 3),
		sample("", MUTE_MESSAGES, 0, NOW + 4),
	};
	struct mutes *mutes = calloc(1, sizeof(*mutes));
	size_t called = 0;

	(void)state;
	set_up(mutes, items, sizeof(items) / sizeof(items[0]));
	assert_int_equal(mutes_end(mutes, "nas1", NOW, count_one, &called), 2);
	assert_int_equal(called, 2);
	assert_int_equal(mutes->count, 2);
	assert_int_equal(mutes_end(mutes, "nas3", NOW, count_one, &called), 0);
	assert_int_equal(mutes_end(mutes, NULL, NOW, count_one, &called), 2);
	assert_int_equal(mutes->count, 0);
	assert_int_equal(mutes_find(mutes, NULL, "nas2", NOW).mode, MUTE_NONE);
	free(mutes);
}

static void there_is_room_for_so_many_and_what_is_over_makes_room(void **state)
{
	struct mute mute = sample("nas1", MUTE_MESSAGES, 0, NOW + 1);
	struct mutes *mutes = calloc(1, sizeof(*mutes));

	(void)state;
	for (size_t i = 0; i < MUTES_MAX; i++) {
		mute.id++;
		assert_int_equal(mutes_add(mutes, &mute, NOW), 0);
		assert_int_equal(mutes_add(mutes, &mute, NOW), 0); /* the same again */
	}
	mute.id++;
	assert_int_equal(mutes_add(mutes, &mute, NOW), -ENOBUFS);
	mute.until_usec = NOW + 10;
	assert_int_equal(mutes_add(mutes, &mute, NOW + 1), 0);
	assert_int_equal(mutes->count, 1);
	free(mutes);
}

static void a_clock_that_runs_ahead_for_a_while_ends_no_mute(void **state)
{
	struct mute first = sample("nas1", MUTE_MESSAGES, 0, NOW - 500);
	struct mute second = sample("nas1", MUTE_MESSAGES, 0, NOW + 5000);
	struct mutes *mutes = calloc(1, sizeof(*mutes));
	size_t called = 0;
	(void)state;

	first.id = 1;
	second.id = 2;
	assert_int_equal(mutes_add(mutes, &first, NOW - 1000), 0);
	assert_int_equal(mutes_find(mutes, NULL, "nas1", NOW).mode, MUTE_NONE);
	assert_int_equal(mutes_add(mutes, &second, NOW), 0);
	assert_int_equal(mutes_end(mutes, "nas1", NOW, count_one, &called), 1);
	assert_int_equal(mutes_find(mutes, NULL, "nas1", NOW - 1000).mode, MUTE_MESSAGES);
	free(mutes);
}

static void mutes_of_the_configuration_hold_beside_those_asked_for(void **state)
{
	static const char text[] =
		"[repository nas1]\npath = /a\n[repository nas2]\npath = /b\n"
		"[mute nights]\nwhen = 1970-01-01 00:00:01 to 1970-01-01 01:00 UTC\n"
		"reason = nights\n"
		"[mute works]\nrepository = nas2\nmode = pause\n"
		"when = 1970-01-01 00:00:01 to 1970-01-01 00:30 UTC\n";
	const struct mute asked = sample("nas1", MUTE_MESSAGES, 0, NOW + 1);
	struct mutes *mutes = calloc(1, sizeof(*mutes));
	struct config_errors errors;
	struct config *config = NULL;

	(void)state;
	assert_int_equal(
		config_load_text("a.conf", text, sizeof(text) - 1, NULL, &config, &errors), 0);
	set_up(mutes, &asked, 1);
	struct mute_verdict verdict = mutes_find(mutes, config, "nas1", NOW);
	assert_int_equal(verdict.mode, MUTE_MESSAGES);
	assert_int_equal(verdict.until_usec, INT64_C(3600000000));
	assert_string_equal(verdict.reason, "nights");
	verdict = mutes_find(mutes, config, "nas2", NOW);
	assert_int_equal(verdict.mode, MUTE_PROBING);
	assert_int_equal(verdict.until_usec, INT64_C(1800000000));
	assert_int_equal(mutes_find(mutes, config, "nas1", INT64_C(3600000000)).mode, MUTE_NONE);
	config_free(config);
	free(mutes);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_stronger_mode_holds_and_of_equals_the_later_end),
		cmocka_unit_test(an_unmute_ends_what_was_asked_for_by_that_name),
		cmocka_unit_test(mutes_of_the_configuration_hold_beside_those_asked_for),
		cmocka_unit_test(a_clock_that_runs_ahead_for_a_while_ends_no_mute),
		cmocka_unit_test(there_is_room_for_so_many_and_what_is_over_makes_room),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
