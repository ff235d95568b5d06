/* SPDX-License-Identifier: Apache-2.0 */
/* One thing in, one text out: for people, scripts and scrapers. Knows no file, socket or database;
 * each function appends to a buf, whose sticky error is the only failure. */
#ifndef REPOPROBE_REPORT_REPORT_H
#define REPOPROBE_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/incident.h"
#include "model/run.h"
#include "model/snapshot.h"

struct buf;
struct checkup;
struct json_t;

/* run_text.c: the report of `repoprobe run` and `show`, in DiskSpd's columns (interfaces "Report").
 */
void report_run_text(const struct run *run, struct buf *b);
/* run_json.c: a run as interfaces "JSON" says; repository and probe "" become null. */
struct json_t *report_run_json(const struct run *run);
/* overview.c: adds "mute": what holds at a repository, or null. */
void report_add_mute(struct json_t *object, const struct snapshot_mute *mute);
/* run_xdisk.c: XDISK's header and row, of a run with numbers. */
void report_run_xdisk(const struct run *run, struct buf *b);
/* run_fio_json.c: the document that fio --output-format=json+ writes. */
void report_run_fio_json(const struct run *run, struct buf *b);
/* run_list.c: `repoprobe runs`: header, then a line a run. `status` likewise. */
void report_run_list_header(struct buf *b);
void report_run_list_line(const struct run *run, struct buf *b);

/* run_csv.c: the header of `repoprobe export --format=csv`, and a line a run. */
void report_run_csv_header(struct buf *b);
void report_run_csv_line(const struct run *run, struct buf *b);

/* doctor.c and doctor_json.c: what a repository is, fact by fact, each with a verdict, and what is
 * to be thought of it. */
void report_doctor_text(const struct checkup *c, struct buf *b);
struct json_t *report_doctor_json(const struct checkup *c);

/* incident.c: one sentence in plain words: "nas1: writes of active-full take 23.9 ms on average,
 * limit 15 ms (2 of the last 3 runs)". */
void report_incident_sentence(const struct incident_event *event, struct buf *b);
/* "with 3 others on nas1", or nothing; has_names: and who that is. */
void report_incident_group(const struct incident_group *group, bool has_names, struct buf *b);
/* incident_explain.c: what an event stands on. Appends the i-th line, without a line break, or
 * nothing when there is nothing to say of that; false past the last. */
bool report_incident_line(const struct incident_event *event, size_t i, struct buf *b);
/* incident_json.c: an incident with its newest event; an event with what it stands on; CSV lines
 * that end with CRLF. */
struct json_t *report_incident_json(
	const struct incident *incident, const struct incident_group *group);
struct json_t *report_incident_event_json(const struct incident_event *event);
void report_incident_csv_header(struct buf *b);
void report_incident_csv_line(const struct incident *incident, struct buf *b);

/* overview.c: body of /api/v1/overview. */
void report_overview(const struct snapshot *snapshot, struct buf *b);

/* metrics.c: body of /metrics, text format 0.0.4 (ecosystem 1.1 to 1.4, interfaces "Metrics"): the
 * families that exist in this version, in the order of one table. */
void report_metrics(const struct snapshot *snapshot, struct buf *b);

#endif
