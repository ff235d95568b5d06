/* SPDX-License-Identifier: Apache-2.0 */
/* Alarm states and messages are read back as they were written; damage is an error. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fixture.h"
#include "store/store.h"
#include "test.h"

/* --- Alarm states --- */

struct alarms {
	size_t count;
	struct alarm_state *last; /* to be freed */
};

static int collect_alarm(void *data, const struct alarm_state *state)
{
	struct alarms *a = data;

	a->count++;
	free(a->last);
	a->last = malloc(sizeof(*state));
	memcpy(a->last, state, sizeof(*state));
	return 0;
}

static struct alarm_state *full_alarm(const char *repository)
{
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));

	(void)snprintf(alarm->repository, sizeof(alarm->repository), "%s", repository);
	alarm->incident_id = 12;
	alarm->incident_opened_usec = FIXTURE_START_USEC;
	alarm->incident_level = ALARM_CRITICAL;
	alarm->incident_changes = 3;
	alarm->series_count = ALARM_SERIES_MAX;
	for (size_t i = 0; i < ALARM_SERIES_MAX; i++) {
		struct alarm_series *s = &alarm->series[i];
		(void)snprintf(s->probe, sizeof(s->probe), "probe%02zu", i / RUN_OPERATIONS);
		s->operation = (enum run_operation)(i % RUN_OPERATIONS);
		s->warning_bits = UINT32_MAX - (uint32_t)i;
		s->critical_bits = (uint32_t)i;
		s->judged_runs = 32;
		s->clear_runs = (uint8_t)(i % 6);
		s->level = (enum alarm_level)(i % 3);
		s->since_usec = FIXTURE_START_USEC - (int64_t)i;
		s->value_nsec = UINT64_C(23900000) + i;
		s->limit_nsec = UINT64_C(15000000);
		s->judged_usec = FIXTURE_START_USEC + (int64_t)i;
	}
	return alarm;
}

