/* SPDX-License-Identifier: Apache-2.0 */
/* Checks the Host header: it must name this server, so that no web site can make a browser read
 * from it under a name of its own (DNS rebinding). Pure. */
#ifndef REPOPROBE_HTTP_ACCESS_H
#define REPOPROBE_HTTP_ACCESS_H

#include <stdbool.h>
#include <stddef.h>

#define ACCESS_HOSTS_MAX 256
#define ACCESS_HOST_SIZE 256

#define ACCESS_TARGET_MAX 4096 /* bytes of a request's target; longer: 414 */
#define ACCESS_HEADERS_MAX 12288 /* bytes of a request's header section; longer: 431 */

struct access;

/* Allows localhost, 127.0.0.1 and ::1. NULL when out of memory. */
struct access *access_new(void);
struct access *access_free(struct access *access);

/* Adds a name or address, brackets and port allowed ("nas.example", "[::1]:9847"). An unspecified
 * address (0.0.0.0, ::) means every address of the machine: then any literal address is allowed,
 * which DNS rebinding cannot forge. Returns 0, -EINVAL (no host), -ENOBUFS or -ENOMEM. */
int access_add(struct access *access, const char *host);

/* header NULL: an HTTP/1.0 request without Host, which no browser sends; allowed. */
bool access_allows(const struct access *access, const char *header);

#endif
