/* SPDX-License-Identifier: Apache-2.0 */
/* Which events are told: tables of what happens to one incident. */
#include "test.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/outbox.h"
#include "report/message.h"

struct happening {
	enum incident_change change;
	enum alarm_level level;
	bool is_muted;
	bool is_told;
};

/* Takes each, as the state of an open incident would move along. */
static void take(struct alarm_state *state, const struct happening *list, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		const struct incident_event event = {
			.incident_id = 7,
			.sequence = (uint32_t)i,
			.change = list[i].change,
			.level = list[i].level,
		};
		state->incident_id = list[i].change == INCIDENT_CLEARED ? 0 : 7;
		state->incident_level = event.level;
		if (outbox_is_told(state, &event, list[i].is_muted) != list[i].is_told)
			fail_msg("happening %zu", i);
	}
}

static struct alarm_state *new_state(void)
{
	struct alarm_state *state = calloc(1, sizeof(*state));

	assert_non_null(state);
	return state;
}

static void an_incident_is_told_when_it_opens_rises_and_ends(void **unused)
{
	static const struct happening list[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, false, true },
		{ INCIDENT_JOINED, ALARM_WARNING, false, false },
		{ INCIDENT_WORSE, ALARM_CRITICAL, false, true },
		{ INCIDENT_CLEARED, ALARM_CRITICAL, false, true },
		{ INCIDENT_REOPENED, ALARM_CRITICAL, false, false },
		{ INCIDENT_FLAPPING, ALARM_CRITICAL, false, true },
		{ INCIDENT_CLEARED, ALARM_CRITICAL, false, true },
	};
	struct alarm_state *state = new_state();

	(void)unused;
	take(state, list, sizeof(list) / sizeof(list[0]));
	free(state);
}

static void a_mute_holds_it_back_and_leaves_it_owed(void **unused)
{
	static const struct happening list[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, true, false },
	};
	struct alarm_state *state = new_state();

	(void)unused;
	take(state, list, 1);
	assert_false(outbox_is_owed(state, true));
	assert_true(outbox_is_owed(state, false));
	outbox_note_told(state, ALARM_WARNING);
	assert_false(outbox_is_owed(state, false));
	/* What rises in a mute is owed too, though it was told before. */
	state->incident_level = ALARM_CRITICAL;
	assert_true(outbox_is_owed(state, false));
	free(state);
}

static void the_end_of_what_was_never_told_is_not_told_and_of_what_was_always(void **unused)
{
	static const struct happening never[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, true, false },
		{ INCIDENT_CLEARED, ALARM_WARNING, false, false },
	};
	static const struct happening told[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, false, true },
		{ INCIDENT_CLEARED, ALARM_WARNING, true, true },
	};
	struct alarm_state *state = new_state();

	(void)unused;
	take(state, never, 2);
	assert_false(outbox_is_owed(state, false));
	take(state, told, 2);
	free(state);
}

static void an_acknowledgement_stops_all_but_what_is_worse_and_the_end(void **unused)
{
	static const struct happening before[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, false, true },
	};
	static const struct happening after[] = {
		{ INCIDENT_FLAPPING, ALARM_WARNING, false, false },
		{ INCIDENT_WORSE, ALARM_CRITICAL, false, true },
		{ INCIDENT_FLAPPING, ALARM_CRITICAL, false, true }, /* it is no longer that */
		{ INCIDENT_CLEARED, ALARM_CRITICAL, false, true },
	};
	struct alarm_state *state = new_state();

	(void)unused;
	take(state, before, 1);
	state->is_acknowledged = true;
	assert_false(outbox_is_owed(state, false));
	take(state, after, sizeof(after) / sizeof(after[0]));
	assert_false(state->is_acknowledged);
	free(state);
}

static void what_rises_after_an_acknowledgement_is_owed_when_it_is_held_back(void **unused)
{
	static const struct happening before[] = {
		{ INCIDENT_OPENED, ALARM_WARNING, false, true },
	};
	static const struct happening after[] = {
		{ INCIDENT_WORSE, ALARM_CRITICAL, true, false },
	};
	struct alarm_state *state = new_state();

	(void)unused;
	take(state, before, 1);
	state->is_acknowledged = true;
	assert_false(outbox_is_owed(state, false));
	take(state, after, 1);
	assert_true(outbox_is_owed(state, false));
	outbox_note_told(state, ALARM_CRITICAL);
	assert_false(outbox_is_owed(state, false));
	assert_false(state->is_acknowledged);
	free(state);
}

static void a_late_message_says_so_and_has_the_event_s_key(void **unused)
{
	const struct incident_event event = {
		.incident_id = 12,
		.sequence = 3,
		.change = INCIDENT_OPENED,
		.level = ALARM_WARNING,
		.repository = "nas1",
		.probe = "active-full",
		.operation = RUN_WRITE,
		.value_nsec = 23900000,
		.limit_nsec = 15000000,
		.hits = 2,
		.window = 3,
	};
	struct message *message = calloc(1, sizeof(*message));

	(void)unused;
	report_message(message, "journal", &event,
		&(struct message_words){
			.before = "2 repositories on nas are slow: nas1, nas2; ",
			.after = " (told now: it was muted until now)",
		});
	assert_string_equal(message->key, "journal/12/3");
	assert_string_equal(message->channel, "journal");
	assert_non_null(strstr(message->text,
		"2 repositories on nas are slow: nas1, nas2; nas1: writes of active-full take "
		"23.9 ms"));
	assert_non_null(strstr(message->text, "it was muted until now"));
	free(message);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(an_incident_is_told_when_it_opens_rises_and_ends),
		cmocka_unit_test(a_mute_holds_it_back_and_leaves_it_owed),
		cmocka_unit_test(the_end_of_what_was_never_told_is_not_told_and_of_what_was_always),
		cmocka_unit_test(an_acknowledgement_stops_all_but_what_is_worse_and_the_end),
		cmocka_unit_test(what_rises_after_an_acknowledgement_is_owed_when_it_is_held_back),
		cmocka_unit_test(a_late_message_says_so_and_has_the_event_s_key),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
