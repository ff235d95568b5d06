/* SPDX-License-Identifier: Apache-2.0 */
/* A repository beside those that share its device, array or source: finds what has been slow since
 * its first day, which no comparison with itself can. */
#ifndef REPOPROBE_ALARM_PEER_H
#define REPOPROBE_ALARM_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/identity.h"

#define PEERS_MAX 64

struct peer {
	const struct identity *identity; /* NULL: not known */
	const char *series_key; /* only the same workload can be compared */
	int64_t judged_usec; /* when its newest run ended */
	uint64_t average_nsec; /* 0: none */
};

/* The median of what the peers of the one at `self` took, those whose newest run ended within
 * within_usec of now; 0: there are none. */
uint64_t peer_median_nsec(const struct peer *peers, size_t count, size_t self, int64_t now_usec,
	uint64_t within_usec);

/* Whether two repositories may be compared: a disk below both, or what model/storage_group.h says:
 * one server, pool or mount. */
bool peer_is_near(const struct identity *a, const struct identity *b);

#endif
