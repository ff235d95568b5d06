/* SPDX-License-Identifier: Apache-2.0 */
/* A blocking client on loopback. */
#include "test.h"

#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/parse.h"

#define REPLY_MAX (1U << 20)

int client_open(const char *address, const char *request)
{
	struct sockaddr_in to = { .sin_family = AF_INET };
	const char *colon = strrchr(address, ':');
	uint64_t port = 0;
	size_t len = strlen(request);

	assert_non_null(colon);
	assert_int_equal(parse_uint(colon + 1, 1, UINT16_MAX, &port, NULL), 0);
	to.sin_port = htons((uint16_t)port);
	to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	assert_true(fd >= 0);
	assert_int_equal(connect(fd, (const struct sockaddr *)&to, sizeof(to)), 0);
	for (size_t sent = 0; sent < len;) {
		ssize_t n = send(fd, request + sent, len - sent, MSG_NOSIGNAL);
		if (n <= 0)
			break; /* the server refused early: its answer tells */
		sent += (size_t)n;
	}
	return fd;
}

struct reply client_read(int fd)
{
	struct buf b = BUF_INIT(REPLY_MAX);
	struct reply reply = { .status = 0 };
	char part[4096];
	uint64_t status = 0;

	for (ssize_t n = read(fd, part, sizeof(part)); n > 0; n = read(fd, part, sizeof(part)))
		buf_add(&b, part, (size_t)n);
	(void)close(fd);
	size_t len = 0;
	assert_int_equal(buf_take(&b, &reply.bytes, &len), 0);
	char *end = strstr(reply.bytes, "\r\n\r\n");
	if (!end || len < 12)
		return reply; /* status 0: no answer */
	*end = '\0';
	reply.head = reply.bytes;
	reply.body = end + 4;
	reply.body_len = len - (size_t)(reply.body - reply.bytes);
	char digits[4] = "";
	memcpy(digits, reply.head + strlen("HTTP/1.1 "), 3);
	assert_int_equal(parse_uint(digits, 100, 599, &status, NULL), 0);
	reply.status = (int)status;
	return reply;
}

void reply_done(struct reply *reply)
{
	free(reply->bytes);
	*reply = (struct reply){ .status = 0 };
}

struct reply client_ask(
	const char *address, const char *method, const char *target, const char *headers)
{
	struct buf b = BUF_INIT(REPLY_MAX);

	buf_printf(&b, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n%s\r\n", method,
		target, headers);
	assert_int_equal(b.error, 0);
	struct reply reply = client_read(client_open(address, buf_text(&b)));
	buf_done(&b);
	return reply;
}
