/* SPDX-License-Identifier: Apache-2.0 */
/* Host headers in one canonical form: lower case, no port, no brackets, addresses as inet_ntop
 * writes them. */
#include "http/access.h"

#include <arpa/inet.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

struct access {
	bool is_any_address;
	size_t count;
	char hosts[ACCESS_HOSTS_MAX][ACCESS_HOST_SIZE];
};

static bool is_port(const char *text)
{
	return text[0] == '\0' ||
		(text[0] == ':' && strspn(text + 1, "0123456789") == strlen(text + 1));
}

static bool is_name_character(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		strchr("-._", c) != NULL;
}

static char lower(char c)
{
	return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

/* The length of the host at the start of text without its brackets; 0: no host. */
static size_t scan_host(const char *text, const char **ret_host, bool *ret_is_bracketed)
{
	*ret_is_bracketed = text[0] == '[';
	if (*ret_is_bracketed) {
		size_t len = strcspn(text + 1, "]");
		*ret_host = text + 1;
		return text[len + 1] == ']' && is_port(text + len + 2) ? len : 0;
	}
	size_t len = 0;
	while (text[len] != '\0' && is_name_character(text[len]))
		len++;
	*ret_host = text;
	return is_port(text + len) ? len : 0;
}

/* Rewrites an address in its shortest form. False when text is not an address. */
static bool canonical_address(const char *text, char ret[ACCESS_HOST_SIZE], bool *ret_is_any)
{
	struct in_addr v4;
	struct in6_addr v6;

	if (inet_pton(AF_INET, text, &v4) == 1) {
		*ret_is_any = v4.s_addr == htonl(INADDR_ANY);
		return inet_ntop(AF_INET, &v4, ret, ACCESS_HOST_SIZE) != NULL;
	}
	if (inet_pton(AF_INET6, text, &v6) == 1) {
		*ret_is_any = IN6_IS_ADDR_UNSPECIFIED(&v6);
		return inet_ntop(AF_INET6, &v6, ret, ACCESS_HOST_SIZE) != NULL;
	}
	return false;
}

struct host {
	char text[ACCESS_HOST_SIZE];
	bool is_address;
	bool is_any;
};

static int canonical_host(const char *header, struct host *ret)
{
	char text[ACCESS_HOST_SIZE];
	const char *host = NULL;
	bool is_bracketed = false;

	*ret = (struct host){ .is_address = false };
	size_t len = scan_host(header, &host, &is_bracketed);
	if (len == 0 || len >= sizeof(text))
		return -EINVAL;
	memcpy(text, host, len);
	text[len] = '\0';
	ret->is_address = canonical_address(text, ret->text, &ret->is_any);
	if (ret->is_address)
		return 0;
	if (is_bracketed)
		return -EINVAL;
	if (len > 1 && text[len - 1] == '.')
		text[len - 1] = '\0'; /* "localhost." is the same name */
	for (size_t i = 0; i < sizeof(text) && text[i] != '\0'; i++)
		ret->text[i] = lower(text[i]);
	return 0;
}

struct access *access_new(void)
{
	static const char *const own[] = { "localhost", "127.0.0.1", "[::1]" };
	struct access *access = calloc(1, sizeof(*access));

	for (size_t i = 0; access && i < sizeof(own) / sizeof(own[0]); i++)
		(void)access_add(access, own[i]); /* cannot fail: valid, and there is space */
	return access;
}

struct access *access_free(struct access *access)
{
	free(access);
	return NULL;
}

static bool is_known(const struct access *access, const char *text)
{
	for (size_t i = 0; i < access->count; i++)
		if (strcmp(access->hosts[i], text) == 0)
			return true;
	return false;
}

int access_add(struct access *access, const char *host)
{
	struct host h;
	char bracketed[ACCESS_HOST_SIZE + 2] = "[";
	struct in6_addr v6;

	/* A bare IPv6 address, which a list of hosts may contain. */
	if (inet_pton(AF_INET6, host, &v6) == 1) {
		(void)inet_ntop(AF_INET6, &v6, bracketed + 1, ACCESS_HOST_SIZE);
		size_t len = strlen(bracketed);
		bracketed[len] = ']';
		bracketed[len + 1] = '\0';
		host = bracketed;
	}
	int r = canonical_host(host, &h);
	if (r < 0)
		return r;
	if (h.is_any)
		access->is_any_address = true;
	if (is_known(access, h.text))
		return 0;
	if (access->count == ACCESS_HOSTS_MAX)
		return -ENOBUFS;
	memcpy(access->hosts[access->count++], h.text, sizeof(h.text));
	return 0;
}

bool access_allows(const struct access *access, const char *header)
{
	struct host h;

	if (!header)
		return true;
	if (canonical_host(header, &h) < 0)
		return false;
	return (h.is_address && access->is_any_address) || is_known(access, h.text);
}
