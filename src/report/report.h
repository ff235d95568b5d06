/* SPDX-License-Identifier: Apache-2.0 */
/* Converts values to text for people, scripts and scrapers. Touches no file, socket or database;
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

/* run_text.c: report of `repoprobe run` and `show`, in DiskSpd's columns (interfaces "Report"). */
void report_run_text(const struct run *run, struct buf *b);
/* run_json.c: a run as specified in interfaces "JSON"; repository and probe "" become null. */
struct json_t *report_run_json(const struct run *run);
/* overview.c: adds "mute": the mute in force for a repository, or null. */
void report_add_mute(struct json_t *object, const struct snapshot_mute *mute);
/* run_xdisk.c: XDISK's header and row, of a run with numbers. */
void report_run_xdisk(const struct run *run, struct buf *b);
/* run_fio_json.c: the document that fio --output-format=json+ writes. */
void report_run_fio_json(const struct run *run, struct buf *b);
/* run_list.c: `repoprobe runs`: header, then one line per run. Also used by `status`. */
void report_run_list_header(struct buf *b);
void report_run_list_line(const struct run *run, struct buf *b);

/* run_csv.c: `repoprobe export --format=csv`: header, then one line per run. */
void report_run_csv_header(struct buf *b);
void report_run_csv_line(const struct run *run, struct buf *b);

/* doctor.c and doctor_json.c: facts about a repository, each with a verdict, and the findings. */
void report_doctor_text(const struct checkup *c, struct buf *b);
struct json_t *report_doctor_json(const struct checkup *c);

/* incident.c: one sentence: "nas1: writes of active-full take 23.9 ms on average,
 * limit 15 ms (2 of the last 3 runs)". */
void report_incident_sentence(const struct incident_event *event, struct buf *b);
/* "with 3 others on nas1", or nothing; has_names: with their names. */
void report_incident_group(const struct incident_group *group, bool has_names, struct buf *b);
/* incident_explain.c: the evidence of an event. Appends the i-th line, without a line break, or
 * nothing when that line does not apply. Returns false past the last. */
bool report_incident_line(const struct incident_event *event, size_t i, struct buf *b);
/* incident_json.c: an incident with its newest event; an event with its evidence; CSV lines that
 * end with CRLF. */
struct json_t *report_incident_json(
	const struct incident *incident, const struct incident_group *group);
struct json_t *report_incident_event_json(const struct incident_event *event);
void report_incident_csv_header(struct buf *b);
void report_incident_csv_line(const struct incident *incident, struct buf *b);

/* overview.c: body of /api/v1/overview. */
void report_overview(const struct snapshot *snapshot, struct buf *b);

/* metrics.c: body of /metrics, text format 0.0.4 (ecosystem 1.1 to 1.4, interfaces "Metrics"): the
 * families of this version, in the order of its table. */
void report_metrics(const struct snapshot *snapshot, struct buf *b);

#endif
