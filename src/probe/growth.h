/* SPDX-License-Identifier: Apache-2.0 */
/* How long a probe file may grow. While it does, runs use a part of it and are not fully judged, so
 * that must end, however slow the repository is: after an hour the file is whole as it is. The hour
 * is kept in the file's own header and outlives whoever probes. */
#ifndef REPOPROBE_PROBE_GROWTH_H
#define REPOPROBE_PROBE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#define GROWTH_USEC_MAX (INT64_C(3600) * 1000000)

/* As in the header. All zero: the file is whole, or nothing has begun. */
struct growth {
	int64_t began_usec; /* realtime */
	uint64_t target_bytes; /* of data */
};

/* True when this growth has had its hour, or a clock that was set leaves no telling, and nobody has
 * asked for a larger file since. */
bool growth_is_over(const struct growth *growth, uint64_t target_bytes, int64_t now_usec);

/* What is to be kept of a file that holds so much of what it should: none once that is all, a new
 * hour when it begins or more is asked for. */
struct growth growth_next(
	const struct growth *growth, uint64_t data_bytes, uint64_t target_bytes, int64_t now_usec);

#endif
