/* SPDX-License-Identifier: Apache-2.0 */
/* Time as an object that is passed in. Durations are monotonic nanoseconds, instants realtime
 * microseconds since 1970 (UTC). With --enable-test-hooks a file can shift both for a test; the
 * system clock is never set. */
#ifndef REPOPROBE_BASE_CLOCK_H
#define REPOPROBE_BASE_CLOCK_H

#include <stdint.h>

#define NSEC_PER_USEC UINT64_C(1000)
#define NSEC_PER_MSEC UINT64_C(1000000)
#define NSEC_PER_SEC UINT64_C(1000000000)
#define USEC_PER_MSEC UINT64_C(1000)
#define USEC_PER_SEC UINT64_C(1000000)

struct clock {
	uint64_t (*monotonic_nsec)(const struct clock *c);
	int64_t (*realtime_usec)(const struct clock *c);
	/* Test hook: seconds as decimal text, added to both; a second number after a blank is added
	 * to realtime alone. Otherwise NULL. */
	const char *offset_file;
};

/* The system's clocks. In a build with test hooks, if REPOPROBE_TEST_CLOCK names a file, its
 * content is added at each reading; the string is lent from the environment. */
struct clock clock_system(void);

static inline uint64_t clock_monotonic_nsec(const struct clock *c)
{
	return c->monotonic_nsec(c);
}

static inline int64_t clock_realtime_usec(const struct clock *c)
{
	return c->realtime_usec(c);
}

#endif
