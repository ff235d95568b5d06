/* SPDX-License-Identifier: Apache-2.0 */
/* State shared by the server's threads. */
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
/* Time limits for clients; each limits the total time, whatever is sent meanwhile. */
#define SERVER_REQUEST_NSEC (10 * NSEC_PER_SEC) /* for the request, after the connect */
#define SERVER_NEXT_NSEC (15 * NSEC_PER_SEC) /* for the next request; a page polls every 5 s */
#define SERVER_ANSWER_NSEC (120 * NSEC_PER_SEC) /* to receive an answer */

struct http_server {
	struct clock clock;
	struct access *access; /* constant after the start */
	struct bodies *bodies;
	struct history *history;
	struct deadlines *deadlines;
	uint64_t turned_nsec; /* monotonic, atomic: last turn of the main loop */
	_Atomic bool is_short; /* connections cannot be accepted, which was logged */
	pthread_mutex_t ready_lock;
	bool is_ready;
	char ready_line[SERVER_READY_SIZE];
	size_t count;
	struct server_endpoint {
		struct MHD_Daemon *daemon;
		char address[LISTEN_ADDRESS_SIZE];
	} endpoints[SERVER_ADDRESSES_MAX];
};

/* How long the main loop has been blocked, in seconds; 0 when not unusual. */
uint64_t server_standstill_sec(const struct http_server *server);

/* Copies the line of /-/ready ("ready\n"). Returns whether the server is ready. */
bool server_ready_line(struct http_server *server, char ret[SERVER_READY_SIZE]);

#endif
