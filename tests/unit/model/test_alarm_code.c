/* SPDX-License-Identifier: Apache-2.0 */
/* Alarm states are decoded as they were encoded; anything else is refused. */
#include "test.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "model/alarm_code.h"
#include "model/alarm_state.h"

static struct alarm_state *empty(const char *repository)
{
	struct alarm_state *state = calloc(1, sizeof(*state));

	assert_non_null(state);
	(void)snprintf(state->repository, sizeof(state->repository), "%s", repository);
	return state;
}

static void fill_rule(struct alarm_rule_state *rule, uint32_t number)
{
	rule->bits = UINT32_MAX - number;
	rule->critical_bits = number;
	rule->slots = 32;
	rule->good_runs = (uint8_t)number;
	rule->level = (enum alarm_level)(number % 3);
	rule->since_usec = INT64_MIN + number;
}

static void fill_series(struct alarm_series *s, uint32_t number)
{
	(void)snprintf(s->probe, sizeof(s->probe), "probe %u \xc3\xa4", number / 2);
	s->operation = (enum run_operation)(number % RUN_OPERATIONS);
	s->warning_bits = number;
	s->critical_bits = UINT32_MAX;
	s->judged_runs = 32;
	s->level = ALARM_CRITICAL;
	s->reason = (enum alarm_reason)(number % ALARM_REASONS);
	s->since_usec = INT64_MAX;
	s->value_nsec = UINT64_MAX;
	s->judged_usec = -1;
	s->load = LOAD_UNKNOWN;
	s->normal_nsec = 15000000;
	s->slot[2].bad = UINT16_MAX;
	for (uint32_t i = number % 2; i < ALARM_RULES; i += 2) /* the others are blank */
		fill_rule(&s->rules[i], number + i);
	s->drift.hour = 490000;
	s->drift.value_count = ALARM_DRIFT_VALUES;
	s->drift.hour_count = ALARM_DRIFT_HOURS;
	for (int i = 0; i < ALARM_DRIFT_HOURS; i++)
		s->drift.hours[i] = (int16_t)(i % 2 == 0 ? INT16_MIN + i : INT16_MAX - i);
	s->drift.values[3] = -7;
}

static struct alarm_state *full(void)
{
	struct alarm_state *state = empty("nas1");

	state->incident_id = INT64_MAX;
	state->incident_opened_usec = 1790000000123456;
	state->incident_level = ALARM_WARNING;
	state->incident_changes = UINT32_MAX;
	state->last_incident_id = 11;
	state->last_cleared_usec = -1790000000123456;
	state->reopenings = UINT8_MAX;
	state->is_flapping = true;
	state->series_count = ALARM_SERIES_MAX;
	for (uint32_t i = 0; i < ALARM_SERIES_MAX; i++)
		fill_series(&state->series[i], i);
	state->probe_count = ALARM_PROBES_MAX;
	for (uint32_t i = 0; i < ALARM_PROBES_MAX; i++) {
		struct alarm_probe *p = &state->probes[i];
		(void)snprintf(p->probe, sizeof(p->probe), "probe %u", i);
		p->newest_usec = i;
		p->interval_usec = UINT64_MAX;
		p->slot_runs = ALARM_SLOT_RUNS;
		p->stuck_usec = INT64_MIN;
		fill_rule(&p->rules[i % ALARM_RUN_RULES], i);
	}
	state->custom_count = ALARM_CUSTOMS_MAX;
	for (uint32_t i = 0; i < ALARM_CUSTOMS_MAX; i++) {
		struct alarm_custom *c = &state->customs[i];
		(void)snprintf(c->name, sizeof(c->name), "alarm %u", i);
		(void)snprintf(c->probe, sizeof(c->probe), "probe %u", i / 2);
		c->operation = (enum run_operation)(i % RUN_OPERATIONS);
		fill_rule(&c->rule, i);
	}
	return state;
}

static void encode(const struct alarm_state *state, struct buf *b)
{
	alarm_code(state, b);
	assert_int_equal(b->error, 0);
}

static void assert_comes_back(const struct alarm_state *state)
{
	struct buf b = BUF_INIT(ALARM_CODE_MAX);
	struct alarm_state *again = empty(state->repository);
	struct error error = { "" };

	encode(state, &b);
	assert_int_equal(alarm_code_read(b.data, b.len, again, &error), 0);
	assert_memory_equal(again, state, sizeof(*state));
	free(again);
	buf_done(&b);
}

static void a_state_comes_back_as_it_was(void **state)
{
	struct alarm_state *none = empty("nas1");
	struct alarm_state *all = full();

	(void)state;
	assert_comes_back(none);
	assert_comes_back(all);
	free(all);
	free(none);
}

static void a_quiet_probe_takes_little_room(void **state)
{
	struct alarm_state *quiet = empty("nas1");
	struct buf b = BUF_INIT(ALARM_CODE_MAX);

	(void)state;
	quiet->series_count = 1;
	(void)snprintf(quiet->series[0].probe, RUN_NAME_MAX, "active-full");
	quiet->probe_count = 1;
	(void)snprintf(quiet->probes[0].probe, RUN_NAME_MAX, "active-full");
	encode(quiet, &b);
	assert_in_range(b.len, 1, 90);
	free(quiet);
	buf_done(&b);
}

static void every_truncation_and_every_extra_byte_is_refused(void **state)
{
	struct alarm_state *all = full();
	struct alarm_state *before = empty("kept");
	struct alarm_state *into = empty("kept");
	struct buf b = BUF_INIT(ALARM_CODE_MAX);
	struct error error = { "" };

	(void)state;
	all->series_count = 2;
	all->probe_count = 2;
	encode(all, &b);
	for (size_t len = 0; len < b.len; len++)
		assert_int_equal(alarm_code_read(b.data, len, into, &error), -EBADMSG);
	buf_add_char(&b, '\0');
	assert_int_equal(alarm_code_read(b.data, b.len, into, &error), -EBADMSG);
	assert_memory_equal(into, before, sizeof(*into));
	free(into);
	free(before);
	free(all);
	buf_done(&b);
}

static void what_is_out_of_range_is_refused(void **state)
{
	struct buf b = BUF_INIT(ALARM_CODE_MAX);
	struct alarm_state *into = empty("nas1");
	struct error error = { "" };

	(void)state;
	buf_add_u8(&b, 9); /* version */
	assert_int_equal(alarm_code_read(b.data, b.len, into, &error), -EBADMSG);
	assert_non_null(strstr(error.text, "unknown version"));
	buf_clear(&b);
	alarm_code(into, &b);
	b.data[3] = ALARM_CRITICAL + 1; /* the incident's level, after version, id and time */
	assert_int_equal(alarm_code_read(b.data, b.len, into, &error), -EBADMSG);
	free(into);
	buf_done(&b);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_state_comes_back_as_it_was),
		cmocka_unit_test(a_quiet_probe_takes_little_room),
		cmocka_unit_test(every_truncation_and_every_extra_byte_is_refused),
		cmocka_unit_test(what_is_out_of_range_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
