/* SPDX-License-Identifier: Apache-2.0 */
/* The table of everything that can be asked. */
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
	const char *methods; /* "GET, HEAD", as the Allow header says it */
	enum MHD_Result (*handle)(struct request *q); /* NULL: comes with a later version */
	const struct query_rules *rules; /* NULL: parameters are not looked at */
};

/* *ret_rest points into path, behind the route's own. NULL: no such route. */
const struct route *routes_find(const char *path, const char **ret_rest);

bool routes_allow(const struct route *route, const char *method);
bool routes_is_read(const char *method); /* GET or HEAD */

#endif
