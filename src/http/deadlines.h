/* SPDX-License-Identifier: Apache-2.0 */
/* How long a client may take, from one point in time to another: libmicrohttpd's own limit begins
 * anew with every byte. */
#ifndef REPOPROBE_HTTP_DEADLINES_H
#define REPOPROBE_HTTP_DEADLINES_H

#include <stdint.h>

struct clock;
struct deadline;
struct deadlines;

/* Starts a thread. The clock is lent. NULL when memory or threads are short. */
struct deadlines *deadlines_new(const struct clock *clock);
/* All deadlines are freed before. Accepts NULL, returns NULL. */
struct deadlines *deadlines_free(struct deadlines *d);

/* When limit_nsec from now are over, fd is shut down within another second, which its reader and
 * its writer see as the client's end. NULL when memory is short. */
struct deadline *deadline_new(struct deadlines *d, int fd, uint64_t limit_nsec);
/* From now on, in place of what was left. Accepts NULL. */
void deadline_set(struct deadline *deadline, uint64_t limit_nsec);
/* Before fd is closed. Accepts NULL, returns NULL. */
struct deadline *deadline_free(struct deadline *deadline);

#endif
