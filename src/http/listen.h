/* SPDX-License-Identifier: Apache-2.0 */
/* Listening sockets from "ADDRESS:PORT" or "[ADDRESS]:PORT": literal addresses only, so that
 * nothing here waits for a name server. */
#ifndef REPOPROBE_HTTP_LISTEN_H
#define REPOPROBE_HTTP_LISTEN_H

#include <stddef.h>

struct error;

#define LISTEN_ADDRESS_SIZE 64 /* "[8 groups]:65535" and its NUL */

/* Opens a non-blocking listening socket, which the caller owns, and returns its address with the
 * real port. Returns 0, -EINVAL (not of this form), -EADDRNOTAVAIL or -EAFNOSUPPORT (this machine
 * has no such address), -EADDRINUSE, -EACCES …, each with a sentence that names the address. */
int listen_open(
	const char *text, int *ret_fd, char ret_address[LISTEN_ADDRESS_SIZE], struct error *reterr);

#endif
