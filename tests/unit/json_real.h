/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of a document as tests want to compare them; no program reads any. */
#ifndef REPOPROBE_TESTS_UNIT_JSON_REAL_H
#define REPOPROBE_TESTS_UNIT_JSON_REAL_H

#include <jansson.h>

/* The fallback when it is absent or no number. */
static inline double json_get_real(const struct json_t *object, const char *key, double fallback)
{
	const struct json_t *value = json_object_get(object, key);

	return json_is_number(value) ? json_number_value(value) : fallback;
}

#endif
