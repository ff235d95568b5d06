/* SPDX-License-Identifier: Apache-2.0 */
/* The whole server on a loopback port, with a fake store behind it. */
#include "test.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "http/assets.h"
#include "http/http.h"
#include "server_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))
#define HEATMAP "/api/v1/heatmap?repository=a&probe=p&operation=write"
#define SERIES "/api/v1/series?repository=a&probe=p&operation=write"

static const char overview[] =
	"{\"repositories\":[{\"name\":\"new\",\"probes\":[{\"name\":\"p\"}]}]}";

static void the_page_comes_with_its_policy(void **state)
{
	struct fixture *f = *state;
	struct reply reply = server_get(f, "/?view=anything&x=1", "");

	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Type: text/html; charset=utf-8"));
	assert_true(reply_has(
		&reply, "Content-Security-Policy: default-src 'none'; script-src 'self';"));
	assert_true(reply_has(&reply, "frame-ancestors 'none'"));
	assert_true(reply_has(&reply, "X-Content-Type-Options: nosniff"));
	assert_true(reply_has(&reply, "Referrer-Policy: same-origin"));
	assert_true(reply_has(&reply, "Cross-Origin-Opener-Policy: same-origin"));
	assert_true(reply_has(&reply, "Cache-Control: no-cache"));
	assert_true(reply_has(&reply, "Vary: Accept-Encoding"));
	assert_non_null(strstr(reply.body, assets_hash));
	assert_null(strstr(reply.body, "@HASH@"));
	reply_done(&reply);
}

static void every_asset_lies_under_the_hash_in_both_forms(void **state)
{
	struct fixture *f = *state;
	size_t count = 0;

	for (const struct asset *a = assets; a->name; a++, count++) {
		char target[128];
		(void)snprintf(target, sizeof(target), "/a/%s/%s", assets_hash, a->name);
		struct reply plain = server_get(f, target, "");
		struct reply gzip = server_get(f, target, "Accept-Encoding: br, gzip\r\n");
		assert_int_equal(plain.status, 200);
		assert_true(reply_has(&plain, "immutable"));
		assert_true(reply_has(&plain, assets_type(a->name)));
		assert_int_equal(plain.body_len, a->data_end - a->data);
		assert_true(reply_has(&gzip, "Content-Encoding: gzip"));
		assert_int_equal(gzip.body_len, a->gzip_end - a->gzip);
		reply_done(&plain);
		reply_done(&gzip);
	}
	assert_true(count > 5);
	struct reply other = server_get(f, "/a/0000000000000000/app.mjs", "");
	assert_refused(&other, 404, "not_found");
	reply_done(&other);
}

static void bodies_are_handed_out_as_published(void **state)
{
	struct fixture *f = *state;
	char metrics[4096];

	struct reply reply = server_get(f, "/api/v1/overview", "");
	assert_refused(&reply, 503, "starting");
	reply_done(&reply);
	memset(metrics, 'm', sizeof(metrics));
	assert_int_equal(
		http_server_publish(f->server, HTTP_BODY_METRICS, metrics, sizeof(metrics)), 0);

	reply = server_get(f, "/metrics?format=text", "Accept: application/openmetrics-text\r\n");
	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Type: text/plain; version=0.0.4; charset=utf-8"));
	assert_true(reply_has(&reply, "Cache-Control: no-store"));
	assert_false(reply_has(&reply, "ETag"));
	assert_int_equal(reply.body_len, sizeof(metrics));
	reply_done(&reply);
	reply = server_get(f, "/metrics", "Accept-Encoding: gzip\r\n");
	assert_true(reply_has(&reply, "Content-Encoding: gzip"));
	assert_true(reply.body_len < sizeof(metrics) / 10);
	reply_done(&reply);
	reply = client_ask(f->address, "HEAD", "/metrics", "");
	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Length: 4096"));
	assert_int_equal(reply.body_len, 0);
	reply_done(&reply);
}

static void copy_etag(const struct reply *reply, char *ret, size_t size)
{
	const char *etag = strstr(reply->head, "ETag: ");

	assert_non_null(etag);
	(void)snprintf(
		ret, size, "If-None-Match: %.*s\r\n", (int)strcspn(etag + 6, "\r"), etag + 6);
}

