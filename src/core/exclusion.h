/* SPDX-License-Identifier: Apache-2.0 */
/* Who may be probed beside whom: never two on one device or in one group. Pure. */
#ifndef REPOPROBE_CORE_EXCLUSION_H
#define REPOPROBE_CORE_EXCLUSION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct identity;

/* Where a run takes place. Lent. */
struct exclusion_place {
	const char *group; /* "": none */
	const struct identity *identity; /* as a worker or the mount table said; NULL: unknown */
};

/* What is not known gets in nobody's way. A loop device is a device of its own, though the file
 * below it lies on another. */
bool exclusion_conflicts(const struct exclusion_place *a, const struct exclusion_place *b);

struct exclusion_waiting {
	struct exclusion_place place;
	uint64_t due_nsec;
	size_t index; /* of the caller; the lower one of two that are as long overdue is first */
};

/* Who of those waiting is next while some places are occupied: the longest overdue whose place is
 * free. A place that one waits for is kept free for him: nobody younger who needs it too may pass,
 * or two who take turns could keep him waiting for ever. Sorts what it is given. NULL: nobody. */
const struct exclusion_waiting *exclusion_choose(const struct exclusion_place *occupied,
	size_t occupied_count, struct exclusion_waiting *waiting, size_t waiting_count);

#endif
