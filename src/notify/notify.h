/* SPDX-License-Identifier: Apache-2.0 */
/* Delivers messages on its own thread. This version has one channel: the journal (or, without one,
 * the log on stderr). Independent of the store: the loop records attempts and deliveries. */
#ifndef REPOPROBE_NOTIFY_NOTIFY_H
#define REPOPROBE_NOTIFY_NOTIFY_H

#include <stddef.h>
#include <stdint.h>

#include "model/message.h"

struct error;
struct notifier;

int notifier_start(size_t max_queue, struct notifier **ret, struct error *reterr);

/* Copies the message. -ENOBUFS when the queue is full: it stays in the outbox for later. A message
 * with tries > 0 may have been delivered before a crash: the journal is searched first, and an
 * entry found there is not written again. */
int notifier_submit(struct notifier *notifier, const struct message *message);

/* Readable when results are available. Lent. */
int notifier_fd(const struct notifier *notifier);

struct notify_result {
	char key[MESSAGE_KEY_MAX + 1];
	int error; /* 0: delivered */
};
/* 0 and one result, or -EAGAIN. */
int notifier_take(struct notifier *notifier, struct notify_result *ret);

/* Finishes what is queued (at most limit_nsec), stops the thread, frees. Accepts NULL, returns
 * NULL. */
struct notifier *notifier_stop(struct notifier *notifier, uint64_t limit_nsec);

#endif
