/* SPDX-License-Identifier: Apache-2.0 */
/* The control client against a daemon that is a thread of the test. */
#include "cli/control_client.h"

#include <errno.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "test.h"

#define REPLY_MAX CONTROL_MESSAGE_MAX

/* Listens in a directory of its own; answers one request with `answer` (NULL: hangs up), or as soon
 * as it is connected to. */
struct server {
	char directory[64];
	char path[96];
	const char *answer;
	bool is_hasty;
	char request[1024];
	int fd;
	pthread_t thread;
};

static void *serve(void *data)
{
	struct server *s = data;
	int fd = accept4(s->fd, NULL, NULL, SOCK_CLOEXEC);
	ssize_t n = s->is_hasty ? 0 : recv(fd, s->request, sizeof(s->request) - 1, 0);

	s->request[n > 0 ? n : 0] = '\0';
	if (s->answer)
		(void)send(fd, s->answer, strlen(s->answer), MSG_NOSIGNAL); /* the test sees */
	(void)close(fd);
	return NULL;
}

static void listen_at(struct server *s)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	(void)snprintf(s->directory, sizeof(s->directory), "/tmp/repoprobe-test-XXXXXX");
	assert_non_null(mkdtemp(s->directory));
	(void)snprintf(s->path, sizeof(s->path), "%s/control.sock", s->directory);
	(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", s->path);
	s->fd = socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
	assert_true(s->fd >= 0);
	assert_int_equal(bind(s->fd, (const struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(s->fd, 1), 0);
}

static void stop(struct server *s)
{
	(void)close(s->fd);
	assert_int_equal(unlink(s->path), 0);
	assert_int_equal(rmdir(s->directory), 0);
}

static struct json_t *new_request(void)
{
	struct json_t *request = json_new_object();

	json_add_text(request, "command", "probe-now");
	json_add_text(request, "repository", "nas 1");
	return request;
}

static int ask(struct server *s, struct buf *reply, struct error *error)
{
	listen_at(s);
	assert_int_equal(pthread_create(&s->thread, NULL, serve, s), 0);
	int r = control_exchange(s->path, new_request(), CONTROL_LIMIT_USEC, reply, error);
	assert_int_equal(pthread_join(s->thread, NULL), 0);
	stop(s);
	return r;
}

static void one_request_gets_one_reply(void **state)
{
	struct server s = { .answer = "{\"ok\": true}" };
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct error error = { "" };
	(void)state;

	assert_int_equal(ask(&s, &reply, &error), 0);
	assert_string_equal(buf_text(&reply), "{\"ok\": true}");

	struct json_t *request;
	assert_int_equal(json_parse(s.request, strlen(s.request), &request, &error), 0);
	assert_string_equal(json_get_text(request, "command"), "probe-now");
	assert_string_equal(json_get_text(request, "repository"), "nas 1");
	json_free(request);
	buf_done(&reply);
}

static void a_daemon_that_hangs_up_is_told_apart(void **state)
{
	struct server s = { .answer = NULL };
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct error error = { "" };
	(void)state;

	assert_int_equal(ask(&s, &reply, &error), -ECONNRESET);
	assert_non_null(strstr(error.text, "closed the connection"));
	buf_done(&reply);
}

/* Whichever comes first, the request or the end of the connection. */
static void an_answer_that_did_not_wait_for_the_request_is_read(void **state)
{
	(void)state;
	for (int i = 0; i < 50; i++) {
		struct server s = { .answer = "{\"ok\": false}", .is_hasty = true };
		struct buf reply = BUF_INIT(REPLY_MAX);
		struct error error = { "" };

		if (ask(&s, &reply, &error) < 0)
			fail_msg("%s", error.text);
		assert_string_equal(buf_text(&reply), s.answer);
		buf_done(&reply);
	}
}

static void a_daemon_that_never_answers_is_not_waited_for(void **state)
{
	struct server s = { 0 };
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct error error = { "" };
	(void)state;

	listen_at(&s); /* the kernel takes the request, nobody reads it */
	assert_int_equal(control_exchange(s.path, new_request(), 20000, &reply, &error), -EAGAIN);
	assert_non_null(strstr(error.text, "did not answer"));
	stop(&s);
	buf_done(&reply);
}

static void no_daemon_at_all(void **state)
{
	struct server s = { 0 };
	struct buf reply = BUF_INIT(REPLY_MAX);
	struct error error = { "" };
	char path[256];
	(void)state;

	listen_at(&s);
	(void)close(s.fd); /* a dead socket: the file stays */
	assert_int_equal(
		control_exchange(s.path, new_request(), CONTROL_LIMIT_USEC, &reply, &error),
		-ECONNREFUSED);
	assert_int_equal(unlink(s.path), 0);
	assert_int_equal(
		control_exchange(s.path, new_request(), CONTROL_LIMIT_USEC, &reply, &error),
		-ENOENT);
	assert_int_equal(rmdir(s.directory), 0);

	memset(path, 'a', sizeof(path));
	path[sizeof(path) - 1] = '\0';
	assert_int_equal(control_exchange(path, new_request(), CONTROL_LIMIT_USEC, &reply, &error),
		-ENAMETOOLONG);
	buf_done(&reply);
}

static void replies_are_read(void **state)
{
	static const struct {
		const char *text;
		int r;
		const char *message;
		const char *error;
	} cases[] = {
		{ "{\"ok\": true}", 0, NULL, "" },
		{ "{\"ok\": true, \"message\": \"2 probes\"}", 0, "2 probes", "" },
		{ "{\"ok\": false, \"error\": \"no repository \\\"x\\\"\"}", -ECANCELED, NULL,
			"no repository \"x\"" },
		{ "{\"ok\": false}", -EBADMSG, NULL,
			"the daemon's answer has neither ok nor error" },
		{ "{\"ok\": 1}", -EBADMSG, NULL, "the daemon's answer has neither ok nor error" },
		{ "[]", -EBADMSG, NULL, NULL },
		{ "{\"ok\": tr", -EBADMSG, NULL, NULL },
		{ "", -EBADMSG, NULL, NULL },
	};
	(void)state;

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct error error = { "" };
		char *message = NULL;

		assert_int_equal(
			control_read_reply(cases[i].text, strlen(cases[i].text), &message, &error),
			cases[i].r);
		if (cases[i].message)
			assert_string_equal(message, cases[i].message);
		else
			assert_null(message);
		if (cases[i].error)
			assert_string_equal(error.text, cases[i].error);
		else
			assert_string_not_equal(error.text, "");
		free(message);
	}
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(one_request_gets_one_reply),
		cmocka_unit_test(a_daemon_that_hangs_up_is_told_apart),
		cmocka_unit_test(an_answer_that_did_not_wait_for_the_request_is_read),
		cmocka_unit_test(a_daemon_that_never_answers_is_not_waited_for),
		cmocka_unit_test(no_daemon_at_all),
		cmocka_unit_test(replies_are_read),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
