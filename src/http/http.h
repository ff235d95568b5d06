/* SPDX-License-Identifier: Apache-2.0 */
/* The read-only HTTP server: sends bodies that the loop rendered as they are; asks the store's
 * reader threads for history while the connection is suspended. No request changes anything. */
#ifndef REPOPROBE_HTTP_HTTP_H
#define REPOPROBE_HTTP_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct clock;
struct error;
struct http_server;
struct store_pool;

struct http_settings {
	const char *const *listen; /* "ADDRESS:PORT"; port 0: any free one */
	size_t listen_count;
	const char *const *allowed_hosts; /* in addition to localhost and the listen addresses */
	size_t allowed_host_count;
	unsigned max_connections;
	struct store_pool *pool; /* lent for the server's life; NULL: history answers 503 */
	const struct clock *clock; /* copied: "now" in requests */
};

/* Starts the threads. On failure reterr names the address and the reason ("127.0.0.1:9847 is in
 * use"). */
int http_server_start(
	const struct http_settings *settings, struct http_server **ret, struct error *reterr);
/* Accepts NULL, returns NULL. When a reader does not return within limit_nsec, the server and its
 * threads are left behind until the process ends; they refuse all history. */
struct http_server *http_server_stop(struct http_server *server, uint64_t limit_nsec);

/* The i-th bound address with its real port ("127.0.0.1:40123"), or NULL past the end. Lent. */
const char *http_server_address(const struct http_server *server, size_t i);

enum http_body {
	HTTP_BODY_METRICS,
	HTTP_BODY_OVERVIEW,
};
#define HTTP_BODIES 2

/* Replaces a body; copies the bytes and gzips them once. Before the first one, the path answers
 * 503. */
int http_server_publish(
	struct http_server *server, enum http_body body, const void *data, size_t len);

/* Marks a turn of the main loop: without one in 10 s, /-/healthy returns 503. Any thread. */
void http_server_turn(struct http_server *server);

/* Sets the answer of /-/ready: 200, or 503 with the reason (copied, one line). */
void http_server_set_ready(struct http_server *server, bool is_ready, const char *reason);

#endif