static void what_a_client_has_is_not_sent_again(void **state)
{
	struct fixture *f = *state;
	char condition[128];

	assert_int_equal(
		http_server_publish(f->server, HTTP_BODY_OVERVIEW, overview, strlen(overview)), 0);
	struct reply reply = server_get(f, "/api/v1/overview", "");
	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Cache-Control: no-cache"));
	copy_etag(&reply, condition, sizeof(condition));
	reply_done(&reply);

	reply = server_get(f, "/api/v1/overview", condition);
	assert_int_equal(reply.status, 304);
	assert_int_equal(reply.body_len, 0);
	assert_true(reply_has(&reply, "ETag: \""));
	assert_true(reply_has(&reply, "Content-Security-Policy"));
	reply_done(&reply);

	assert_int_equal(http_server_publish(f->server, HTTP_BODY_OVERVIEW, "{}", 2), 0);
	reply = server_get(f, "/api/v1/overview", condition);
	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.body, "{}");
	reply_done(&reply);

	reply = server_get(f, "/api/v1/overview", "If-None-Match: *\r\n");
	assert_int_equal(reply.status, 304);
	reply_done(&reply);
}

static void health_and_readiness_are_lines_of_text(void **state)
{
	struct fixture *f = *state;
	struct reply reply = server_get(f, "/-/healthy", "");

	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.body, "healthy\n");
	reply_done(&reply);
	reply = server_get(f, "/-/ready", "");
	assert_int_equal(reply.status, 503);
	assert_string_equal(reply.body, "not ready: starting\n");
	reply_done(&reply);
	http_server_set_ready(f->server, false, "the database\nis locked");
	reply = server_get(f, "/-/ready", "");
	assert_string_equal(reply.body, "not ready: the database is locked\n");
	reply_done(&reply);
	http_server_set_ready(f->server, true, "ready");
	reply = server_get(f, "/-/ready", "");
	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.body, "ready\n");
	reply_done(&reply);
}

static void health_is_told_by_the_loop(void **state)
{
	struct fixture *f = *state;
	struct reply reply;

	server_move_clock(9);
	reply = server_get(f, "/-/healthy", "");
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
	server_move_clock(2);
	reply = server_get(f, "/-/healthy", "");
	assert_int_equal(reply.status, 503);
	assert_string_equal(reply.body, "not healthy: the main loop has been blocked for 11 s\n");
	reply_done(&reply);
	http_server_turn(f->server);
	reply = server_get(f, "/-/healthy", "");
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
}

static void a_series_is_columns_with_gaps(void **state)
{
	struct fixture *f = *state;
	struct reply reply = server_get(f, SERIES, "");

	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Cache-Control: no-cache"));
	assert_true(reply_has(&reply, "ETag: \""));
	assert_non_null(strstr(reply.body, "\"repository\":\"a\""));
	assert_non_null(strstr(reply.body, "\"operation\":\"write\""));
	assert_non_null(strstr(reply.body, "\"time\":[1796061600.0,1796061900.5]"));
	assert_non_null(strstr(reply.body, "\"avg\":[0.0015,null]"));
	assert_non_null(strstr(reply.body, "\"throughput\":[1048576,null]"));
	assert_non_null(strstr(reply.body, "\"iops\":[2.5,null]"));
	assert_non_null(strstr(reply.body,
		"\"counts\":{\"ok\":[1,0],\"error\":[0,0],\"stalled\":[0,0],\"timeout\":[0,1],"
		"\"stuck\":[0,0],\"not_mounted\":[0,0],\"wrong_target\":[0,0],"
		"\"read_only\":[0,0],\"no_space\":[0,0],\"refused\":[0,0],\"skipped\":[0,2],"
		"\"failed\":[0,1]}"));
	assert_non_null(strstr(reply.body,
		"\"measured\":[{\"what\":\"block_size=4096\",\"first\":1796061600.0,"
		"\"last\":1796061900.5}]"));
	reply_done(&reply);

	reply = server_get(f, SERIES "&format=csv", "");
	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Type: text/csv"));
	assert_string_equal(reply.body,
		"utc,time,avg,p50,p95,p99,min,max,throughput,iops,ok,failed,error,stalled,"
		"timeout,stuck,not_mounted,wrong_target,read_only,no_space,refused,skipped\r\n"
		"2026-11-30T18:00:00.000000Z,1796061600.000000,0.001500000,0.000000001,"
		"0.000000002,0.000000003,0.000000004,0.000000005,1048576,2.500,1,0,0,0,0,0,0,0,0,"
		"0,0,0\r\n"
		"2026-11-30T18:05:00.500000Z,1796061900.500000,,,,,,,,,0,1,0,0,1,0,0,0,0,0,0,2\r\n");
	reply_done(&reply);
}

