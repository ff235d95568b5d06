/* SPDX-License-Identifier: Apache-2.0 */
/* Questions to the store's reader threads. A connection is suspended while its question is
 * outstanding, so no server thread waits; before the server stops, all questions are completed. */
#ifndef REPOPROBE_HTTP_HISTORY_H
#define REPOPROBE_HTTP_HISTORY_H

#include <stdbool.h>
#include <stdint.h>

struct MHD_Connection;
struct history;
struct store_pool;
struct store_reader;

struct history_question {
	/* Runs on a reader thread; reader NULL: the server is stopping, nothing may be read. */
	void (*work)(struct store_reader *reader, void *data);
	void *data;
	struct MHD_Connection *connection;
	/* Used by history.c only. */
	struct history *history;
	struct store_reader *reader;
	struct history_question *previous;
	struct history_question *next;
};

/* pool is lent and may be NULL: then every question is refused. NULL when out of memory. */
struct history *history_new(struct store_pool *pool);
struct history *history_free(struct history *h);

/* Called by a connection's handler, which then returns without an answer and is called again after
 * work(). The question must live until then. Returns 0, or, with the connection not suspended for
 * long, -EAGAIN (queue full) or -ESHUTDOWN (no history, or stopping). */
int history_ask(struct history *h, struct history_question *q);

/* Refuses new questions, interrupts running ones and returns true when all are completed, or false
 * when one is not within limit_nsec: its reader is blocked in the kernel. */
bool history_stop(struct history *h, uint64_t limit_nsec);

/* True at most once a minute: a page that polls must not fill the log. */
bool history_may_log(struct history *h, uint64_t now_monotonic_nsec);

#endif
