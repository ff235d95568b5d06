/* SPDX-License-Identifier: Apache-2.0 */
/* Judges one run by conditions and writes the state and the line of output. */
#include "cli/check.h"

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>

#include "alarm/judge.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/parse.h"
#include "report/text.h"

#define TEXT_MAX 8192
#define NSEC_DIGITS 9

static const char *const state_names[] = {
	[CHECK_OK] = "OK",
	[CHECK_WARNING] = "WARNING",
	[CHECK_CRITICAL] = "CRITICAL",
	[CHECK_UNKNOWN] = "UNKNOWN",
};

/* --- Limits ---------------------------------------------------------------- */

int check_level_add(struct check_level *level, const char *text, struct error *reterr)
{
	if (level->count == CHECK_CONDITIONS_MAX)
		return error_set(reterr, -E2BIG, "more than %d conditions", CHECK_CONDITIONS_MAX);
	int r = condition_parse(text, &level->conditions[level->count], reterr);
	if (r == 0)
		level->count++;
	return r;
}

static void set_default(struct check_level *level, uint64_t limit_usec)
{
	if (level->count > 0)
		return;
	level->conditions[level->count++] = (struct condition){
		.measure = CONDITION_AVG,
		.value = limit_usec * NSEC_PER_USEC,
	};
}

static int check_operations(
	const struct check_level *level, const struct workload *workload, struct error *reterr)
{
	for (size_t i = 0; i < level->count; i++) {
		const struct condition *condition = &level->conditions[i];
		bool does = condition->operation == RUN_READ ? workload_reads(workload)
							     : workload_writes(workload);

		if (condition->has_operation && !does)
			return error_set(reterr, -EINVAL,
				"a condition is about %ss, but this workload does none",
				run_operation_name(condition->operation));
	}
	return 0;
}

int check_limits_complete(
	struct check_limits *limits, const struct workload *workload, struct error *reterr)
{
	const struct workload_preset *preset = workload_preset_find(workload->preset);

	if (!preset)
		preset = workload_preset_default();
	set_default(&limits->warning, preset->limit_usec);
	set_default(&limits->critical, preset->limit_critical_usec);
	limits->warning.has_stall = true;
	int r = check_operations(&limits->warning, workload, reterr);
	return r < 0 ? r : check_operations(&limits->critical, workload, reterr);
}

/* --- Text ------------------------------------------------------------------ */

