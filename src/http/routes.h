/* SPDX-License-Identifier: Apache-2.0 */
/* The table of all endpoints. */
#ifndef REPOPROBE_HTTP_ROUTES_H
#define REPOPROBE_HTTP_ROUTES_H

#include <microhttpd.h>
#include <stdbool.h>

struct query_rules;
struct request;

enum route_match {
	ROUTE_EXACT,
	ROUTE_BELOW, /* path is a prefix that ends with '/', and something follows */
};

struct route {
	const char *path;
	enum route_match match;
	const char *methods; /* "GET, HEAD", as in the Allow header */
	enum MHD_Result (*handle)(struct request *q); /* NULL: not in this version */
	const struct query_rules *rules; /* NULL: parameters are ignored */
};

/* *ret_rest points into path, after the route's own. NULL: no such route. */
const struct route *routes_find(const char *path, const char **ret_rest);

bool routes_allow(const struct route *route, const char *method);
bool routes_is_read(const char *method); /* GET or HEAD */

#endif
