/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the worst alarm that fires; lists the others. */
#include "model/snapshot_alarm.h"

#include <string.h>

#include "base/buf.h"
#include "base/parse.h"

#define HOLD_RUNS 3 /* the window of the rule "2 of 3" */

/* Something that fires: a series, a probe's runs as a whole, or a user-defined alarm. */
struct finding {
	enum alarm_level level;
	enum alarm_reason reason;
	const struct alarm_series *series; /* or NULL */
	const struct alarm_probe *probe;
	const struct alarm_custom *custom;
	int64_t since_usec;
};

static void take_worse(struct finding *worst, const struct finding *other)
{
	if (other->level > worst->level)
		*worst = *other;
}

static void find_in_probe(const struct alarm_probe *probe, struct finding *worst)
{
	for (size_t i = 0; i < ALARM_RUN_RULES; i++) {
		const struct finding finding = {
			.level = probe->rules[i].level,
			.reason = alarm_run_rule_reason((enum alarm_run_rule)i),
			.probe = probe,
			.since_usec = probe->rules[i].since_usec,
		};
		take_worse(worst, &finding);
	}
}

static void find_custom(const struct alarm_custom *custom, struct finding *worst)
{
	const struct finding finding = {
		.level = custom->rule.level,
		.reason = ALARM_REASON_CUSTOM,
		.custom = custom,
		.since_usec = custom->rule.since_usec,
	};

	take_worse(worst, &finding);
}

static struct finding find_worst(const struct alarm_state *alarm)
{
	struct finding worst = { .level = ALARM_NONE };

	for (size_t i = 0; alarm && i < alarm->series_count; i++) {
		const struct alarm_series *s = &alarm->series[i];
		const struct finding finding = {
			.level = s->level,
			.reason = s->reason,
			.series = s,
			.since_usec = s->since_usec,
		};
		take_worse(&worst, &finding);
	}
	for (size_t i = 0; alarm && i < alarm->probe_count; i++)
		find_in_probe(&alarm->probes[i], &worst);
	for (size_t i = 0; alarm && i < alarm->custom_count; i++)
		find_custom(&alarm->customs[i], &worst);
	return worst;
}

enum alarm_level snapshot_alarm_level(const struct alarm_state *alarm)
{
	return find_worst(alarm).level;
}

void snapshot_add_time(struct buf *b, int64_t usec, int64_t other_usec)
{
	const size_t date_len = strlen("2026-11-30");
	const size_t minute_len = strlen("18:05");
	struct buf instant = BUF_INIT(64);
	struct buf other = BUF_INIT(64);

	format_instant(&instant, usec);
	format_instant(&other, other_usec);
	if (instant.len > date_len + minute_len) {
		if (strncmp(buf_text(&instant), buf_text(&other), date_len) != 0) {
			buf_add(b, instant.data, date_len);
			buf_add_char(b, ' ');
		}
		buf_add(b, instant.data + date_len + 1, minute_len);
		buf_add_text(b, " UTC");
	}
	buf_done(&instant);
	buf_done(&other);
}

static const char *const reason_texts[ALARM_REASONS] = {
	[ALARM_REASON_LIMIT] = "over its limit",
	[ALARM_REASON_RELATIVE] = "much slower than normal",
	[ALARM_REASON_TAIL] = "more slow I/Os than normal",
	[ALARM_REASON_SLOW] = "slower than normal for a long time",
	[ALARM_REASON_THROUGHPUT] = "less throughput than normal",
	[ALARM_REASON_STALL] = "I/Os or opens stalled for seconds",
	[ALARM_REASON_HANG] = "runs did not end",
	[ALARM_REASON_ERROR] = "runs failed",
	[ALARM_REASON_DRIFT] = "slower day by day",
	[ALARM_REASON_NO_DATA] = "no result for several intervals",
	[ALARM_REASON_PEER] = "slower than others on the same storage",
	[ALARM_REASON_TARGET] = "the wrong target",
	[ALARM_REASON_SPACE] = "no room to probe",
	[ALARM_REASON_CUSTOM] = "a configured alarm",
};

