/* SPDX-License-Identifier: Apache-2.0 */
/* User-defined rules: parsing and the hold window. */
#include "alarm/custom.h"

#include <errno.h>
#include <string.h>

#include "alarm/octave.h"
#include "base/error.h"
#include "base/parse.h"

#define CLEAR_RUNS 6
#define CLEAR_RUNS_MAX 200
#define TEXT_MAX 256

const char *const custom_load_words[] = { "any", "idle", "busy", NULL };

static const int metrics[CONDITION_MEASURES] = {
	[CONDITION_AVG] = BASELINE_AVERAGE,
	[CONDITION_P50] = BASELINE_P50,
	[CONDITION_P95] = BASELINE_P95,
	[CONDITION_P99] = BASELINE_P99,
	[CONDITION_P99_9] = -1,
	[CONDITION_MAX] = -1,
	[CONDITION_THROUGHPUT] = BASELINE_THROUGHPUT,
	[CONDITION_IOPS] = BASELINE_IOPS,
	[CONDITION_ERRORS] = -1,
};

/* --- From text ------------------------------------------------------------- */

/* Cuts the text at the last " WORD " into a copy of what precedes it; returns what follows it, or
 * NULL. */
static const char *split_at(const char *text, const char *word, char before[static TEXT_MAX])
{
	const char *found = NULL;

	for (const char *at = text; (at = strstr(at, word)) != NULL; at++)
		found = at;
	if (!found || (size_t)(found - text) >= TEXT_MAX)
		return NULL;
	memcpy(before, text, (size_t)(found - text));
	before[found - text] = '\0';
	return found + strlen(word);
}

int custom_parse_hold(const char *text, struct rule_hold *ret, struct error *reterr)
{
	char before[TEXT_MAX];
	const char *after = split_at(text, " of ", before);
	uint64_t hits = 0;
	uint64_t window = 0;

	if (!after)
		return error_set(
			reterr, -EINVAL, "expected N of M, as in 2 of 3; got \"%s\"", text);
	int r = parse_uint(before, 1, RULE_WINDOW_MAX, &hits, reterr);
	if (r == 0)
		r = parse_uint(after, 1, RULE_WINDOW_MAX, &window, reterr);
	if (r < 0)
		return r;
	if (hits > window)
		return error_set(reterr, -ERANGE, "%s: there are no %s in %s", text, before, after);
	*ret = (struct rule_hold){ .hits = (uint8_t)hits, .window = (uint8_t)window };
	return 0;
}

int custom_parse_clear(
	const char *text, struct condition *ret, uint8_t *ret_runs, struct error *reterr)
{
	char before[TEXT_MAX];
	const char *after = split_at(text, " for ", before);
	struct condition condition;
	uint64_t runs = CLEAR_RUNS;
	int r = after ? parse_uint(after, 1, CLEAR_RUNS_MAX, &runs, reterr) : 0;

	if (r == 0)
		r = condition_parse_relative(after ? before : text, &condition, reterr);
	if (r < 0)
		return r;
	*ret = condition;
	*ret_runs = (uint8_t)runs;
	return 0;
}

/* --- On a run -------------------------------------------------------------- */

uint64_t custom_normal(
	const struct baseline *baseline, enum condition_measure measure, enum load_class load)
{
	int metric = metrics[measure];

	if (metric < 0 || !baseline_has(baseline, (enum baseline_metric)metric, load))
		return 0;
	size_t class = load == LOAD_UNKNOWN ? LOAD_IDLE : load;
	return octave_to(baseline->normals[metric][class].median);
}

bool custom_takes(
	const struct custom_rule *rule, const struct run *run, enum run_operation operation)
{
	const struct run_operation_result *result = &run->operations[operation];

	if (run->is_confirmation || run->status == RUN_SKIPPED ||
		(run->trust & (RUN_TRUST_WARMING | RUN_TRUST_CACHED)) != 0)
		return false;
	if (run_status_has_numbers(run->status))
		return result->latency.count > 0;
	return rule->when.measure == CONDITION_ERRORS && result->errors > 0;
}

static bool applies(const struct custom_rule *rule, const struct custom_input *input)
{
	bool is_busy = input->load == LOAD_LIGHT || input->load == LOAD_HEAVY;

	if (rule->when.has_operation && rule->when.operation != input->operation)
		return false;
	switch (rule->load) {
	case CUSTOM_LOAD_ANY:
		return true;
	case CUSTOM_LOAD_IDLE:
		return !is_busy;
	case CUSTOM_LOAD_BUSY:
		return is_busy;
	}
	return false;
}

static enum condition_verdict judge(
	const struct condition *condition, const struct custom_input *input)
{
	return condition_judge_window(condition, input->run, input->operation, input->window,
		custom_normal(input->baseline, condition->measure, input->load));
}

static bool is_held(const struct custom_rule *rule, const struct alarm_rule_state *state)
{
	uint32_t mask = rule->hold.window < RULE_WINDOW_MAX ? (UINT32_C(1) << rule->hold.window) - 1
							    : UINT32_MAX;

	if ((state->bits & 1) == 0)
		return false;
	if (condition_ios_needed(rule->when.measure) > 0)
		return state->slots >= rule->hold.window;
	return __builtin_popcount(state->bits & mask) >= rule->hold.hits;
}

static bool is_good(const struct custom_rule *rule, const struct custom_input *input, bool is_met)
{
	return rule->has_clear ? judge(&rule->clear, input) == CONDITION_MET : !is_met;
}

enum custom_change custom_step(const struct custom_rule *rule, struct alarm_rule_state *state,
	const struct custom_input *input)
{
	if (!applies(rule, input))
		return CUSTOM_NOTHING;
	enum condition_verdict verdict = judge(&rule->when, input);
	if (verdict != CONDITION_MET && verdict != CONDITION_NOT_MET)
		return CUSTOM_NOTHING;
	bool is_met = verdict == CONDITION_MET;

	state->bits = state->bits << 1 | is_met;
	if (state->slots < RULE_WINDOW_MAX)
		state->slots++;
	if (state->level == ALARM_NONE) {
		if (!is_held(rule, state))
			return CUSTOM_NOTHING;
		state->level = rule->level;
		state->since_usec = input->now_usec;
		state->good_runs = 0;
		return CUSTOM_FIRED;
	}
	state->good_runs = is_good(rule, input, is_met) ? (uint8_t)(state->good_runs + 1) : 0;
	if (state->good_runs < rule->clear_runs)
		return CUSTOM_NOTHING;
	memset(state, 0, sizeof(*state));
	return CUSTOM_CLEARED;
}
