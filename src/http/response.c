/* SPDX-License-Identifier: Apache-2.0 */
/* libmicrohttpd responses with our headers. */
#include "http/response.h"

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "http/bodies.h"
#include "http/negotiate.h"

#define ETAG_TEXT_SIZE 48
#define REFUSAL_MAX 8192

/* All of the page's resources come from here; no framing, no script injection. */
static const char *const security_headers[][2] = {
	{ "Content-Security-Policy",
		"default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
		"connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'" },
	{ "X-Content-Type-Options", "nosniff" },
	{ "Referrer-Policy", "same-origin" },
	{ "Cross-Origin-Opener-Policy", "same-origin" },
};

static bool add_header(struct MHD_Response *response, const char *name, const char *value)
{
	return !value || MHD_add_response_header(response, name, value) == MHD_YES;
}

/* Queues the response and releases it. If it is NULL or headers are missing (out of memory), the
 * connection is closed. */
static enum MHD_Result queue(struct MHD_Connection *connection, unsigned status,
	struct MHD_Response *response, bool is_whole)
{
	enum MHD_Result r = MHD_NO;

	if (!response)
		return MHD_NO;
	for (size_t i = 0; i < sizeof(security_headers) / sizeof(security_headers[0]); i++)
		is_whole = is_whole &&
			add_header(response, security_headers[i][0], security_headers[i][1]);
	if (is_whole)
		r = MHD_queue_response(connection, status, response);
	MHD_destroy_response(response);
	return r;
}

static const char *request_header(struct MHD_Connection *connection, const char *name)
{
	return MHD_lookup_connection_value(connection, MHD_HEADER_KIND, name);
}

/* libmicrohttpd's parameter is not const, but it does not change the bytes. */
static void *without_const(const void *data)
{
	union {
		const void *in;
		void *out;
	} u = { .in = data };
	return u.out;
}

enum MHD_Result response_send(
	struct MHD_Connection *connection, const struct response_content *content)
{
	bool is_gzip = content->gzip &&
		negotiate_takes_gzip(request_header(connection, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	char tag[ETAG_TEXT_SIZE];
	char quoted[ETAG_TEXT_SIZE + 2];
	unsigned status = MHD_HTTP_OK;

	(void)snprintf(
		tag, sizeof(tag), "%s%s", content->etag ? content->etag : "", is_gzip ? "-gz" : "");
	(void)snprintf(quoted, sizeof(quoted), "\"%s\"", tag);
	if (content->etag &&
		negotiate_has_etag(request_header(connection, MHD_HTTP_HEADER_IF_NONE_MATCH), tag))
		status = MHD_HTTP_NOT_MODIFIED;

	const void *data = is_gzip ? content->gzip : content->data;
	size_t len = is_gzip ? content->gzip_len : content->len;
	if (status == MHD_HTTP_NOT_MODIFIED)
		len = 0;
	struct MHD_Response *response = MHD_create_response_from_buffer_with_free_callback_cls(
		len, without_const(data), content->release, content->owner);
	if (!response) {
		if (content->release)
			content->release(content->owner);
		return MHD_NO;
	}
	bool is_whole = add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, content->type) &&
		add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, content->cache) &&
		add_header(response, MHD_HTTP_HEADER_ETAG, content->etag ? quoted : NULL) &&
		add_header(response, MHD_HTTP_HEADER_VARY, MHD_HTTP_HEADER_ACCEPT_ENCODING) &&
		add_header(response, MHD_HTTP_HEADER_CONTENT_ENCODING,
			is_gzip && len > 0 ? "gzip" : NULL);
	return queue(connection, status, response, is_whole);
}

static void release_body(void *owner)
{
	(void)body_unref(owner);
}

enum MHD_Result response_send_body(
	struct MHD_Connection *connection, struct body *body, const char *type, const char *cache)
{
	const struct response_content content = {
		.type = type,
		.cache = cache,
		.etag = strcmp(cache, RESPONSE_CACHE_NEVER) == 0 ? NULL : body->etag,
		.data = body->data,
		.len = body->len,
		.gzip = body->gzip,
		.gzip_len = body->gzip_len,
		.release = release_body,
		.owner = body,
	};
	return response_send(connection, &content);
}

static enum MHD_Result send_copy(struct MHD_Connection *connection, unsigned status,
	const char *type, const char *text, const struct refusal *refusal)
{
	char *copy = strdup(text);

	if (!copy)
		return MHD_NO;
	struct MHD_Response *response =
		MHD_create_response_from_buffer(strlen(copy), copy, MHD_RESPMEM_MUST_FREE);
	if (!response) {
		free(copy);
		return MHD_NO;
	}
	bool is_whole = add_header(response, MHD_HTTP_HEADER_CONTENT_TYPE, type) &&
		add_header(response, MHD_HTTP_HEADER_CACHE_CONTROL, RESPONSE_CACHE_NEVER);
	if (refusal && refusal->header)
		is_whole = is_whole && add_header(response, refusal->header, refusal->header_value);
	return queue(connection, status, response, is_whole);
}

enum MHD_Result response_send_text(
	struct MHD_Connection *connection, unsigned status, const char *text)
{
	return send_copy(connection, status, RESPONSE_TEXT, text, NULL);
}

enum MHD_Result response_refuse(struct MHD_Connection *connection, const struct refusal *refusal)
{
	struct buf b = BUF_INIT(REFUSAL_MAX);
	struct json_t *root = json_new_object();
	struct json_t *error = json_new_object();

	json_add_text(error, "code", refusal->code);
	json_add_text(error, "message", refusal->message.text);
	json_add(root, "error", error);
	enum MHD_Result r = MHD_NO;
	if (json_dump(root, true, &b) == 0)
		r = send_copy(connection, refusal->status, RESPONSE_JSON, buf_text(&b), refusal);
	buf_done(&b);
	return r;
}