static void a_heat_map_is_columns_of_counts_with_gaps(void **state)
{
	struct fixture *f = *state;
	struct reply reply = server_get(f, HEATMAP, "");

	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(reply.body, "\"repository\":\"a\""));
	assert_non_null(strstr(reply.body, "\"width_seconds\":7200.0"));
	assert_non_null(strstr(reply.body, "\"bounds_seconds\":[1.28e-7,1.44e-7,1.6e-7]"));
	assert_non_null(strstr(reply.body, "\"time\":[1796061600.0,1796068800.0]"));
	assert_non_null(strstr(reply.body, "\"ios\":[[3,0],null]"));
	assert_non_null(strstr(reply.body, "\"counts\":{\"ok\":[1,0],\"failed\":[0,2]}"));
	reply_done(&reply);

	reply = server_get(f, HEATMAP "&columns=2&format=csv", "");
	assert_int_equal(reply.status, 200);
	assert_string_equal(reply.body,
		"utc,time,from_seconds,to_seconds,ios\r\n"
		"2026-11-30T18:00:00.000000Z,1796061600.000000,0.000000128,0.000000144,3\r\n");
	reply_done(&reply);
	reply = server_get(f, HEATMAP "&columns=1001", "");
	assert_int_equal(reply.status, 400);
	reply_done(&reply);
	reply = server_get(f, "/api/v1/heatmap?repository=b&probe=p&operation=write", "");
	assert_int_equal(reply.status, 404);
	reply_done(&reply);
}

static void a_configured_probe_without_runs_is_an_empty_series(void **state)
{
	struct fixture *f = *state;

	assert_int_equal(
		http_server_publish(f->server, HTTP_BODY_OVERVIEW, overview, strlen(overview)), 0);
	struct reply reply =
		server_get(f, "/api/v1/series?repository=new&probe=p&operation=read", "");
	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(reply.body, "\"time\":[]"));
	reply_done(&reply);
	reply = server_get(f, "/api/v1/series?repository=new&probe=q&operation=read", "");
	assert_refused(&reply, 404, "not_found");
	reply_done(&reply);
}

static void runs_are_documents(void **state)
{
	struct fixture *f = *state;
	struct reply reply =
		server_get(f, "/api/v1/runs?repository=a&limit=3", "Accept-Encoding: gzip\r\n");

	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Encoding: gzip"));
	reply_done(&reply);
	reply = server_get(f, "/api/v1/runs?repository=b", "");
	assert_string_equal(reply.body, "{\"runs\":[]}");
	reply_done(&reply);
	reply = server_get(f, "/api/v1/runs/2", "");
	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(reply.body, "\"id\":2,"));
	assert_non_null(strstr(reply.body, "\"avg_seconds\":0.002"));
	reply_done(&reply);
}

static void incidents_come_as_a_list_as_csv_and_with_their_events(void **state)
{
	struct fixture *f = *state;
	struct reply reply = server_get(f, "/api/v1/incidents?state=open&repository=a&limit=3", "");

	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(reply.body, "{\"incidents\":[{\"id\":1,"));
	assert_non_null(strstr(reply.body, "\"state\":\"open\""));
	assert_non_null(strstr(reply.body, "\"sentence\":\"a: writes of p take"));
	reply_done(&reply);
	reply = server_get(f, "/api/v1/incidents?state=closed", "");
	assert_string_equal(reply.body, "{\"incidents\":[]}");
	reply_done(&reply);
	reply = server_get(f, "/api/v1/incidents?format=csv", "");
	assert_int_equal(reply.status, 200);
	assert_true(reply_has(&reply, "Content-Type: text/csv"));
	assert_non_null(strstr(reply.body, "id,repository,state,level,"));
	assert_non_null(
		strstr(reply.body, "\r\n1,\"a\",open,warning,2026-11-30T18:00:00.000000Z,,"));
	reply_done(&reply);
	reply = server_get(f, "/api/v1/incidents/1", "");
	assert_int_equal(reply.status, 200);
	assert_non_null(strstr(reply.body, "\"events\":[{\"sequence\":0,"));
	assert_non_null(strstr(reply.body, "\"explain\":[\"measured: write average 24 ms\","));
	reply_done(&reply);
}

static void a_history_that_cannot_be_read_is_for_later(void **state)
{
	struct fixture *f = *state;

	f->pool.answer = -EIO;
	struct reply reply = server_get(f, SERIES, "");
	assert_refused(&reply, 503, "history_unavailable");
	assert_true(reply_has(&reply, "Retry-After: 1"));
	reply_done(&reply);
	f->pool.is_full = true;
	reply = server_get(f, SERIES, "");
	assert_refused(&reply, 503, "busy");
	assert_true(reply_has(&reply, "Retry-After: 1"));
	reply_done(&reply);
}

static void a_server_without_history_says_so(void **state)
{
	struct fixture *f = *state;

	f->server = http_server_stop(f->server, UINT64_MAX);
	assert_int_equal(server_start(f, NULL), 0);
	struct reply reply = server_get(f, SERIES, "");
	assert_refused(&reply, 503, "no_history");
	reply_done(&reply);
}

