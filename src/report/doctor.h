/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of doctor's report: its rows, and texts that its two forms share. Only for
 * src/report/doctor*.c. */
#ifndef REPOPROBE_REPORT_DOCTOR_H
#define REPOPROBE_REPORT_DOCTOR_H

#include <stddef.h>

#include "model/examination.h"

struct buf;
struct checkup;

enum doctor_fact {
	DOCTOR_KNOWN,
	DOCTOR_UNKNOWN,
	DOCTOR_ABSENT, /* does not exist here, or the examination ended before it */
};

struct doctor_row {
	const char *group; /* rows of one group are adjacent */
	const char *label;
	enum examination_subject about; /* the subject whose verdict is shown before it */
	enum doctor_fact (*add)(const struct checkup *c, struct buf *b);
};

extern const struct doctor_row doctor_place_rows[]; /* doctor_place.c */
extern const size_t doctor_place_row_count;
extern const struct doctor_row doctor_use_rows[]; /* doctor_use.c */
extern const size_t doctor_use_row_count;

/* The outcome of the trial of direct I/O: "worked", "declined", "failed", "not_tried". */
const char *doctor_trial_name(enum examination_trial trial);

/* The state of a file: "ours", "foreign" or "missing". */
const char *doctor_file_name(const struct examination_file *file);

/* Appends both, unless text is "". */
void doctor_add_part(struct buf *b, const char *before, const char *text);

#endif
