/* SPDX-License-Identifier: Apache-2.0 */
/* Numeric addresses only: a name would need a resolver, which can block. */
#include "config/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/error.h"
#include "base/parse.h"

#define SHOWN 80 /* bytes of a bad value in a message */

static bool is_address(int family, const char *text, size_t len)
{
	char copy[INET6_ADDRSTRLEN];
	struct in6_addr address;

	if (len >= sizeof(copy))
		return false;
	memcpy(copy, text, len);
	copy[len] = '\0';
	return inet_pton(family, copy, &address) == 1;
}

static bool is_port(const char *text)
{
	uint64_t port;

	return strlen(text) <= 5 && parse_uint(text, 0, UINT16_MAX, &port, NULL) == 0;
}

/* Suggests a correction for a text without a usable address and port. */
static int refuse(const char *text, struct error *reterr)
{
	static const char expected[] =
		"expected ADDRESS:PORT with a numeric address, such as 127.0.0.1:9847 or [::1]:9847";
	const char *colon = strrchr(text, ':');
	size_t len = strlen(text);

	if (is_port(text))
		return error_set(reterr, -EINVAL, "%.*s: %s; did you mean 127.0.0.1:%s?", SHOWN,
			text, expected, text);
	if (is_address(AF_INET, text, len))
		return error_set(reterr, -EINVAL, "%s: %s; did you mean %s:%d?", text, expected,
			text, LISTEN_PORT_DEFAULT);
	if (is_address(AF_INET6, text, len))
		return error_set(reterr, -EINVAL, "%s: %s; did you mean [%s]:%d?", text, expected,
			text, LISTEN_PORT_DEFAULT);
	if (colon && is_port(colon + 1)) {
		size_t address_len = (size_t)(colon - text);

		if (address_len == 0 || strncmp(text, "*:", 2) == 0)
			return error_set(reterr, -EINVAL, "%.*s: %s; did you mean 0.0.0.0:%s?",
				SHOWN, text, expected, colon + 1);
		if (strncmp(text, "localhost:", 10) == 0)
			return error_set(reterr, -EINVAL, "%.*s: %s; did you mean 127.0.0.1:%s?",
				SHOWN, text, expected, colon + 1);
	}
	return error_set(reterr, -EINVAL, "%.*s: %s", SHOWN, text, expected);
}

int listen_check(const char *text, struct error *reterr)
{
	const char *colon = strrchr(text, ':');

	if (strncmp(text, "unix:", 5) == 0)
		return error_set(reterr, -EOPNOTSUPP,
			"%.*s is not in this version; expected ADDRESS:PORT", SHOWN, text);
	if (!colon || !is_port(colon + 1))
		return refuse(text, reterr);
	size_t len = (size_t)(colon - text);
	if (is_address(AF_INET, text, len))
		return 0;
	if (len > 2 && text[0] == '[' && text[len - 1] == ']' &&
		is_address(AF_INET6, text + 1, len - 2))
		return 0;
	return refuse(text, reterr);
}
