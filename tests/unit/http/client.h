/* SPDX-License-Identifier: Apache-2.0 */
/* The smallest HTTP client: sends bytes, reads to the end of the connection. */
#ifndef REPOPROBE_TESTS_UNIT_HTTP_CLIENT_H
#define REPOPROBE_TESTS_UNIT_HTTP_CLIENT_H

#include <stddef.h>

struct reply {
	int status;
	char *head; /* status line and headers, the last line break cut off */
	char *body;
	size_t body_len;
	char *bytes;
};

/* Connects to "127.0.0.1:PORT" and sends the request; a test fails when that cannot be done. */
int client_open(const char *address, const char *request);
/* Reads the reply until the server closes. Free with reply_done(). */
struct reply client_read(int fd);
void reply_done(struct reply *reply);

/* One request with "Host: localhost" and "Connection: close"; headers: "" or lines that end with
 * CRLF. */
struct reply client_ask(
	const char *address, const char *method, const char *target, const char *headers);

#endif
