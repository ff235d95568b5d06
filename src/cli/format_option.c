/* SPDX-License-Identifier: Apache-2.0 */
/* Finds a format by the name that the user gives. */
#include "cli/format_option.h"

#include <errno.h>

#include "base/buf.h"
#include "base/error.h"
#include "base/parse.h"
#include "report/format.h"

#define FORMATS_MAX 16
#define LIST_MAX 256

static int refuse(const char *value, struct error *reterr)
{
	const char *names[FORMATS_MAX];
	struct buf list = BUF_INIT(LIST_MAX);
	size_t count = 0;

	for (; count < FORMATS_MAX && report_format_at(count); count++) {
		names[count] = report_format_at(count)->name;
		buf_printf(&list, "%s%s", count > 0 ? ", " : "", names[count]);
	}
	const char *meant = parse_suggest(value, names, count);
	int r = error_set(reterr, -EINVAL, "%.60s: not a format (%s)%s%s%s", value, buf_text(&list),
		meant ? "; did you mean " : "", meant ? meant : "", meant ? "?" : "");
	buf_done(&list);
	return r;
}

int format_option_set(
	const struct cli_option *option, const char *value, void *target, struct error *reterr)
{
	const char *name = value ? value : option->name;
	const struct report_format *format = report_format_find(name);

	if (!format)
		return refuse(name, reterr);
	void *place = (char *)target + option->offset;
	*(const struct report_format **)place = format;
	return 0;
}
