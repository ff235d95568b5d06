/* SPDX-License-Identifier: Apache-2.0 */
/* Bodies that are made once and sent many times: bytes, their gzip form and an entity tag, with a
 * reference count. The loop publishes, the server's threads take. Independent of connections. */
#ifndef REPOPROBE_HTTP_BODIES_H
#define REPOPROBE_HTTP_BODIES_H

#include <stddef.h>

#include "http/http.h"

#define BODY_ETAG_SIZE 17

struct body {
	unsigned references; /* atomic */
	char etag[BODY_ETAG_SIZE]; /* hash of the bytes */
	char *data;
	size_t len;
	char *gzip; /* NULL: no gain */
	size_t gzip_len;
};

/* Copies the bytes. level: gzip level, 0: no gzip form. Returns 0 or -ENOMEM. */
int body_new(const void *data, size_t len, int level, struct body **ret);
struct body *body_ref(struct body *body);
struct body *body_unref(struct body *body); /* accepts NULL, returns NULL */

struct bodies;

struct bodies *bodies_new(void); /* NULL when out of memory */
struct bodies *bodies_free(struct bodies *bodies);

/* Takes the reference and releases the old body. */
void bodies_publish(struct bodies *bodies, enum http_body which, struct body *body);
/* Returns a reference that the caller owns, or NULL before the first publication. */
struct body *bodies_take(struct bodies *bodies, enum http_body which);

#endif
