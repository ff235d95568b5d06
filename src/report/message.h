/* SPDX-License-Identifier: Apache-2.0 */
/* An event of an incident as the message about it, and the sentence about several at once. */
#ifndef REPOPROBE_REPORT_MESSAGE_H
#define REPOPROBE_REPORT_MESSAGE_H

#include <stddef.h>

#include "model/message.h"
#include "report/message.h"

struct buf;

/* What is said around the sentence of an event; NULL or "": nothing. */
struct message_words {
	const char *before; /* "4 repositories on nas1 are slow: a, b, c, d; " */
	const char *after; /* " (told now: it was muted until now)" */
};
/* The message about an event to a channel. */
void report_message(struct message *ret, const char *channel, const struct incident_event *event,
	const struct message_words *words);

/* "3 more repositories on nas1 are slow: a, b, c; " */
struct message_group {
	size_t count;
	const struct incident_event **events; /* of each repository, the message's first */
	size_t told; /* others that were told of before */
};
void report_message_group(const char *group, const struct message_group *names, struct buf *b);

#endif
