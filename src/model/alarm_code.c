/* SPDX-License-Identifier: Apache-2.0 */
/* Structs to varints and back, by tables of their fields. */
#include "model/alarm_code.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "model/alarm_state.h"

#define CODE_VERSION 1
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

/* --- Fields --------------------------------------------------------------- */

struct field {
	size_t offset;
	size_t size; /* 1, 2, 4 or 8 bytes */
	bool is_signed;
	uint64_t max; /* of an unsigned one */
};

#define UNSIGNED(type, name, largest)                                                              \
	{                                                                                          \
		offsetof(struct type, name), sizeof(((struct type *)NULL)->name), false, largest   \
	}
#define SIGNED(type, name)                                                                         \
	{                                                                                          \
		offsetof(struct type, name), sizeof(((struct type *)NULL)->name), true, 0          \
	}

static const struct field state_fields[] = {
	SIGNED(alarm_state, incident_id),
	SIGNED(alarm_state, incident_opened_usec),
	UNSIGNED(alarm_state, incident_level, ALARM_CRITICAL),
	UNSIGNED(alarm_state, incident_changes, UINT32_MAX),
	SIGNED(alarm_state, last_incident_id),
	SIGNED(alarm_state, last_opened_usec),
	SIGNED(alarm_state, last_cleared_usec),
	UNSIGNED(alarm_state, last_level, ALARM_CRITICAL),
	UNSIGNED(alarm_state, last_changes, UINT32_MAX),
	UNSIGNED(alarm_state, reopenings, UINT8_MAX),
	UNSIGNED(alarm_state, is_flapping, 1),
	UNSIGNED(alarm_state, told_level, ALARM_CRITICAL),
	UNSIGNED(alarm_state, is_acknowledged, 1),
	UNSIGNED(alarm_state, series_count, ALARM_SERIES_MAX),
	UNSIGNED(alarm_state, probe_count, ALARM_PROBES_MAX),
	UNSIGNED(alarm_state, custom_count, ALARM_CUSTOMS_MAX),
};

static const struct field series_fields[] = {
	UNSIGNED(alarm_series, operation, RUN_OPERATIONS - 1),
	UNSIGNED(alarm_series, warning_bits, UINT32_MAX),
	UNSIGNED(alarm_series, critical_bits, UINT32_MAX),
	UNSIGNED(alarm_series, judged_runs, 32),
	UNSIGNED(alarm_series, clear_runs, UINT8_MAX),
	UNSIGNED(alarm_series, level, ALARM_CRITICAL),
	UNSIGNED(alarm_series, reason, ALARM_REASONS - 1),
	SIGNED(alarm_series, since_usec),
	UNSIGNED(alarm_series, value_nsec, UINT64_MAX),
	UNSIGNED(alarm_series, limit_nsec, UINT64_MAX),
	SIGNED(alarm_series, judged_usec),
	UNSIGNED(alarm_series, load, LOAD_UNKNOWN),
	UNSIGNED(alarm_series, normal_nsec, UINT64_MAX),
};

static const struct field slot_run_fields[] = {
	UNSIGNED(alarm_slot_run, judged, UINT16_MAX),
	UNSIGNED(alarm_slot_run, bad, UINT16_MAX),
	UNSIGNED(alarm_slot_run, critical, UINT16_MAX),
	UNSIGNED(alarm_slot_run, near, UINT16_MAX),
};

static const struct field drift_fields[] = {
	SIGNED(alarm_drift, hour),
	UNSIGNED(alarm_drift, value_count, ALARM_DRIFT_VALUES),
	UNSIGNED(alarm_drift, hour_count, ALARM_DRIFT_HOURS),
	UNSIGNED(alarm_drift, bad_hours, UINT8_MAX),
};

static const struct field rule_fields[] = {
	UNSIGNED(alarm_rule_state, bits, UINT32_MAX),
	UNSIGNED(alarm_rule_state, critical_bits, UINT32_MAX),
	UNSIGNED(alarm_rule_state, slots, 32),
	UNSIGNED(alarm_rule_state, good_runs, UINT8_MAX),
	UNSIGNED(alarm_rule_state, level, ALARM_CRITICAL),
	SIGNED(alarm_rule_state, since_usec),
};

static const struct field custom_fields[] = {
	UNSIGNED(alarm_custom, operation, RUN_OPERATIONS - 1),
};

static const struct field probe_fields[] = {
	SIGNED(alarm_probe, newest_usec),
	UNSIGNED(alarm_probe, interval_usec, UINT64_MAX),
	SIGNED(alarm_probe, slot_usec),
	UNSIGNED(alarm_probe, slot_runs, ALARM_SLOT_RUNS),
	UNSIGNED(alarm_probe, dead_runs, UINT8_MAX),
	SIGNED(alarm_probe, stuck_usec),
};