static void commit_alarm(struct fixture *f, const struct alarm_state *alarm)
{
	struct batch *batch = batch_new();

	assert_int_equal(batch_add_alarm(batch, alarm), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

static void an_alarm_state_comes_back_whole(void **state)
{
	struct fixture *f = *state;
	struct alarm_state *alarm = full_alarm("nas1");
	struct alarms a = { 0 };

	fixture_open(f);
	fixture_commit_run(f, fixture_run(f, 1, "without an alarm state", "active-full"));
	commit_alarm(f, alarm);
	assert_int_equal(store_read_alarms(fixture_reader(f), collect_alarm, &a, NULL), 0);
	assert_int_equal(a.count, 1);
	assert_string_equal(a.last->repository, alarm->repository);
	assert_int_equal(a.last->incident_id, alarm->incident_id);
	assert_int_equal(a.last->incident_opened_usec, alarm->incident_opened_usec);
	assert_int_equal(a.last->incident_level, alarm->incident_level);
	assert_int_equal(a.last->incident_changes, alarm->incident_changes);
	assert_int_equal(a.last->series_count, ALARM_SERIES_MAX);
	for (size_t i = 0; i < ALARM_SERIES_MAX; i++) {
		const struct alarm_series *s = &a.last->series[i];
		const struct alarm_series *e = alarm_state_find(alarm, s->probe, s->operation);
		assert_non_null(e);
		assert_int_equal(s->warning_bits, e->warning_bits);
		assert_int_equal(s->critical_bits, e->critical_bits);
		assert_int_equal(s->judged_runs, e->judged_runs);
		assert_int_equal(s->clear_runs, e->clear_runs);
		assert_int_equal(s->level, e->level);
		assert_int_equal(s->since_usec, e->since_usec);
		assert_int_equal(s->value_nsec, e->value_nsec);
		assert_int_equal(s->limit_nsec, e->limit_nsec);
		assert_int_equal(s->judged_usec, e->judged_usec);
	}
	free(a.last);
	free(alarm);
}

static void states_without_series_or_incident_come_back(void **state)
{
	struct fixture *f = *state;
	struct alarm_state *alarm = full_alarm("a");
	struct alarms a = { 0 };

	fixture_open(f);
	alarm->series_count = 0;
	commit_alarm(f, alarm);
	alarm->series_count = 1;
	alarm->incident_id = 0;
	alarm->incident_opened_usec = 0;
	alarm->incident_level = ALARM_NONE;
	alarm->repository[0] = 'b';
	commit_alarm(f, alarm);
	assert_int_equal(store_read_alarms(fixture_reader(f), collect_alarm, &a, NULL), 0);
	assert_int_equal(a.count, 2);
	assert_string_equal(a.last->repository, "b");
	assert_int_equal(a.last->incident_id, 0);
	assert_int_equal(a.last->incident_opened_usec, 0);
	assert_int_equal(a.last->series_count, 1);
	/* Nothing left to remember: no state. */
	alarm->series_count = 0;
	commit_alarm(f, alarm);
	a.count = 0;
	assert_int_equal(store_read_alarms(fixture_reader(f), collect_alarm, &a, NULL), 0);
	assert_int_equal(a.count, 1);
	free(a.last);
	free(alarm);
}

static void damaged_alarm_states_are_skipped(void **state)
{
	static const char *const damages[] = {
		"UPDATE target SET alarm = x'09'",
		"UPDATE target SET alarm = substr(alarm, 1, 40)",
		"UPDATE target SET alarm = CAST(alarm || x'00' AS BLOB)",
		"UPDATE target SET incident_level = 3",
	};

	for (size_t i = 0; i < sizeof(damages) / sizeof(damages[0]); i++) {
		struct alarm_state *alarm = full_alarm("nas1");
		struct alarms a = { 0 };
		struct error error = { "" };
		void *inner;

		assert_int_equal(fixture_set_up(&inner), 0);
		struct fixture *f = inner;
		fixture_open(f);
		commit_alarm(f, alarm);
		fixture_sql(f, damages[i]);
		assert_int_equal(
			store_read_alarms(fixture_reader(f), collect_alarm, &a, &error), 0);
		assert_int_equal(a.count, 0);
		free(a.last);
		assert_int_equal(fixture_tear_down(&inner), 0);
		free(alarm);
	}
	(void)state;
}

/* --- Messages --- */

struct messages {
	size_t count;
	struct message last;
	char keys[128];
};

static int collect_message(void *data, const struct message *message)
{
	struct messages *m = data;

	m->count++;
	m->last = *message;
	size_t len = strlen(m->keys);
	(void)snprintf(m->keys + len, sizeof(m->keys) - len, "%s ", message->key);
	return 0;
}

static void assert_equal_events(const struct incident_event *a, const struct incident_event *b)
{
	assert_int_equal(a->incident_id, b->incident_id);
	assert_int_equal(a->sequence, b->sequence);
	assert_int_equal(a->change, b->change);
	assert_int_equal(a->level, b->level);
	assert_int_equal(a->reason, b->reason);
	assert_int_equal(a->time_usec, b->time_usec);
	assert_int_equal(a->opened_usec, b->opened_usec);
	assert_string_equal(a->repository, b->repository);
	assert_string_equal(a->probe, b->probe);
	assert_int_equal(a->operation, b->operation);
	assert_int_equal(a->value_nsec, b->value_nsec);
	assert_int_equal(a->limit_nsec, b->limit_nsec);
	assert_int_equal(a->hits, b->hits);
	assert_int_equal(a->window, b->window);
}

static void commit_message(struct fixture *f, const struct message *message)
{
	struct batch *batch = batch_new();

	assert_int_equal(batch_add_message(batch, message), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

static void messages_wait_oldest_first_until_they_are_delivered(void **state)
{
	struct fixture *f = *state;
	struct messages m = { 0 };

	fixture_open(f);
	for (uint32_t i = 0; i < 3; i++) {
		struct incident_event event = fixture_event(1, i);
		struct message message = fixture_message(&event);
		message.created_usec = i == 2 ? 50 : 100;
		message.tries = i;
		commit_message(f, &message);
	}
	assert_int_equal(store_read_outbox(fixture_reader(f), collect_message, &m, NULL), 0);
	assert_string_equal(m.keys, "journal/1/2 journal/1/0 journal/1/1 ");
	struct incident_event event = fixture_event(1, 1);
	struct message expected = fixture_message(&event);
	assert_equal_events(&m.last.event, &event);
	assert_string_equal(m.last.channel, expected.channel);
	assert_string_equal(m.last.text, expected.text);
	assert_int_equal(m.last.created_usec, 100);
	assert_int_equal(m.last.tries, 1);

	struct batch *batch = batch_new();
	assert_int_equal(batch_add_delivery(batch, "journal/1/0", 200), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	memset(&m, 0, sizeof(m));
	assert_int_equal(store_read_outbox(fixture_reader(f), collect_message, &m, NULL), 0);
	assert_string_equal(m.keys, "journal/1/2 journal/1/1 ");
	assert_int_equal(m.last.tries, 1);
}

static void a_damaged_message_is_skipped(void **state)
{
	struct fixture *f = *state;
	struct incident_event event = fixture_event(1, 0);
	struct message message = fixture_message(&event);
	struct messages m = { 0 };
	struct error error = { "" };

	fixture_open(f);
	commit_message(f, &message);
	fixture_sql(f, "UPDATE outbox SET text = printf('%.*c', 1024, 'x')");
	assert_int_equal(store_read_outbox(fixture_reader(f), collect_message, &m, &error), 0);
	assert_int_equal(m.count, 0);
	fixture_sql(f, "UPDATE outbox SET text = 'x'; UPDATE incident_event SET hits = 300");
	assert_int_equal(store_read_outbox(fixture_reader(f), collect_message, &m, &error), 0);
	assert_int_equal(m.count, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(an_alarm_state_comes_back_whole),
		TEST(states_without_series_or_incident_come_back),
		cmocka_unit_test(damaged_alarm_states_are_skipped),
		TEST(messages_wait_oldest_first_until_they_are_delivered),
		TEST(a_damaged_message_is_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
