/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents are found by what is asked for, and come with all that was written of them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "fixture.h"
#include "store/store.h"
#include "test.h"

#define SECOND INT64_C(1000000)

struct incidents {
	size_t count;
	char ids[32]; /* "3 1 " */
	struct incident list[4];
};

static int collect_incident(void *data, const struct incident *incident)
{
	struct incidents *c = data;
	size_t len = strlen(c->ids);

	assert_true(c->count < 4);
	c->list[c->count++] = *incident;
	(void)snprintf(c->ids + len, sizeof(c->ids) - len, "%lld ", (long long)incident->id);
	return 0;
}

static void commit_event(struct fixture *f, const struct incident_event *event)
{
	struct batch *batch = batch_new();

	assert_int_equal(batch_add_event(batch, event), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
}

/* Three incidents: 1 and 3 are open, 2 was closed after ten seconds; 3 is nas2's. Each opened ten
 * seconds after the one before. */
static struct incident_event commit_three(struct fixture *f)
{
	for (int64_t id = 1; id <= 3; id++) {
		struct incident_event event = fixture_event(id, 0);
		event.opened_usec += id * 10 * SECOND;
		if (id == 3)
			(void)snprintf(event.repository, sizeof(event.repository), "nas2");
		commit_event(f, &event);
	}
	struct incident_event cleared = fixture_event(2, 1);
	cleared.change = INCIDENT_CLEARED;
	cleared.opened_usec += 20 * SECOND;
	cleared.time_usec = cleared.opened_usec + 5 * SECOND;
	commit_event(f, &cleared);
	return cleared;
}

static void incidents_come_newest_first_with_their_last_event(void **state)
{
	struct fixture *f = *state;
	const struct store_incident_filter any = { 0 };
	struct incidents all = { 0 };

	fixture_open(f);
	struct incident_event cleared = commit_three(f);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &any, collect_incident, &all, NULL), 0);
	assert_string_equal(all.ids, "3 2 1 ");
	const struct incident *second = &all.list[1];
	assert_int_equal(second->level, ALARM_CRITICAL);
	assert_int_equal(second->opened_usec, cleared.opened_usec);
	assert_int_equal(second->closed_usec, cleared.time_usec);
	assert_int_equal(second->acknowledged_usec, 0);
	assert_string_equal(second->repository, "nas1");
	assert_int_equal(second->last_event.sequence, 1);
	assert_int_equal(second->last_event.change, INCIDENT_CLEARED);
	assert_int_equal(second->last_event.time_usec, cleared.time_usec);
	assert_int_equal(all.list[2].closed_usec, 0);
}

static void only_those_that_were_asked_for_come(void **state)
{
	const int64_t opened = fixture_event(1, 0).opened_usec;
	const struct {
		struct store_incident_filter filter;
		const char *ids;
	} cases[] = {
		{ { .state = STORE_INCIDENTS_OPEN }, "3 1 " },
		{ { .state = STORE_INCIDENTS_CLOSED }, "2 " },
		{ { .limit = 1 }, "3 " },
		{ { .id = 2 }, "2 " },
		{ { .id = 4 }, "" },
		{ { .id = 2, .state = STORE_INCIDENTS_OPEN }, "" },
		{ { .repository = "nas1" }, "2 1 " },
		{ { .repository = "nas" }, "" },
		/* What was open then counts, not what opened then. */
		{ { .from_usec = opened + 25 * SECOND }, "3 2 1 " },
		{ { .from_usec = opened + 25 * SECOND + 1 }, "3 1 " },
		{ { .to_usec = opened + 20 * SECOND }, "1 " },
		{ { .from_usec = opened + 26 * SECOND, .to_usec = opened + 30 * SECOND }, "1 " },
	};
	struct fixture *f = *state;

	fixture_open(f);
	(void)commit_three(f);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct incidents found = { 0 };
		assert_int_equal(store_read_incidents(fixture_reader(f), &cases[i].filter,
					 collect_incident, &found, NULL),
			0);
		assert_string_equal(found.ids, cases[i].ids);
	}
}

static void an_acknowledgement_comes_with_its_incident(void **state)
{
	const struct acknowledgement acknowledgement = {
		.incident_id = 1, .time_usec = 77, .uid = 1000, .text = "fan is ordered"
	};
	const struct store_incident_filter first = { .id = 1 };
	struct fixture *f = *state;
	struct batch *batch = batch_new();
	struct incidents found = { 0 };

	fixture_open(f);
	(void)commit_three(f);
	assert_int_equal(batch_add_acknowledgement(batch, &acknowledgement), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &first, collect_incident, &found, NULL), 0);
	assert_int_equal(found.list[0].acknowledged_usec, 77);
	assert_int_equal(found.list[0].acknowledged_uid, 1000);
	assert_string_equal(found.list[0].acknowledged_text, "fan is ordered");
}

/* A run of a repository on a server or a disk. */
static void commit_place(
	struct fixture *f, int64_t id, const char *name, const char *source, const char *disk)
{
	struct run *run = fixture_run(f, id, name, "p");
	struct identity *identity = &run->identity;

