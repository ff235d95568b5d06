/* SPDX-License-Identifier: Apache-2.0 */
/* What is refused before any handler is asked. */
#include "test.h"

#include <string.h>

#include "base/buf.h"
#include "server_fixture.h"

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static void bad_requests_are_refused_in_json(void **state)
{
	static const struct {
		const char *method;
		const char *target;
		int status;
		const char *code;
	} cases[] = {
		{ "GET", "/nothing", 404, "not_found" },
		{ "GET", "/api/v1/status", 404, "not_in_this_version" },
		{ "GET", "/%ff", 400, "bad_path" },
		{ "POST", "/api/v1/overview", 405, "method_not_allowed" },
		{ "DELETE", "/", 405, "method_not_allowed" },
		{ "POST", "/nothing", 404, "not_found" },
		{ "GET", "/api/v1/overview?x=1", 400, "bad_parameter" },
		{ "GET", "/api/v1/series?repository=a", 400, "bad_parameter" },
		{ "GET", "/api/v1/runs?limit=0", 400, "bad_parameter" },
		{ "GET", "/api/v1/runs?format=csv", 400, "not_in_this_version" },
		{ "GET", "/api/v1/runs/x", 404, "not_found" },
		{ "GET", "/api/v1/runs/4", 404, "not_found" },
		{ "GET", "/api/v1/incidents?state=shut", 400, "bad_parameter" },
		{ "GET", "/api/v1/incidents?probe=p", 400, "bad_parameter" },
		{ "GET", "/api/v1/incidents/x", 404, "not_found" },
		{ "GET", "/api/v1/incidents/4", 404, "not_found" },
		{ "GET", "/api/v1/incidents/1?format=csv", 400, "bad_parameter" },
		{ "GET", "/api/v1/series?repository=b&probe=p&operation=read", 404, "not_found" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct reply reply = client_ask(f->address, cases[i].method, cases[i].target, "");
		assert_refused(&reply, cases[i].status, cases[i].code);
		if (cases[i].status == 405)
			assert_true(reply_has(&reply, "Allow: GET, HEAD"));
		reply_done(&reply);
	}
	struct reply reply = client_ask(f->address, "POST", "/", "Content-Length: 5\r\n\r\nhello");
	assert_refused(&reply, 405, "method_not_allowed");
	reply_done(&reply);
}

static void another_host_is_refused(void **state)
{
	static const struct {
		const char *request;
		int status;
	} cases[] = {
		{ "GET /-/healthy HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n",
			400 },
		{ "GET /-/healthy HTTP/1.1\r\nHost: nas.example:1\r\nConnection: close\r\n\r\n",
			200 },
		{ "GET /-/healthy HTTP/1.0\r\n\r\n", 200 },
		{ "GET /-/healthy HTTP/1.1\r\nConnection: close\r\n\r\n", 400 },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct reply reply = client_read(client_open(f->address, cases[i].request));
		assert_int_equal(reply.status, cases[i].status);
		reply_done(&reply);
	}
}

static void what_is_too_long_is_refused(void **state)
{
	static char text[16000];
	struct fixture *f = *state;
	struct reply reply;

	memset(text, 'a', sizeof(text) - 1);
	text[0] = '/';
	text[5000] = '\0';
	reply = server_get(f, text, "");
	assert_refused(&reply, 414, "uri_too_long");
	reply_done(&reply);

	memset(text, 'a', sizeof(text) - 1);
	memcpy(text, "X-Long: ", 8);
	memcpy(text + sizeof(text) - 3, "\r\n", 3);
	reply = server_get(f, "/-/healthy", text);
	assert_refused(&reply, 431, "headers_too_large");
	reply_done(&reply);
}

#define HOST "\r\nHost: localhost\r\nConnection: close\r\n"

static void what_libmicrohttpd_would_answer_is_refused_in_json_too(void **state)
{
	static const struct {
		const char *before;
		const char *part;
		size_t parts;
		const char *after;
		int status;
		const char *code; /* NULL: no body */
	} cases[] = {
		{ "GET /nothing HTTP/1.1" HOST, "X: y\r\n", 1000, "", 404, "not_found" },
		{ "GET / HTTP/1.1" HOST "X: ", "y", 80000, "\r\n", 431, "headers_too_large" },
		{ "GET /?", "y", 80000, " HTTP/1.1" HOST, 414, "uri_too_long" },
		{ "GET /?", "y=1&", 1100, " HTTP/1.1" HOST, 414, "uri_too_long" },
		{ "GET / HTTP/1.1" HOST, "Host: localhost\r\n", 1, "", 400, "bad_request" },
		{ "GET / HTTP/1.1" HOST, "host: evil.example\r\n", 1, "", 400, "bad_request" },
		{ "GET / HTTP/1.1" HOST, "Content-Length: 4\r\n", 1, "", 400, "bad_request" },
		{ "GET / HTTP/1.1" HOST, "Transfer-Encoding: chunked\r\n", 1, "", 400,
			"bad_request" },
		{ "HEAD / HTTP/1.1" HOST, "Transfer-Encoding: odd\r\n", 1, "", 400, NULL },
		{ "GET /nothing HTTP/1.1" HOST, "Content-Length: 0\r\n", 1, "", 404, "not_found" },
	};
	struct fixture *f = *state;

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct buf b = BUF_INIT(1 << 20);
		buf_printf(&b, "%s", cases[i].before);
		for (size_t n = 0; n < cases[i].parts; n++)
			buf_printf(&b, "%s", cases[i].part);
		buf_printf(&b, "%s\r\n", cases[i].after);
		assert_int_equal(b.error, 0);
		struct reply reply = client_read(client_open(f->address, buf_text(&b)));
		if (cases[i].code)
			assert_refused(&reply, cases[i].status, cases[i].code);
		else
			assert_int_equal(reply.status, cases[i].status);
		reply_done(&reply);
		buf_done(&b);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(bad_requests_are_refused_in_json),
		SERVER_TEST(another_host_is_refused),
		SERVER_TEST(what_is_too_long_is_refused),
		SERVER_TEST(what_libmicrohttpd_would_answer_is_refused_in_json_too),
	};

	return cmocka_run_group_tests_name("http/request", tests, NULL, NULL);
}
