/* SPDX-License-Identifier: Apache-2.0 */
/* What the server's threads share. */
#ifndef REPOPROBE_HTTP_SERVER_H
#define REPOPROBE_HTTP_SERVER_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "http/http.h"
#include "http/listen.h"

struct MHD_Daemon;
struct access;
struct bodies;
struct deadlines;
struct history;

#define SERVER_ADDRESSES_MAX 16
#define SERVER_READY_SIZE 512
/* How long clients may take; each is one stretch of time, whatever is sent meanwhile. */
#define SERVER_REQUEST_NSEC (10 * NSEC_PER_SEC) /* to ask, once connected */
#define SERVER_NEXT_NSEC (15 * NSEC_PER_SEC) /* to ask again; a page asks every 5 s */
#define SERVER_ANSWER_NSEC (120 * NSEC_PER_SEC) /* to take an answer */

struct http_server {
	struct clock clock;
	struct access *access; /* not changed after the start */
	struct bodies *bodies;
	struct history *history;
	struct deadlines *deadlines;
	uint64_t turned_nsec; /* monotonic, atomic: when the main loop last turned */
	_Atomic bool is_short; /* connections cannot be accepted, which was said */
	pthread_mutex_t ready_lock;
	bool is_ready;
	char ready_line[SERVER_READY_SIZE];
	size_t count;
	struct server_endpoint {
		struct MHD_Daemon *daemon;
		char address[LISTEN_ADDRESS_SIZE];
	} endpoints[SERVER_ADDRESSES_MAX];
};

/* How long the main loop has stood still, in seconds; 0 when that is no longer than usual. */
uint64_t server_standstill_sec(const struct http_server *server);

/* Copies the line of /-/ready ("ready\n"). Returns whether we are. */
bool server_ready_line(struct http_server *server, char ret[SERVER_READY_SIZE]);

#endif