static void add_value(enum condition_unit unit, uint64_t value, struct buf *b)
{
	switch (unit) {
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

static void start_finding(struct buf *text)
{
	if (text->len > 0)
		buf_add_text(text, "; ");
}

/* "write avg 23.9 ms" */
static void add_measured(enum condition_measure measure, const struct run *run,
	enum run_operation operation, struct buf *text)
{
	start_finding(text);
	buf_printf(text, "%s %s ", run_operation_name(operation), condition_measure_name(measure));
	add_value(
		condition_measure_unit(measure), condition_measured(measure, run, operation), text);
}

struct findings {
	struct buf text; /* conditions that are met */
	struct buf untold; /* conditions that could not be judged */
};

static void add_finding(const struct condition *condition, const struct run *run,
	enum run_operation operation, struct findings *found)
{
	enum condition_measure measure = condition->measure;

	switch (condition_judge(condition, run, operation)) {
	case CONDITION_NOT_MET:
		return;
	case CONDITION_MET:
		add_measured(measure, run, operation, &found->text);
		buf_printf(&found->text, " (%c ", condition->is_below ? '<' : '>');
		add_value(condition_measure_unit(measure), condition->value, &found->text);
		buf_add_char(&found->text, ')');
		return;
	case CONDITION_TOO_FEW:
		start_finding(&found->untold);
		buf_printf(&found->untold,
			"%s %s cannot be computed from %" PRIu64 " I/Os, %" PRIu64 " are needed",
			run_operation_name(operation), condition_measure_name(measure),
			run->operations[operation].latency.count, condition_ios_needed(measure));
		return;
	case CONDITION_ABSENT:
		if (!condition->has_operation)
			return;
		start_finding(&found->untold);
		buf_printf(&found->untold, "no %s was measured", run_operation_name(operation));
		return;
	}
}

/* "max > 5s" applies to the set-up too, unless it names reads or writes. Without such a condition
 * the set-up is a warning where the daemon would see a stall. */
static const struct condition *find_max(const struct check_level *level)
{
	static const struct condition stall = { .measure = CONDITION_MAX,
		.value = JUDGE_STALL_NSEC };
	const struct condition *lowest = NULL;

	for (size_t i = 0; i < level->count; i++) {
		const struct condition *c = &level->conditions[i];

		if (c->measure == CONDITION_MAX && !c->is_below && !c->has_operation &&
			(!lowest || c->value < lowest->value))
			lowest = c;
	}
	return lowest || !level->has_stall ? lowest : &stall;
}

/* "opening the probe file took 25 s (> 2 s)" */
static void judge_setup(
	const struct check_level *level, const struct run *run, struct findings *found)
{
	const struct condition *max = find_max(level);

	if (!max || run->setup_longest_nsec <= max->value)
		return;
	start_finding(&found->text);
	buf_printf(&found->text, "%s took ", run_setup_step_text(run->setup_step));
	format_latency(&found->text, run->setup_longest_nsec);
	buf_add_text(&found->text, " (> ");
	format_latency(&found->text, max->value);
	buf_add_char(&found->text, ')');
}

static void judge_level(
	const struct check_level *level, const struct run *run, struct findings *found)
{
	judge_setup(level, run, found);
	for (size_t i = 0; i < level->count; i++) {
		const struct condition *condition = &level->conditions[i];

		for (size_t k = 0; k < RUN_OPERATIONS; k++)
			if (!condition->has_operation || condition->operation == k)
				add_finding(condition, run, (enum run_operation)k, found);
	}
}

static void add_averages(const struct run *run, struct buf *text)
{
	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		if (run->operations[i].latency.count > 0)
			add_measured(CONDITION_AVG, run, (enum run_operation)i, text);
}

static void add_part(struct buf *text, const struct buf *part)
{
	if (part->len == 0)
		return;
	start_finding(text);
	buf_add_text(text, buf_text(part));
}

/* A result from a cache does not prove that the disk is fast. */
static bool is_cached(const struct run *run)
{
	return (run->trust & RUN_TRUST_CACHED) != 0;
}

static enum check_state judge(
	const struct check_limits *limits, const struct run *run, struct buf *text)
{
	struct findings critical = { BUF_INIT(TEXT_MAX), BUF_INIT(TEXT_MAX) };
	struct findings warning = { BUF_INIT(TEXT_MAX), BUF_INIT(TEXT_MAX) };
	enum check_state state = CHECK_OK;

	judge_level(&limits->critical, run, &critical);
	judge_level(&limits->warning, run, &warning);
	if (critical.text.len > 0) {
		state = CHECK_CRITICAL;
		add_part(text, &critical.text);
	} else if (warning.text.len > 0) {
		state = CHECK_WARNING;
		add_part(text, &warning.text);
	} else {
		if (critical.untold.len > 0 || warning.untold.len > 0 || is_cached(run))
			state = CHECK_UNKNOWN;
		add_averages(run, text);
	}
	add_part(text, &critical.untold);
	add_part(text, &warning.untold);
	if (text->len == 0) {
		state = CHECK_UNKNOWN;
		buf_add_text(text, "nothing was measured");
	}
	if (is_cached(run)) {
		start_finding(text);
		buf_add_text(text, "cached?: a cache or memory probably answered");
	}
	buf_done(&critical.text);
	buf_done(&critical.untold);
	buf_done(&warning.text);
	buf_done(&warning.untold);
	return state;
}

/* --- Performance data ------------------------------------------------------ */

/* Seconds as the shortest decimal: parsers of performance data accept no exponents. */
static void add_seconds(uint64_t nsec, struct buf *b)
{
	uint64_t fraction = nsec % NSEC_PER_SEC;
	int digits = NSEC_DIGITS;

	buf_printf(b, "%" PRIu64, nsec / NSEC_PER_SEC);
	if (fraction == 0)
		return;
	for (; fraction % 10 == 0; fraction /= 10)
		digits--;
	buf_printf(b, ".%0*" PRIu64, digits, fraction);
}

static void add_number(enum condition_unit unit, uint64_t value, struct buf *b)
{
	if (unit == CONDITION_NSEC)
		add_seconds(value, b);
	else
		buf_printf(b, "%" PRIu64, value);
}

static const char *unit_text(enum condition_unit unit)
{
	static const char *const units[] = {
		[CONDITION_NSEC] = "s",
		[CONDITION_BYTES_PER_SEC] = "B",
		[CONDITION_NUMBER] = "",
	};

	return units[unit];
}

/* The range that does not alert: "15" is 0 to 15, "15:" is 15 and above. The format has room for
 * one condition: the first is used. */
static void add_range(const struct check_level *level, enum condition_measure measure,
	enum run_operation operation, struct buf *b)
{
	buf_add_char(b, ';');
	for (size_t i = 0; i < level->count; i++) {
		const struct condition *condition = &level->conditions[i];

		if (condition->measure != measure ||
			(condition->has_operation && condition->operation != operation))
			continue;
		add_number(condition_measure_unit(measure), condition->value, b);
		if (condition->is_below)
			buf_add_char(b, ':');
		return;
	}
}

static void add_performance(const struct check_limits *limits, const struct run *run,
	enum run_operation operation, enum condition_measure measure, struct buf *b)
{
	enum condition_unit unit = condition_measure_unit(measure);
	/* Only to find out whether there is a value. */
	const struct condition any = { .measure = measure };
	enum condition_verdict verdict = condition_judge(&any, run, operation);

	if (verdict == CONDITION_ABSENT || verdict == CONDITION_TOO_FEW)
		return;
	buf_printf(b, " '%s %s'=", run_operation_name(operation), condition_measure_name(measure));
	add_number(unit, condition_measured(measure, run, operation), b);
	buf_add_text(b, unit_text(unit));
	add_range(&limits->warning, measure, operation, b);
	add_range(&limits->critical, measure, operation, b);
	buf_add_text(b, ";0;");
}

static void add_all_performance(
	const struct check_limits *limits, const struct run *run, struct buf *line)
{
	struct buf b = BUF_INIT(TEXT_MAX);

	for (size_t i = 0; i < RUN_OPERATIONS; i++)
		for (int k = 0; k < CONDITION_MEASURES; k++)
			add_performance(
				limits, run, (enum run_operation)i, (enum condition_measure)k, &b);
	if (b.len > 0)
		buf_printf(line, " |%s", buf_text(&b));
	buf_done(&b);
}

/* --- The line -------------------------------------------------------------- */

/* A '|' in a path would start the performance data. */
static void add_text(enum check_state state, struct buf *text, struct buf *line)
{
	for (size_t i = 0; i < text->len; i++)
		if (text->data[i] == '|')
			text->data[i] = '/';
	buf_printf(line, "REPOPROBE %s - ", state_names[state]);
	text_add_clean(line, buf_text(text));
}

static enum check_state state_of_failure(enum run_status status)
{
	return status == RUN_REFUSED || status == RUN_SKIPPED ? CHECK_UNKNOWN : CHECK_CRITICAL;
}

enum check_state check_run(const struct check_limits *limits, const struct run *run,
	const char *explanation, struct buf *line)
{
	struct buf text = BUF_INIT(TEXT_MAX);
	enum check_state state;

	if (run->status == RUN_OK) {
		state = judge(limits, run, &text);
	} else {
		state = state_of_failure(run->status);
		buf_printf(&text, "%s: %s", run_status_name(run->status), explanation);
	}
	add_text(state, &text, line);
	buf_done(&text);
	if (run_status_has_numbers(run->status))
		add_all_performance(limits, run, line);
	buf_add_char(line, '\n');
	return state;
}

void check_unknown(const char *explanation, struct buf *line)
{
	struct buf text = BUF_INIT(TEXT_MAX);

	buf_add_text(&text, explanation);
	add_text(CHECK_UNKNOWN, &text, line);
	buf_done(&text);
	buf_add_char(line, '\n');
}
