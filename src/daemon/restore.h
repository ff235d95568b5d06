/* SPDX-License-Identifier: Apache-2.0 */
/* What the history knows of the time before this start, read once it can be: before the loop runs,
 * or later. */
#ifndef REPOPROBE_DAEMON_RESTORE_H
#define REPOPROBE_DAEMON_RESTORE_H

struct daemon;
struct error;

/* Newest runs, alarm states, the next ids, and messages that were never marked as delivered. */
/* What keeps probes harmless, also out of a history that is not open yet: what each repository was
 * when first seen, and what it may still be written. */
int restore_limits(struct daemon *d, struct error *reterr);

int restore_history(struct daemon *d, struct error *reterr);

#endif