	memset(identity, 0, sizeof(*identity));
	(void)snprintf(identity->fs_type, sizeof(identity->fs_type), "x");
	(void)snprintf(identity->source, sizeof(identity->source), "%s", source);
	if (disk) {
		identity->has_device = true;
		identity->device.leaf_count = 1;
		(void)snprintf(identity->device.name, sizeof(identity->device.name), "%s1", disk);
		(void)snprintf(identity->device.leaves[0].name,
			sizeof(identity->device.leaves[0].name), "%s", disk);
	}
	fixture_commit_run(f, run);
}

static void commit_incident(struct fixture *f, int64_t id, const char *name, int64_t seconds)
{
	struct incident_event event = fixture_event(id, 0);

	event.opened_usec += seconds * SECOND;
	(void)snprintf(event.repository, sizeof(event.repository), "%s", name);
	commit_event(f, &event);
}

static void incidents_on_one_storage_at_one_time_name_each_other(void **state)
{
	static const struct {
		int64_t id;
		const char *group; /* "name count: first second " */
	} cases[] = {
		{ 1, "nas1 1: b " }, { 2, "nas1 2: a e " }, { 3, "nas2 0: " }, { 4, "sda 1: f " },
		{ 6, "sda 1: d " }, { 8, " 0: " }, /* it has not been measured */
		{ 9, "nas1 0: " }, /* much later */
	};
	struct fixture *f = *state;

	fixture_open(f);
	commit_place(f, 1, "a", "nas1:/a", NULL);
	commit_place(f, 2, "b", "nas7:/b", NULL);
	commit_place(f, 3, "b", "nas1:/b", NULL); /* it was moved */
	commit_place(f, 4, "c", "nas2:/a", NULL);
	commit_place(f, 5, "d", "/dev/sda1", "sda");
	commit_place(f, 6, "e", "nas1:/a", NULL);
	commit_place(f, 7, "f", "/dev/sda2", "sda");
	commit_incident(f, 1, "a", 0);
	commit_incident(f, 2, "b", 300);
	commit_incident(f, 3, "c", 0);
	commit_incident(f, 4, "d", 0);
	commit_incident(f, 5, "e", 301);
	commit_incident(f, 6, "f", 10);
	commit_incident(f, 7, "b", 310); /* a second one of the same */
	commit_incident(f, 8, "unknown", 0);
	commit_incident(f, 9, "a", 3600);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct incident incident = { .id = cases[i].id };
		struct incident_group group;
		char text[256];
		assert_int_equal(store_read_group(fixture_reader(f), &incident, &group, NULL), 0);
		int len = snprintf(text, sizeof(text), "%.20s %zu: ", group.name, group.count);
		for (size_t k = 0; k < group.count; k++)
			len += snprintf(text + len, sizeof(text) - (size_t)len, "%.20s ",
				group.repositories[k]);
		assert_string_equal(text, cases[i].group);
	}
}

static void an_alarm_of_the_users_keeps_its_name_and_its_condition(void **state)
{
	const struct store_incident_filter any = { 0 };
	struct fixture *f = *state;
	struct incident_event event = fixture_event(1, 0);
	struct incidents found = { 0 };

	fixture_open(f);
	event.reason = ALARM_REASON_CUSTOM;
	event.evidence.value = 300000000;
	event.evidence.unit = ALARM_UNIT_THROUGHPUT;
	(void)snprintf(event.alarm, sizeof(event.alarm), "slow \"tail\"");
	(void)snprintf(event.condition, sizeof(event.condition), "throughput < 500M");
	commit_event(f, &event);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &any, collect_incident, &found, NULL), 0);
	assert_memory_equal(&found.list[0].last_event, &event, sizeof(event));
	char *reason = fixture_sql_text(f, "SELECT reason FROM incidents_v");
	assert_string_equal(reason, "slow \"tail\"");
	free(reason);
}

static void an_event_of_before_there_were_alarms_has_none(void **state)
{
	const struct store_incident_filter any = { 0 };
	struct fixture *f = *state;
	struct incident_event event = fixture_event(1, 0);
	struct incidents found = { 0 };

	fixture_open(f);
	commit_event(f, &event);
	assert_int_equal(fixture_sql_integer(f,
				 "SELECT count(*) FROM incident_event WHERE alarm IS NULL"
				 " AND condition IS NULL AND unit IS NULL"),
		1);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &any, collect_incident, &found, NULL), 0);
	assert_string_equal(found.list[0].last_event.alarm, "");
	assert_string_equal(found.list[0].last_event.condition, "");
}

