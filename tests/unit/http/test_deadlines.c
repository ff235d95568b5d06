/* SPDX-License-Identifier: Apache-2.0 */
/* Clients that take their time, against a server whose clock is moved. */
#include "test.h"

#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "server_fixture.h"

/* Whether the server hangs up on a client that goes on sending while time goes on. */
static bool is_cut_off(int fd, uint64_t step_seconds)
{
	for (int i = 0; i < 100; i++) {
		server_move_clock(step_seconds);
		struct pollfd p = { .fd = fd, .events = POLLIN };
		char byte;

		(void)send(fd, "x", 1, MSG_NOSIGNAL); /* the end is seen by reading */
		if (poll(&p, 1, 100) == 1 && recv(fd, &byte, 1, 0) <= 0)
			return true;
	}
	return false;
}

static void a_request_has_a_limit_however_slowly_it_comes(void **state)
{
	struct fixture *f = *state;
	const char *rest = "TP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n";

	int early = client_open(f->address, "GET / HT");
	struct reply reply = server_get(f, "/", ""); /* so it is accepted, as it came first */
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
	server_move_clock(6);
	int late = client_open(f->address, "GET / HT");
	server_move_clock(6);
	assert_true(is_cut_off(early, 0));
	(void)close(early);
	assert_int_equal(send(late, rest, strlen(rest), MSG_NOSIGNAL), strlen(rest));
	reply = client_read(late);
	assert_int_equal(reply.status, 200);
	reply_done(&reply);
}

/* A connection that has had an answer and has begun another question. */
static int open_again(const struct fixture *f)
{
	char text[4096];

	int fd = client_open(f->address, "GET /a/x HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_true(recv(fd, text, sizeof(text), 0) > 0);
	assert_int_equal(send(fd, "GET /", 5, MSG_NOSIGNAL), 5);
	return fd;
}

static void the_next_request_of_a_connection_has_a_limit_too(void **state)
{
	struct fixture *f = *state;

	int fd = open_again(f);
	assert_true(
		is_cut_off(fd, 16)); /* more than once: the answer was read before it was over */
	(void)close(fd);
}

static void an_answer_that_is_not_taken_has_a_limit(void **state)
{
	struct fixture *f = *state;
	size_t size = 24U << 20; /* more than the kernel keeps for the two ends */
	char *large = calloc(1, size);
	static char text[1U << 16];
	size_t taken = 0;

	assert_non_null(large);
	assert_int_equal(http_server_publish(f->server, HTTP_BODY_METRICS, large, size), 0);
	free(large);
	int fd = client_open(f->address, "GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n");
	assert_int_equal(recv(fd, text, 1, 0), 1);
	int other = open_again(f);
	server_move_clock(121);
	assert_true(is_cut_off(other, 16)); /* and with it the one that is looked at here */
	(void)close(other);
	for (ssize_t n = 1; n > 0; taken += n > 0 ? (size_t)n : 0)
		n = recv(fd, text, sizeof(text), 0);
	assert_true(taken < size);
	(void)close(fd);
}

TEST_MAIN(void)
{
	const struct CMUnitTest tests[] = {
		SERVER_TEST(a_request_has_a_limit_however_slowly_it_comes),
		SERVER_TEST(the_next_request_of_a_connection_has_a_limit_too),
		SERVER_TEST(an_answer_that_is_not_taken_has_a_limit),
	};

	return cmocka_run_group_tests_name("http/deadlines", tests, NULL, NULL);
}
