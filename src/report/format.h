/* SPDX-License-Identifier: Apache-2.0 */
/* The forms that a run can be told in, by the name that a user gives. */
#ifndef REPOPROBE_REPORT_FORMAT_H
#define REPOPROBE_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct run;

struct report_format {
	const char *name;
	void (*write)(
		const struct run *run, struct buf *b); /* the buffer's error is the only one */
	bool is_document; /* for programs: of a run that failed, too */
	bool needs_numbers; /* can say nothing of a run that measured nothing */
};

/* The default first; NULL past the end, or when there is none of that name. */
const struct report_format *report_format_at(size_t i);
const struct report_format *report_format_find(const char *name);

#endif
