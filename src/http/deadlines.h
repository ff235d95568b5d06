/* SPDX-License-Identifier: Apache-2.0 */
/* Limits a client's total time: libmicrohttpd's own timeout restarts with every byte. */
#ifndef REPOPROBE_HTTP_DEADLINES_H
#define REPOPROBE_HTTP_DEADLINES_H

#include <stdint.h>

struct clock;
struct deadline;
struct deadlines;

/* Starts a thread. The clock is lent. NULL when out of memory or threads. */
struct deadlines *deadlines_new(const struct clock *clock);
/* All deadlines must be freed before. Accepts NULL, returns NULL. */
struct deadlines *deadlines_free(struct deadlines *d);

/* Within a second after limit_nsec from now, fd is shut down, which its reader and writer see as
 * the client's close. NULL when out of memory. */
struct deadline *deadline_new(struct deadlines *d, int fd, uint64_t limit_nsec);
/* Replaces the limit, counted from now. Accepts NULL. */
void deadline_set(struct deadline *deadline, uint64_t limit_nsec);
/* Must be called before fd is closed. Accepts NULL, returns NULL. */
struct deadline *deadline_free(struct deadline *deadline);

#endif
