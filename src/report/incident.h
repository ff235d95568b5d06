/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that an incident's sentence and its explanation share. Private to report/. */
#ifndef REPOPROBE_REPORT_INCIDENT_H
#define REPOPROBE_REPORT_INCIDENT_H

#include <stdbool.h>

#include "model/incident.h"
#include "model/snapshot.h"

struct buf;
struct json_t;

/* The unit of the evidence's value and normal, and one such value as text. */
enum alarm_unit incident_unit(const struct incident_event *event);
void incident_add_value(const struct incident_event *event, uint64_t value, struct buf *b);

/* True for a percentile: it is of all runs of its window together, not of any single run. */
bool incident_is_together(const struct incident_event *event);

/* "alarm slow-tail (write p99 > 50ms)" */
void incident_add_alarm(const struct incident_event *event, struct buf *b);

const char *incident_load_text(enum load_class load); /* "for light work of others" */
const char *incident_cause_text(enum alarm_cause cause); /* "lost cache hits" … */

/* incident_json.c: adds the other repositories in trouble, or null. */
void incident_add_group(struct json_t *object, const struct incident_group *group);

/* overview_group.c: finds those that are in trouble at present. */
void incident_group_now(const struct snapshot *snapshot,
	const struct snapshot_repository *repository, struct incident_group *ret);

#endif
