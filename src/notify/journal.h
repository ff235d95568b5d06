/* SPDX-License-Identifier: Apache-2.0 */
/* The channel "journal": a message as one structured entry of systemd's journal or, without that,
 * as one line of the log. */
#ifndef REPOPROBE_NOTIFY_JOURNAL_H
#define REPOPROBE_NOTIFY_JOURNAL_H

#include <stdint.h>
#include <sys/uio.h>

#include "base/buf.h"
#include "model/message.h"

#define JOURNAL_FIELDS_MAX 24

/* The fields of an entry, concatenated in data. */
struct journal_entry {
	struct buf data;
	size_t count;
	size_t ends[JOURNAL_FIELDS_MAX];
};

/* Fills the entry (the caller's storage; call journal_entry_done afterwards). 0 or -ENOMEM. */
int journal_entry_init(struct journal_entry *entry, const struct message *message);
/* Lends the fields as "NAME=value" in ret[JOURNAL_FIELDS_MAX]. Returns their number. */
size_t journal_entry_fields(const struct journal_entry *entry, struct iovec *ret);
void journal_entry_done(struct journal_entry *entry);

/* Delivers the message; may wait for the journal. A message that was tried before and is found in
 * the journal counts as delivered; a line on stderr cannot be looked up, so it is written again.
 * Returns 0 or -errno. */
int journal_deliver(const struct message *message);

#endif
