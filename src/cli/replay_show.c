/* SPDX-License-Identifier: Apache-2.0 */
/* Shows one row for each time that the rule would have fired. */
#include "cli/replay_show.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/parse.h"
#include "cli/replay.h"
#include "cli/table.h"
#include "report/text.h"

#define COLUMNS 9
#define TEXT_MAX 1024

static uint64_t lasted_usec(
	const struct replay_outcome *outcome, const struct replay_firing *firing)
{
	int64_t end = firing->cleared_usec != 0 ? firing->cleared_usec : outcome->now_usec;

	return end > firing->fired_usec ? (uint64_t)(end - firing->fired_usec) : 0;
}

static void add_value(const struct custom_rule *rule, uint64_t value, struct buf *b)
{
	switch (condition_measure_unit(rule->when.measure)) {
	case CONDITION_NSEC:
		format_latency(b, value);
		return;
	case CONDITION_BYTES_PER_SEC:
		format_size_rounded(b, value);
		buf_add_text(b, "/s");
		return;
	case CONDITION_NUMBER:
		buf_printf(b, "%" PRIu64, value);
		return;
	}
}

static void add_row(
	struct table *t, const struct replay_outcome *outcome, const struct replay_firing *f)
{
	struct buf cell = BUF_INIT(TEXT_MAX);

	text_add_time(&cell, f->fired_usec);
	table_add_buf(t, &cell);
	if (f->cleared_usec != 0)
		text_add_time(&cell, f->cleared_usec);
	else
		buf_add_text(&cell, "still firing");
	table_add_buf(t, &cell);
	text_add_duration(&cell, lasted_usec(outcome, f));
	table_add_buf(t, &cell);
	table_add(t, f->repository);
	table_add(t, f->probe);
	table_add(t, run_operation_name(f->operation));
	add_value(outcome->rule, f->value, &cell);
	table_add_buf(t, &cell);
	if (f->normal > 0)
		add_value(outcome->rule, f->normal, &cell);
	else
		buf_add_text(&cell, "-");
	table_add_buf(t, &cell);
	table_add(t, load_class_name(f->load));
	buf_done(&cell);
}

static size_t add_table(const struct replay_outcome *outcome, struct buf *b)
{
	static const char *const titles[COLUMNS] = { "FIRED (UTC)", "CLEARED (UTC)", "LASTED",
		"REPOSITORY", "PROBE", "OPERATION", "MEASURED", "NORMAL", "LOAD" };
	struct table t = TABLE_INIT(COLUMNS, 1 << 6);
	struct replay_firing firing;
	size_t count = 0;

	for (size_t i = 0; i < COLUMNS; i++)
		table_add(&t, titles[i]);
	for (; replay_firing(outcome->replay, count, &firing); count++)
		add_row(&t, outcome, &firing);
	if (count > 0)
		table_print(&t, b);
	buf_done(&t.cells);
	return count;
}

static void describe_rule(const struct custom_rule *rule, struct buf *b)
{
	condition_format(&rule->when, b);
	buf_printf(b, ", %u of %u", rule->hold.hits, rule->hold.window);
	if (rule->load != CUSTOM_LOAD_ANY)
		buf_printf(b, ", while %s", custom_load_words[rule->load]);
}

static uint64_t lasted_in_all_usec(const struct replay_outcome *outcome)
{
	struct replay_firing firing;
	uint64_t usec = 0;

	for (size_t i = 0; replay_firing(outcome->replay, i, &firing); i++)
		usec += lasted_usec(outcome, &firing);
	return usec;
}

void replay_show_text(const struct replay_outcome *outcome, struct buf *b)
{
	size_t count = add_table(outcome, b);
	size_t runs = replay_runs(outcome->replay);

	describe_rule(outcome->rule, b);
	if (count == 0)
		buf_add_text(b, ": would not have fired");
	else
		buf_printf(b, ": would have fired %zu time%s", count, count == 1 ? "" : "s");
	buf_printf(b, " in %" PRIu64 " day%s (%zu run%s)", outcome->days,
		outcome->days == 1 ? "" : "s", runs, runs == 1 ? "" : "s");
	if (count > 0) {
		buf_add_text(b, ", ");
		text_add_duration(b, lasted_in_all_usec(outcome));
		buf_add_text(b, " in all");
	}
	buf_add_char(b, '\n');
}

static void add_figure(
	struct json_t *object, const struct custom_rule *rule, const char *name, uint64_t value)
{
	static const char *const units[] = {
		[CONDITION_NSEC] = "_seconds",
		[CONDITION_BYTES_PER_SEC] = "_bytes_per_second",
		[CONDITION_NUMBER] = "",
	};
	enum condition_unit unit = condition_measure_unit(rule->when.measure);
	struct buf key = BUF_INIT(TEXT_MAX);

	buf_printf(&key, "%s%s", name, units[unit]);
	if (unit == CONDITION_NSEC)
		json_add_seconds(object, buf_text(&key), value);
	else
		json_add_integer(object, buf_text(&key), (int64_t)value);
	buf_done(&key);
}

static struct json_t *new_firing(
	const struct replay_outcome *outcome, const struct replay_firing *f)
{
	struct json_t *object = json_new_object();

	json_add_text(object, "repository", f->repository);
	json_add_text(object, "probe", f->probe);
	json_add_text(object, "operation", run_operation_name(f->operation));
	json_add_instant(object, "fired", f->fired_usec);
	if (f->cleared_usec != 0)
		json_add_instant(object, "cleared", f->cleared_usec);
	else
		json_add_null(object, "cleared");
	json_add_seconds(object, "duration_seconds", lasted_usec(outcome, f) * NSEC_PER_USEC);
	add_figure(object, outcome->rule, "value", f->value);
	if (f->normal > 0)
		add_figure(object, outcome->rule, "normal", f->normal);
	json_add_text(object, "load", load_class_name(f->load));
	return object;
}

struct json_t *replay_show_json(const struct replay_outcome *outcome)
{
	struct json_t *document = json_new_object();
	struct json_t *firings = json_new_array();
	struct buf rule = BUF_INIT(TEXT_MAX);
	struct replay_firing firing;

	describe_rule(outcome->rule, &rule);
	for (size_t i = 0; replay_firing(outcome->replay, i, &firing); i++)
		json_append(firings, new_firing(outcome, &firing));
	json_add_text(document, "rule", buf_text(&rule));
	json_add_instant(document, "from", outcome->from_usec);
	json_add_instant(document, "to", outcome->now_usec);
	json_add_integer(document, "runs", (int64_t)replay_runs(outcome->replay));
	json_add_integer(document, "judged", (int64_t)replay_judged(outcome->replay));
	json_add_seconds(document, "duration_seconds", lasted_in_all_usec(outcome) * NSEC_PER_USEC);
	json_add(document, "firings", firings);
	buf_done(&rule);
	return document;
}