/* ", normal 4 ms: much slower than normal in active-full since 18:05 UTC" */
static void explain_reason(const struct alarm_series *s, struct buf *b)
{
	if (s->normal_nsec > 0) {
		buf_add_text(b, ", normal ");
		format_latency(b, s->normal_nsec);
	}
	buf_printf(b, ": %s in %s since ", reason_texts[s->reason], s->probe);
	snapshot_add_time(b, s->since_usec, s->judged_usec);
}

static void explain_series(const struct alarm_series *s, struct buf *b)
{
	unsigned window = s->judged_runs < HOLD_RUNS ? s->judged_runs : HOLD_RUNS;
	uint32_t bits = s->level == ALARM_CRITICAL ? s->critical_bits : s->warning_bits;
	unsigned hits = (unsigned)__builtin_popcount(bits & ((1U << window) - 1));

	buf_printf(b, "%s average ", run_operation_name(s->operation));
	format_latency(b, s->value_nsec);
	if (s->reason != ALARM_REASON_LIMIT) {
		explain_reason(s, b);
		return;
	}
	buf_add_text(b, ", limit ");
	format_latency(b, s->limit_nsec);
	if (window == 1)
		buf_printf(b,
			hits > 0 ? ", in the last run of %s"
				 : ", recovering: the last run of %s was not over it",
			s->probe);
	else if (hits > 0)
		buf_printf(b, ", in %u of the last %u runs of %s", hits, window, s->probe);
	else
		buf_printf(b, ", recovering: none of the last %u runs of %s was over it", window,
			s->probe);
	buf_add_text(b, hits > 0 ? " since " : ", alarm since ");
	snapshot_add_time(b, s->since_usec, s->judged_usec);
}

static void explain_probe(const struct finding *finding, struct buf *b)
{
	buf_printf(b, "%s: %s, alarm since ", finding->probe->probe, reason_texts[finding->reason]);
	snapshot_add_time(b, finding->since_usec, finding->probe->newest_usec);
}

/* "alarm slow-tail: writes of active-full since 18:05 UTC" */
static void explain_custom(
	const struct alarm_state *alarm, const struct finding *finding, struct buf *b)
{
	const struct alarm_custom *custom = finding->custom;
	int64_t judged_usec = 0;

	for (size_t i = 0; i < alarm->series_count; i++)
		if (strcmp(alarm->series[i].probe, custom->probe) == 0)
			judged_usec = alarm->series[i].judged_usec;
	buf_printf(b, "alarm %s: %ss of %s since ", custom->name,
		run_operation_name(custom->operation), custom->probe);
	snapshot_add_time(b, finding->since_usec, judged_usec);
}

/* The user-defined alarms except the one already described. */
static void add_customs(const struct alarm_state *alarm, const struct finding *told,
	const char *separator, struct buf *b)
{
	for (size_t i = 0; i < alarm->custom_count; i++) {
		const char *name = alarm->customs[i].name;
		if (alarm_custom_is_again(alarm, NULL, i) ||
			alarm_custom_level(alarm, NULL, name) == ALARM_NONE ||
			(told->custom && strcmp(told->custom->name, name) == 0))
			continue;
		buf_printf(b, "%salarm %s", separator, name);
		separator = ", ";
	}
}

static uint32_t reasons_of(const struct alarm_state *alarm)
{
	uint32_t reasons = 0;

	for (size_t i = 0; i < ALARM_REASONS; i++)
		if (alarm_state_level(alarm, NULL, (enum alarm_reason)i) != ALARM_NONE)
			reasons |= UINT32_C(1) << i;
	return reasons;
}

void snapshot_alarm_explain(const struct alarm_state *alarm, struct buf *b)
{
	const struct finding worst = find_worst(alarm);
	uint32_t others = reasons_of(alarm) & ~(UINT32_C(1) << worst.reason);
	const char *separator = "; also: ";

	if (worst.series)
		explain_series(worst.series, b);
	else if (worst.probe)
		explain_probe(&worst, b);
	else if (worst.custom)
		explain_custom(alarm, &worst, b);
	for (size_t i = 0; i < ALARM_REASONS; i++) {
		if (!(others & (UINT32_C(1) << i)))
			continue;
		buf_printf(b, "%s%s", separator, reason_texts[i]);
		separator = ", ";
	}
	add_customs(alarm, &worst, separator, b);
}
