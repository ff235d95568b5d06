/* SPDX-License-Identifier: Apache-2.0 */
/* The output formats of a run, by the name that a user gives. */
#ifndef REPOPROBE_REPORT_FORMAT_H
#define REPOPROBE_REPORT_FORMAT_H

#include <stdbool.h>
#include <stddef.h>

struct buf;
struct run;

struct report_format {
	const char *name;
	void (*write)(const struct run *run, struct buf *b); /* fails only by the buffer's error */
	bool is_document; /* for programs: also written for a failed run */
	bool needs_numbers; /* cannot represent a run without measurements */
};

/* The default comes first. NULL past the end, or when there is none of that name. */
const struct report_format *report_format_at(size_t i);
const struct report_format *report_format_find(const char *name);

#endif
