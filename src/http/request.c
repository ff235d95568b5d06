/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a request (length, Host, route, method, parameters) and calls its route's handler. */
#include "http/request.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"
#include "http/api.h"
#include "http/bodies.h"
#include "http/deadlines.h"
#include "http/routes.h"
#include "http/server.h"

void *request_open(void *cls, const char *target, struct MHD_Connection *connection)
{
	struct request *q = calloc(1, sizeof(*q));

	if (!q)
		return NULL;
	q->server = cls;
	q->connection = connection;
	if (strlen(target) > ACCESS_TARGET_MAX)
		return q;
	q->target = strdup(target);
	if (q->target)
		return q;
	free(q);
	return NULL;
}

static void set_limit(struct MHD_Connection *connection, uint64_t limit_nsec)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);

	deadline_set(info ? info->socket_context : NULL, limit_nsec);
}

void request_close(void *cls, struct MHD_Connection *connection, void **request,
	enum MHD_RequestTerminationCode code)
{
	struct request *q = *request;

	(void)cls;
	(void)code;
	set_limit(connection, SERVER_NEXT_NSEC);
	if (!q)
		return;
	(void)body_unref(q->body);
	free(q->target);
	free(q);
	*request = NULL;
}

enum MHD_Result request_refuse(
	struct request *q, unsigned status, const char *code, const char *format, ...)
{
	struct refusal refusal = { .status = status, .code = code };
	va_list ap;

	va_start(ap, format);
	(void)vsnprintf(refusal.message.text, sizeof(refusal.message.text), format, ap);
	va_end(ap);
	return response_refuse(q->connection, &refusal);
}

static enum MHD_Result refuse_method(struct request *q, const struct route *route)
{
	struct refusal refusal = {
		.status = MHD_HTTP_METHOD_NOT_ALLOWED,
		.code = "method_not_allowed",
		.header = MHD_HTTP_HEADER_ALLOW,
		.header_value = route->methods,
	};

	(void)error_set(&refusal.message, 0, "this server only answers %s", route->methods);
	return response_refuse(q->connection, &refusal);
}

static enum MHD_Result dispatch(struct request *q, const char *method, const char *query)
{
	struct error e = { .text = "" };
	const struct route *route = routes_find(q->path, &q->rest);

	if (!route)
		return request_refuse(q, MHD_HTTP_NOT_FOUND, "not_found", "there is no such page");
	if (!route->handle)
		return request_refuse(
			q, MHD_HTTP_NOT_FOUND, "not_in_this_version", "not in this version");
	if (!routes_allow(route, method))
		return refuse_method(q, route);
	if (route->rules) {
		int64_t now_usec = clock_realtime_usec(&q->server->clock);
		if (query_parse(query, route->rules, now_usec, &q->query, &e) < 0)
			return request_refuse(
				q, MHD_HTTP_BAD_REQUEST, "bad_parameter", "%s", e.text);
	}
	return route->handle(q);
}

struct head {
	size_t hosts;
	bool has_body;
};

static enum MHD_Result look_at_header(
	void *cls, enum MHD_ValueKind kind, const char *name, const char *value)
{
	struct head *head = cls;

	(void)kind;
	if (strcasecmp(name, MHD_HTTP_HEADER_HOST) == 0)
		head->hosts++;
	if (strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) == 0 ||
		(strcasecmp(name, MHD_HTTP_HEADER_CONTENT_LENGTH) == 0 && value &&
			strcmp(value, "0") != 0))
		head->has_body = true;
	return MHD_YES;
}

static struct head look_at_headers(struct MHD_Connection *connection)
{
	struct head head = { .hosts = 0 };

	(void)MHD_get_connection_values(connection, MHD_HEADER_KIND, look_at_header, &head);
	return head;
}

static size_t header_size(struct MHD_Connection *connection)
{
	const union MHD_ConnectionInfo *info =
		MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);

	return info ? info->header_size : 0;
}

static enum MHD_Result check(
	struct request *q, const struct head *head, const char *method, const char *version)
{
	const char *query = "";
	const char *host =
		MHD_lookup_connection_value(q->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_HOST);

	if (!q->target)
		return request_refuse(q, MHD_HTTP_URI_TOO_LONG, "uri_too_long",
			"the address is longer than %d bytes", ACCESS_TARGET_MAX);
	if (header_size(q->connection) > ACCESS_HEADERS_MAX)
		return request_refuse(q, MHD_HTTP_REQUEST_HEADER_FIELDS_TOO_LARGE,
			"headers_too_large", "the headers are longer than %d bytes",
			ACCESS_HEADERS_MAX);
	if (!host && strcmp(version, MHD_HTTP_VERSION_1_0) != 0)
		return request_refuse(
			q, MHD_HTTP_BAD_REQUEST, "unknown_host", "the Host header is missing");
	if (head->hosts > 1)
		return request_refuse(
			q, MHD_HTTP_BAD_REQUEST, "bad_request", "more than one Host header");
	if (!access_allows(q->server->access, host))
		return request_refuse(q, MHD_HTTP_BAD_REQUEST, "unknown_host",
			"this host name is not allowed: add it to allowed_hosts in [http]");
	if (query_split_target(q->target, q->path, sizeof(q->path), &query) < 0)
		return request_refuse(
			q, MHD_HTTP_BAD_REQUEST, "bad_path", "the path is not UTF-8 in %%-escapes");
	if (routes_is_read(method) && head->has_body)
		return request_refuse(q, MHD_HTTP_BAD_REQUEST, "bad_request",
			"a %s request must not have a body", method);
	return dispatch(q, method, query);
}

enum MHD_Result request_handle(void *cls, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload_data, size_t *upload_data_size,
	void **request)
{
	struct request *q = *request;

	(void)cls;
	(void)url;
	(void)upload_data;
	(void)upload_data_size;
	if (!q)
		return MHD_NO;
	if (q->is_asked)
		return api_answer(q);
	const struct head head = look_at_headers(connection);
	/* An answer at the first call, before the end of the request, closes the connection: right
	 * for a request with a body, which is refused anyway, but wasteful for others. */
	if (!q->has_begun && !head.has_body && routes_is_read(method)) {
		q->has_begun = true;
		return MHD_YES;
	}
	set_limit(connection, SERVER_ANSWER_NSEC);
	return check(q, &head, method, version);
}
