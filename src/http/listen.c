/* SPDX-License-Identifier: Apache-2.0 */
/* bind() and listen() with a sentence for each failure. */
#include "http/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/error.h"
#include "base/fd.h"
#include "base/parse.h"

#define BACKLOG 128

union address {
	struct sockaddr any;
	struct sockaddr_in v4;
	struct sockaddr_in6 v6;
};

static socklen_t address_size(const union address *a)
{
	return a->any.sa_family == AF_INET ? sizeof(a->v4) : sizeof(a->v6);
}

/* Splits text at its last ':' into a host without brackets and a port. */
static int split(const char *text, char ret_host[LISTEN_ADDRESS_SIZE], uint16_t *ret_port)
{
	const char *colon = strrchr(text, ':');
	uint64_t port = 0;

	if (!colon || parse_uint(colon + 1, 0, UINT16_MAX, &port, NULL) < 0)
		return -EINVAL;
	size_t len = (size_t)(colon - text);
	if (len >= 2 && text[0] == '[' && text[len - 1] == ']') {
		text++;
		len -= 2;
	} else if (memchr(text, ':', len)) {
		return -EINVAL; /* a bare IPv6 address: the port is ambiguous */
	}
	if (len == 0 || len >= LISTEN_ADDRESS_SIZE)
		return -EINVAL;
	memcpy(ret_host, text, len);
	ret_host[len] = '\0';
	*ret_port = (uint16_t)port;
	return 0;
}

static int parse_address(const char *text, union address *ret, struct error *reterr)
{
	char host[LISTEN_ADDRESS_SIZE];
	uint16_t port = 0;

	*ret = (union address){ .v6 = { .sin6_family = AF_UNSPEC } };
	if (split(text, host, &port) == 0) {
		if (inet_pton(AF_INET, host, &ret->v4.sin_addr) == 1) {
			ret->v4.sin_family = AF_INET;
			ret->v4.sin_port = htons(port);
			return 0;
		}
		if (inet_pton(AF_INET6, host, &ret->v6.sin6_addr) == 1) {
			ret->v6.sin6_family = AF_INET6;
			ret->v6.sin6_port = htons(port);
			return 0;
		}
	}
	return error_set(reterr, -EINVAL,
		"cannot listen on '%s': expected ADDRESS:PORT, as 127.0.0.1:9847 or [::1]:9847",
		text);
}

static int bind_address(int fd, const union address *a)
{
	int on = 1;

	if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0)
		return -errno;
	/* [::] must not include 0.0.0.0: both may be listed. */
	if (a->any.sa_family == AF_INET6 &&
		setsockopt(fd, IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof(on)) < 0)
		return -errno;
	if (bind(fd, &a->any, address_size(a)) < 0 || listen(fd, BACKLOG) < 0)
		return -errno;
	return 0;
}

static int format_address(int fd, char ret[LISTEN_ADDRESS_SIZE])
{
	union address a = { .v6 = { .sin6_family = AF_UNSPEC } };
	socklen_t size = sizeof(a);
	char host[INET6_ADDRSTRLEN];

	if (getsockname(fd, &a.any, &size) < 0)
		return -errno;
	if (a.any.sa_family == AF_INET) {
		(void)inet_ntop(AF_INET, &a.v4.sin_addr, host, sizeof(host));
		(void)snprintf(
			ret, LISTEN_ADDRESS_SIZE, "%s:%u", host, (unsigned)ntohs(a.v4.sin_port));
		return 0;
	}
	(void)inet_ntop(AF_INET6, &a.v6.sin6_addr, host, sizeof(host));
	(void)snprintf(ret, LISTEN_ADDRESS_SIZE, "[%s]:%u", host, (unsigned)ntohs(a.v6.sin6_port));
	return 0;
}

int listen_open(
	const char *text, int *ret_fd, char ret_address[LISTEN_ADDRESS_SIZE], struct error *reterr)
{
	union address a;

	int r = parse_address(text, &a, reterr);
	if (r < 0)
		return r;
	int fd = socket(a.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	r = fd < 0 ? -errno : bind_address(fd, &a);
	if (r == 0)
		r = format_address(fd, ret_address);
	if (r == 0) {
		*ret_fd = fd;
		return 0;
	}
	(void)fd_close(fd);
	if (r == -EADDRINUSE)
		return error_set(reterr, r, "%s is in use", text);
	return error_set(reterr, r, "cannot listen on %s: %s", text, errno_text(-r));
}
