/* SPDX-License-Identifier: Apache-2.0 */
/* One request from start to end: libmicrohttpd's callbacks, and the checks before any route. */
#ifndef REPOPROBE_HTTP_REQUEST_H
#define REPOPROBE_HTTP_REQUEST_H

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "http/access.h"
#include "http/history.h"
#include "http/query.h"
#include "http/response.h"

struct body;
struct buf;
struct http_server;

struct request {
	struct http_server *server;
	struct MHD_Connection *connection;
	char *target; /* as in the request; NULL: too long */
	bool has_begun;
	char path[ACCESS_TARGET_MAX + 1];
	const char *rest; /* of the path, after the route's own */
	struct query query;

	/* The answer of a reader thread: a body, or else the refusal. */
	struct history_question question;
	bool is_asked; /* the handler's next call delivers this answer */
	bool takes_gzip;
	int64_t asked_id;
	int (*make)(struct store_reader *reader, struct request *q, struct buf *b,
		struct refusal *ret_refusal);
	struct body *body;
	struct refusal refusal;
};

/* MHD_OPTION_URI_LOG_CALLBACK: creates the request. cls is the server. */
void *request_open(void *cls, const char *target, struct MHD_Connection *connection);
/* MHD_AccessHandlerCallback */
enum MHD_Result request_handle(void *cls, struct MHD_Connection *connection, const char *url,
	const char *method, const char *version, const char *upload_data, size_t *upload_data_size,
	void **request);
/* MHD_RequestCompletedCallback */
void request_close(void *cls, struct MHD_Connection *connection, void **request,
	enum MHD_RequestTerminationCode code);

enum MHD_Result request_refuse(struct request *q, unsigned status, const char *code,
	const char *format, ...) __attribute__((format(printf, 4, 5)));

#endif
