/* SPDX-License-Identifier: Apache-2.0 */
/* Sends answers: one place for status, headers (including the page's security policy), the choice
 * of the gzip form and 304. */
#ifndef REPOPROBE_HTTP_RESPONSE_H
#define REPOPROBE_HTTP_RESPONSE_H

#include <microhttpd.h>
#include <stddef.h>

#include "base/error.h"

struct body;

#define RESPONSE_JSON "application/json; charset=utf-8"
#define RESPONSE_CSV "text/csv; charset=utf-8; header=present"
#define RESPONSE_TEXT "text/plain; charset=utf-8"
#define RESPONSE_METRICS "text/plain; version=0.0.4; charset=utf-8"

#define RESPONSE_CACHE_NEVER "no-store"
#define RESPONSE_CACHE_ASK "no-cache" /* may be cached, must be revalidated by entity tag */
#define RESPONSE_CACHE_FOREVER "public, max-age=31536000, immutable"

struct response_content {
	const char *type;
	const char *cache;
	const char *etag; /* without quotes; NULL: none, so never a 304 */
	const void *data;
	size_t len;
	const void *gzip; /* NULL: no gzip form */
	size_t gzip_len;
	/* Called with owner when the bytes are no longer needed; NULL: they are static. */
	void (*release)(void *owner);
	void *owner;
};

/* Answers 200, or 304 when the client has this version; always releases the content. */
enum MHD_Result response_send(
	struct MHD_Connection *connection, const struct response_content *content);

/* The same with a body, whose reference it takes. */
enum MHD_Result response_send_body(
	struct MHD_Connection *connection, struct body *body, const char *type, const char *cache);

/* A line of text; copied, never cached. */
enum MHD_Result response_send_text(
	struct MHD_Connection *connection, unsigned status, const char *text);

struct refusal {
	unsigned status;
	const char *code; /* one word for programs: "not_found" */
	const char *header; /* one more header, or NULL */
	const char *header_value;
	struct error message; /* a sentence for people */
};

/* {"error": {"code", "message"}} */
enum MHD_Result response_refuse(struct MHD_Connection *connection, const struct refusal *refusal);

#endif
