/* SPDX-License-Identifier: Apache-2.0 */
/* The writer's two sides: its owner's (writer.c) and its thread's (writer_thread.c). Private to the
 * store. */
#ifndef REPOPROBE_STORE_WRITER_H
#define REPOPROBE_STORE_WRITER_H

#include <pthread.h>

#include "base/error.h"
#include "store/opening.h"
#include "store/queue.h"

struct store_writer {
	char *path;
	size_t max_batches;
	int lock_fd;
	struct opening opening; /* used by the thread alone, but for interrupts */
	unsigned renewals; /* likewise */
	uint64_t look_nsec; /* likewise: when to look at the files at the path again, monotonic */
	pthread_t thread;
	int done_fd; /* readable while there are finished batches */
	int hurry_fd; /* cuts a wait for the next attempt short */
	int opened_fd; /* readable when it is known whether it can be opened */
	int ended_fd; /* readable when the thread is about to return */

	pthread_mutex_t lock; /* for all below, and for opening.db as seen by others */
	pthread_cond_t has_work;
	struct batch_queue waiting;
	struct batch_queue finished;
	struct batch_queue current; /* of the thread */
	int open_result; /* see store_writer_opened */
	struct error open_error;
	bool is_to_replace; /* a reader found damage, as open_error says */
	bool is_to_look; /* it is time to */
	bool is_closing; /* write what waits, then end */
	bool is_given_up; /* end now */
	struct store_writer_status status;
	bool is_to_tend;
	struct store_retention retention;
	int64_t tend_usec; /* what is now, for that */
	struct store_bad_rows *bad_rows; /* NULL: nobody counts them */
};

/* What pthread_create takes. */
void *writer_run_thread(void *data);

/* Events: eventfds that are readable or not. */
void writer_signal(int fd);
void writer_clear(int fd);
/* True when fd became readable in time. */
bool writer_wait(int fd, uint64_t limit_msec);

/* Hands a batch back, with the lock held. */
void writer_finish(struct store_writer *w, struct batch *batch, int error);

#endif
