/* SPDX-License-Identifier: Apache-2.0 */
/* Submits questions to reader threads and sends their answers; handles runs. */
#include "http/api.h"

#include <errno.h>

#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/json.h"
#include "base/log.h"
#include "base/parse.h"
#include "http/bodies.h"
#include "http/negotiate.h"
#include "http/request.h"
#include "http/server.h"
#include "report/report.h"
#include "store/store.h"

#define BODY_MAX (16U << 20)
#define GZIP_LEVEL 4

enum MHD_Result api_overview(struct request *q)
{
	struct body *body = bodies_take(q->server->bodies, HTTP_BODY_OVERVIEW);

	if (!body)
		return request_refuse(q, MHD_HTTP_SERVICE_UNAVAILABLE, "starting", "just starting");
	return response_send_body(q->connection, body, RESPONSE_JSON, RESPONSE_CACHE_ASK);
}

static void refuse_for_now(struct refusal *refusal, const char *code, const char *sentence)
{
	*refusal = (struct refusal){
		.status = MHD_HTTP_SERVICE_UNAVAILABLE,
		.code = code,
		.header = MHD_HTTP_HEADER_RETRY_AFTER,
		.header_value = "1",
	};
	(void)error_set(&refusal->message, 0, "%s", sentence);
}

/* Runs on a reader thread. */
static void work(struct store_reader *reader, void *data)
{
	struct request *q = data;
	struct buf b = BUF_INIT(BODY_MAX);

	if (!reader) {
		refuse_for_now(&q->refusal, "stopping", "the daemon is stopping");
		return;
	}
	q->refusal = (struct refusal){ .status = 0 };
	int r = q->make(reader, q, &b, &q->refusal);
	if (r == 0)
		r = b.error;
	if (r == 0)
		r = body_new(b.data, b.len, q->takes_gzip ? GZIP_LEVEL : 0, &q->body);
	buf_done(&b);
	if (r == 0 || q->refusal.status != 0)
		return;
	const char *why = q->refusal.message.text;
	if (history_may_log(q->server->history, clock_monotonic_nsec(&q->server->clock)))
		log_warning("the history cannot be read for %s: %s", q->path,
			why[0] != '\0' ? why : errno_text(-r));
	refuse_for_now(&q->refusal, "history_unavailable", "the history cannot be read at present");
}

enum MHD_Result api_ask(struct request *q,
	int (*make)(struct store_reader *reader, struct request *q, struct buf *b,
		struct refusal *ret_refusal))
{
	q->make = make;
	q->takes_gzip = negotiate_takes_gzip(MHD_lookup_connection_value(
		q->connection, MHD_HEADER_KIND, MHD_HTTP_HEADER_ACCEPT_ENCODING));
	q->question = (struct history_question){
		.work = work,
		.data = q,
		.connection = q->connection,
	};
	refuse_for_now(&q->refusal, "busy", "too many requests at once");
	int r = history_ask(q->server->history, &q->question);
	if (r == -ESHUTDOWN) {
		refuse_for_now(&q->refusal, "no_history", "no history is open");
		return response_refuse(q->connection, &q->refusal);
	}
	q->is_asked = true; /* also when the queue is full: the next call reports that */
	return MHD_YES;
}

enum MHD_Result api_answer(struct request *q)
{
	struct body *body = q->body;
	const char *type = q->query.format == QUERY_CSV ? RESPONSE_CSV : RESPONSE_JSON;

	if (!body)
		return response_refuse(q->connection, &q->refusal);
	q->body = NULL;
	return response_send_body(q->connection, body, type, RESPONSE_CACHE_ASK);
}

static int append_run(void *data, const struct run *run)
{
	json_append(data, report_run_json(run));
	return 0;
}

static int make_runs(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_run_filter filter = {
		.repository =
			q->query.given & QUERY_BIT(QUERY_REPOSITORY) ? q->query.repository : NULL,
		.probe = q->query.given & QUERY_BIT(QUERY_PROBE) ? q->query.probe : NULL,
		.from_usec = q->query.from_usec,
		.to_usec = q->query.to_usec,
		.limit = q->query.limit,
	};
	struct json_t *list = json_new_array();
	struct json_t *root = json_new_object();

	int r = store_read_runs(reader, &filter, append_run, list, &ret_refusal->message);
	json_add(root, "runs", list);
	if (r < 0) {
		(void)json_free(root);
		return r;
	}
	return json_dump(root, false, b);
}

static int keep_run(void *data, const struct run *run)
{
	struct json_t **ret = data;

	*ret = report_run_json(run);
	return 0;
}

static int make_run(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_run_filter filter = { .id = q->asked_id, .limit = 1 };
	struct json_t *run = NULL;

	int r = store_read_runs(reader, &filter, keep_run, &run, &ret_refusal->message);
	if (r < 0) {
		(void)json_free(run);
		return r;
	}
	if (run)
		return json_dump(run, false, b);
	ret_refusal->status = MHD_HTTP_NOT_FOUND;
	ret_refusal->code = "not_found";
	ret_refusal->header = NULL;
	return error_set(&ret_refusal->message, -ENOENT, "there is no such run");
}

enum MHD_Result api_runs(struct request *q)
{
	if (q->query.format == QUERY_CSV)
		return request_refuse(q, MHD_HTTP_BAD_REQUEST, "not_in_this_version",
			"format=csv for runs is not in this version");
	return api_ask(q, make_runs);
}

enum MHD_Result api_run(struct request *q)
{
	if (parse_int(q->rest, 1, INT64_MAX, &q->asked_id, NULL) < 0)
		return request_refuse(q, MHD_HTTP_NOT_FOUND, "not_found",
			"'%s' is not the number of a run", q->rest);
	return api_ask(q, make_run);
}

enum MHD_Result api_series(struct request *q)
{
	return api_ask(q, api_make_series);
}

enum MHD_Result api_heatmap(struct request *q)
{
	return api_ask(q, api_make_heatmap);
}