static void an_incident_known_from_an_alarm_state_alone_has_no_event(void **state)
{
	struct fixture *f = *state;
	const struct store_incident_filter open = { .state = STORE_INCIDENTS_OPEN };
	struct alarm_state *alarm = calloc(1, sizeof(*alarm));
	struct batch *batch = batch_new();
	struct incidents all = { 0 };

	fixture_open(f);
	(void)snprintf(alarm->repository, sizeof(alarm->repository), "nas1");
	alarm->incident_id = 12;
	alarm->incident_opened_usec = 1000;
	alarm->incident_level = ALARM_CRITICAL;
	assert_int_equal(batch_add_alarm(batch, alarm), 0);
	assert_int_equal(fixture_commit(f, batch), 0);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &open, collect_incident, &all, NULL), 0);
	assert_string_equal(all.ids, "12 ");
	assert_int_equal(all.list[0].level, ALARM_CRITICAL);
	assert_int_equal(all.list[0].last_event.time_usec, 0);
	free(alarm);
}

/* --- Events --- */

struct events {
	size_t count;
	struct incident_event list[3];
};

static int collect_event(void *data, const struct incident_event *event)
{
	struct events *e = data;

	assert_true(e->count < 3);
	e->list[e->count++] = *event;
	return 0;
}

static struct incident_event explained_event(void)
{
	struct incident_event event = fixture_event(1, 1);

	event.status = RUN_STALLED;
	event.evidence = (struct alarm_evidence){
		.rule = ALARM_RULE_TAIL,
		.value = 1,
		.normal = 2,
		.normal_low = 3,
		.normal_high = 4,
		.normal_runs = 5,
		.load = LOAD_HEAVY,
		.others_bytes_per_sec = 6,
		.confirmations = 2,
		.agreed = 1,
		.moved = ALARM_MOVED_P95 | ALARM_MOVED_MAX,
		.cause = ALARM_CAUSE_STALLS,
		.setup_step = RUN_SETUP_OPEN,
	};
	return event;
}

static void the_events_of_an_incident_come_in_order_with_what_they_stand_on(void **state)
{
	struct fixture *f = *state;
	const struct incident_event events[] = { explained_event(), fixture_event(1, 0) };
	struct events found = { 0 };

	fixture_open(f);
	(void)commit_three(f);
	commit_event(f, &events[0]);
	assert_int_equal(store_read_events(fixture_reader(f), 1, collect_event, &found, NULL), 0);
	assert_int_equal(found.count, 2);
	assert_int_equal(found.list[0].sequence, 0);
	assert_int_equal(found.list[0].change, INCIDENT_OPENED);
	assert_int_equal(found.list[1].sequence, 1);
	assert_int_equal(found.list[1].status, RUN_STALLED);
	const struct alarm_evidence *e = &found.list[1].evidence;
	const struct alarm_evidence *expected = &events[0].evidence;
	assert_int_equal(e->rule, expected->rule);
	assert_int_equal(e->value, expected->value);
	assert_int_equal(e->normal, expected->normal);
	assert_int_equal(e->normal_low, expected->normal_low);
	assert_int_equal(e->normal_high, expected->normal_high);
	assert_int_equal(e->normal_runs, expected->normal_runs);
	assert_int_equal(e->load, expected->load);
	assert_int_equal(e->others_bytes_per_sec, expected->others_bytes_per_sec);
	assert_int_equal(e->confirmations, expected->confirmations);
	assert_int_equal(e->agreed, expected->agreed);
	assert_int_equal(e->moved, expected->moved);
	assert_int_equal(e->cause, expected->cause);
	assert_int_equal(e->setup_step, RUN_SETUP_OPEN);
	assert_int_equal(found.list[0].evidence.setup_step, RUN_SETUP_NONE);
	memset(&found, 0, sizeof(found));
	assert_int_equal(store_read_events(fixture_reader(f), 9, collect_event, &found, NULL), 0);
	assert_int_equal(found.count, 0);
}

static void damaged_rows_are_skipped(void **state)
{
	struct fixture *f = *state;
	const struct store_incident_filter any = { 0 };
	struct incidents incidents = { 0 };
	struct events events = { 0 };
	struct error error = { "" };

	fixture_open(f);
	(void)commit_three(f);
	fixture_sql(f, "UPDATE incident_event SET cause = 99");
	assert_int_equal(
		store_read_events(fixture_reader(f), 1, collect_event, &events, &error), 0);
	assert_int_equal(events.count, 0);
	assert_int_equal(
		store_read_incidents(fixture_reader(f), &any, collect_incident, &incidents, &error),
		0);
	assert_string_equal(incidents.ids, "3 2 1 "); /* the event is bad, the incident is not */
	assert_int_equal(incidents.list[0].last_event.time_usec, 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_set_up, fixture_tear_down)

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		TEST(incidents_on_one_storage_at_one_time_name_each_other),
		TEST(incidents_come_newest_first_with_their_last_event),
		TEST(only_those_that_were_asked_for_come),
		TEST(an_acknowledgement_comes_with_its_incident),
		TEST(an_alarm_of_the_users_keeps_its_name_and_its_condition),
		TEST(an_event_of_before_there_were_alarms_has_none),
		TEST(an_incident_known_from_an_alarm_state_alone_has_no_event),
		TEST(the_events_of_an_incident_come_in_order_with_what_they_stand_on),
		TEST(damaged_rows_are_skipped),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
