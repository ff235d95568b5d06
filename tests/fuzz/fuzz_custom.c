/* SPDX-License-Identifier: Apache-2.0 */
/* What an [alarm NAME] is made of, from any text: how many slots, and what clears. Refused with a
 * sentence, or a rule that can be stepped and keeps its bounds. */
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "alarm/custom.h"
#include "base/error.h"
#include "base/parse.h"

#define SLOTS 40

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool is_true)
{
	if (!is_true)
		abort();
}

static void check_refusal(int r, const struct error *e)
{
	require(r == -EINVAL || r == -ERANGE || r == -EOPNOTSUPP);
	require(e->text[0] != '\0' && parse_is_utf8(e->text) && !strchr(e->text, '\n'));
}

static void check_hold(const char *text)
{
	struct rule_hold hold = { 0, 0 };
	struct error e = { "" };
	int r = custom_parse_hold(text, &hold, &e);

	if (r < 0)
		check_refusal(r, &e);
	else
		require(hold.hits >= 1 && hold.hits <= hold.window &&
			hold.window <= RULE_WINDOW_MAX);
}

static void check_steps(const struct custom_rule *rule)
{
	struct run *run = run_new("", "");
	struct alarm_rule_state state = { .bits = 0 };
	const struct custom_input input = {
		.run = run,
		.operation = rule->when.has_operation ? rule->when.operation : RUN_READ,
		.now_usec = 1,
	};

	if (!run)
		return;
	for (unsigned i = 0; i < 30; i++)
		histogram_add(&run->operations[input.operation].latency, UINT64_C(1) << 2 * i);
	run->operations[input.operation].ios = 30;
	run->operations[input.operation].bytes = UINT64_MAX;
	run->measured_nsec = 1;
	for (unsigned i = 0; i < SLOTS; i++) {
		enum custom_change change = custom_step(rule, &state, &input);
		require(state.slots <= RULE_WINDOW_MAX);
		require((change != CUSTOM_FIRED || state.level == rule->level) &&
			(change != CUSTOM_CLEARED || state.level == ALARM_NONE));
	}
	free(run);
}

static void check_clear(const char *text)
{
	struct custom_rule rule = { .hold = { 2, 3 }, .level = ALARM_WARNING };
	struct error e = { "" };
	int r = custom_parse_clear(text, &rule.when, &rule.clear_runs, &e);

	if (r < 0) {
		check_refusal(r, &e);
		return;
	}
	require(rule.clear_runs >= 1);
	check_steps(&rule);
	rule.clear = rule.when;
	rule.has_clear = true;
	check_steps(&rule);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	check_hold(text);
	check_clear(text);
	free(text);
	return 0;
}
