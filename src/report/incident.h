/* SPDX-License-Identifier: Apache-2.0 */
/* Words that the sentence about an incident and its explanation share. Private to report/. */
#ifndef REPOPROBE_REPORT_INCIDENT_H
#define REPOPROBE_REPORT_INCIDENT_H

#include "model/incident.h"
#include "model/snapshot.h"

struct json_t;

/* What value and normal of a rule's evidence are. */
enum incident_unit {
	INCIDENT_LATENCY, /* nanoseconds */
	INCIDENT_THROUGHPUT, /* bytes a second */
	INCIDENT_SHARE, /* basis points of all I/Os */
};
enum incident_unit incident_unit(enum alarm_rule rule);

const char *incident_load_text(enum load_class load); /* "for light work of others" */
const char *incident_cause_text(enum alarm_cause cause); /* "lost cache hits" … */

/* incident_json.c: who else has trouble, or null. */
void incident_add_group(struct json_t *object, const struct incident_group *group);

/* overview_group.c: likewise of the present. */
void incident_group_now(const struct snapshot *snapshot,
	const struct snapshot_repository *repository, struct incident_group *ret);

#endif
