/* SPDX-License-Identifier: Apache-2.0 */
/* What a probe is judged by, resolved from the configuration. */
#ifndef REPOPROBE_MODEL_RULE_H
#define REPOPROBE_MODEL_RULE_H

#include <stdint.h>

struct rule_limit {
	uint64_t limit_nsec; /* 0: not judged */
	uint64_t limit_critical_nsec; /* 0: no critical level */
};

#endif
