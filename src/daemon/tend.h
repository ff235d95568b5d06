/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the history within its bounds, by asking the store now and then. */
#ifndef REPOPROBE_DAEMON_TEND_H
#define REPOPROBE_DAEMON_TEND_H

#include <stdbool.h>
#include <stdint.h>

struct daemon;

int tend_start(struct daemon *d);
/* As the timer does. */
void tend_now(struct daemon *d);

/* Is realtime to be believed, so that what is old may go? It is not in the first 10 minutes, and
 * not while it is more than 5 minutes off what monotonic time makes of the start; a new difference
 * that held for a day is believed. */
struct tend_trust {
	bool is_begun;
	bool is_told; /* that it is not believed */
	uint64_t begun_nsec; /* monotonic */
	int64_t difference_usec; /* realtime - monotonic, that is believed */
	int64_t other_usec; /* that is not, and since when it holds */
	uint64_t other_nsec;
};
bool tend_trust_clock(struct tend_trust *trust, uint64_t now_nsec, int64_t now_usec);

#endif
