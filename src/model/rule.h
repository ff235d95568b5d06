/* SPDX-License-Identifier: Apache-2.0 */
/* The limits and settings by which a probe is judged, resolved from the configuration. */
#ifndef REPOPROBE_MODEL_RULE_H
#define REPOPROBE_MODEL_RULE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct rule_limit {
	uint64_t limit_nsec; /* 0: not judged */
	uint64_t limit_critical_nsec; /* 0: no critical level */
	/* Chosen automatically: an average that others' work explains then raises no alarm. A
	 * number given by the user applies under any load. */
	bool is_auto;
};

/* "2 of 3": fires when this many of the newest `window` slots were bad. */
struct rule_hold {
	uint8_t hits;
	uint8_t window; /* at most RULE_WINDOW_MAX */
};
#define RULE_WINDOW_MAX 32

#define RULE_CONFIRMATIONS_MAX 2 /* runs in addition to the slot's own: two of three decide */

enum rule_sensitivity {
	RULE_DEFAULT,
	RULE_QUIET,
	RULE_VERY_QUIET,
};
#define RULE_SENSITIVITIES 3

/* How readily an alarm fires. All zero: 2 of 3, no confirming runs, limits as in alarms.md. */
struct rule_sense {
	struct rule_hold hold; /* of the fast lane; { 0, 0 }: 2 of 3 */
	bool is_limit_strict; /* over the limit is enough, however common that is */
	size_t confirmations;
	uint64_t confirm_after_usec[RULE_CONFIRMATIONS_MAX]; /* after the slot's own run, rising */
};

#endif
