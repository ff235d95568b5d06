/* SPDX-License-Identifier: Apache-2.0 */
/* Sensitivity presets as N-of-M windows. */
#include "alarm/sense.h"

#include <assert.h>

#include "model/names.h"

static const char *const names[RULE_SENSITIVITIES] = {
	[RULE_DEFAULT] = "default",
	[RULE_QUIET] = "quiet",
	[RULE_VERY_QUIET] = "very-quiet",
};

static const struct rule_hold holds[RULE_SENSITIVITIES] = {
	[RULE_DEFAULT] = { 2, 3 },
	[RULE_QUIET] = { 3, 5 },
	[RULE_VERY_QUIET] = { 4, 6 },
};

const char *sense_name(enum rule_sensitivity sensitivity)
{
	assert((size_t)sensitivity < RULE_SENSITIVITIES);
	return names[sensitivity];
}

int sense_parse(const char *text, enum rule_sensitivity *ret)
{
	int r = names_index(names, 0, RULE_SENSITIVITIES, text);
	if (r < 0)
		return r;
	*ret = (enum rule_sensitivity)r;
	return 0;
}

struct rule_sense sense_from(enum rule_sensitivity sensitivity, bool is_limit_strict,
	const uint64_t *confirm_after_usec, size_t confirmations)
{
	struct rule_sense sense = {
		.hold = holds[sensitivity],
		.is_limit_strict = is_limit_strict,
	};

	assert(confirmations <= RULE_CONFIRMATIONS_MAX);
	if (confirmations == 0 && sensitivity == RULE_DEFAULT)
		sense.hold = holds[RULE_QUIET];
	sense.confirmations = confirmations;
	for (size_t i = 0; i < confirmations; i++)
		sense.confirm_after_usec[i] = confirm_after_usec[i];
	return sense;
}
