/* SPDX-License-Identifier: Apache-2.0 */
/* The time limit of growth. */
#include "probe/growth.h"

static bool is_under_way(const struct growth *growth, uint64_t target_bytes)
{
	return growth->began_usec != 0 && target_bytes <= growth->target_bytes;
}

bool growth_is_over(const struct growth *growth, uint64_t target_bytes, int64_t now_usec)
{
	return is_under_way(growth, target_bytes) &&
		(now_usec < growth->began_usec || now_usec - growth->began_usec >= GROWTH_USEC_MAX);
}

struct growth growth_next(
	const struct growth *growth, uint64_t data_bytes, uint64_t target_bytes, int64_t now_usec)
{
	if (data_bytes >= target_bytes)
		return (struct growth){ .began_usec = 0 };
	if (is_under_way(growth, target_bytes))
		return *growth;
	return (struct growth){ .began_usec = now_usec, .target_bytes = target_bytes };
}