static void others_are_served_while_questions_are_out(void **state)
{
	struct fixture *f = *state;
	int fds[4];

	f->pool.is_held = true;
	for (size_t i = 0; i < COUNT(fds); i++)
		fds[i] = client_open(f->address,
			"GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	fake_store_wait_held(&f->pool, COUNT(fds));
	struct reply reply = server_get(f, "/-/healthy", "");
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
	fake_store_let_go(&f->pool);
	for (size_t i = 0; i < COUNT(fds); i++) {
		reply = client_read(fds[i]);
		assert_int_equal(reply.status, 200);
		reply_done(&reply);
	}
}

static void clients_may_go_away_while_questions_are_out(void **state)
{
	struct fixture *f = *state;

	f->pool.is_held = true;
	for (int i = 0; i < 3; i++)
		(void)close(client_open(
			f->address, "GET /api/v1/runs HTTP/1.1\r\nHost: localhost\r\n\r\n"));
	fake_store_wait_held(&f->pool, 3);
	fake_store_let_go(&f->pool);
	struct reply reply = server_get(f, "/-/healthy", "");
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
}

static void stopping_brings_questions_home(void **state)
{
	struct fixture *f = *state;

	f->pool.is_held = true;
	int fd = client_open(f->address, "GET " SERIES " HTTP/1.1\r\nHost: localhost\r\n\r\n");
	fake_store_wait_held(&f->pool, 1);
	f->server = http_server_stop(f->server, UINT64_MAX);
	assert_true(f->pool.interruptions > 0);
	assert_null(f->server);
	struct reply reply = client_read(fd);
	assert_true(reply.status == 0 || reply.status == 503);
	reply_done(&reply);
}

static void a_reader_that_hangs_does_not_hang_the_stop(void **state)
{
	struct fixture *f = *state;
	static struct http_server *left_behind;

	f->pool.is_deaf = f->pool.is_held = true;
	int fd = client_open(f->address,
		"GET " SERIES " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
	fake_store_wait_held(&f->pool, 1);
	left_behind = f->server;
	f->server = http_server_stop(f->server, 20 * NSEC_PER_MSEC);
	assert_true(f->pool.interruptions > 0);
	assert_null(f->server);
	assert_non_null(left_behind);
	fake_store_let_go(&f->pool);
	struct reply reply = client_read(fd); /* its question came home late */
	reply_done(&reply);
}

static void a_port_in_use_is_named(void **state)
{
	struct fixture *f = *state;
	const char *const listen[] = { "192.0.2.1:0", "127.0.0.1:0", f->address };
	struct error e = { .text = "" };
	struct http_server *second = NULL;
	struct http_settings settings = {
		.listen = listen,
		.listen_count = 3,
		.max_connections = 16,
		.clock = &f->clock,
	};

	assert_int_equal(http_server_start(&settings, &second, &e), -EADDRINUSE);
	assert_non_null(strstr(e.text, f->address));
	assert_null(second);
	settings.listen_count = 1; /* an address of another machine, and no other */
	assert_int_equal(http_server_start(&settings, &second, &e), -EADDRNOTAVAIL);
	settings.listen_count = 2; /* one of two is enough */
	assert_int_equal(http_server_start(&settings, &second, &e), 0);
	assert_memory_equal(http_server_address(second, 0), "127.0.0.1:", 10);
	assert_null(http_server_address(second, 1));
	assert_null(http_server_stop(second, 0));
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(the_page_comes_with_its_policy),
		SERVER_TEST(every_asset_lies_under_the_hash_in_both_forms),
		SERVER_TEST(bodies_are_handed_out_as_published),
		SERVER_TEST(what_a_client_has_is_not_sent_again),
		SERVER_TEST(health_and_readiness_are_lines_of_text),
		SERVER_TEST(health_is_told_by_the_loop),
		SERVER_TEST(a_series_is_columns_with_gaps),
		SERVER_TEST(a_heat_map_is_columns_of_counts_with_gaps),
		SERVER_TEST(a_configured_probe_without_runs_is_an_empty_series),
		SERVER_TEST(runs_are_documents),
		SERVER_TEST(incidents_come_as_a_list_as_csv_and_with_their_events),
		SERVER_TEST(a_history_that_cannot_be_read_is_for_later),
		SERVER_TEST(a_server_without_history_says_so),
		SERVER_TEST(others_are_served_while_questions_are_out),
		SERVER_TEST(clients_may_go_away_while_questions_are_out),
		SERVER_TEST(stopping_brings_questions_home),
		SERVER_TEST(a_reader_that_hangs_does_not_hang_the_stop),
		SERVER_TEST(a_port_in_use_is_named),
	};

	return cmocka_run_group_tests_name("http/server", tests, NULL, NULL);
}
