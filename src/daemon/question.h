/* SPDX-License-Identifier: Apache-2.0 */
/* What the loop asks the history: read on a reader thread, taken on the loop. */
#ifndef REPOPROBE_DAEMON_QUESTION_H
#define REPOPROBE_DAEMON_QUESTION_H

#include <stdint.h>

#include "base/error.h"

struct daemon;
struct questions;
struct store_reader;

/* The first member of whatever is read. */
struct question {
	/* On a reader thread: fills in what is behind. Returns 0 or -errno with a sentence. */
	int (*read)(struct store_reader *reader, struct question *q, struct error *reterr);
	/* On the loop, once: error is what read returned, or -EAGAIN when the history could not be
	 * opened, and then read was not called. */
	void (*take)(struct daemon *d, struct question *q);
	void (*free)(struct question *q); /* after take, or in its place when the daemon stops */
	int error;
	struct error sentence;
	struct question *next; /* these two are question.c's */
	struct questions *home;
};

/* Before the first question, and after the reader threads were told to end. One of these that hangs
 * in the kernel keeps what it needs. */
int questions_start(struct daemon *d, struct error *reterr);
void questions_stop(struct daemon *d);

/* Takes the question. On failure (-EAGAIN: the queue is full) it stays the caller's. */
int question_ask(struct daemon *d, struct question *q);

/* What was read in vain is asked for again after this time: 1 s, and twice as long each time, up to
 * 5 min. */
uint64_t question_pause_nsec(unsigned failures);
/* Looks after that time what is to be asked for again, at all places. */
void question_look_later(struct daemon *d, uint64_t pause_nsec);

#endif
