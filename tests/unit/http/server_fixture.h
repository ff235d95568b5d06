/* SPDX-License-Identifier: Apache-2.0 */
/* The whole server on a loopback port, with a fake store behind it. */
#ifndef REPOPROBE_TESTS_UNIT_HTTP_SERVER_FIXTURE_H
#define REPOPROBE_TESTS_UNIT_HTTP_SERVER_FIXTURE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "client.h"
#include "fake_store.h"
#include "http/http.h"

struct fixture {
	struct clock clock;
	struct store_pool pool;
	struct http_server *server;
	const char *address;
};

int server_set_up(void **state);
int server_tear_down(void **state);
#define SERVER_TEST(f) cmocka_unit_test_setup_teardown(f, server_set_up, server_tear_down)

int server_start(struct fixture *f, struct store_pool *pool);

/* Moves the server's monotonic clock ahead. */
void server_move_clock(uint64_t seconds);

struct reply server_get(const struct fixture *f, const char *target, const char *headers);
bool reply_has(const struct reply *reply, const char *header);
/* Checks status and the code of the error document. */
void assert_refused(const struct reply *reply, int status, const char *code);

#endif
