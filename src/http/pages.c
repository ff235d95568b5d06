/* SPDX-License-Identifier: Apache-2.0 */
/* Nothing here blocks: bytes come from the program itself or from the last publication. */
#include "http/pages.h"

#include <inttypes.h>
#include <stdio.h>

#include "http/assets.h"
#include "http/bodies.h"
#include "http/request.h"
#include "http/response.h"
#include "http/server.h"

static enum MHD_Result send_asset(struct request *q, const struct asset *asset, const char *cache)
{
	const struct response_content content = {
		.type = assets_type(asset->name),
		.cache = cache,
		.etag = assets_hash,
		.data = asset->data,
		.len = (size_t)(asset->data_end - asset->data),
		.gzip = asset->gzip,
		.gzip_len = (size_t)(asset->gzip_end - asset->gzip),
	};
	return response_send(q->connection, &content);
}

enum MHD_Result pages_index(struct request *q)
{
	const struct asset *asset = assets_find("index.html");

	if (!asset)
		return request_refuse(q, MHD_HTTP_NOT_FOUND, "not_found", "built without a page");
	return send_asset(q, asset, RESPONSE_CACHE_ASK);
}

enum MHD_Result pages_asset(struct request *q)
{
	const struct asset *asset = assets_find_hashed(q->rest);

	if (!asset)
		return request_refuse(
			q, MHD_HTTP_NOT_FOUND, "not_found", "no such file in this version's page");
	return send_asset(q, asset, RESPONSE_CACHE_FOREVER);
}

enum MHD_Result pages_metrics(struct request *q)
{
	struct body *body = bodies_take(q->server->bodies, HTTP_BODY_METRICS);

	if (!body)
		return request_refuse(q, MHD_HTTP_SERVICE_UNAVAILABLE, "starting", "just starting");
	return response_send_body(q->connection, body, RESPONSE_METRICS, RESPONSE_CACHE_NEVER);
}

enum MHD_Result pages_healthy(struct request *q)
{
	uint64_t standstill_sec = server_standstill_sec(q->server);
	char line[SERVER_READY_SIZE];

	if (standstill_sec == 0)
		return response_send_text(q->connection, MHD_HTTP_OK, "healthy\n");
	(void)snprintf(line, sizeof(line),
		"not healthy: the main loop has been blocked for %" PRIu64 " s\n", standstill_sec);
	return response_send_text(q->connection, MHD_HTTP_SERVICE_UNAVAILABLE, line);
}

enum MHD_Result pages_ready(struct request *q)
{
	char line[SERVER_READY_SIZE];
	bool is_ready = server_ready_line(q->server, line);

	return response_send_text(
		q->connection, is_ready ? MHD_HTTP_OK : MHD_HTTP_SERVICE_UNAVAILABLE, line);
}