/* An integer of size bytes at data. */
static uint64_t load(const struct field *f, const void *base)
{
	const char *at = (const char *)base + f->offset;
	union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} value;

	memcpy(&value, at, f->size);
	switch (f->size) {
	case sizeof(value.u8):
		return f->is_signed ? (uint64_t)(int64_t)(int8_t)value.u8 : value.u8;
	case sizeof(value.u16):
		return f->is_signed ? (uint64_t)(int64_t)(int16_t)value.u16 : value.u16;
	case sizeof(value.u32):
		return f->is_signed ? (uint64_t)(int64_t)(int32_t)value.u32 : value.u32;
	}
	return value.u64;
}

static void store(const struct field *f, uint64_t number, void *base)
{
	char *at = (char *)base + f->offset;
	const union {
		uint8_t u8;
		uint16_t u16;
		uint32_t u32;
		uint64_t u64;
	} values[] = {
		{ .u8 = (uint8_t)number },
		{ .u16 = (uint16_t)number },
		{ .u32 = (uint32_t)number },
		{ .u64 = number },
	};
	size_t which = f->size == 1 ? 0 : f->size == 2 ? 1 : f->size == 4 ? 2 : 3;

	memcpy(at, &values[which], f->size);
}

static bool fits(const struct field *f, int64_t number)
{
	int64_t max =
		f->size == sizeof(int64_t) ? INT64_MAX : (INT64_C(1) << (f->size * 8 - 1)) - 1;

	return number <= max && number >= -max - 1;
}

static uint64_t zigzag(uint64_t number)
{
	return number << 1 ^ (number >> 63 != 0 ? UINT64_MAX : 0);
}

static uint64_t unzigzag(uint64_t number)
{
	return number >> 1 ^ ((number & 1) != 0 ? UINT64_MAX : 0);
}

static void add_fields(struct buf *b, const struct field *fields, size_t count, const void *base)
{
	for (size_t i = 0; i < count; i++) {
		uint64_t number = load(&fields[i], base);
		buf_add_varint(b, fields[i].is_signed ? zigzag(number) : number);
	}
}

static void read_fields(struct buf_reader *r, const struct field *fields, size_t count, void *base)
{
	for (size_t i = 0; i < count; i++) {
		const struct field *f = &fields[i];
		uint64_t number = buf_read_varint(r);
		if (f->is_signed)
			number = unzigzag(number);
		if (f->is_signed ? !fits(f, (int64_t)number) : number > f->max)
			r->error = -EBADMSG;
		else
			store(f, number, base);
	}
}

/* --- Names and lists ------------------------------------------------------ */

static void add_name(struct buf *b, const char *name)
{
	size_t len = strlen(name);

	buf_add_varint(b, len);
	buf_add(b, name, len);
}

static void read_name(struct buf_reader *r, char name[static RUN_NAME_MAX + 1])
{
	uint64_t len = buf_read_varint(r);
	const uint8_t *bytes =
		len > 0 && len <= RUN_NAME_MAX ? buf_read_bytes(r, (size_t)len) : NULL;

	name[0] = '\0';
	if (bytes) {
		memcpy(name, bytes, (size_t)len);
		name[len] = '\0';
	}
	if (!bytes || parse_name(name, NULL) < 0 || strlen(name) != len)
		r->error = -EBADMSG;
}

static const struct field short_field = { 0, sizeof(int16_t), true, 0 };

static void add_shorts(struct buf *b, const int16_t *values, size_t count)
{
	for (size_t i = 0; i < count; i++)
		add_fields(b, &short_field, 1, &values[i]);
}

static void read_shorts(struct buf_reader *r, int16_t *values, size_t count)
{
	for (size_t i = 0; i < count && r->error == 0; i++)
		read_fields(r, &short_field, 1, &values[i]);
}

static bool is_blank(const struct alarm_rule_state *rule)
{
	return rule->bits == 0 && rule->critical_bits == 0 && rule->slots == 0 &&
		rule->good_runs == 0 && rule->level == ALARM_NONE && rule->since_usec == 0;
}

/* A bit set of those that have state, then these. */
static void add_rules(struct buf *b, const struct alarm_rule_state *rules, size_t count)
{
	uint64_t used = 0;

	for (size_t i = 0; i < count; i++)
		used |= (uint64_t)!is_blank(&rules[i]) << i;
	buf_add_varint(b, used);
	for (size_t i = 0; i < count; i++)
		if ((used >> i & 1) != 0)
			add_fields(b, rule_fields, COUNT(rule_fields), &rules[i]);
}

