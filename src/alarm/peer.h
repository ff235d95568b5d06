/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a repository with those that share its device, array or source: finds one that has been
 * slow since its first day, which its own baseline cannot show. */
#ifndef REPOPROBE_ALARM_PEER_H
#define REPOPROBE_ALARM_PEER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/identity.h"

#define PEERS_MAX 64

struct peer {
	const struct identity *identity; /* NULL: not known */
	const char *series_key; /* only equal workloads are compared */
	int64_t judged_usec; /* when its newest run ended */
	uint64_t average_nsec; /* 0: none */
};

/* The median over the peers of the one at `self` whose newest run ended within within_usec of now;
 * 0: there are none. */
uint64_t peer_median_nsec(const struct peer *peers, size_t count, size_t self, int64_t now_usec,
	uint64_t within_usec);

/* Whether two repositories may be compared: they share a disk, or a server, pool or mount
 * (model/storage_group.h). */
bool peer_is_near(const struct identity *a, const struct identity *b);

#endif
