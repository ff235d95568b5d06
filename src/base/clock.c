/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks, and the file that moves them in tests. */
#include "base/clock.h"

#include <stdlib.h>
#include <time.h>

#ifdef ENABLE_TEST_HOOKS
#include "base/buf.h"
#include "base/fd.h"
#include "base/parse.h"
#endif

/* A hundred years: nanoseconds since boot must not overflow. */
#define OFFSET_MAX_USEC (INT64_C(36525) * 86400 * (int64_t)USEC_PER_SEC)

#ifdef ENABLE_TEST_HOOKS
static const char *find_offset_file(void)
{
	return secure_getenv("REPOPROBE_TEST_CLOCK");
}

/* 0 while there is no readable offset. */
static int64_t read_offset_usec(const struct clock *c)
{
	struct buf b = BUF_INIT(64);
	int64_t offset = 0;

	if (!c->offset_file)
		return 0;
	if (fd_read_file(c->offset_file, &b) == 0 && b.len > 0) {
		if (b.data[b.len - 1] == '\n')
			b.data[b.len - 1] = '\0';
		(void)parse_instant(b.data, 0, &offset, NULL); /* 0 when damaged */
		if (offset < -OFFSET_MAX_USEC || offset > OFFSET_MAX_USEC)
			offset = 0;
	}
	buf_done(&b);
	return offset;
}
#else
static const char *find_offset_file(void)
{
	return NULL;
}

static int64_t read_offset_usec(const struct clock *c)
{
	(void)c; /* there is no hook in this build */
	return 0;
}
#endif

static uint64_t read_monotonic_nsec(const struct clock *c)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
	int64_t nsec = (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec +
		read_offset_usec(c) * (int64_t)NSEC_PER_USEC;
	return nsec > 0 ? (uint64_t)nsec : 0;
}

static int64_t read_realtime_usec(const struct clock *c)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_REALTIME, &ts); /* cannot fail */
	return (int64_t)ts.tv_sec * (int64_t)USEC_PER_SEC + ts.tv_nsec / (int64_t)NSEC_PER_USEC +
		read_offset_usec(c);
}

struct clock clock_system(void)
{
	return (struct clock){
		.monotonic_nsec = read_monotonic_nsec,
		.realtime_usec = read_realtime_usec,
		.offset_file = find_offset_file(),
	};
}
