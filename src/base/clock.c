/* SPDX-License-Identifier: Apache-2.0 */
/* The system's clocks, and the file that shifts them in tests. */
#include "base/clock.h"

#include <stdlib.h>
#include <string.h>
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

static int64_t parse_offset_usec(const char *text)
{
	int64_t offset = 0;

	(void)parse_instant(text, 0, &offset, NULL); /* 0 when damaged */
	return offset < -OFFSET_MAX_USEC || offset > OFFSET_MAX_USEC ? 0 : offset;
}

/* 0 while there is no readable offset. *ret_realtime: added to realtime only. */
static int64_t read_offset_usec(const struct clock *c, int64_t *ret_realtime)
{
	struct buf b = BUF_INIT(64);
	int64_t offset = 0;

	*ret_realtime = 0;
	if (!c->offset_file)
		return 0;
	if (fd_read_file(c->offset_file, &b) == 0 && b.len > 0) {
		if (b.data[b.len - 1] == '\n')
			b.data[b.len - 1] = '\0';
		char *blank = strchr(b.data, ' ');
		if (blank) {
			*blank = '\0';
			*ret_realtime = parse_offset_usec(blank + 1);
		}
		offset = parse_offset_usec(b.data);
	}
	buf_done(&b);
	return offset;
}
#else
static const char *find_offset_file(void)
{
	return NULL;
}

static int64_t read_offset_usec(const struct clock *c, int64_t *ret_realtime)
{
	(void)c; /* there is no hook in this build */
	*ret_realtime = 0;
	return 0;
}
#endif

static uint64_t read_monotonic_nsec(const struct clock *c)
{
	struct timespec ts;
	int64_t realtime_usec;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts); /* cannot fail */
	int64_t nsec = (int64_t)ts.tv_sec * (int64_t)NSEC_PER_SEC + ts.tv_nsec +
		read_offset_usec(c, &realtime_usec) * (int64_t)NSEC_PER_USEC;
	return nsec > 0 ? (uint64_t)nsec : 0;
}

static int64_t read_realtime_usec(const struct clock *c)
{
	struct timespec ts;
	int64_t realtime_usec;

	(void)clock_gettime(CLOCK_REALTIME, &ts); /* cannot fail */
	int64_t offset_usec = read_offset_usec(c, &realtime_usec) + realtime_usec;
	return (int64_t)ts.tv_sec * (int64_t)USEC_PER_SEC + ts.tv_nsec / (int64_t)NSEC_PER_USEC +
		offset_usec;
}

struct clock clock_system(void)
{
	return (struct clock){
		.monotonic_nsec = read_monotonic_nsec,
		.realtime_usec = read_realtime_usec,
		.offset_file = find_offset_file(),
	};
}
