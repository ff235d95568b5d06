/* SPDX-License-Identifier: Apache-2.0 */
/* The part of the store that the server calls, with answers that a test chooses. */
#ifndef REPOPROBE_TESTS_UNIT_HTTP_FAKE_STORE_H
#define REPOPROBE_TESTS_UNIT_HTTP_FAKE_STORE_H

#include <pthread.h>
#include <stdbool.h>

struct store_pool {
	pthread_mutex_t lock;
	pthread_cond_t change;
	int answer; /* of every read: 0 or -errno */
	bool is_full; /* store_pool_ask() answers -EAGAIN */
	bool is_deaf; /* reads hang in the kernel: an interrupt does nothing */
	bool is_held; /* reads wait until they are interrupted or let go */
	int waiting; /* reads that are held */
	int interruptions; /* seen so far */
};

void fake_store_init(struct store_pool *pool);
void fake_store_done(struct store_pool *pool);

/* Returns when so many reads are held. */
void fake_store_wait_held(struct store_pool *pool, int count);
void fake_store_let_go(struct store_pool *pool);

#endif
