/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of Prometheus' text format. */
#include "report/exposition.h"

#include <inttypes.h>

#include "base/buf.h"
#include "base/utf8.h"

void exposition_family(struct exposition *x, const char *name, const char *type, const char *help)
{
	x->name = name;
	x->type = type;
	x->help = help;
	x->is_begun = false;
}

void exposition_sample(struct exposition *x, const char *suffix)
{
	if (!x->is_begun)
		buf_printf(
			x->b, "# HELP %s %s\n# TYPE %s %s\n", x->name, x->help, x->name, x->type);
	x->is_begun = true;
	x->has_label = false;
	buf_add_text(x->b, x->name);
	buf_add_text(x->b, suffix);
}

static void begin_label(struct exposition *x, const char *name)
{
	buf_printf(x->b, "%c%s=\"", x->has_label ? ',' : '{', name);
	x->has_label = true;
}

static void add_escaped(struct buf *b, const char *value)
{
	while (*value) {
		bool is_valid;
		size_t len = utf8_next(value, &is_valid);

		if (!is_valid)
			buf_add_text(b, "\xef\xbf\xbd");
		else if (*value == '\n')
			buf_add_text(b, "\\n");
		else if (*value == '"' || *value == '\\')
			buf_printf(b, "\\%c", *value);
		else
			buf_add(b, value, len);
		value += len;
	}
}

void exposition_label(struct exposition *x, const char *name, const char *value)
{
	begin_label(x, name);
	add_escaped(x->b, value);
	buf_add_char(x->b, '"');
}

void exposition_label_integer(struct exposition *x, const char *name, uint64_t value)
{
	begin_label(x, name);
	buf_printf(x->b, "%" PRIu64 "\"", value);
}

void exposition_value(struct exposition *x, uint64_t value, unsigned digits)
{
	uint64_t unit = 1;

	for (unsigned i = 0; i < digits; i++)
		unit *= 10;
	uint64_t fraction = value % unit;
	if (x->has_label)
		buf_add_char(x->b, '}');
	buf_printf(x->b, " %" PRIu64, value / unit);
	if (fraction > 0) {
		/* Zeros at the end say nothing. */
		for (; fraction % 10 == 0; digits--)
			fraction /= 10;
		buf_printf(x->b, ".%0*" PRIu64, (int)digits, fraction);
	}
	buf_add_char(x->b, '\n');
}
