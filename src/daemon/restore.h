/* SPDX-License-Identifier: Apache-2.0 */
/* What the history knows of the time before this start, read once it can be: before the loop runs,
 * or later. */
#ifndef REPOPROBE_DAEMON_RESTORE_H
#define REPOPROBE_DAEMON_RESTORE_H

#include <stdbool.h>

#include "store/store.h"

struct daemon;
struct error;
struct restored_row;

/* What was read and not taken yet. */
struct restored {
	bool has_limits; /* set before: those of restore_limits are to be read too */
	struct store_next_ids ids;
	struct restored_row *first; /* in the order in which they are to be taken */
	struct restored_row *last;
};
void restore_done(struct restored *restored);

/* Newest runs, alarm states, the next ids, and messages that were never marked as delivered: read
 * on any thread, taken on the loop. */
int restore_read(struct store_reader *reader, int64_t now_usec, struct restored *restored,
	struct error *reterr);
int restore_take(struct daemon *d, const struct restored *restored);

/* Both at once, where nobody waits for the loop yet. */
int restore_history(struct daemon *d, struct error *reterr);

/* What keeps probes harmless, also out of a history that is not open yet: what each repository was
 * when first seen, and what it may still be written. */
int restore_limits(struct daemon *d, struct error *reterr);

#endif
