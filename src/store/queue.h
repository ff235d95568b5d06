/* SPDX-License-Identifier: Apache-2.0 */
/* A list of batches, first in, first out; it owns what is in it. Private to the store. */
#ifndef REPOPROBE_STORE_QUEUE_H
#define REPOPROBE_STORE_QUEUE_H

#include <stddef.h>

#include "model/batch.h"
#include "store/store.h"

struct batch_queue {
	struct batch *first;
	struct batch *last;
	size_t length;
};

static inline void batch_queue_add(struct batch_queue *q, struct batch *batch)
{
	batch->next = NULL;
	if (q->last)
		q->last->next = batch;
	else
		q->first = batch;
	q->last = batch;
	q->length++;
}

/* The oldest, given to the caller, or NULL. */
static inline struct batch *batch_queue_take(struct batch_queue *q)
{
	struct batch *batch = q->first;

	if (!batch)
		return NULL;
	q->first = batch->next;
	if (!q->first)
		q->last = NULL;
	q->length--;
	return batch;
}

static inline void batch_queue_done(struct batch_queue *q)
{
	struct batch *batch;

	while ((batch = batch_queue_take(q)))
		batch_free(batch);
}

#endif
