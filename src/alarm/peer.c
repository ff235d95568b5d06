/* SPDX-License-Identifier: Apache-2.0 */
/* Median latency of other repositories on the same storage. */
#include "alarm/peer.h"

#include <string.h>

#include "alarm/octave.h"
#include "alarm/select.h"
#include "model/storage_group.h"

bool peer_is_near(const struct identity *a, const struct identity *b)
{
	struct storage_group group_a;
	struct storage_group group_b;

	if (identity_shares_disk(a, b))
		return true;
	storage_group_from(a, &group_a);
	storage_group_from(b, &group_b);
	return storage_group_is_same(&group_a, &group_b);
}

static bool is_peer(
	const struct peer *self, const struct peer *other, int64_t now_usec, uint64_t within_usec)
{
	if (!self->identity || !other->identity || other->average_nsec == 0)
		return false;
	if (other->judged_usec > now_usec ||
		(uint64_t)(now_usec - other->judged_usec) > within_usec)
		return false;
	return strcmp(self->series_key, other->series_key) == 0 &&
		peer_is_near(self->identity, other->identity);
}

uint64_t peer_median_nsec(
	const struct peer *peers, size_t count, size_t self, int64_t now_usec, uint64_t within_usec)
{
	uint16_t values[PEERS_MAX];
	size_t found = 0;

	for (size_t i = 0; i < count && found < PEERS_MAX; i++)
		if (i != self && is_peer(&peers[self], &peers[i], now_usec, within_usec))
			values[found++] = (uint16_t)octave_from(peers[i].average_nsec);
	return found > 0 ? octave_to(select_median(values, found)) : 0;
}
