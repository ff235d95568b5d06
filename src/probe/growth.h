/* SPDX-License-Identifier: Apache-2.0 */
/* How long a probe file may grow. While it grows, runs use a part of it and are not fully judged,
 * so growth must end however slow the repository is: after an hour the file is kept as it is. The
 * start is stored in the file's header, so it survives a restart. */
#ifndef REPOPROBE_PROBE_GROWTH_H
#define REPOPROBE_PROBE_GROWTH_H

#include <stdbool.h>
#include <stdint.h>

#define GROWTH_USEC_MAX (INT64_C(3600) * 1000000)

/* As in the header. All zero: the file is complete, or growth has not begun. */
struct growth {
	int64_t began_usec; /* realtime */
	uint64_t target_bytes; /* of data */
};

/* True when this growth has lasted an hour, or began in the future (the clock was set), and no
 * larger file was asked for since. */
bool growth_is_over(const struct growth *growth, uint64_t target_bytes, int64_t now_usec);

/* The growth to store for a file with so much of its target: none once it is complete; a new hour
 * when growth begins or a larger target is set. */
struct growth growth_next(
	const struct growth *growth, uint64_t data_bytes, uint64_t target_bytes, int64_t now_usec);

#endif
