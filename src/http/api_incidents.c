/* SPDX-License-Identifier: Apache-2.0 */
/* Incidents: a list, as JSON or CSV; and one with all of its messages. */
#include "http/api.h"

#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/json.h"
#include "base/parse.h"
#include "http/request.h"
#include "http/server.h"
#include "report/report.h"
#include "store/store.h"

struct incident_list {
	struct store_reader *reader;
	struct json_t *array; /* NULL: as CSV */
	struct buf *csv;
	struct error *error;
};

static const enum store_incident_state states[] = {
	[QUERY_ALL] = STORE_INCIDENTS_ALL,
	[QUERY_OPEN] = STORE_INCIDENTS_OPEN,
	[QUERY_CLOSED] = STORE_INCIDENTS_CLOSED,
};

static int append_incident(void *data, const struct incident *incident)
{
	struct incident_list *list = data;
	struct incident_group group;

	if (!list->array) {
		report_incident_csv_line(incident, list->csv);
		return list->csv->error;
	}
	int r = store_read_group(list->reader, incident, &group, list->error);
	if (r >= 0)
		json_append(list->array, report_incident_json(incident, &group));
	return r;
}

static struct store_incident_filter filter_of(const struct query *query)
{
	return (struct store_incident_filter){
		.repository = query->given & QUERY_BIT(QUERY_REPOSITORY) ? query->repository : NULL,
		.state = states[query->state],
		.from_usec = query->from_usec,
		.to_usec = query->to_usec,
		.limit = query->limit,
	};
}

static int make_csv(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_incident_filter filter = filter_of(&q->query);
	struct incident_list list = { .csv = b };

	report_incident_csv_header(b);
	return store_read_incidents(reader, &filter, append_incident, &list, &ret_refusal->message);
}

static int make_json(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_incident_filter filter = filter_of(&q->query);
	struct json_t *root = json_new_object();
	struct incident_list list = {
		.reader = reader,
		.array = json_new_array(),
		.error = &ret_refusal->message,
	};

	int r = list.array ? store_read_incidents(
				     reader, &filter, append_incident, &list, &ret_refusal->message)
			   : -ENOMEM;
	json_add(root, "incidents", list.array);
	if (r < 0) {
		(void)json_free(root);
		return r;
	}
	return json_dump(root, false, b);
}

enum MHD_Result api_incidents(struct request *q)
{
	return api_ask(q, q->query.format == QUERY_CSV ? make_csv : make_json);
}

struct one_incident {
	struct store_reader *reader;
	struct error *error;
	struct json_t *object; /* NULL: no such incident */
	struct json_t *events;
};

static int keep_incident(void *data, const struct incident *incident)
{
	struct one_incident *one = data;
	struct incident_group group;
	int r = store_read_group(one->reader, incident, &group, one->error);

	if (r < 0)
		return r;
	one->object = report_incident_json(incident, &group);
	return one->object ? 0 : -ENOMEM;
}

static int append_event(void *data, const struct incident_event *event)
{
	struct one_incident *one = data;

	json_append(one->events, report_incident_event_json(event));
	return 0;
}

static int make_incident(
	struct store_reader *reader, struct request *q, struct buf *b, struct refusal *ret_refusal)
{
	const struct store_incident_filter filter = { .id = q->asked_id };
	struct one_incident one = { .reader = reader, .error = &ret_refusal->message };

	int r = store_read_incidents(reader, &filter, keep_incident, &one, &ret_refusal->message);
	if (r == 0 && !one.object) {
		ret_refusal->status = MHD_HTTP_NOT_FOUND;
		ret_refusal->code = "not_found";
		return error_set(&ret_refusal->message, -ENOENT, "there is no such incident");
	}
	one.events = json_new_array();
	if (r == 0)
		r = store_read_events(reader, filter.id, append_event, &one, &ret_refusal->message);
	json_add(one.object, "events", one.events);
	if (r == 0)
		return json_dump(one.object, false, b);
	(void)json_free(one.object);
	return r;
}

enum MHD_Result api_incident(struct request *q)
{
	if (parse_int(q->rest, 1, INT64_MAX, &q->asked_id, NULL) < 0)
		return request_refuse(q, MHD_HTTP_NOT_FOUND, "not_found",
			"'%s' is not the number of an incident", q->rest);
	return api_ask(q, make_incident);
}
