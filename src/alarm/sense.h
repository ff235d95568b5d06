/* SPDX-License-Identifier: Apache-2.0 */
/* The presets of the key "sensitivity". */
#ifndef REPOPROBE_ALARM_SENSE_H
#define REPOPROBE_ALARM_SENSE_H

#include "model/rule.h"

const char *sense_name(enum rule_sensitivity sensitivity); /* "very-quiet" */
int sense_parse(const char *text, enum rule_sensitivity *ret); /* 0 or -EINVAL */

/* The settings of a preset. Confirming runs justify a shorter window: without any, the default
 * equals quiet (alarms.md 6.2). confirm_after_usec: confirmations entries, ascending. */
struct rule_sense sense_from(enum rule_sensitivity sensitivity, bool is_limit_strict,
	const uint64_t *confirm_after_usec, size_t confirmations);

#endif