static void read_rules(struct buf_reader *r, struct alarm_rule_state *rules, size_t count)
{
	uint64_t used = buf_read_varint(r);

	if (used >> count != 0)
		r->error = -EBADMSG;
	for (size_t i = 0; i < count && r->error == 0; i++) {
		if ((used >> i & 1) == 0)
			continue;
		read_fields(r, rule_fields, COUNT(rule_fields), &rules[i]);
		if (is_blank(&rules[i])) /* alarm_code would have left it out */
			r->error = -EBADMSG;
	}
}

/* --- The parts ------------------------------------------------------------ */

static void add_series(struct buf *b, const struct alarm_series *series)
{
	const struct alarm_drift *drift = &series->drift;

	add_name(b, series->probe);
	add_fields(b, series_fields, COUNT(series_fields), series);
	for (size_t i = 0; i < ALARM_SLOT_RUNS; i++)
		add_fields(b, slot_run_fields, COUNT(slot_run_fields), &series->slot[i]);
	add_rules(b, series->rules, ALARM_RULES);
	add_fields(b, drift_fields, COUNT(drift_fields), drift);
	add_shorts(b, drift->values, drift->value_count);
	add_shorts(b, drift->hours, drift->hour_count);
}

static void read_series(struct buf_reader *r, struct alarm_series *series)
{
	struct alarm_drift *drift = &series->drift;

	read_name(r, series->probe);
	read_fields(r, series_fields, COUNT(series_fields), series);
	for (size_t i = 0; i < ALARM_SLOT_RUNS; i++)
		read_fields(r, slot_run_fields, COUNT(slot_run_fields), &series->slot[i]);
	read_rules(r, series->rules, ALARM_RULES);
	read_fields(r, drift_fields, COUNT(drift_fields), drift);
	if (r->error < 0)
		return;
	read_shorts(r, drift->values, drift->value_count);
	read_shorts(r, drift->hours, drift->hour_count);
}

static void add_probe(struct buf *b, const struct alarm_probe *probe)
{
	add_name(b, probe->probe);
	add_fields(b, probe_fields, COUNT(probe_fields), probe);
	add_rules(b, probe->rules, ALARM_RUN_RULES);
}

static void read_probe(struct buf_reader *r, struct alarm_probe *probe)
{
	read_name(r, probe->probe);
	read_fields(r, probe_fields, COUNT(probe_fields), probe);
	read_rules(r, probe->rules, ALARM_RUN_RULES);
}

static void add_custom(struct buf *b, const struct alarm_custom *custom)
{
	add_name(b, custom->name);
	add_name(b, custom->probe);
	add_fields(b, custom_fields, COUNT(custom_fields), custom);
	add_rules(b, &custom->rule, 1);
}

static void read_custom(struct buf_reader *r, struct alarm_custom *custom)
{
	read_name(r, custom->name);
	read_name(r, custom->probe);
	read_fields(r, custom_fields, COUNT(custom_fields), custom);
	read_rules(r, &custom->rule, 1);
}

void alarm_code(const struct alarm_state *state, struct buf *b)
{
	buf_add_u8(b, CODE_VERSION);
	add_fields(b, state_fields, COUNT(state_fields), state);
	for (size_t i = 0; i < state->series_count; i++)
		add_series(b, &state->series[i]);
	for (size_t i = 0; i < state->probe_count; i++)
		add_probe(b, &state->probes[i]);
	for (size_t i = 0; i < state->custom_count; i++)
		add_custom(b, &state->customs[i]);
}

static void read_state(struct buf_reader *r, struct alarm_state *state)
{
	read_fields(r, state_fields, COUNT(state_fields), state);
	for (size_t i = 0; r->error == 0 && i < state->series_count; i++)
		read_series(r, &state->series[i]);
	for (size_t i = 0; r->error == 0 && i < state->probe_count; i++)
		read_probe(r, &state->probes[i]);
	for (size_t i = 0; r->error == 0 && i < state->custom_count; i++)
		read_custom(r, &state->customs[i]);
	if (r->pos != r->len || state->incident_id < 0 || state->last_incident_id < 0)
		r->error = -EBADMSG;
}

int alarm_code_read(const void *data, size_t len, struct alarm_state *ret, struct error *reterr)
{
	struct buf_reader r = BUF_READER(data, len);
	struct alarm_state *state;

	if (buf_read_u8(&r) != CODE_VERSION)
		return error_set(reterr, -EBADMSG, "alarm state of an unknown version");
	state = calloc(1, sizeof(*state)); /* too big for a stack, and *ret must stay on failure */
	if (!state)
		return -ENOMEM;
	read_state(&r, state);
	if (r.error == 0) {
		memcpy(state->repository, ret->repository, sizeof(state->repository));
		*ret = *state;
	}
	free(state);
	return r.error < 0 ? error_set(reterr, r.error, "alarm state is damaged") : 0;
}
