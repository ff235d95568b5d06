/* SPDX-License-Identifier: Apache-2.0 */
/* A batch keeps its own copies, in order, and gives its run and messages back. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "fixture.h"
#include "model/batch.h"
#include "test.h"

static void an_empty_batch_has_nothing_to_lend(void **state)
{
	struct batch *batch = batch_new();
	(void)state;

	assert_null(batch_run(batch));
	assert_null(batch_message(batch, 0));
	assert_int_equal(batch_tag(batch), 0);
	batch_set_tag(batch, UINT64_MAX);
	assert_int_equal(batch_tag(batch), UINT64_MAX);
	assert_null(batch_free(batch));
	assert_null(batch_free(NULL));
}

static void messages_are_copied_and_lent_in_order(void **state)
{
	struct batch *batch = batch_new();
	(void)state;

	for (uint32_t i = 0; i < 3; i++) {
		struct incident_event event = fixture_event(7, i);
		struct message message = fixture_message(&event);
		assert_int_equal(batch_add_event(batch, &event), 0);
		assert_int_equal(batch_add_message(batch, &message), 0);
		memset(&message, 0xff, sizeof(message));
	}
	for (uint32_t i = 0; i < 3; i++)
		assert_int_equal(batch_message(batch, i)->event.sequence, i);
	assert_string_equal(batch_message(batch, 2)->key, "journal/7/2");
	assert_null(batch_message(batch, 3));
	batch_free(batch);
}

static void the_run_is_taken_not_copied(void **state)
{
	struct batch *batch = batch_new();
	struct run *run = fixture_run(*state, 1, "nas1", "active-full");

	assert_int_equal(batch_add_delivery(batch, "journal/1/0", 5), 0);
	assert_int_equal(batch_add_run(batch, run), 0);
	assert_ptr_equal(batch_run(batch), run);
	batch_free(batch);
}

static void a_run_that_could_not_be_made_is_short_memory(void **state)
{
	struct batch *batch = batch_new();
	(void)state;

	assert_int_equal(batch_add_run(batch, NULL), -ENOMEM);
	assert_null(batch_run(batch));
	batch_free(batch);
}

static void a_key_longer_than_any_is_refused(void **state)
{
	struct batch *batch = batch_new();
	char key[MESSAGE_KEY_MAX + 2];
	(void)state;

	memset(key, 'k', sizeof(key));
	key[MESSAGE_KEY_MAX + 1] = '\0';
	assert_int_equal(batch_add_delivery(batch, key, 5), -ENAMETOOLONG);
	key[MESSAGE_KEY_MAX] = '\0';
	assert_int_equal(batch_add_delivery(batch, key, 5), 0);
	assert_string_equal(batch->first->mark->key, key);
	batch_free(batch);
}

static void changes_keep_the_order_in_which_they_were_added(void **state)
{
	static const enum change_kind kinds[] = { CHANGE_ALARM, CHANGE_EVENT, CHANGE_MESSAGE,
		CHANGE_DELIVERY, CHANGE_DURATION };
	struct batch *batch = batch_new();
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	struct incident_event event = fixture_event(1, 0);
	struct message message = fixture_message(&event);
	size_t i = 0;
	(void)state;

	assert_int_equal(batch_add_alarm(batch, alarm), 0);
	assert_int_equal(batch_add_event(batch, &event), 0);
	assert_int_equal(batch_add_message(batch, &message), 0);
	assert_int_equal(batch_add_delivery(batch, "k", 2), 0);
	assert_int_equal(batch_add_duration(batch, 9, 3), 0);
	for (const struct change *c = batch->first; c; c = c->next)
		assert_int_equal(c->kind, kinds[i++]);
	assert_int_equal(i, sizeof(kinds) / sizeof(kinds[0]));
	free(alarm);
	batch_free(batch);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_empty_batch_has_nothing_to_lend),
		cmocka_unit_test(messages_are_copied_and_lent_in_order),
		cmocka_unit_test_setup_teardown(
			the_run_is_taken_not_copied, fixture_set_up, fixture_tear_down),
		cmocka_unit_test(a_run_that_could_not_be_made_is_short_memory),
		cmocka_unit_test(a_key_longer_than_any_is_refused),
		cmocka_unit_test(changes_keep_the_order_in_which_they_were_added),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
