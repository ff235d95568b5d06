/* SPDX-License-Identifier: Apache-2.0 */
/* The table of formats. */
#include "report/format.h"

#include <string.h>

#include "base/buf.h"
#include "base/json.h"
#include "report/report.h"

static void write_json(const struct run *run, struct buf *b)
{
	int r = json_dump(report_run_json(run), true, b);

	if (r < 0 && b->error == 0)
		b->error = r;
}

static const struct report_format formats[] = {
	{ .name = "text", .write = report_run_text },
	{ .name = "json", .write = write_json, .is_document = true },
	{ .name = "xdisk", .write = report_run_xdisk, .needs_numbers = true },
	{ .name = "fio-json", .write = report_run_fio_json, .is_document = true },
};

#define COUNT (sizeof(formats) / sizeof(formats[0]))

const struct report_format *report_format_at(size_t i)
{
	return i < COUNT ? &formats[i] : NULL;
}

const struct report_format *report_format_find(const char *name)
{
	for (size_t i = 0; i < COUNT; i++)
		if (strcmp(formats[i].name, name) == 0)
			return &formats[i];
	return NULL;
}
