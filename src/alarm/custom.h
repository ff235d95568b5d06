/* SPDX-License-Identifier: Apache-2.0 */
/* A user-defined [alarm NAME]: a condition that must hold for some slots, and what clears it. Pure;
 * its state is a value, one for each series it applies to. It becomes a reason of the incident like
 * any built-in rule. */
#ifndef REPOPROBE_ALARM_CUSTOM_H
#define REPOPROBE_ALARM_CUSTOM_H

#include "alarm/baseline.h"
#include "alarm/condition.h"
#include "model/rule.h"

struct error;

enum custom_load {
	CUSTOM_LOAD_ANY,
	CUSTOM_LOAD_IDLE, /* unknown counts as idle */
	CUSTOM_LOAD_BUSY, /* light or heavy */
};

extern const char *const custom_load_words[]; /* in the order of enum custom_load; ended by NULL */

struct custom_rule {
	struct condition when;
	struct condition clear; /* has_clear is false: clears when the condition is not met */
	bool has_clear;
	uint8_t clear_runs; /* in a row */
	struct rule_hold hold;
	enum alarm_level level;
	enum custom_load load;
};

/* "2 of 3". -EINVAL or -ERANGE with a sentence. */
int custom_parse_hold(const char *text, struct rule_hold *ret, struct error *reterr);

/* A condition, optionally followed by "for N". runs without it: 6. */
int custom_parse_clear(
	const char *text, struct condition *ret, uint8_t *ret_runs, struct error *reterr);

/* What one run of a series is judged against. */
struct custom_input {
	const struct run *run;
	enum run_operation operation;
	const struct histogram *window; /* the newest hold.window runs merged, including this one */
	const struct baseline *baseline; /* NULL: none */
	enum load_class load;
	int64_t now_usec;
};

/* Whether a run is a slot of the rule for this operation: scheduled, and ended with numbers that
 * can be judged; for a rule about errors also a failed run that has some. */
bool custom_takes(
	const struct custom_rule *rule, const struct run *run, enum run_operation operation);

enum custom_change {
	CUSTOM_NOTHING,
	CUSTOM_FIRED,
	CUSTOM_CLEARED,
};

/* Takes one slot. Runs without information (the operation did not take place, too few I/Os, no
 * normal, another load) change nothing. A percentile is that of the whole window, so once the
 * window is full one verdict is enough. */
enum custom_change custom_step(const struct custom_rule *rule, struct alarm_rule_state *state,
	const struct custom_input *input);

/* The normal of a measure at this load, in its unit; 0: not known. */
uint64_t custom_normal(
	const struct baseline *baseline, enum condition_measure measure, enum load_class load);

#endif
