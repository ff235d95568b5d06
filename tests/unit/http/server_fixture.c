/* SPDX-License-Identifier: Apache-2.0 */
/* One server for each test. */
#include "test.h"

#include "server_fixture.h"

#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/json.h"

/* How far the server's clock is ahead of the system's; atomic. */
static uint64_t ahead_nsec;

static uint64_t read_ahead_nsec(const struct clock *c)
{
	const struct clock system = clock_system();

	(void)c;
	return clock_monotonic_nsec(&system) + __atomic_load_n(&ahead_nsec, __ATOMIC_SEQ_CST);
}

void server_move_clock(uint64_t seconds)
{
	(void)__atomic_add_fetch(&ahead_nsec, seconds * NSEC_PER_SEC, __ATOMIC_SEQ_CST);
}

int server_start(struct fixture *f, struct store_pool *pool)
{
	static const char *const listen[] = { "127.0.0.1:0" };
	static const char *const hosts[] = { "nas.example" };
	struct error e = { .text = "" };
	const struct http_settings settings = {
		.listen = listen,
		.listen_count = 1,
		.allowed_hosts = hosts,
		.allowed_host_count = 1,
		.max_connections = 16,
		.pool = pool,
		.clock = &f->clock,
	};

	int r = http_server_start(&settings, &f->server, &e);
	if (r == 0)
		f->address = http_server_address(f->server, 0);
	return r;
}

int server_set_up(void **state)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .clock = clock_system() };
	fixture.clock.monotonic_nsec = read_ahead_nsec;
	fake_store_init(&fixture.pool);
	*state = &fixture;
	return server_start(&fixture, &fixture.pool);
}

int server_tear_down(void **state)
{
	struct fixture *f = *state;

	f->server = http_server_stop(f->server, UINT64_MAX);
	fake_store_done(&f->pool);
	return 0;
}

bool reply_has(const struct reply *reply, const char *header)
{
	return strstr(reply->head, header) != NULL;
}

struct reply server_get(const struct fixture *f, const char *target, const char *headers)
{
	return client_ask(f->address, "GET", target, headers);
}

void assert_refused(const struct reply *reply, int status, const char *code)
{
	struct json_t *root = NULL;
	struct error e = { .text = "" };

	if (reply->status != status)
		fail_msg("status %d instead of %d", reply->status, status);
	assert_true(reply_has(reply, "Content-Type: application/json"));
	assert_true(reply_has(reply, "Cache-Control: no-store"));
	assert_int_equal(json_parse(reply->body, reply->body_len, &root, &e), 0);
	assert_string_equal(json_get_text(json_get(root, "error"), "code"), code);
	assert_true(strlen(json_get_text(json_get(root, "error"), "message")) > 5);
	(void)json_free(root);
}
