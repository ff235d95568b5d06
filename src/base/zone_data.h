/* SPDX-License-Identifier: Apache-2.0 */
/* The data of a zone: a list of transitions, then a rule. Private to the zone files. */
#ifndef REPOPROBE_BASE_ZONE_DATA_H
#define REPOPROBE_BASE_ZONE_DATA_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/zone_rule.h"

#define ZONE_TYPES_MAX 256

struct zone_transition {
	int64_t at_sec; /* strictly increasing */
	int32_t offset_sec; /* from then on */
};

struct zone {
	int32_t first_offset_sec; /* before all transitions */
	size_t transition_count;
	struct zone_transition *transitions;
	bool has_rule; /* after the last of them */
	struct zone_rule rule;
};

#endif
