/* SPDX-License-Identifier: Apache-2.0 */
/* What the history knows of the time before this start, read once, before the loop runs. */
#ifndef REPOPROBE_DAEMON_RESTORE_H
#define REPOPROBE_DAEMON_RESTORE_H

struct daemon;
struct error;

/* Newest runs, alarm states, the next ids, and messages that were never marked as delivered. */
int restore_history(struct daemon *d, struct error *reterr);

#endif
