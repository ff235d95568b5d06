/* SPDX-License-Identifier: Apache-2.0 */
/* Look-up in a table of enum names: from text to index. */
#ifndef REPOPROBE_MODEL_NAMES_H
#define REPOPROBE_MODEL_NAMES_H

#include <errno.h>
#include <stddef.h>
#include <string.h>

/* The index of text in names[first … count - 1], or -EINVAL. */
static inline int names_index(
	const char *const *names, size_t first, size_t count, const char *text)
{
	for (size_t i = first; i < count; i++)
		if (strcmp(names[i], text) == 0)
			return (int)i;
	return -EINVAL;
}

#endif
