/* SPDX-License-Identifier: Apache-2.0 */
/* Reads what is stored of each probe's normal, by the reader threads, while probing goes on. */
#ifndef REPOPROBE_DAEMON_NORMAL_QUERY_H
#define REPOPROBE_DAEMON_NORMAL_QUERY_H

#include <stdbool.h>

struct daemon;

/* Asks for the past of a probe that was not read (or for that of more runs, which an alarm of the
 * user's takes now), and after the answer for the next one: it is a lot to read. What could not be
 * read is asked for again. To be called when the history is open, when that or the configuration
 * changes, and now and then, for when the queue was full. */
void normal_query_ask(struct daemon *d);

/* Whether that of each probe was read, or at least tried. */
bool normal_query_is_done(const struct daemon *d);

#endif
